// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The pass that lowers tile ops of nvptx.

#ifndef MIXATTN_PASSES_LOWER_NVPTX_PASSES_TD
#define MIXATTN_PASSES_LOWER_NVPTX_PASSES_TD

include "mlir/Pass/PassBase.td"

def LowerNvptxPass : Pass<"tile-lower-nvptx", "::mlir::gpu::GPUModuleOp"> {
  let summary = "Turn tile ops of nvptx into instructions of a warp";
  let description = [{
    Input: ops of the tile dialect with `nvptx` in their names, and functions of
    the math dialect on f32.
    Output: nvvm, llvm, gpu, scf, vector, arith and memref; no math, so that
    libdevice is not needed.
    Skips: everything else.

    ```mlir
    gpu.module @kernels {
      func.func @f(%x: f32) -> f32 {
        %y = math.exp2 %x : f32
        return %y : f32
      }
    }
    ```
    becomes
    ```
    %y = llvm.call_intrinsic "llvm.nvvm.ex2.approx.ftz.f"(%x) : (f32) -> f32
    ```
  }];
  let dependentDialects = ["::mlir::LLVM::LLVMDialect",
      "::mlir::NVVM::NVVMDialect", "::mlir::arith::ArithDialect",
      "::mlir::gpu::GPUDialect", "::mlir::memref::MemRefDialect",
      "::mlir::scf::SCFDialect", "::mlir::vector::VectorDialect"];
}

#endif // MIXATTN_PASSES_LOWER_NVPTX_PASSES_TD
