// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// attn-schedule-x86: turns kernels into loops over tiles.

#include "passes/Passes.h"
#include "passes/schedule/KernelChecks.h"
#include "passes/schedule/x86/Cases.h"

#include "dialect/tile/TileOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/OpenMP/OpenMPDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

namespace mixattn {
#define GEN_PASS_DEF_SCHEDULEX86PASS
#include "passes/Passes.h.inc"
} // namespace mixattn

using namespace mlir;
using namespace mixattn;

namespace {

struct ScheduleX86Pass : mixattn::impl::ScheduleX86PassBase<ScheduleX86Pass> {
  using Base::Base;

  void runOnOperation() override {
    SmallVector<KernelOp> kernels;
    getOperation()->walk([&](KernelOp kernel) { kernels.push_back(kernel); });
    TileSizes sizes = TileSizes::of(describeCpuOf(getOperation()));
    for (KernelOp kernel : kernels)
      if (failed(checkKernel(kernel)) || failed(checkPlan(kernel, sizes)))
        return signalPassFailure();
    for (KernelOp kernel : kernels)
      schedulePlan(kernel, sizes);
  }
};

} // namespace
