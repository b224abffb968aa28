// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The pass that lowers tile ops of mma.

#ifndef MIXATTN_PASSES_LOWER_MMA_PASSES_TD
#define MIXATTN_PASSES_LOWER_MMA_PASSES_TD

include "mlir/Pass/PassBase.td"

def LowerMmaPass : Pass<"tile-lower-mma", "::mlir::gpu::GPUModuleOp"> {
  let summary = "Turn tile ops of mma into instructions of a warp";
  let description = [{
    Input: ops of the tile dialect with `mma` in their names.
    Output: nvvm, llvm, gpu, scf, vector, arith and memref.
    Skips: everything else.

    ```mlir
    gpu.module @kernels {
      func.func @f() {
        tile.mma.wait 1
        return
      }
    }
    ```
    becomes
    ```
    nvvm.cp.async.wait.group 1
    gpu.barrier
    ```
  }];
  let dependentDialects = ["::mlir::LLVM::LLVMDialect",
      "::mlir::NVVM::NVVMDialect", "::mlir::arith::ArithDialect",
      "::mlir::gpu::GPUDialect", "::mlir::memref::MemRefDialect",
      "::mlir::scf::SCFDialect", "::mlir::vector::VectorDialect"];
}

#endif // MIXATTN_PASSES_LOWER_MMA_PASSES_TD
