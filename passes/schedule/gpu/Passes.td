// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Passes for GPUs alone, before and after ops become kernels.

#ifndef MIXATTN_PASSES_SCHEDULE_GPU_PASSES_TD
#define MIXATTN_PASSES_SCHEDULE_GPU_PASSES_TD

include "mlir/Pass/PassBase.td"

def BoundBandsPass : Pass<"attn-bound-bands"> {
  let summary = "Let bands reach no further than a GPU's indices add up";
  let description = [{
    Indices in kernels of a GPU have 32 bits, in which a reach of 2^31 - 1 and a
    position are more than there is. No key lies 2^30 away where a head has at
    most 2^30 of them.

    Input: ops with `band` or `keep`.
    Output: the same, whose reach is at most 2^30 each way.
    Skips: everything else.

    ```mlir
    func.func @f(%q: tensor<1x2x3x4xbf16>) -> tensor<1x2x3x4xbf16> {
      %o = attn.softmax %q, %q, %q band <2147483647, 7>
          : (tensor<1x2x3x4xbf16>, tensor<1x2x3x4xbf16>, tensor<1x2x3x4xbf16>)
          -> tensor<1x2x3x4xbf16>
      return %o : tensor<1x2x3x4xbf16>
    }
    ```
    becomes an op with `band <1073741824, 7>`.
  }];
}

def SplitProjectionsPass : Pass<"attn-split-projections", "::mlir::ModuleOp"> {
  let summary = "Project keys and values in front of a GPU's attention";
  let description = [{
    Input: attentions in normal form, without plans, and the module's target.
    Output: on GPUs, for each attention of bf16 with `projected_by` of which a
    schedule makes a kernel then, `attn.project` of keys and of values, in f32,
    and the attention without projections.

    Projected keys are f32 in scores, and tensor cores take bf16: a key becomes
    two halves of twice as many features, itself rounded and what that leaves
    out, and each query is there twice. The score's terms are those of the f32
    key but for 2^-17 of each. Projected values are rounded, as weights are.
    Skips: CPUs, whose schedules keep f32; f16, which does not hold what sums of
    f32 may reach; Gaussian scores.

    ```mlir
    module attributes {attn.target = #attn.target<mma, chip = "sm_80">} {
      func.func @f(%q: tensor<1x2x?x64xbf16>, %e: tensor<32x?xbf16>)
          -> tensor<1x2x?x64xbf16> {
        %o = attn.generic
            scores(%q, %q : tensor<1x2x?x64xbf16>, tensor<1x2x?x64xbf16>)
            projected_by(%e, %e : tensor<32x?xbf16>, tensor<32x?xbf16>)
            pool(%q : tensor<1x2x?x64xbf16>) -> tensor<1x2x?x64xbf16>
        return %o : tensor<1x2x?x64xbf16>
      }
    }
    ```
    becomes
    ```
    %keys = attn.project %q by %e : … -> tensor<1x2x32x64xf32>
    %key = linalg.generic … ins(%keys : …) … -> tensor<1x2x32x128xbf16>
    …
    %o = attn.generic scores(%query, %key : …) scale 1.250000e-01 pool(%value : …)
    ```
  }];
  let dependentDialects = ["::mixattn::AttnDialect",
      "::mlir::arith::ArithDialect", "::mlir::linalg::LinalgDialect",
      "::mlir::tensor::TensorDialect"];
}

def LoopsToGridsPass : Pass<"attn-loops-to-grids", "::mlir::func::FuncOp"> {
  let summary = "Run on a GPU what no schedule takes, an element a thread";
  let description = [{
    Input: an entry for a GPU, with `linalg` ops and copies on buffers outside
    of grids.
    Output: a `tile.grid` for each, whose blocks have the elements of one row of
    the result, and whose threads sum up what each needs. Elements that a
    body reads at computed places are those at the nearest place that there is.
    Skips: what is on tensors, in a grid, or gives results.

    ```mlir
    func.func @f(%x: memref<?x?xf32>, %y: memref<?x?xf32>) {
      linalg.exp ins(%x : memref<?x?xf32>) outs(%y : memref<?x?xf32>)
      return
    }
    ```
    becomes a grid of as many rows of blocks as `%x` has rows.
  }];
  let dependentDialects = ["::mlir::affine::AffineDialect",
      "::mlir::arith::ArithDialect", "::mlir::gpu::GPUDialect",
      "::mlir::linalg::LinalgDialect", "::mlir::scf::SCFDialect",
      "::mixattn::tile::TileDialect"];
}

def LoopsToBlocksPass : Pass<"attn-loops-to-blocks", "::mlir::func::FuncOp"> {
  let summary = "Run on a GPU loops that walk over positions one by one";
  let description = [{
    Input: an entry for a GPU, with `scf.for` on buffers outside of grids.
    Output: a `tile.grid` of one block for each. All its threads walk the loop
    together. They share the elements of each `linalg` op, one writes what
    stores do, and all meet before and after each write. So what is added comes
    in the loop's order. Buffers that steps allocate are there before the loop.
    Skips: loops with results, with grids inside, or whose steps allocate sizes
    that they compute.

    ```mlir
    func.func @f(%x: memref<?x4xf32>, %y: memref<4xf32>, %n: index) {
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      scf.for %i = %c0 to %n step %c1 {
        %row = memref.subview %x[%i, 0] [1, 4] [1, 1]
            : memref<?x4xf32> to memref<4xf32, strided<[1], offset: ?>>
        linalg.add ins(%row, %y : memref<4xf32, strided<[1], offset: ?>>,
                                  memref<4xf32>) outs(%y : memref<4xf32>)
      }
      return
    }
    ```
    becomes a grid of one block, with the loop in it.
  }];
  let dependentDialects = ["::mlir::affine::AffineDialect",
      "::mlir::arith::ArithDialect", "::mlir::gpu::GPUDialect",
      "::mlir::linalg::LinalgDialect", "::mlir::memref::MemRefDialect",
      "::mlir::scf::SCFDialect", "::mixattn::tile::TileDialect"];
}

#endif // MIXATTN_PASSES_SCHEDULE_GPU_PASSES_TD
