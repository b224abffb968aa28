// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The panel schedule: all powers of a tile first, then weights, which are mixed
// over heads, or written as a result, or both.

#include "dialect/tile/TileOps.h"
#include "passes/schedule/x86/attention/Attention.h"
#include "passes/schedule/x86/attention/Items.h"
#include "passes/schedule/x86/attention/Mixer.h"
#include "passes/schedule/x86/attention/Outputs.h"
#include "passes/schedule/x86/attention/ReturnedWeights.h"
#include "passes/schedule/x86/attention/ScoreWalk.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace mixattn;

namespace {

/// Powers of a block of keys are less of the reference that stood at its end.
/// Before they are pooled, each is multiplied by what that reference is less of
/// the last one, and divided by the row's sum.
class PanelTile final : public TilePart, ScoreWalk::Schedule {
public:
  explicit PanelTile(AttentionTile &tile)
      : TilePart(tile), walk(tile, *this), outputs(tile), mixer(tile),
        returned(tile) {}

  /// Takes the scratch that does not depend on the number of keys.
  void takeScratch() {
    walk.takeScratch();
    outputs.takeScratch();
    mixedTile = outputs.takeWeights(heads);
    if (op.hasPostmix())
      mixer.takeScratch();
    if (op.getWeights()) {
      returned.takeScratch();
      unseenTile = takeTile(heads);
    }
  }
  /// The bytes of the panel for `keys` keys, which comes after that.
  Value emitPanelBytes(Value keys) {
    Value blocks = blocksOf(keys);
    return at.add(emitWeightBytes(at.mul(blocks, sizes.block)),
                  at.mul(at.mul(blocks, heads), bytesOf(1)));
  }

  void emit(const Item &item);

private:
  /// Runs `inside` for each head that the tile holds.
  void forEachHead(function_ref<void(Value head)> inside) {
    if (heads == 1)
      return inside(firstHead);
    forEach(0, heads, 1, inside);
  }
  /// The head that is number `slot` of those.
  Value headAt(int64_t slot) { return heads == 1 ? firstHead : at.value(slot); }

  // The panel: the weights of all heads, then the factors of blocks. Where AMX
  // pools them, and nobody else reads them, weights are of f16: more exact than
  // the bf16 that they become, and half as much to move.
  Type weightType() {
    return tile.isAmx() && !op.getWeights() ? b.getF16Type() : b.getF32Type();
  }
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
    return at.add(at.mul(slotOf(head), headRows),
                  at.sub(operands.place.blockStart, range.begin));
  }
  Value factorRow(Value head, Value block) {
    return at.add(at.mul(slotOf(head), blocks), block);
  }
  void emitLoweredOutputs(Value, Value) override {}
  void emitBlockEnd(Value keys) override;

  void emitFactors();
  void emitPooledBlock(Value keys);
  void emitAskedShare(Value row, Value lane);
  void emitWeights(Value row, Value lane);
  Value emitKept(Value weight, Value head, Value row, Value lane);
  /// Makes the weight of one head from those of all that the tile holds.
  using Weigh = function_ref<Value(ArrayRef<Value> weights)>;
  void forEachWeighed(Value lane,
                      function_ref<void(Value head, Weigh weigh)> inside);
  void emitUnseen();
  void emitStored(Value head, Value row, Value lane, ArrayRef<Value> weights);

  ScoreWalk walk;
  Outputs outputs;
  Mixer mixer;
  ReturnedWeights returned;
  Value firstHead, headRows, blocks, factorTile, mixedTile, unseenTile;
};

} // namespace

void PanelTile::emit(const Item &item) {
  takeScratch();
  tile.enter(item.batch, item.firstQuery, item.queries, item.valuePanels);
  firstHead = item.group;
  blocks = blocksOf(range.keys);
  headRows = at.mul(blocks, sizes.block);
  walk.weightTile =
      takeRest(at.mul(headRows, heads), at.value(0), weightType());
  factorTile = takeRest(at.mul(blocks, heads), emitWeightBytes(headRows));
  if (op.hasPostmix())
    mixer.emitCoefficients();

  if (body.isCoupled())
    walk.emitWalk(at.value(0));
  else
    forEachHead([&](Value head) { walk.emitWalk(head); });
  forEachHead([&](Value head) { outputs.emitInverses(head); });
  emitFactors();
  outputs.emitCleared();
  forEach(range.begin, range.end, sizes.block, [&](Value blockStart) {
    operands.place.blockStart = blockStart;
    emitPooledBlock(at.min(at.sub(range.end, blockStart), sizes.block));
  });
  if (op.getWeights())
    emitUnseen();
  forEachHead([&](Value head) { outputs.emitFinished(head); });
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
  forEachHead([&](Value head) {
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

/// Makes the weights of `keys` keys of their powers, and pools them.
void PanelTile::emitPooledBlock(Value keys) {
  // Keys in twos, or in whole squares of AMX: after the last come weights of no
  // key, which are 0.
  forEach(0, outputs.wholeSquares(keys), 2, [&](Value row) {
    forEachLane([&](Value lane) {
      emitWeights(row, lane);
      emitAskedShare(row, lane);
    });
  });
  forEachHead([&](Value head) {
    Value first = at.mul(slotOf(head), sizes.block);
    outputs.emitPooledInTurn(head, operands.place.blockStart, keys,
                             outputs.weightsOf(mixedTile, first));
    if (op.getWeights())
      returned.emitBlock(head, keys, walk.weightTile, weightRow(head));
  });
}

/// Asks for the share of all heads' values that is that of two keys from `row`
/// of the block on and of the queries of `lane`.
void PanelTile::emitAskedShare(Value row, Value lane) {
  if (!tile.isAmx())
    return;
  Value number = at.add(at.mul(at.div(row, 2), sizes.vectors()),
                        at.div(lane, sizes.lanes));
  for (int64_t c = 0; c < heads; ++c)
    outputs.emitAskedPanel(headAt(c), operands.place.blockStart, number,
                           sizes.block / 2 * sizes.vectors());
}

/// Makes the weights of two keys from `row` of the block on.
void PanelTile::emitWeights(Value row, Value lane) {
  Value block = blockNumber();
  SmallVector<Value> weights[2];
  for (int64_t c = 0; c < heads; ++c) {
    Value head = headAt(c);
    Value factor = load(factorTile, factorRow(head, block), lane);
    for (int64_t r = 0; r < 2; ++r) {
      Value own = at.add(row, r);
      Value power = load(walk.weightTile, at.add(weightRow(head), own), lane);
      weights[r].push_back(emitKept(mul(power, factor), head, own, lane));
    }
  }
  forEachWeighed(lane, [&](Value head, Weigh weigh) {
    emitStored(head, row, lane, {weigh(weights[0]), weigh(weights[1])});
  });
}

/// `weight`, or 0 where the place of row `row` of the block is not kept. Its
/// power is 0 there; divided by a sum that is NaN it would be NaN.
Value PanelTile::emitKept(Value weight, Value head, Value row, Value lane) {
  if (!op.getKeep() || !op.getWeights())
    return weight;
  Value key = at.add(operands.place.blockStart, row);
  operands.place.lane = lane;
  Value isKept =
      operands
          .emitForEach(b, operands.emitQueries(b), {},
                       [&](OpBuilder &scalar, Value query, ValueRange) {
                         return SmallVector<Value>{body.emitIsKept(
                             scalar, {operands.place.batch, head, query, key,
                                      range.alignment})};
                       })
          .front();
  return arith::SelectOp::create(b, isKept, weight, splat(0));
}

/// Runs `inside` for each head that the tile holds, with what makes its weight
/// for the queries of `lane`: itself, or the mixer.
void PanelTile::forEachWeighed(Value lane,
                               function_ref<void(Value, Weigh)> inside) {
  if (!op.hasPostmix()) {
    for (int64_t c = 0; c < heads; ++c)
      inside(headAt(c), [&](ArrayRef<Value> weights) { return weights[c]; });
    return;
  }
  forEach(0, heads, 1, [&](Value head) {
    inside(head, [&](ArrayRef<Value> weights) {
      return body.emitPostmix(b, weights, [&](int64_t from) {
        return mixer.coefficient(at.value(from), head, lane);
      });
    });
  });
}

/// Writes the weights of keys that no query of the tile sees. Their powers are
/// 0; where the row's sum is NaN the weights are NaN, as on the plain path.
void PanelTile::emitUnseen() {
  forEachLane([&](Value lane) {
    SmallVector<Value> weights;
    for (int64_t c = 0; c < heads; ++c)
      weights.push_back(
          mul(splat(0), loadStatistic(headAt(c), Outputs::Inverse, lane)));
    forEachWeighed(lane, [&](Value head, Weigh weigh) {
      store(weigh(weights), unseenTile, slotOf(head), lane);
    });
  });
  forEachHead(
      [&](Value head) { returned.emitUnseen(head, unseenTile, slotOf(head)); });
}

/// Stores the `weights` of `head` for two keys from `row` of the block on as
/// they are pooled. Those that are a result take the place of their powers: all
/// heads' are read by then.
void PanelTile::emitStored(Value head, Value row, Value lane,
                           ArrayRef<Value> weights) {
  if (op.getWeights())
    for (int64_t r = 0; r < 2; ++r)
      store(weights[r], walk.weightTile,
            at.add(at.add(weightRow(head), row), r), lane);
  Value place = at.add(at.mul(slotOf(head), sizes.block), row);
  if (holdsPairs(mixedTile))
    return storePair(weights[0], weights[1], mixedTile, at.div(place, 2), lane);
  store(weights[0], mixedTile, place, lane);
  store(weights[1], mixedTile, at.add(place, 1), lane);
}

void mixattn::schedulePanel(KernelOp kernel, const TileSizes &sizes) {
  auto op = cast<AttentionOpInterface>(kernel.getAnchor());
  int64_t heads = AttentionTile::headsOf(op);
  emitItems(
      kernel, sizes, op.getNumHeads() / heads,
      [&](ImplicitLocOpBuilder &b, const TileSizes &sizes) {
        OperandDim keys = op.getKeysDim();
        Value count = b.createOrFold<memref::DimOp>(
            kernel.getOperandOf(keys.value), keys.dim);
        Scratch counted;
        AttentionTile tile(b, kernel, sizes, heads, counted);
        PanelTile panel(tile);
        panel.takeScratch();
        return IndexMath(b).add(panel.emitPanelBytes(count), counted.taken);
      },
      [&](ImplicitLocOpBuilder &b, const TileSizes &sizes, const Item &item,
          Scratch &scratch) {
        AttentionTile tile(b, kernel, sizes, heads, scratch);
        PanelTile(tile).emit(item);
      });
}
