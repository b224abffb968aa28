// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Passes up to the normal form, and the plain path.

#ifndef MIXATTN_PASSES_NORMALIZE_PASSES_TD
#define MIXATTN_PASSES_NORMALIZE_PASSES_TD

include "mlir/Pass/PassBase.td"

def GeneralizePass : Pass<"attn-generalize"> {
  let summary = "Say every named attention op in the normal form";
  let description = [{
    Input: any op with GeneralizableOpInterface.
    Output: `attn.generic` in its place, with the scale written out, or
    `attn.linear_generic`.
    Skips: nothing.

    ```mlir
    func.func @f(%q: tensor<1x2x3x4xf32>, %k: tensor<1x2x3x4xf32>,
                 %v: tensor<1x2x3x4xf32>) -> tensor<1x2x3x4xf32> {
      %o = attn.softmax %q, %k, %v causal
          : (tensor<1x2x3x4xf32>, tensor<1x2x3x4xf32>, tensor<1x2x3x4xf32>)
          -> tensor<1x2x3x4xf32>
      return %o : tensor<1x2x3x4xf32>
    }
    ```
    becomes
    ```mlir
    func.func @f(%q: tensor<1x2x3x4xf32>, %k: tensor<1x2x3x4xf32>,
                 %v: tensor<1x2x3x4xf32>) -> tensor<1x2x3x4xf32> {
      %o = attn.generic
          scores(%q, %k : tensor<1x2x3x4xf32>, tensor<1x2x3x4xf32>)
          scale 0.5 causal
          pool(%v : tensor<1x2x3x4xf32>) -> tensor<1x2x3x4xf32>
      return %o : tensor<1x2x3x4xf32>
    }
    ```
  }];
}

def DecomposePass : Pass<"attn-decompose"> {
  let summary = "Lower any attention op to linalg, unfused";
  let description = [{
    The plain path: the readable definition of each op, for every dtype and
    shape. Scores, weights and pooled values are f32 tensors of their own.

    Input: attention ops on tensors.
    Output: `linalg` ops on tensors; no attention op is left.
    Skips: nothing.

    ```mlir
    func.func @f(%q: tensor<1x2x3x4xf32>, %k: tensor<1x2x5x4xf32>,
                 %v: tensor<1x2x5x4xf32>) -> tensor<1x2x3x4xf32> {
      %o = attn.softmax %q, %k, %v
          : (tensor<1x2x3x4xf32>, tensor<1x2x5x4xf32>, tensor<1x2x5x4xf32>)
          -> tensor<1x2x3x4xf32>
      return %o : tensor<1x2x3x4xf32>
    }
    ```
    becomes
    ```
    %scores  = linalg.generic … ins(%q, %k)        // products over features
    %visible = linalg.generic … ins(%scores)       // scale, bias, region, mask
    %max     = linalg.generic … ins(%visible)      // per row
    %exp     = linalg.generic … ins(%visible, %max)
    %sum     = linalg.generic … ins(%exp)
    %weights = linalg.generic … ins(%exp, %sum)
    %o       = linalg.generic … ins(%weights, %v)  // products over keys
    ```
  }];
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::linalg::LinalgDialect",
    "::mlir::math::MathDialect", "::mlir::scf::SCFDialect",
    "::mlir::tensor::TensorDialect"
  ];
}

def FusePointwisePass : Pass<"attn-fuse-pointwise"> {
  let summary = "Make one loop of a chain of pointwise ops";
  let description = [{
    Input: `linalg` ops on tensors.
    Output: a pointwise op whose result only one other reads, at each element
    once, is computed there; named pointwise ops are `linalg.generic`.
    Skips: bodies that would hold more than `most` ops; reductions; results that
    are broadcast, for each of their elements would be computed often.

    ```mlir
    func.func @f(%x: tensor<4xf32>, %w: tensor<4xf32>) -> tensor<4xf32> {
      %e = tensor.empty() : tensor<4xf32>
      %0 = linalg.add ins(%x, %w : tensor<4xf32>, tensor<4xf32>)
          outs(%e : tensor<4xf32>) -> tensor<4xf32>
      %1 = linalg.mul ins(%0, %w : tensor<4xf32>, tensor<4xf32>)
          outs(%e : tensor<4xf32>) -> tensor<4xf32>
      return %1 : tensor<4xf32>
    }
    ```
    becomes
    ```
    %0 = linalg.generic … ins(%x, %w) … {
    ^bb0(%a: f32, %b: f32, %c: f32):
      %sum = arith.addf %a, %b : f32
      %product = arith.mulf %sum, %b : f32
      linalg.yield %product : f32
    } -> tensor<4xf32>
    ```
  }];
  let options = [
    Option<"most", "most", "int64_t", /*default=*/"32",
           "How many ops the body of a loop may hold">
  ];
  let dependentDialects = ["::mlir::linalg::LinalgDialect"];
}

#endif // MIXATTN_PASSES_NORMALIZE_PASSES_TD
