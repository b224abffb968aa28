// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The pass that lowers tile ops of wgmma.

#ifndef MIXATTN_PASSES_LOWER_WGMMA_PASSES_TD
#define MIXATTN_PASSES_LOWER_WGMMA_PASSES_TD

include "mlir/Pass/PassBase.td"

def LowerWgmmaPass : Pass<"tile-lower-wgmma", "::mlir::gpu::GPUModuleOp"> {
  let summary = "Turn tile ops of wgmma into instructions of warpgroups";
  let description = [{
    Input: ops of the tile dialect with `wgmma` in their names.
    Output: nvvm, llvm (wgmma as inline assembly), gpu, scf, vector and arith;
    fragments that are pending are vectors.
    Skips: everything else.

    ```mlir
    gpu.module @kernels {
      func.func @f(%p: !tile.pending<vector<4xf32>>) {
        %s = tile.wgmma.wait 0 for %p : !tile.pending<vector<4xf32>>
        return
      }
    }
    ```
    becomes
    ```
    llvm.inline_asm has_side_effects asm_dialect = att
        "wgmma.wait_group.sync.aligned 0;", "=f,=f,=f,=f,0,1,2,3" …
    ```
  }];
  let dependentDialects = ["::mlir::LLVM::LLVMDialect",
      "::mlir::NVVM::NVVMDialect", "::mlir::arith::ArithDialect",
      "::mlir::gpu::GPUDialect", "::mlir::scf::SCFDialect",
      "::mlir::vector::VectorDialect"];
}

#endif // MIXATTN_PASSES_LOWER_WGMMA_PASSES_TD
