// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The passes that launch grids, and lower what all GPUs share.

#ifndef MIXATTN_PASSES_LOWER_GPU_PASSES_TD
#define MIXATTN_PASSES_LOWER_GPU_PASSES_TD

include "mlir/Pass/PassBase.td"

def SizesOfViewsPass : Pass<"tile-sizes-of-views"> {
  let summary = "Ask no view of a buffer for its sizes";
  let description = [{
    Input: functions on buffers and views of them: parts, and the same elements
    with other dims.
    Output: a size that is asked of a view is the one that the view was made with,
    or follows from sizes of what it is a view of. So hosts, which know no views,
    can compute it.
    Skips: sizes of other buffers, and those of dims that are not constants.

    ```mlir
    func.func @f(%x: memref<?x?x8xf32>, %n: index) -> index {
      %c0 = arith.constant 0 : index
      %part = memref.subview %x[0, 0, 0] [%n, 1, 8] [1, 1, 1]
          : memref<?x?x8xf32> to memref<?x1x8xf32, strided<[?, 8, 1]>>
      %rows = memref.collapse_shape %part [[0], [1, 2]]
          : memref<?x1x8xf32, strided<[?, 8, 1]>>
          into memref<?x8xf32, strided<[?, 1]>>
      %size = memref.dim %rows, %c0 : memref<?x8xf32, strided<[?, 1]>>
      return %size : index
    }
    ```
    becomes
    ```
    return %n : index
    ```
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect",
      "::mlir::memref::MemRefDialect"];
}

def FoldReshapesPass : Pass<"tile-fold-reshapes"> {
  let summary = "Make parts of the workspace with other dims parts of it";
  let description = [{
    Input: functions on buffers that are parts of the workspace.
    Output: what gives such a part other dims is a part with these. Its rows are
    those of its own dims then, and kernels copy the longer pieces.
    Skips: other buffers, and dims of which elements do not follow each other.

    ```mlir
    func.func @f(%workspace: memref<?xi8>, %n: index, %b: index)
        -> memref<?x8xf32> {
      %x = memref.view %workspace[%b][%n] : memref<?xi8> to memref<?x4x8xf32>
      %y = memref.collapse_shape %x [[0, 1], [2]]
          : memref<?x4x8xf32> into memref<?x8xf32>
      return %y : memref<?x8xf32>
    }
    ```
    becomes
    ```
    %rows = arith.muli %n, %c4 : index
    %y = memref.view %workspace[%b][%rows] : memref<?xi8> to memref<?x8xf32>
    ```
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect",
      "::mlir::memref::MemRefDialect"];
}

def WidenProductsPass : Pass<"tile-widen-products"> {
  let summary = "Multiply in 64 bits what becomes integers of 64";
  let description = [{
    An index has 32 bits in a kernel, and a product of two sizes may have more.

    Input: functions with `tile.grid`.
    Output: where a product of two numbers that are not known, a multiple of a
    size, or a sum with one, becomes an i64, its factors become that before they
    are multiplied.
    Skips: what stays an index, and other products with a constant.

    ```mlir
    func.func @f(%n: index, %m: index) -> i64 {
      %all = arith.muli %n, %m : index
      %count = arith.index_cast %all : index to i64
      return %count : i64
    }
    ```
    becomes
    ```
    %0 = arith.index_cast %n : index to i64
    %1 = arith.index_cast %m : index to i64
    %count = arith.muli %0, %1 : i64
    ```
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect"];
}

def GridsToLaunchesPass : Pass<"tile-grids-to-launches", "::mlir::ModuleOp"> {
  let summary = "Make functions of a GPU of grids, and launch them";
  let description = [{
    Input: `tile.grid` without scratch, and the module's target.
    Output: a `gpu.module` with one `gpu.func` a grid, which a `tile.launch` in
    place of it runs. It is given pointers, open sizes and strides of the buffers
    that the grid takes from outside, the function's own arguments first, and
    numbers, and products of sizes, which 32 bits may not hold; of these it makes
    buffers and their parts itself. Shared memory of a
    block is the function's. A `tile.report` takes the address of the caller's
    status word, where one thread leaves 1 + the number of the argument.
    Skips: everything else.

    ```mlir
    module attributes {attn.target = #attn.target<mma, chip = "sm_80">} {
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
    gpu.func @f_kernel_0(%p: !llvm.ptr<1>, %size: index) kernel
        attributes {known_block_size = array<i32: 128, 1, 1>} {
      %item = gpu.block_id x
      %x = tile.device_buffer %p sizes [%size] strides []
          : !llvm.ptr<1> -> memref<?xf32>
      …
    }
    tile.launch @mixattn_kernels::@f_kernel_0 blocks %n threads 128
        [#tile.parameter<pointer>, #tile.parameter<number>]
        of %x, %dim : memref<?xf32>, index
    ```
  }];
  let dependentDialects = ["::mixattn::AttnDialect",
      "::mlir::LLVM::LLVMDialect", "::mlir::NVVM::NVVMDialect",
      "::mlir::arith::ArithDialect", "::mlir::gpu::GPUDialect",
      "::mlir::scf::SCFDialect"];
}

def DropParametersPass : Pass<"tile-drop-parameters", "::mlir::ModuleOp"> {
  let summary = "Take from kernels what they do not read";
  let description = [{
    Input: each `tile.launch`, the one that runs its kernel, a function in a
    `gpu.module`.
    Output: the same; arguments that the kernel does not use are gone from it and
    from the launch. Tensor maps are passed by value.
    Skips: everything else.

    ```mlir
    gpu.module @kernels {
      llvm.func @f_kernel_0(%p: !llvm.ptr<1>, %stride: i64) {
        %zero = llvm.mlir.constant(0.0 : f32) : f32
        llvm.store %zero, %p : f32, !llvm.ptr<1>
        llvm.return
      }
    }
    func.func @f(%x: memref<4x4xf32, strided<[?, 1]>>, %n: index) {
      tile.launch @kernels::@f_kernel_0 blocks %n threads 128
          [#tile.parameter<pointer>, #tile.parameter<stride>] of %x, %x
          : memref<4x4xf32, strided<[?, 1]>>, memref<4x4xf32, strided<[?, 1]>>
      return
    }
    ```
    becomes
    ```
    llvm.func @f_kernel_0(%p: !llvm.ptr<1>) { … }
    tile.launch @kernels::@f_kernel_0 blocks %n threads 128
        [#tile.parameter<pointer>] of %x : memref<4x4xf32, strided<[?, 1]>>
    ```
  }];
}

def LowerGpuPass : Pass<"tile-lower-gpu", "::mlir::gpu::GPUModuleOp"> {
  let summary = "Turn ops on fragments and functions into instructions";
  let description = [{
    Input: ops of the tile dialect on fragments, accesses to device buffers, and
    functions of the math dialect on f32.
    Output: nvvm, llvm, gpu, scf, vector, arith and memref; no math, so that
    libdevice is not needed. Functions without an instruction are arithmetic.
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

#endif // MIXATTN_PASSES_LOWER_GPU_PASSES_TD
