// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// attn-compute-in-results: computes results in the buffers that they go to.

#include "passes/Passes.h"

#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Interfaces/DestinationStyleOpInterface.h"

namespace mixattn {
#define GEN_PASS_DEF_COMPUTEINRESULTSPASS
#include "passes/Passes.h.inc"
} // namespace mixattn

using namespace mlir;
using namespace mixattn;

/// The `tensor.empty` in which `value` is computed, if nothing else sees any of
/// the values in between.
static tensor::EmptyOp findOwnEmpty(Value value) {
  while (value.hasOneUse()) {
    if (auto empty = value.getDefiningOp<tensor::EmptyOp>())
      return empty;
    auto op = value.getDefiningOp<DestinationStyleOpInterface>();
    if (!op)
      break;
    value = op.getTiedOpOperand(cast<OpResult>(value))->get();
  }
  return {};
}

namespace {

struct ComputeInResultsPass
    : mixattn::impl::ComputeInResultsPassBase<ComputeInResultsPass> {
  void runOnOperation() override {
    SmallVector<bufferization::MaterializeInDestinationOp> writes;
    getOperation()->walk([&](bufferization::MaterializeInDestinationOp op) {
      // A buffer that is an argument is there before anything is computed.
      if (isa<BlockArgument>(op.getDest()) &&
          isa<MemRefType>(op.getDest().getType()) && op.getRestrict() &&
          op.getWritable())
        writes.push_back(op);
    });
    for (bufferization::MaterializeInDestinationOp op : writes) {
      tensor::EmptyOp empty = findOwnEmpty(op.getSource());
      auto buffer = cast<MemRefType>(op.getDest().getType());
      if (!empty || empty->getParentRegion() != op->getParentRegion() ||
          buffer.getShape() != empty.getType().getShape())
        continue;
      OpBuilder builder(empty);
      Value held = bufferization::ToTensorOp::create(
          builder, empty.getLoc(), empty.getType(), op.getDest(),
          /*restrict=*/true, /*writable=*/true);
      empty.replaceAllUsesWith(held);
      empty.erase();
    }
  }
};

} // namespace
