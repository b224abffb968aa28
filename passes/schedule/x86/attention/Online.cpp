// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The online schedule: weights of a block of keys are pooled at once. Where
// heads share their values, it is outputs that are mixed, not weights.

#include "dialect/tile/TileOps.h"
#include "passes/schedule/x86/attention/Attention.h"
#include "passes/schedule/x86/attention/Items.h"
#include "passes/schedule/x86/attention/MixedTile.h"

#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace mixattn;

namespace {

class OnlineTile : public MixedTile {
public:
  OnlineTile(ImplicitLocOpBuilder &b, KernelOp kernel, const TileSizes &sizes,
             Value scratch)
      : MixedTile(b, kernel, sizes, headsOf(kernel), scratch) {
    // While one head's weights are made, another's are pooled: a reference that
    // moves lowers no outputs that are being summed up.
    weighsUnderPool = body.isCoupled() && !body.sharesWork() &&
                      op.getNumHeads() > 1 && hasFewSteps();
  }

  /// Heads that one tile holds: all where scores or outputs of heads meet.
  static int64_t headsOf(KernelOp kernel) {
    auto op = cast<AttentionOpInterface>(kernel.getAnchor());
    return op.hasPremix() || op.hasPostmix() ? op.getNumHeads() : 1;
  }

  void takeScratch() {
    takeWalkScratch();
    takeOutputScratch();
    weightTile = takeWeights(weightHeads());
    takeCoefficientScratch();
  }

  void emit(const Item &item) {
    takeScratch();
    enterTile(item.batch, item.firstQuery, item.queries);
    emitClearedOutputs();
    if (!op.hasPostmix()) {
      emitWalk(item.group);
      return forEachWalkedHead([&](Value head) {
        emitInverses(head);
        emitOutput(head, Inverse);
      });
    }
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
  /// Heads whose weights are held.
  int64_t weightHeads() { return weighsUnderPool ? 2 : heads; }
  Value weightRow(Value head) override {
    return weightRow(operands.place.blockStart, head);
  }
  Value weightRow(Value blockStart, Value head) {
    Value slot = slotOf(head);
    if (weighsUnderPool) {
      Value block = at.div(at.sub(blockStart, range.begin), sizes.block);
      slot = at.rem(at.add(at.mul(block, heads), head), 2);
    }
    return at.mul(slot, sizes.block);
  }
  void emitLoweredOutputs(Value factor, Value head) override {
    Value first = outputRow(head);
    emitLoweredRows(factor, outputTile, first, at.add(first, features));
  }
  void emitPooledBefore(Value blockStart, Value head, Value keys) override;
  void emitBlockEnd(Value keys) override {
    if (!weighsUnderPool)
      forEachWalkedHead([&](Value head) {
        emitPooled(head, operands.place.blockStart, keys,
                   weightsOf(weightTile, weightRow(head)));
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
  Value weights = weightsOf(weightTile, other);
  if (!keys)
    return emitPooled(before, start, held, weights);
  auto unit = [&](Value unit) { emitUnitOf(head, unit); };
  Value areWhole =
      at.compare(CmpIPredicate::eq, at.min(held, keys), sizes.block);
  auto choice = scf::IfOp::create(b, areWhole, /*withElseRegion=*/true);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(choice.thenBlock());
  Value all = at.value(sizes.block);
  emitPooled(before, start, all, weights, *getConstantIntValue(unitsOf(all)),
             unit);
  b.setInsertionPointToStart(choice.elseBlock());
  forEach(0, unitsOf(keys), 1, unit);
  emitPooled(before, start, held, weights);
}

void mixattn::scheduleOnline(KernelOp kernel, const TileSizes &sizes) {
  auto op = cast<AttentionOpInterface>(kernel.getAnchor());
  int64_t groups = op.getNumHeads() / OnlineTile::headsOf(kernel);
  emitItems(
      kernel, sizes, groups,
      [&](ImplicitLocOpBuilder &b, const TileSizes &sizes) {
        OnlineTile counted(b, kernel, sizes, {});
        counted.takeScratch();
        return IndexMath(b).value(counted.bytesTaken());
      },
      [&](ImplicitLocOpBuilder &b, const TileSizes &sizes, const Item &item) {
        OnlineTile(b, kernel, sizes, item.scratch).emit(item);
      });
}
