// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// attn-expand-training: ops of the training side become linalg ops.

#include "passes/Passes.h"
#include "passes/normalize/PlainPaths.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

namespace mixattn {
#define GEN_PASS_DEF_EXPANDTRAININGPASS
#include "passes/Passes.h.inc"
} // namespace mixattn

using namespace mlir;
using namespace mixattn;

namespace {

struct ExpandTrainingPass
    : mixattn::impl::ExpandTrainingPassBase<ExpandTrainingPass> {
  void runOnOperation() override {
    decomposeEach<ResponsibilitiesOp, PriorUpdateOp, OrthogonalPenaltyOp>(
        getOperation());
  }
};

} // namespace
