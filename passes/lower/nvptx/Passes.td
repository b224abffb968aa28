// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The pass that lowers tile ops of nvptx.

#ifndef MIXATTN_PASSES_LOWER_NVPTX_PASSES_TD
#define MIXATTN_PASSES_LOWER_NVPTX_PASSES_TD

include "mlir/Pass/PassBase.td"

def GridsToLaunchesPass : Pass<"tile-grids-to-launches", "::mlir::ModuleOp"> {
  let summary = "Make functions of a GPU of grids, and launch them";
  let description = [{
    Input: `tile.grid` without scratch, and the module's target.
    Output: a `gpu.module` with one `gpu.func` a grid, which is launched in
    place of it. Its arguments are the buffers and numbers that the grid takes
    from outside, the function's own arguments first; it computes sizes and
    parts of buffers itself. Shared memory of a block is the function's.
    Skips: everything else.

    ```mlir
    module attributes {attn.target = #attn.target<nvptx, chip = "sm_80">} {
      func.func @f(%x: memref<?xf32>, %n: index) {
        tile.grid %n threads 128 {
        ^bb0(%item: index):
          %zero = arith.constant 0.0 : f32
          memref.store %zero, %x[%item] : memref<?xf32>
        }
        return
      }
    }
    ```
    becomes
    ```
    gpu.func @f_kernel_0(%x: memref<?xf32>) kernel
        attributes {known_block_size = array<i32: 128, 1, 1>} {
      %item = gpu.block_id x
      …
    }
    gpu.launch_func @mixattn_kernels::@f_kernel_0
        blocks in (%n, %one, %one) threads in (%c128, %one, %one)
        args(%x : memref<?xf32>)
    ```
  }];
  let dependentDialects = ["::mixattn::AttnDialect",
      "::mlir::LLVM::LLVMDialect", "::mlir::NVVM::NVVMDialect",
      "::mlir::arith::ArithDialect", "::mlir::gpu::GPUDialect"];
}

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
