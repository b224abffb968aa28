// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The online schedule: weights of a block of keys are pooled at once.

#include "dialect/tile/TileOps.h"
#include "passes/schedule/x86/Items.h"
#include "passes/schedule/x86/Outputs.h"
#include "passes/schedule/x86/Schedules.h"

using namespace mlir;
using namespace mixattn;

namespace {

class OnlineTile : public OutputTile {
public:
  OnlineTile(ImplicitLocOpBuilder &b, KernelOp kernel, const TileSizes &sizes,
             Value scratch)
      : OutputTile(b, kernel, sizes, headsOf(kernel), scratch) {}

  /// Heads that one tile holds: all where scores of heads meet.
  static int64_t headsOf(KernelOp kernel) {
    auto op = cast<AttentionOpInterface>(kernel.getComputation());
    return op.hasPremix() ? op.getNumHeads() : 1;
  }

  int64_t bytes() {
    return walkBytes() + outputBytes() + bytesOf(heads * sizes.block);
  }

  void emit(const Item &item) {
    takeWalkScratch();
    takeOutputScratch();
    weightTile = takeWeights(heads);
    enterTile(item.batch, item.firstQuery, item.queries);
    emitClearedOutputs();
    emitWalk(item.group);
    forEachWalkedHead([&](Value head) {
      emitInverses(head);
      emitOutput(head, Inverse);
    });
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
};

} // namespace

void mixattn::scheduleOnline(KernelOp kernel, const TileSizes &sizes) {
  auto op = cast<AttentionOpInterface>(kernel.getComputation());
  int64_t groups = op.hasPremix() ? 1 : op.getNumHeads();
  emitItems(
      kernel, sizes, groups,
      [&](ImplicitLocOpBuilder &b, const TileSizes &sizes) {
        return IndexMath(b).value(OnlineTile(b, kernel, sizes, {}).bytes());
      },
      [&](ImplicitLocOpBuilder &b, const TileSizes &sizes, const Item &item) {
        OnlineTile(b, kernel, sizes, item.scratch).emit(item);
      });
}
