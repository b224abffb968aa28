// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Passes that find attention in linalg.

#ifndef MIXATTN_PASSES_RAISE_PASSES_TD
#define MIXATTN_PASSES_RAISE_PASSES_TD

include "mlir/Pass/PassBase.td"

def RaiseAttentionPass : Pass<"attn-raise-attention", "::mlir::ModuleOp"> {
  let summary = "Make one op of linalg that computes an attention";
  let description = [{
    Input: `linalg` on tensors.
    Output: where the weights of a softmax over products of queries and keys
    are multiplied by values and summed over the keys, one `attn.generic`.
    Reshapes, transposes, copies and dims of size 1 do not matter; what depends
    on queries or on keys alone stays the tensor that it is.
    Skips: what the op cannot say exactly. A remark says of each softmax between
    two products whether it was raised, or why not.

    ```mlir
    func.func @f(%q: tensor<4x9x8xf32>, %k: tensor<4x7x8xf32>,
                 %v: tensor<4x7x8xf32>) -> tensor<4x9x8xf32> {
      %zero = arith.constant 0.0 : f32
      %square = tensor.empty() : tensor<4x9x7xf32>
      %zeros = linalg.fill ins(%zero : f32) outs(%square : tensor<4x9x7xf32>) -> tensor<4x9x7xf32>
      %scores = linalg.contract
          indexing_maps = [affine_map<(h, i, j, d) -> (h, i, d)>,
                           affine_map<(h, i, j, d) -> (h, j, d)>,
                           affine_map<(h, i, j, d) -> (h, i, j)>]
          ins(%q, %k : tensor<4x9x8xf32>, tensor<4x7x8xf32>)
          outs(%zeros : tensor<4x9x7xf32>) -> tensor<4x9x7xf32>
      %weights = linalg.softmax dimension(2) ins(%scores : tensor<4x9x7xf32>)
          outs(%square : tensor<4x9x7xf32>) -> tensor<4x9x7xf32>
      %small = tensor.empty() : tensor<4x9x8xf32>
      %none = linalg.fill ins(%zero : f32) outs(%small : tensor<4x9x8xf32>) -> tensor<4x9x8xf32>
      %o = linalg.batch_matmul ins(%weights, %v : tensor<4x9x7xf32>, tensor<4x7x8xf32>)
          outs(%none : tensor<4x9x8xf32>) -> tensor<4x9x8xf32>
      return %o : tensor<4x9x8xf32>
    }
    ```
    becomes
    ```
    %o = attn.generic scores(%queries, %keys) scale 1.0 pool(%values)
    ```
    and views that give operands and result their four dims.
  }];
  let dependentDialects = [
    "::mixattn::AttnDialect", "::mlir::arith::ArithDialect",
    "::mlir::linalg::LinalgDialect", "::mlir::tensor::TensorDialect"
  ];
}

#endif // MIXATTN_PASSES_RAISE_PASSES_TD
