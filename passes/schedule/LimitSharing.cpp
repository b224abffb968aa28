// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// attn-limit-sharing: few tensors share the buffer that they are computed in.

#include "passes/Passes.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

namespace mixattn {
#define GEN_PASS_DEF_LIMITSHARINGPASS
#include "passes/Passes.h.inc"
} // namespace mixattn

using namespace mlir;
using namespace mixattn;

/// Whether `op` reads nothing of `init`, which it overwrites.
static bool ignores(DestinationStyleOpInterface op, OpOperand &init) {
  if (init.get().getDefiningOp<tensor::EmptyOp>())
    return true;
  auto computation = dyn_cast<linalg::LinalgOp>(*op);
  return computation && isa<RankedTensorType>(init.get().getType()) &&
         !computation.payloadUsesValueFromOperand(&init);
}

/// A new tensor of the sizes of `like`.
static Value createEmpty(OpBuilder &b, Location loc, Value like) {
  if (auto empty = like.getDefiningOp<tensor::EmptyOp>())
    return b.clone(*empty)->getResult(0);
  return tensor::EmptyOp::create(
      b, loc, tensor::getMixedSizes(b, loc, like),
      cast<RankedTensorType>(like.getType()).getElementType());
}

namespace {

struct LimitSharingPass
    : mixattn::impl::LimitSharingPassBase<LimitSharingPass> {
  using Base::Base;

  void runOnOperation() override {
    getOperation()->walk<WalkOrder::PreOrder>(
        [&](DestinationStyleOpInterface op) {
          for (OpOperand &init : op.getDpsInitsMutable())
            visit(op, init);
        });
    firsts.clear();
    counts.clear();
    successors.clear();
  }

private:
  void visit(DestinationStyleOpInterface op, OpOperand &init);

  /// The tensor that the one which `value` is computed in begins with.
  Value firstOf(Value value) const {
    Value first = firsts.lookup(value);
    return first ? first : value;
  }

  DenseMap<Value, Value> firsts;
  DenseMap<Value, int64_t> counts;
  /// The tensor that a block takes once `most` others begin with one.
  DenseMap<std::pair<Value, Block *>, Value> successors;
};

} // namespace

void LimitSharingPass::visit(DestinationStyleOpInterface op, OpOperand &init) {
  Value first = firstOf(init.get());
  if (counts.lookup(first) >= most && ignores(op, init)) {
    Value &next = successors[{first, op->getBlock()}];
    if (!next || counts.lookup(next) >= most) {
      OpBuilder b(op);
      next = createEmpty(b, op->getLoc(), first);
    }
    init.set(next);
    first = next;
  }
  ++counts[first];
  if (op->getNumResults() != 0)
    firsts[op.getTiedOpResult(&init)] = first;
}
