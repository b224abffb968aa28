// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// attn-schedule-nvptx: turns kernels into kernels for GPUs, and launches.

#include "passes/Passes.h"
#include "passes/schedule/nvptx/Online.h"

#include "dialect/tile/TileOps.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

namespace mixattn {
#define GEN_PASS_DEF_SCHEDULENVPTXPASS
#include "passes/Passes.h.inc"
} // namespace mixattn

using namespace mlir;
using namespace mixattn;

namespace {

struct ScheduleNvptxPass
    : mixattn::impl::ScheduleNvptxPassBase<ScheduleNvptxPass> {
  void runOnOperation() override {
    ModuleOp module = getOperation();
    module.walk([&](func::FuncOp function) {
      SmallVector<KernelOp> kernels;
      function.walk([&](KernelOp kernel) { kernels.push_back(kernel); });
      for (auto [i, kernel] : llvm::enumerate(kernels)) {
        std::string name = (function.getName() + "_kernel_" + Twine(i)).str();
        if (failed(nvptx::scheduleOnline(kernel, name)))
          return signalPassFailure();
      }
      if (!kernels.empty())
        module->setAttr(gpu::GPUDialect::getContainerModuleAttrName(),
                        UnitAttr::get(&getContext()));
    });
  }
};

} // namespace
