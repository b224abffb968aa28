// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The panel schedule: all powers of a tile first, then mixed weights.

#include "dialect/tile/TileOps.h"
#include "passes/schedule/x86/Items.h"
#include "passes/schedule/x86/Outputs.h"
#include "passes/schedule/x86/Schedules.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace mixattn;

namespace {

/// Powers of a block of keys are less of the reference that stood at its end.
/// Before they are mixed, each is multiplied by what that reference is less of
/// the last one, and divided by the row's sum.
class PanelTile : public OutputTile {
public:
  PanelTile(ImplicitLocOpBuilder &b, KernelOp kernel, const TileSizes &sizes,
            Value scratch)
      : OutputTile(
            b, kernel, sizes,
            cast<AttentionOpInterface>(kernel.getComputation()).getNumHeads(),
            scratch) {}

  /// The bytes of scratch for `keys` keys.
  Value emitBytes(Value keys) {
    int64_t fixed = walkBytes() + outputBytes() + bytesOf(heads * sizes.block) +
                    coefficientBytes();
    Value blocks = blocksOf(keys);
    Value rows = at.mul(at.add(at.mul(blocks, sizes.block), blocks), heads);
    return at.add(at.mul(rows, bytesOf(1)), fixed);
  }

  void emit(const Item &item);

private:
  // Rows of the panel: the weights of all heads, then the factors of blocks.
  Value blocksOf(Value keys) {
    return at.div(at.add(keys, sizes.block - 1), sizes.block);
  }
  /// How far the block at hand is from the first one, in blocks.
  Value blockNumber() {
    return at.div(at.sub(operands.place.blockStart, range.begin), sizes.block);
  }
  Value weightRow(Value head) override {
    return at.add(at.mul(head, headRows),
                  at.sub(operands.place.blockStart, range.begin));
  }
  Value factorRow(Value head, Value block) {
    return at.add(at.add(at.mul(headRows, heads), at.mul(head, blocks)), block);
  }
  void emitLoweredOutputs(Value, Value) override {}
  void emitBlockEnd(Value keys) override;

  // Coefficients of the mixer, per query where they are made by row.
  int64_t coefficientBytes() {
    return op.getMixSource()
               ? bytesOf(heads * heads +
                         cast<RankedTensorType>(op.getMixSource().getType())
                             .getDimSize(3))
               : 0;
  }
  void emitCoefficients();
  Value coefficient(Value from, Value to, Value lane);

  void emitFactors();
  void emitMixedBlock(Value keys);
  void emitMixedRows(Value row, Value lane);

  Value headRows, blocks, mixedTile, coefficientTile, sourceTile;
};

} // namespace

void PanelTile::emit(const Item &item) {
  takeWalkScratch();
  takeOutputScratch();
  mixedTile = takeWeights(heads);
  if (op.getMixSource()) {
    coefficientTile = takeTile(heads * heads);
    sourceTile = takeTile(
        cast<RankedTensorType>(op.getMixSource().getType()).getDimSize(3));
  }
  enterTile(item.batch, item.firstQuery, item.queries);
  blocks = blocksOf(range.keys);
  headRows = at.mul(blocks, sizes.block);
  weightTile = takeRest(at.mul(at.add(headRows, blocks), heads));
  if (op.getMixSource())
    emitCoefficients();

  if (body.isCoupled())
    emitWalk(at.value(0));
  else
    forEach(0, heads, 1, [&](Value head) { emitWalk(head); });
  forEach(0, heads, 1, [&](Value head) { emitInverses(head); });
  emitFactors();
  emitClearedOutputs();
  forEach(range.begin, range.end, sizes.block, [&](Value blockStart) {
    operands.place.blockStart = blockStart;
    emitMixedBlock(at.min(at.sub(range.end, blockStart), sizes.block));
  });
  forEach(0, heads, 1, [&](Value head) {
    forEachLane(
        [&](Value lane) { storeStatistic(splat(1), head, Inverse, lane); });
    emitOutput(head, Inverse);
  });
}

void PanelTile::emitBlockEnd(Value) {
  emitSummedBlock();
  forEachWalkedHead([&](Value head) {
    Value row = factorRow(head, blockNumber());
    forEachLane([&](Value lane) {
      store(loadStatistic(head, Reference, lane), weightTile, row, lane);
    });
  });
}

/// From the references of blocks to their factors.
void PanelTile::emitFactors() {
  Value walked = at.max(at.sub(range.end, range.begin), 0);
  forEach(0, heads, 1, [&](Value head) {
    forEachLane([&](Value lane) {
      Value last = loadStatistic(head, Reference, lane);
      Value inverse = loadStatistic(head, Inverse, lane);
      forEach(0, blocksOf(walked), 1, [&](Value block) {
        Value row = factorRow(head, block);
        Value power =
            tile::Exp2Op::create(b, sub(load(weightTile, row, lane), last));
        store(mul(power, inverse), weightTile, row, lane);
      });
    });
  });
}

/// coefficient[c, a] = bias[c, a] + sum_d source[c, d] weight[d, a], per query.
void PanelTile::emitCoefficients() {
  Value source = operands.bufferOf(op.getMixSource());
  Value weight = operands.bufferOf(op.getMixWeight());
  Value bias = operands.bufferOf(op.getMixBias());
  int64_t depth =
      cast<RankedTensorType>(op.getMixSource().getType()).getDimSize(3);
  forEach(0, heads, 1, [&](Value from) {
    tile::PackOp::create(
        b, KernelBuffers::matrixAt(b, source, {operands.place.batch, from}),
        operands.place.firstQuery, at.value(0), queries, at.value(depth),
        b.getF32FloatAttr(1.0), sourceTile);
    Value first = at.mul(from, heads);
    forEach(0, heads, 1, [&](Value to) {
      Value offset = toF32(
          b, b.getLoc(), memref::LoadOp::create(b, bias, ValueRange{from, to}));
      Value row = vector::BroadcastOp::create(b, rowType(), offset);
      forEachLane([&](Value lane) {
        store(row, coefficientTile, at.add(first, to), lane);
      });
    });
    tile::PoolOp::create(b, weight, at.value(0), at.value(depth), sourceTile,
                         rowsOf(coefficientTile, first, heads));
  });
}

Value PanelTile::coefficient(Value from, Value to, Value lane) {
  if (op.getMixSource())
    return load(coefficientTile, at.add(at.mul(from, heads), to), lane);
  Value mixer = operands.bufferOf(op.getMixer());
  Value number = toF32(b, b.getLoc(),
                       memref::LoadOp::create(b, mixer, ValueRange{from, to}));
  return vector::BroadcastOp::create(b, rowType(), number);
}

/// Mixes the weights of `keys` keys over heads, and pools them.
void PanelTile::emitMixedBlock(Value keys) {
  // Keys in twos: behind an odd number stand weights of no key, which are 0.
  forEach(0, keys, 2, [&](Value row) {
    forEachLane([&](Value lane) { emitMixedRows(row, lane); });
  });
  forEach(0, heads, 1, [&](Value head) {
    emitPooled(head, keys, weightsOf(mixedTile, at.mul(head, sizes.block)));
  });
}

/// Mixes the weights of two keys from `row` of the block on.
void PanelTile::emitMixedRows(Value row, Value lane) {
  Value block = blockNumber();
  SmallVector<Value> weights[2];
  for (int64_t c = 0; c < heads; ++c) {
    Value head = at.value(c);
    Value factor = load(weightTile, factorRow(head, block), lane);
    for (int64_t r = 0; r < 2; ++r) {
      Value own = at.add(at.add(weightRow(head), row), r);
      weights[r].push_back(mul(load(weightTile, own, lane), factor));
    }
  }
  forEach(0, heads, 1, [&](Value head) {
    Value mixed[2];
    for (int64_t r = 0; r < 2; ++r)
      mixed[r] = body.emitPostmix(b, weights[r], [&](int64_t from) {
        return coefficient(at.value(from), head, lane);
      });
    Value place = at.add(at.mul(head, sizes.block), row);
    if (holdsPairs(mixedTile))
      return storePair(mixed[0], mixed[1], mixedTile, at.div(place, 2), lane);
    store(mixed[0], mixedTile, place, lane);
    store(mixed[1], mixedTile, at.add(place, 1), lane);
  });
}

void mixattn::schedulePanel(KernelOp kernel, const TileSizes &sizes) {
  auto op = cast<AttentionOpInterface>(kernel.getComputation());
  emitItems(
      kernel, sizes, /*groups=*/1,
      [&](ImplicitLocOpBuilder &b, const TileSizes &sizes) {
        OperandDim keys = op.getKeysDim();
        Value count = b.createOrFold<memref::DimOp>(
            kernel.getOperandOf(keys.value), keys.dim);
        return PanelTile(b, kernel, sizes, {}).emitBytes(count);
      },
      [&](ImplicitLocOpBuilder &b, const TileSizes &sizes, const Item &item) {
        PanelTile(b, kernel, sizes, item.scratch).emit(item);
      });
}
