// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The online schedule: weights of a block of keys are pooled at once. Where
// heads share their values, it is outputs that are mixed, not weights.

#include "dialect/tile/TileOps.h"
#include "passes/schedule/x86/attention/Attention.h"
#include "passes/schedule/x86/attention/Items.h"
#include "passes/schedule/x86/attention/Mixer.h"
#include "passes/schedule/x86/attention/Outputs.h"
#include "passes/schedule/x86/attention/ScoreWalk.h"

#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace mixattn;

namespace {

class OnlineTile final : public TilePart, ScoreWalk::Schedule {
public:
  explicit OnlineTile(AttentionTile &tile)
      : TilePart(tile), walk(tile, *this), outputs(tile), mixer(tile) {
    // While one head's weights are made, another's are pooled: a reference that
    // moves lowers no outputs that are being summed up.
    walk.weighsUnderPool = sizes.overlapsExps && !tile.isAmx() &&
                           body.isCoupled() && !body.sharesWork() &&
                           op.getNumHeads() > 1 && walk.hasFewSteps();
  }

  void takeScratch() {
    walk.takeScratch();
    outputs.takeScratch();
    walk.weightTile = outputs.takeWeights(weightHeads());
    mixer.takeScratch();
  }

  void emit(const Item &item) {
    takeScratch();
    tile.enter(item.batch, item.firstQuery, item.queries, item.valuePanels);
    outputs.emitCleared();
    if (!op.hasPostmix()) {
      walk.emitWalk(item.group);
      return forEachWalkedHead([&](Value head) {
        outputs.emitInverses(head);
        outputs.emitOutput(head, Outputs::Inverse);
      });
    }
    if (body.isCoupled())
      walk.emitWalk(at.value(0));
    else
      forEach(0, heads, 1, [&](Value head) { walk.emitWalk(head); });
    forEach(0, heads, 1, [&](Value head) { outputs.emitInverses(head); });
    mixer.emitCoefficients();
    emitMixedOutputs();
    forEach(0, heads, 1, [&](Value head) { outputs.emitFinished(head); });
  }

private:
  /// Heads whose weights are held.
  int64_t weightHeads() { return walk.weighsUnderPool ? 2 : heads; }
  Value weightRow(Value head) override {
    return weightRow(operands.place.blockStart, head);
  }
  Value weightRow(Value blockStart, Value head) {
    Value slot = slotOf(head);
    if (walk.weighsUnderPool) {
      Value block = at.div(at.sub(blockStart, range.begin), sizes.block);
      slot = at.rem(at.add(at.mul(block, heads), head), 2);
    }
    return at.mul(slot, sizes.block);
  }
  void emitLoweredOutputs(Value factor, Value head) override {
    Value first = outputs.outputRow(head);
    walk.emitLoweredRows(factor, outputs.outputTile, first,
                         at.add(first, outputs.features));
  }
  void emitPooledBefore(Value blockStart, Value head, Value keys) override;
  void emitAskedValues(Value head, Value number, int64_t shares) override {
    outputs.emitAskedPanel(head, operands.place.blockStart, number, shares);
  }
  void emitBlockEnd(Value keys) override {
    if (!walk.weighsUnderPool)
      forEachWalkedHead([&](Value head) {
        outputs.emitPooled(head, operands.place.blockStart, keys,
                           outputs.weightsOf(walk.weightTile, weightRow(head)));
      });
    walk.emitSummedBlock();
  }

  /// sum_j (sum_c m[c,a] P_c[j]) v[j] = sum_c m[c,a] sum_j P_c[j] v[j]
  void emitMixedOutputs() {
    forEach(0, outputs.features, 1, [&](Value feature) {
      forEachLane([&](Value lane) {
        SmallVector<Value> pooled;
        for (int64_t c = 0; c < heads; ++c) {
          Value from = at.value(c);
          pooled.push_back(
              mul(load(outputs.outputTile,
                       at.add(outputs.outputRow(from), feature), lane),
                  loadStatistic(from, Outputs::Inverse, lane)));
        }
        forEach(0, heads, 1, [&](Value head) {
          Value mixed = body.emitPostmix(b, pooled, [&](int64_t from) {
            return mixer.coefficient(at.value(from), head, lane);
          });
          store(mixed, outputs.outputTile,
                at.add(outputs.outputRow(head), feature), lane);
        });
      });
    });
  }

  ScoreWalk walk;
  Outputs outputs;
  Mixer mixer;
};

} // namespace

void OnlineTile::emitPooledBefore(Value blockStart, Value head, Value keys) {
  using arith::CmpIPredicate;
  Value isFirst = at.compare(CmpIPredicate::eq, head, 0);
  auto choose = [&](Value condition, Value value, Value otherwise) -> Value {
    return arith::SelectOp::create(b, condition, value, otherwise);
  };
  Value before = choose(isFirst, at.value(heads - 1), at.sub(head, 1));
  Value start = choose(isFirst, at.sub(blockStart, sizes.block), blockStart);
  // In front of the first block there is none.
  Value isThere = at.compare(CmpIPredicate::sge, start, range.begin);
  Value held = choose(isThere, at.min(at.sub(range.end, start), sizes.block),
                      at.value(0));
  // Two heads' weights take turns.
  Value other = at.sub(sizes.block, weightRow(blockStart, head));
  Value weights = outputs.weightsOf(walk.weightTile, other);
  if (!keys)
    return outputs.emitPooled(before, start, held, weights);
  auto unit = [&](Value unit) { walk.emitUnitOf(head, unit); };
  Value areWhole =
      at.compare(CmpIPredicate::eq, at.min(held, keys), sizes.block);
  auto choice = scf::IfOp::create(b, areWhole, /*withElseRegion=*/true);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(choice.thenBlock());
  Value all = at.value(sizes.block);
  outputs.emitPooled(before, start, all, weights,
                     *getConstantIntValue(walk.unitsOf(all)), unit);
  b.setInsertionPointToStart(choice.elseBlock());
  forEach(0, walk.unitsOf(keys), 1, unit);
  outputs.emitPooled(before, start, held, weights);
}

void mixattn::scheduleOnline(KernelOp kernel, const TileSizes &sizes) {
  auto op = cast<AttentionOpInterface>(kernel.getAnchor());
  int64_t heads = AttentionTile::headsOf(op);
  emitItems(
      kernel, sizes, op.getNumHeads() / heads,
      [&](ImplicitLocOpBuilder &b, const TileSizes &sizes) {
        Scratch counted;
        AttentionTile tile(b, kernel, sizes, heads, counted);
        OnlineTile(tile).takeScratch();
        return IndexMath(b).value(counted.taken);
      },
      [&](ImplicitLocOpBuilder &b, const TileSizes &sizes, const Item &item,
          Scratch &scratch) {
        AttentionTile tile(b, kernel, sizes, heads, scratch);
        OnlineTile(tile).emit(item);
      });
}
