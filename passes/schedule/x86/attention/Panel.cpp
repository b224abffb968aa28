// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The panel schedule: all powers of a tile first, then mixed weights.

#include "dialect/tile/TileOps.h"
#include "passes/schedule/x86/attention/Attention.h"
#include "passes/schedule/x86/attention/Items.h"
#include "passes/schedule/x86/attention/Mixer.h"
#include "passes/schedule/x86/attention/Outputs.h"
#include "passes/schedule/x86/attention/ScoreWalk.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace mixattn;

namespace {

/// Powers of a block of keys are less of the reference that stood at its end.
/// Before they are mixed, each is multiplied by what that reference is less of
/// the last one, and divided by the row's sum.
class PanelTile final : public TilePart, ScoreWalk::Schedule {
public:
  explicit PanelTile(AttentionTile &tile)
      : TilePart(tile), walk(tile, *this), outputs(tile), mixer(tile) {}

  /// Takes the scratch that does not depend on the number of keys.
  void takeScratch() {
    walk.takeScratch();
    outputs.takeScratch();
    mixedTile = outputs.takeWeights(heads);
    mixer.takeScratch();
  }
  /// The bytes of the panel for `keys` keys, which comes after that.
  Value emitPanelBytes(Value keys) {
    Value blocks = blocksOf(keys);
    return at.add(emitWeightBytes(at.mul(blocks, sizes.block)),
                  at.mul(at.mul(blocks, heads), bytesOf(1)));
  }

  void emit(const Item &item);

private:
  // The panel: the weights of all heads, then the factors of blocks. Where AMX
  // pools them, weights are of f16: more exact than the bf16 that they become,
  // and half as much to move.
  Type weightType() { return tile.isAmx() ? b.getF16Type() : b.getF32Type(); }
  /// The bytes of weights for `rows` keys of each head.
  Value emitWeightBytes(Value rows) {
    return at.mul(at.mul(rows, heads),
                  sizes.width * weightType().getIntOrFloatBitWidth() / 8);
  }
  Value blocksOf(Value keys) {
    return at.div(at.add(keys, sizes.block - 1), sizes.block);
  }
  /// How far the current block is from the first one, in blocks.
  Value blockNumber() {
    return at.div(at.sub(operands.place.blockStart, range.begin), sizes.block);
  }
  Value weightRow(Value head) override {
    return at.add(at.mul(head, headRows),
                  at.sub(operands.place.blockStart, range.begin));
  }
  Value factorRow(Value head, Value block) {
    return at.add(at.mul(head, blocks), block);
  }
  void emitLoweredOutputs(Value, Value) override {}
  void emitBlockEnd(Value keys) override;

  void emitFactors();
  void emitMixedBlock(Value keys);
  void emitMixedRows(Value row, Value lane);

  ScoreWalk walk;
  Outputs outputs;
  Mixer mixer;
  Value headRows, blocks, factorTile, mixedTile;
};

} // namespace

void PanelTile::emit(const Item &item) {
  takeScratch();
  tile.enter(item.batch, item.firstQuery, item.queries, item.valuePanels);
  blocks = blocksOf(range.keys);
  headRows = at.mul(blocks, sizes.block);
  walk.weightTile =
      takeRest(at.mul(headRows, heads), at.value(0), weightType());
  factorTile = takeRest(at.mul(blocks, heads), emitWeightBytes(headRows));
  mixer.emitCoefficients();

  if (body.isCoupled())
    walk.emitWalk(at.value(0));
  else
    forEach(0, heads, 1, [&](Value head) { walk.emitWalk(head); });
  forEach(0, heads, 1, [&](Value head) { outputs.emitInverses(head); });
  emitFactors();
  outputs.emitCleared();
  forEach(range.begin, range.end, sizes.block, [&](Value blockStart) {
    operands.place.blockStart = blockStart;
    emitMixedBlock(at.min(at.sub(range.end, blockStart), sizes.block));
  });
  outputs.emitFinished();
}

void PanelTile::emitBlockEnd(Value) {
  walk.emitSummedBlock();
  forEachWalkedHead([&](Value head) {
    Value row = factorRow(head, blockNumber());
    forEachLane([&](Value lane) {
      store(loadStatistic(head, Reference, lane), factorTile, row, lane);
    });
  });
}

/// From the references of blocks to their factors.
void PanelTile::emitFactors() {
  Value walked = at.max(at.sub(range.end, range.begin), 0);
  forEach(0, heads, 1, [&](Value head) {
    forEachLane([&](Value lane) {
      Value last = loadStatistic(head, Reference, lane);
      Value inverse = loadStatistic(head, Outputs::Inverse, lane);
      forEach(0, blocksOf(walked), 1, [&](Value block) {
        Value row = factorRow(head, block);
        Value power =
            tile::Exp2Op::create(b, sub(load(factorTile, row, lane), last));
        store(mul(power, inverse), factorTile, row, lane);
      });
    });
  });
}

/// Mixes the weights of `keys` keys over heads, and pools them.
void PanelTile::emitMixedBlock(Value keys) {
  // Keys in twos, or in whole squares of AMX: after the last come weights of no
  // key, which are 0.
  forEach(0, outputs.wholeSquares(keys), 2, [&](Value row) {
    forEachLane([&](Value lane) { emitMixedRows(row, lane); });
  });
  forEach(0, heads, 1, [&](Value head) {
    outputs.emitPooled(head, operands.place.blockStart, keys,
                       outputs.weightsOf(mixedTile, at.mul(head, sizes.block)));
  });
}

/// Mixes the weights of two keys from `row` of the block on.
void PanelTile::emitMixedRows(Value row, Value lane) {
  Value block = blockNumber();
  SmallVector<Value> weights[2];
  for (int64_t c = 0; c < heads; ++c) {
    Value head = at.value(c);
    Value factor = load(factorTile, factorRow(head, block), lane);
    for (int64_t r = 0; r < 2; ++r) {
      Value own = at.add(at.add(weightRow(head), row), r);
      weights[r].push_back(mul(load(walk.weightTile, own, lane), factor));
    }
  }
  forEach(0, heads, 1, [&](Value head) {
    Value mixed[2];
    for (int64_t r = 0; r < 2; ++r)
      mixed[r] = body.emitPostmix(b, weights[r], [&](int64_t from) {
        return mixer.coefficient(at.value(from), head, lane);
      });
    Value place = at.add(at.mul(head, sizes.block), row);
    if (holdsPairs(mixedTile))
      return storePair(mixed[0], mixed[1], mixedTile, at.div(place, 2), lane);
    store(mixed[0], mixedTile, place, lane);
    store(mixed[1], mixedTile, at.add(place, 1), lane);
  });
}

void mixattn::schedulePanel(KernelOp kernel, const TileSizes &sizes) {
  auto op = cast<AttentionOpInterface>(kernel.getAnchor());
  emitItems(
      kernel, sizes, /*groups=*/1,
      [&](ImplicitLocOpBuilder &b, const TileSizes &sizes) {
        OperandDim keys = op.getKeysDim();
        Value count = b.createOrFold<memref::DimOp>(
            kernel.getOperandOf(keys.value), keys.dim);
        Scratch counted;
        AttentionTile tile(b, kernel, sizes, op.getNumHeads(), counted);
        PanelTile panel(tile);
        panel.takeScratch();
        return IndexMath(b).add(panel.emitPanelBytes(count), counted.taken);
      },
      [&](ImplicitLocOpBuilder &b, const TileSizes &sizes, const Item &item,
          Scratch &scratch) {
        AttentionTile tile(b, kernel, sizes, op.getNumHeads(), scratch);
        PanelTile(tile).emit(item);
      });
}
