// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The second of two passes over the keys: weights are made again, mixed, and
// pool values.

#include "passes/body/NeverUnroll.h"
#include "passes/schedule/mma/ExchangeSizes.h"
#include "passes/schedule/mma/MixerTable.h"
#include "passes/schedule/mma/Schedules.h"
#include "passes/schedule/mma/TwoPassBlock.h"

#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace mixattn;
using namespace mixattn::mma;

namespace {

/// Emits the code of a block of threads. Alive are the mixed weights and the
/// outputs of the block's heads, and the scores of one unit.
class PoolMixedBlock : public TwoPassBlock {
public:
  PoolMixedBlock(ImplicitLocOpBuilder &b, KernelOp kernel, PoolMixedOp stage,
                 const TwoPassSizes &sizes)
      : TwoPassBlock(b, kernel, stage.getGeneric(), sizes),
        references(kernel.getOperandOf(stage.getReferences())),
        factors(kernel.getOperandOf(stage.getFactors())) {}

  void emit(tile::GridOp grid);

protected:
  Value emitWeightAt(int64_t g, Value row, Value key, Value) override;

private:
  /// A loop over `count` numbers that carries `inits`.
  Values emitLoop(int64_t count, Values inits,
                  function_ref<Values(Value number, Values carried)> body);
  /// One block of keys: carries the stage of the next keys, and outputs.
  Values emitStep(Value firstKey, Values carried);
  /// One unit of it: carries the stage of the next keys, and mixed weights.
  Values emitUnitStep(Value unit, Value firstKey, Values carried);
  /// `mixed` with the weights of `head` for the block's heads.
  Values emitMixed(Value head, Value firstKey, const Scores &scores,
                   ValueRange mixed);
  /// The factors of powers of `head` for each of the block's heads, a number of
  /// each row.
  Values emitCoefficients(Value head);
  /// Makes the mixers of the block's queries where each has its own, or where
  /// they are scaled.
  void emitMixers();
  /// The mixer's element from `head` to head `g` of the block.
  Value emitMixerAt(Value head, int64_t g) {
    return read(op.getMixer(), {head, blockHeads[g]});
  }

  Value read(Value tensor, ArrayRef<Value> place) {
    return toF32(b, b.getLoc(), buffers.emitRead(b, b.getLoc(), tensor, place));
  }
  Value ofRows(Value numbers, Value head) {
    return tile::LoadRowsOp::create(
        b, rows(), numbers, ValueRange{batch, head, firstQuery}, numQueries);
  }

  Value references, factors;
  /// Mixers of the block's queries, where each has its own, or scaled ones.
  std::optional<MixerTable> mixers;
};

} // namespace

PoolMixedBlock::Values PoolMixedBlock::emitLoop(
    int64_t count, Values inits,
    function_ref<Values(Value number, Values carried)> body) {
  if (count == 1)
    return body(at.value(0), inits);
  auto loop =
      scf::ForOp::create(b, at.value(0), at.value(count), at.value(1), inits);
  // Products of the next heads would begin early, and registers would not hold
  // them.
  neverUnroll(loop);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(loop.getBody());
  scf::YieldOp::create(
      b, body(loop.getInductionVar(), Values(loop.getRegionIterArgs())));
  return Values(loop.getResults());
}

void PoolMixedBlock::emitMixers() {
  if (!sizes.hasCoefficients())
    return;
  Value tile = tile::SharedTileOp::create(b, sizes.coefficients(),
                                          sizes.coefficientOffset());
  Value here = at.min(at.sub(numQueries, firstQuery), groupQueries);
  mixers = {op,
            sizes.heads,
            blockHeads.front(),
            threads,
            batch,
            firstQuery,
            here,
            tile,
            sizes.mixesByRow,
            sizes.scalesMixers()};
  mixers->emit(b, buffers, [](Value, Value, Value mixer) { return mixer; });
}

PoolMixedBlock::Values PoolMixedBlock::emitCoefficients(Value head) {
  Value factor = ofRows(factors, head);
  Values coefficients;
  for (int64_t g = 0; g < sizes.heads; ++g) {
    Value own;
    if (mixers) {
      own = mixers->emitRows(b, head, g);
    } else {
      Value element = emitMixerAt(head, g);
      own = vector::FromElementsOp::create(b, rows(),
                                           ValueRange{element, element});
    }
    coefficients.push_back(arith::MulFOp::create(b, factor, own));
  }
  return coefficients;
}

PoolMixedBlock::Values PoolMixedBlock::emitMixed(Value head, Value firstKey,
                                                 const Scores &scores,
                                                 ValueRange mixed) {
  setHead(head);
  Value reference = ofRows(references, head);
  Value powers = emitPowers(emitExponents(0, firstKey, sizes.keys, scores,
                                          /*collapses=*/false),
                            reference);
  Values operands = {emitKept(firstKey, powers)};
  llvm::append_range(operands, mixed);
  llvm::append_range(operands, emitCoefficients(head));
  return emitMap(
      0, at.value(0), operands, mixed.size(),
      [&](const ScorePlace &, Value, ValueRange elements) {
        Values next;
        for (size_t g = 0; g < mixed.size(); ++g)
          next.push_back(math::FmaOp::create(
              b, elements[0], elements[1 + mixed.size() + g], elements[1 + g]));
        return next;
      });
}

PoolMixedBlock::Values PoolMixedBlock::emitUnitStep(Value unit, Value firstKey,
                                                    Values carried) {
  Value stage = carried.front(), other = at.sub(at.value(1), stage);
  tile::MmaWaitOp::create(b, 0);
  // All warps have pooled the values of the block before.
  auto isFirst = scf::IfOp::create(
      b, at.compare(arith::CmpIPredicate::eq, unit, 0), /*withElse=*/false);
  {
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(isFirst.thenBlock());
    emitValues(firstKey);
  }
  Value next = at.add(unit, 1);
  Value isLast = at.compare(arith::CmpIPredicate::eq, next, sizes.units);
  emitKeys(arith::SelectOp::create(b, isLast, at.value(0), next),
           arith::SelectOp::create(b, isLast, at.add(firstKey, sizes.keys),
                                   firstKey),
           other);
  Scores scores = emitUnit(unit, firstKey, stage);
  Values mixed = Values(ArrayRef(carried).drop_front());
  if (sizes.units > 1)
    mixed = emitMixed(unit, firstKey, scores, mixed);
  else
    mixed = emitLoop(sizes.mixed, mixed, [&](Value head, Values before) {
      return emitMixed(head, firstKey, scores, before);
    });
  Values result = {other};
  llvm::append_range(result, mixed);
  return result;
}

PoolMixedBlock::Values PoolMixedBlock::emitStep(Value firstKey,
                                                Values carried) {
  Values inits = {carried.front()};
  inits.append(sizes.heads, constant(fragment(sizes.keys), 0));
  Values units = emitLoop(sizes.units, inits, [&](Value unit, Values before) {
    return emitUnitStep(unit, firstKey, before);
  });
  // The last copies are those of the next keys.
  tile::MmaWaitOp::create(b, 1);
  auto operand = VectorType::get({sizes.keys / 2}, sizes.type);
  Values result = {units.front()};
  for (int64_t g = 0; g < sizes.heads; ++g) {
    Value weights = tile::ToOperandOp::create(b, operand, units[1 + g]);
    Value outputs = carried[1 + g];
    result.push_back(tile::MmaProductOp::create(b, outputs.getType(), weights,
                                                valuesOf(sizes.valueOf(g)),
                                                UnitAttr(), outputs)
                         .getResult(0));
  }
  return result;
}

/// The mixed weight. Heads have factors and references of their own, so the
/// block's head has none.
Value PoolMixedBlock::emitWeightAt(int64_t g, Value row, Value key, Value) {
  Value sum =
      emitLoop(sizes.mixed, {constant(b.getF32Type(), 0)},
               [&](Value head, Values carried) -> Values {
                 setHead(head);
                 auto ofRow = [&](Value numbers) -> Value {
                   return memref::LoadOp::create(b, numbers,
                                                 ValueRange{batch, head, row});
                 };
                 Value weight =
                     TwoPassBlock::emitWeightAt(0, row, key, ofRow(references));
                 Value mixer = mixers ? mixers->emitAt(b, head, g, row)
                                      : emitMixerAt(head, g);
                 Value coefficient =
                     arith::MulFOp::create(b, ofRow(factors), mixer);
                 return {math::FmaOp::create(b, weight, coefficient,
                                             carried.front())};
               })
          .front();
  if (sizes.scalesMixers())
    sum = arith::MulFOp::create(
        b, sum, mixers->emitAt(b, mixers->inverses(at), g, row));
  heads = blockHeads;
  return sum;
}

void PoolMixedBlock::emit(tile::GridOp grid) {
  emitStart(grid);
  emitMixers();
  Value zero = at.value(0);
  emitKeys(zero, range.begin, zero);
  Values inits = {zero};
  inits.append(sizes.heads, constant(fragment(sizes.valueFeatures), 0));
  auto loop = scf::ForOp::create(b, range.begin, range.end,
                                 at.value(sizes.keys), inits);
  {
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(loop.getBody());
    scf::YieldOp::create(
        b, emitStep(loop.getInductionVar(), Values(loop.getRegionIterArgs())));
  }
  // The copies of what comes after the last block; and inverses, which others
  // have written, if there was no block.
  tile::MmaWaitOp::create(b, 0, /*own=*/!sizes.scalesMixers());
  buffers.close();
  heads = blockHeads;
  Values outputs(loop.getResults().drop_front());
  if (sizes.scalesMixers())
    for (auto [g, each] : llvm::enumerate(outputs))
      each = emitScaled(each,
                        mixers->emitRows(b, mixers->inverses(at), int64_t(g)));
  emitMixedResults(outputs, references, factors);
}

void mma::schedulePoolMixed(KernelOp kernel, int64_t sharedBytes) {
  ImplicitLocOpBuilder b(kernel.getLoc(), kernel);
  auto stage = cast<PoolMixedOp>(kernel.getAnchor());
  AttentionOpInterface op = stage.getGeneric();
  if (auto exchange = ExchangeSizes::of(op, sharedBytes))
    return schedulePoolExchanged(kernel, *exchange);
  TwoPassSizes sizes = TwoPassSizes::ofPool(op, sharedBytes);
  tile::GridOp grid =
      makeBlocks(b, kernel, op, groupQueries, sizes.heads, threads);
  PoolMixedBlock(b, kernel, stage, sizes).emit(grid);
  kernel.erase();
}
