// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Emits the online schedule of GPUs: scores, weights, pooled values.

#include "dialect/tile/TileOps.h"
#include "passes/body/Body.h"
#include "passes/body/References.h"
#include "passes/body/Softmax.h"
#include "passes/schedule/KernelBuffers.h"
#include "passes/schedule/KeyRange.h"
#include "passes/schedule/mma/BlockSizes.h"
#include "passes/schedule/mma/Schedules.h"

#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "llvm/Support/MathExtras.h"

#include <limits>

using namespace mlir;
using namespace mixattn;
using namespace mixattn::mma;

static Value emitExp2(ImplicitLocOpBuilder &b, Value exponent) {
  return math::Exp2Op::create(b, exponent);
}

namespace {

/// Emits the code of a block of threads.
class OnlineBlock {
public:
  using Values = SmallVector<Value>;

  OnlineBlock(ImplicitLocOpBuilder &b, KernelOp kernel, tile::GridOp grid)
      : b(b), at(b), kernel(kernel), grid(grid),
        op(cast<AttentionOpInterface>(kernel.getAnchor())),
        buffers(ValueRange(kernel.getInputs())), body(op, buffers),
        softmax(b, emitExp2), sizes(op, body.numProducts()) {}

  void emit();

private:
  /// The values that are carried from block of keys to block of keys.
  struct State {
    Value outputs, reference, sum;
  };

  void emitCopies(Value firstKey, Value stage);
  State emitStep(Value firstKey, Value stage, const State &before);
  Values emitExponents(Value firstKey, ValueRange products);
  Values emitMaskedExponents(Value firstKey, Values exponents);
  Value emitWeights(ValueRange exponents, Value reference, Value &sum);
  Value emitScaled(Value fragment, Value factors);
  Value tileOf(Value stages, Value stage, int64_t first, int64_t rows,
               int64_t columns);

  /// A map over elements whose first key is `firstKey`.
  Values emitMap(
      Value firstKey, ValueRange operands, size_t results,
      function_ref<Values(const ScorePlace &, Value key, ValueRange elements)>
          element);
  Value constant(Type type, double number) {
    if (type.isF32())
      return arith::ConstantOp::create(b, b.getF32FloatAttr(number));
    return arith::ConstantOp::create(
        b, DenseElementsAttr::get(cast<VectorType>(type), float(number)));
  }
  VectorType fragment(int64_t columns) {
    return VectorType::get({columns / 2}, b.getF32Type());
  }
  VectorType rows() { return VectorType::get({2}, b.getF32Type()); }
  Value matrixOf(Value tensor, int64_t group, ArrayRef<Value> more = {}) {
    Values leading = {batch, at.div(head, group)};
    llvm::append_range(leading, more);
    return KernelBuffers::matrixAt(b, buffers.bufferOf(tensor), leading);
  }

  ImplicitLocOpBuilder &b;
  IndexMath at;
  KernelOp kernel;
  tile::GridOp grid;
  AttentionOpInterface op;
  KernelBuffers buffers;
  Body body;
  Softmax softmax;
  BlockSizes sizes;

  Value batch, head, firstQuery, numQueries;
  Value queries;
  KeyRange range;
  Value keyStages, valueStages;
};

} // namespace

/// Rows `first` to `first + rows - 1` of one stage.
Value OnlineBlock::tileOf(Value stages, Value stage, int64_t first,
                          int64_t rows, int64_t columns) {
  auto index = [&](int64_t number) -> OpFoldResult {
    return b.getIndexAttr(number);
  };
  SmallVector<OpFoldResult> offsets = {stage, index(first), index(0)};
  SmallVector<OpFoldResult> extents = {index(1), index(rows), index(columns)};
  SmallVector<OpFoldResult> strides(3, index(1));
  auto type = memref::SubViewOp::inferRankReducedResultType(
      {rows, columns}, cast<MemRefType>(stages.getType()), offsets, extents,
      strides);
  return memref::SubViewOp::create(b, type, stages, offsets, extents, strides);
}

/// Begins to copy the keys and values from `firstKey` on.
void OnlineBlock::emitCopies(Value firstKey, Value stage) {
  auto copy = [&](Value matrix, Value tile) {
    tile::MmaCopyOp::create(b, matrix, firstKey, range.end, tile, threads);
  };
  for (int64_t r = 0; r < sizes.products; ++r) {
    Values component;
    if (op.getKeyType().getRank() == 5)
      component.push_back(at.value(r));
    copy(matrixOf(op.getKey(), op.getKeyGroup(), component),
         tileOf(keyStages, stage, r * sizes.keys, sizes.keys, sizes.features));
  }
  copy(matrixOf(op.getValue(), op.getValueGroup()),
       tileOf(valueStages, stage, 0, sizes.keys, sizes.valueFeatures));
  tile::MmaCommitOp::create(b);
}

OnlineBlock::Values OnlineBlock::emitMap(
    Value firstKey, ValueRange operands, size_t results,
    function_ref<Values(const ScorePlace &, Value, ValueRange)> element) {
  SmallVector<Type> types(results, operands.front().getType());
  auto map = tile::MapOp::create(b, types, firstQuery, firstKey, operands);
  SmallVector<Type> arguments(2, b.getIndexType());
  arguments.append(operands.size(), b.getF32Type());
  OpBuilder::InsertionGuard guard(b);
  Block *block =
      b.createBlock(&map.getBody(), {}, arguments,
                    SmallVector<Location>(arguments.size(), b.getLoc()));
  // Queries and keys that are not there have the place of the last one.
  Value key = block->getArgument(1);
  ScorePlace place = {batch, head,
                      at.min(block->getArgument(0), at.sub(numQueries, 1)),
                      at.min(key, at.sub(range.keys, 1)), range.alignment};
  tile::FragmentYieldOp::create(
      b, element(place, key, block->getArguments().drop_front(2)));
  return Values(map.getResults());
}

/// The exponents of the weights of all keys, hidden ones too.
OnlineBlock::Values OnlineBlock::emitExponents(Value firstKey,
                                               ValueRange products) {
  return emitMap(firstKey, products, body.numExponents(),
                 [&](const ScorePlace &place, Value, ValueRange elements) {
                   Value factor = constant(b.getF32Type(), body.queryFactor());
                   Values scaled = llvm::map_to_vector(
                       elements, [&](Value product) -> Value {
                         return arith::MulFOp::create(b, product, factor);
                       });
                   Values start = body.emitStart(b, scaled, place);
                   return body.emitExponents(b, start, place);
                 });
}

/// `exponents` with -inf for what is hidden; blocks that every query sees all
/// of are left alone.
OnlineBlock::Values OnlineBlock::emitMaskedExponents(Value firstKey,
                                                     Values exponents) {
  auto hide = [&] {
    return emitMap(
        firstKey, exponents, exponents.size(),
        [&](const ScorePlace &place, Value key, ValueRange elements) {
          Value seen = at.compare(arith::CmpIPredicate::slt, key, range.end);
          if (Value visible =
                  body.emitIsVisible(b, place, /*isBelowLength=*/true))
            seen = arith::AndIOp::create(b, seen, visible);
          Value hidden = constant(b.getF32Type(),
                                  -std::numeric_limits<double>::infinity());
          return llvm::map_to_vector(elements, [&](Value exponent) -> Value {
            return arith::SelectOp::create(b, seen, exponent, hidden);
          });
        });
  };
  if (op.getMask())
    return hide();
  Value last = at.add(firstKey, sizes.keys);
  Value isInside = arith::AndIOp::create(
      b, at.compare(arith::CmpIPredicate::sge, firstKey, range.insideBegin),
      at.compare(arith::CmpIPredicate::sle, last, range.insideEnd));
  auto choice = scf::IfOp::create(b, ValueRange(exponents).getTypes(), isInside,
                                  /*withElseRegion=*/true);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(choice.thenBlock());
  scf::YieldOp::create(b, exponents);
  b.setInsertionPointToStart(choice.elseBlock());
  scf::YieldOp::create(b, hide());
  return Values(choice.getResults());
}

/// The powers of `exponents` less their rows' `reference`, added up per key.
/// `sum` becomes the sum of every row.
Value OnlineBlock::emitWeights(ValueRange exponents, Value reference,
                               Value &sum) {
  Values operands(exponents);
  operands.push_back(reference);
  Value zero = at.value(0);
  Value weights = emitMap(zero, operands, 1,
                          [&](const ScorePlace &, Value, ValueRange elements) {
                            return Values{softmax.emitWeight(
                                elements.drop_back(), elements.back())};
                          })
                      .front();
  sum = tile::RowSumOp::create(b, weights);
  return weights;
}

/// `fragment` with every row multiplied by its factor.
Value OnlineBlock::emitScaled(Value fragment, Value factors) {
  return emitMap(at.value(0), {fragment, factors}, 1,
                 [&](const ScorePlace &, Value, ValueRange elements) {
                   return Values{
                       arith::MulFOp::create(b, elements[0], elements[1])};
                 })
      .front();
}

OnlineBlock::State OnlineBlock::emitStep(Value firstKey, Value stage,
                                         const State &before) {
  Values products;
  for (int64_t r = 0; r < sizes.products; ++r) {
    Value tile =
        tileOf(keyStages, stage, r * sizes.keys, sizes.keys, sizes.features);
    products.push_back(tile::MmaProductOp::create(
        b, queries, tile, b.getUnitAttr(), constant(fragment(sizes.keys), 0)));
  }
  Values exponents =
      emitMaskedExponents(firstKey, emitExponents(firstKey, products));

  State after;
  after.reference = before.reference;
  for (Value each : exponents)
    after.reference = arith::MaxNumFOp::create(b, after.reference,
                                               tile::RowMaxOp::create(b, each));
  Value lowered = softmax.emitRescale(before.reference, after.reference);
  Value sum;
  Value weights = emitWeights(exponents, after.reference, sum);
  after.sum = arith::AddFOp::create(
      b, arith::MulFOp::create(b, before.sum, lowered), sum);
  if (op.getKeep())
    weights = emitMap(firstKey, weights, 1,
                      [&](const ScorePlace &place, Value, ValueRange elements) {
                        return Values{arith::SelectOp::create(
                            b, body.emitIsKept(b, place), elements[0],
                            constant(b.getF32Type(), 0))};
                      })
                  .front();
  Value tile = tileOf(valueStages, stage, 0, sizes.keys, sizes.valueFeatures);
  auto operand = VectorType::get({sizes.keys / 2}, sizes.type);
  after.outputs = tile::MmaProductOp::create(
      b, tile::ToOperandOp::create(b, operand, weights), tile, UnitAttr(),
      emitScaled(before.outputs, lowered));
  return after;
}

void OnlineBlock::emit() {
  auto sizeOf = [&](OperandDim of) {
    return b.createOrFold<memref::DimOp>(buffers.bufferOf(of.value), of.dim);
  };
  for (auto [type, stages] : {std::pair(sizes.keysTile(), &keyStages),
                              std::pair(sizes.valuesTile(), &valueStages)})
    *stages = memref::AllocaOp::create(b, type, ValueRange(),
                                       b.getI64IntegerAttr(16));
  firstQuery = at.mul(grid.getItem()[0], blockQueries);
  head = grid.getItem()[1];
  batch = grid.getItem()[2];
  numQueries = sizeOf(op.getQueriesDim());
  Value here = at.min(at.sub(numQueries, firstQuery), blockQueries);
  range = emitKeyRange(b, op, buffers, firstQuery, here, batch);
  queries = tile::MmaLoadOp::create(
      b, VectorType::get({sizes.features / 2}, sizes.type),
      matrixOf(op.getQuery(), 1), firstQuery, numQueries);

  Value zero = at.value(0);
  emitCopies(range.begin, zero);
  Values inits = {constant(fragment(sizes.valueFeatures), 0),
                  constant(rows(), lowest), constant(rows(), 0), zero};
  auto loop = scf::ForOp::create(b, range.begin, range.end,
                                 at.value(sizes.keys), inits);
  {
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(loop.getBody());
    ValueRange carried = loop.getRegionIterArgs();
    Value firstKey = loop.getInductionVar(), stage = carried[3];
    Value other = at.sub(at.value(1), stage);
    tile::MmaWaitOp::create(b, 0);
    emitCopies(at.add(firstKey, sizes.keys), other);
    State after =
        emitStep(firstKey, stage, {carried[0], carried[1], carried[2]});
    scf::YieldOp::create(
        b, Values{after.outputs, after.reference, after.sum, other});
  }
  tile::MmaWaitOp::create(b, 0);
  Value inverse = Softmax::emitInverse(b, loop.getResult(2));
  Value outputs = emitScaled(loop.getResult(0), inverse);
  // Zeros, also where the row's sum is not a number.
  if (op.getKeep())
    outputs =
        emitMap(zero, outputs, 1,
                [&](const ScorePlace &place, Value, ValueRange elements) {
                  Value keepsNone = emitKeepsNone(b, op, range, place.i);
                  return Values{arith::SelectOp::create(
                      b, keepsNone, constant(b.getF32Type(), 0), elements[0])};
                })
            .front();
  tile::StoreOp::create(
      b, outputs,
      KernelBuffers::matrixAt(b, kernel.getOutputs()[0], {batch, head}),
      firstQuery, numQueries);
}

void mma::scheduleOnline(KernelOp kernel) {
  auto op = cast<AttentionOpInterface>(kernel.getAnchor());
  ImplicitLocOpBuilder b(kernel.getLoc(), kernel);
  IndexMath at(b);
  auto sizeOf = [&](OperandDim of) {
    return b.createOrFold<memref::DimOp>(kernel.getOperandOf(of.value), of.dim);
  };
  Value blocks = at.div(at.add(sizeOf(op.getQueriesDim()), blockQueries - 1),
                        blockQueries);
  auto grid = tile::GridOp::create(
      b,
      ValueRange{blocks, at.value(op.getNumHeads()), sizeOf(op.getBatchDim())},
      threads);
  b.setInsertionPointToStart(&grid.getBody().front());
  OnlineBlock(b, kernel, grid).emit();
  kernel.erase();
}
