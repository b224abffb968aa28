// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The online schedule: weights of a block of keys are pooled at once. Where
// heads share their values, it is outputs that are mixed, not weights.

#include "dialect/tile/TileOps.h"
#include "passes/schedule/x86/Items.h"
#include "passes/schedule/x86/MixedTile.h"
#include "passes/schedule/x86/Schedules.h"

using namespace mlir;
using namespace mixattn;

namespace {

class OnlineTile : public MixedTile {
public:
  OnlineTile(ImplicitLocOpBuilder &b, KernelOp kernel, const TileSizes &sizes,
             Value scratch)
      : MixedTile(b, kernel, sizes, headsOf(kernel), scratch) {}

  /// Heads that one tile holds: all where scores or outputs of heads meet.
  static int64_t headsOf(KernelOp kernel) {
    auto op = cast<AttentionOpInterface>(kernel.getComputation());
    return op.hasPremix() || op.hasPostmix() ? op.getNumHeads() : 1;
  }

  int64_t bytes() {
    return walkBytes() + outputBytes() + bytesOf(heads * sizes.block) +
           (op.hasPostmix() ? coefficientBytes() : 0);
  }

  void emit(const Item &item) {
    takeWalkScratch();
    takeOutputScratch();
    weightTile = takeWeights(heads);
    enterTile(item.batch, item.firstQuery, item.queries);
    emitClearedOutputs();
    if (!op.hasPostmix()) {
      emitWalk(item.group);
      return forEachWalkedHead([&](Value head) {
        emitInverses(head);
        emitOutput(head, Inverse);
      });
    }
    takeCoefficientScratch();
    if (body.isCoupled())
      emitWalk(at.value(0));
    else
      forEach(0, heads, 1, [&](Value head) { emitWalk(head); });
    forEach(0, heads, 1, [&](Value head) { emitInverses(head); });
    emitCoefficients();
    emitMixedOutputs();
    emitFinishedOutputs();
  }

private:
  Value weightRow(Value head) override {
    return at.mul(slotOf(head), sizes.block);
  }
  void emitLoweredOutputs(Value factor, Value head) override {
    Value first = outputRow(head);
    emitLoweredRows(factor, outputTile, first, at.add(first, features));
  }
  void emitBlockEnd(Value keys) override {
    forEachWalkedHead([&](Value head) {
      emitPooled(head, keys, weightsOf(weightTile, weightRow(head)));
    });
    emitSummedBlock();
  }

  /// sum_j (sum_c m[c,a] P_c[j]) v[j] = sum_c m[c,a] sum_j P_c[j] v[j]
  void emitMixedOutputs() {
    forEach(0, features, 1, [&](Value feature) {
      forEachLane([&](Value lane) {
        SmallVector<Value> outputs;
        for (int64_t c = 0; c < heads; ++c) {
          Value from = at.value(c);
          outputs.push_back(
              mul(load(outputTile, at.add(outputRow(from), feature), lane),
                  loadStatistic(from, Inverse, lane)));
        }
        forEach(0, heads, 1, [&](Value head) {
          Value mixed = body.emitPostmix(b, outputs, [&](int64_t from) {
            return coefficient(at.value(from), head, lane);
          });
          store(mixed, outputTile, at.add(outputRow(head), feature), lane);
        });
      });
    });
  }
};

} // namespace

void mixattn::scheduleOnline(KernelOp kernel, const TileSizes &sizes) {
  auto op = cast<AttentionOpInterface>(kernel.getComputation());
  int64_t groups = op.getNumHeads() / OnlineTile::headsOf(kernel);
  emitItems(
      kernel, sizes, groups,
      [&](ImplicitLocOpBuilder &b, const TileSizes &sizes) {
        return IndexMath(b).value(OnlineTile(b, kernel, sizes, {}).bytes());
      },
      [&](ImplicitLocOpBuilder &b, const TileSizes &sizes, const Item &item) {
        OnlineTile(b, kernel, sizes, item.scratch).emit(item);
      });
}
