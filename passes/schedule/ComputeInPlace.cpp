// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// attn-compute-in-place: results take the place of what kernels read last.

#include "dialect/attn/AttnOps.h"
#include "passes/Passes.h"

#include "mlir/Dialect/Tensor/IR/Tensor.h"

namespace mixattn {
#define GEN_PASS_DEF_COMPUTEINPLACEPASS
#include "passes/Passes.h.inc"
} // namespace mixattn

using namespace mlir;
using namespace mixattn;

/// The `tensor.empty` that `value`, a kernel's result, is computed in, through
/// others that it took the place of; null where there is none.
static tensor::EmptyOp findEmpty(Value value) {
  while (auto kernel = value.getDefiningOp<KernelOp>())
    value = kernel.getTiedOpOperand(cast<OpResult>(value))->get();
  return value.getDefiningOp<tensor::EmptyOp>();
}

/// Whether `op` shows a tensor in another shape, and copies nothing.
static bool isView(Operation *op) {
  return isa<tensor::CastOp, tensor::CollapseShapeOp, tensor::ExpandShapeOp,
             tensor::ExtractSliceOp>(op);
}

/// Whether `kernel` is the last reader of `value`, and reads no view of it.
static bool isLastReader(KernelOp kernel, Value value, bool isWhole = true) {
  return llvm::all_of(value.getUsers(), [&](Operation *user) {
    Operation *here = kernel->getBlock()->findAncestorOpInBlock(*user);
    if (here == kernel)
      return isWhole;
    return here && here->isBeforeInBlock(kernel) &&
           (!isView(user) || isLastReader(kernel, user->getResult(0), false));
  });
}

/// Whether output `number` of `kernel` may take the place of `input`.
static bool mayTake(KernelOp kernel, unsigned number, Value input) {
  auto made = input.getDefiningOp<KernelOp>();
  Value output = kernel.getOutputs()[number];
  auto empty = output.getDefiningOp<tensor::EmptyOp>();
  tensor::EmptyOp first = made ? findEmpty(input) : tensor::EmptyOp();
  return empty && first && made->getBlock() == kernel->getBlock() &&
         input.getType() == output.getType() &&
         llvm::equal(first.getDynamicSizes(), empty.getDynamicSizes()) &&
         kernel.readsInPlace(input, number) && isLastReader(kernel, input);
}

namespace {

struct ComputeInPlacePass
    : mixattn::impl::ComputeInPlacePassBase<ComputeInPlacePass> {
  using Base::Base;

  void runOnOperation() override {
    getOperation()->walk([](KernelOp kernel) {
      for (OpOperand &output : kernel.getOutputsMutable()) {
        unsigned number = output.getOperandNumber() -
                          kernel.getOutputs().getBeginOperandIndex();
        auto inputs = kernel.getInputs();
        auto input = llvm::find_if(inputs, [&](Value input) {
          return mayTake(kernel, number, input);
        });
        if (input != inputs.end())
          output.set(*input);
      }
    });
  }
};

} // namespace
