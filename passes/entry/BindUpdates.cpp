// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// attn-bind-updates: finds the arguments that an entry updates in place.

#include "dialect/attn/AttnOps.h"
#include "passes/Passes.h"
#include "passes/entry/Entries.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

namespace mixattn {
#define GEN_PASS_DEF_BINDUPDATESPASS
#include "passes/Passes.h.inc"
} // namespace mixattn

using namespace mlir;
using namespace mixattn;

/// The first op other than `append` that reads what `append` writes over, or
/// null. Sizes stay the same.
static Operation *findOtherReader(AppendOp append) {
  for (OpOperand &use : append.getCache().getUses())
    if (use.getOwner() != append || &use != &append.getCacheMutable())
      if (!isa<tensor::DimOp>(use.getOwner()))
        return use.getOwner();
  return nullptr;
}

/// The argument of `entry` that `value` is an update of, or none.
static BlockArgument findUpdated(Value value, func::FuncOp entry) {
  while (auto append = value.getDefiningOp<AppendOp>())
    value = append.getCache();
  auto argument = dyn_cast<BlockArgument>(value);
  bool isEntrys = argument && argument.getOwner() == &entry.getBody().front();
  return isEntrys ? argument : BlockArgument();
}

/// Ties an argument to the result that is its last update.
static LogicalResult bindUpdate(func::FuncOp entry, BlockArgument argument,
                                MutableArrayRef<AppendOp> appends) {
  StringAttr name =
      entry.getArgAttrOfType<StringAttr>(argument.getArgNumber(), "attn.name");
  auto cannot = [&](Operation *op) {
    return op->emitOpError("cannot update argument '")
           << name.getValue() << "' in place: ";
  };
  if (entry.getArgAttr(argument.getArgNumber(), "attn.parameter"))
    return cannot(appends.front()) << "it is a parameter, which all calls read";
  for (AppendOp append : appends)
    if (Operation *reader = findOtherReader(append)) {
      InFlightDiagnostic error = cannot(append)
                                 << "what stood there before is used elsewhere";
      error.attachNote(reader->getLoc()) << "it is used here";
      return error;
    }
  Operation *returned = entry.getBody().front().getTerminator();
  SmallVector<unsigned> places;
  for (OpOperand &use : appends.back().getResult().getUses())
    if (use.getOwner() == returned)
      places.push_back(use.getOperandNumber());
  if (places.size() != 1)
    return cannot(appends.back())
           << "expected the entry to return it once, as the value that the "
              "argument has then";
  Builder b(entry.getContext());
  entry.setArgAttr(argument.getArgNumber(), "attn.updates", b.getUnitAttr());
  entry.setResultAttr(places.front(), "attn.updated", name);
  return success();
}

static LogicalResult bindUpdates(func::FuncOp entry) {
  llvm::MapVector<BlockArgument, SmallVector<AppendOp>> updates;
  entry.walk([&](AppendOp append) {
    if (BlockArgument argument = findUpdated(append.getCache(), entry))
      updates[argument].push_back(append);
  });
  for (auto &[argument, appends] : updates)
    if (failed(bindUpdate(entry, argument, appends)))
      return failure();
  return success();
}

namespace {

struct BindUpdatesPass : mixattn::impl::BindUpdatesPassBase<BindUpdatesPass> {
  void runOnOperation() override {
    for (func::FuncOp entry : getEntries(getOperation()))
      if (failed(verifyNamed(entry)) || failed(bindUpdates(entry)))
        return signalPassFailure();
  }
};

} // namespace
