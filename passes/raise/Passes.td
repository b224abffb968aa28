// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Passes that find attention in linalg.

#ifndef MIXATTN_PASSES_RAISE_PASSES_TD
#define MIXATTN_PASSES_RAISE_PASSES_TD

include "mlir/Pass/PassBase.td"

def FoldPositionsPass : Pass<"attn-fold-positions", "::mlir::ModuleOp"> {
  let summary = "Compute positions where they are read";
  let description = [{
    Input: `linalg` on tensors.
    Output: in each `linalg.generic`, an integer or a truth value that follows
    from the indices of the loops and from sizes is written so, whatever tensors
    it was read from: through views, parts, tensors side by side that continue
    each other, running sums of a number, and gathers. What holds at all places
    is a constant.
    Skips: what is not linear in indices, or not known to be so at all sizes.

    ```mlir
    func.func @f(%n: index) -> tensor<?xi1> {
      %none = tensor.empty(%n) : tensor<?xi64>
      %count = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>], iterator_types = ["parallel"]}
          outs(%none : tensor<?xi64>) {
      ^bb0(%out: i64):
        %i = linalg.index 0 : index
        %number = arith.index_cast %i : index to i64
        linalg.yield %number : i64
      } -> tensor<?xi64>
      %truths = tensor.empty(%n) : tensor<?xi1>
      %o = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]}
          ins(%count : tensor<?xi64>) outs(%truths : tensor<?xi1>) {
      ^bb0(%number: i64, %out: i1):
        %five = arith.constant 5 : i64
        %less = arith.cmpi slt, %number, %five : i64
        linalg.yield %less : i1
      } -> tensor<?xi1>
      return %o : tensor<?xi1>
    }
    ```
    reads the index of its own loop in place of `%count`.
  }];
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::linalg::LinalgDialect",
    "::mlir::tensor::TensorDialect"
  ];
}

def RaiseAttentionPass : Pass<"attn-raise-attention", "::mlir::ModuleOp"> {
  let summary = "Make one op of linalg that computes an attention";
  let description = [{
    Input: `linalg` on tensors.
    Output: where the weights of a softmax over products of queries and keys
    are multiplied by values and summed over the keys, one `attn.generic`.
    Reshapes, transposes, copies and dims of size 1 do not matter, nor where the
    sum of powers divides; what depends on queries or on keys alone stays the
    tensor that it is.
    A factor on scores, such as one of each head, multiplies the queries, in f32,
    or the keys if it is theirs.
    For a GPU, whose kernels read queries and keys of 16 bits, a `score_mod` has it
    where both are such. It has what is added to scaled scores, too, for a bias
    would be multiplied.
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

def NarrowAttentionPass : Pass<"attn-narrow-attention", "::mlir::ModuleOp"> {
  let summary = "Keep an attention in the 16 bits that a graph widens and rounds to";
  let description = [{
    Input: `attn.generic` that gives f32, as attn-raise-attention makes it.
    Output: where queries, keys and values all have one type of 16 bits, or are
    widened from it, and the result is only rounded to that type, the op takes the
    numbers as they are and gives that type. PyTorch and ONNX's exporter write
    attention of such models so. Reshapes between do not matter. Given scores stay
    what they are.
    Products of two such numbers are exact in f32. Powers and weights are as
    precise as of any attention of 16 bits, which may round weights to the type:
    an error of the order of the result's own rounding.
    A remark says of each op that it was made so.
    Skips: operands of different types; results that others read as f32; ops with
    further results.

    ```mlir
    func.func @f(%x: tensor<1x4x9x8xbf16>) -> tensor<1x4x9x8xbf16> {
      %wide = tensor.empty() : tensor<1x4x9x8xf32>
      %q = linalg.generic {indexing_maps = [affine_map<(b, h, n, d) -> (b, h, n, d)>, affine_map<(b, h, n, d) -> (b, h, n, d)>],
                           iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
          ins(%x : tensor<1x4x9x8xbf16>) outs(%wide : tensor<1x4x9x8xf32>) {
      ^bb0(%number: bf16, %out: f32):
        %w = arith.extf %number : bf16 to f32
        linalg.yield %w : f32
      } -> tensor<1x4x9x8xf32>
      %p = attn.generic scores(%q, %q : tensor<1x4x9x8xf32>, tensor<1x4x9x8xf32>) scale 1.0
          pool(%q : tensor<1x4x9x8xf32>) -> tensor<1x4x9x8xf32>
      %narrow = tensor.empty() : tensor<1x4x9x8xbf16>
      %o = linalg.generic {indexing_maps = [affine_map<(b, h, n, d) -> (b, h, n, d)>, affine_map<(b, h, n, d) -> (b, h, n, d)>],
                           iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
          ins(%p : tensor<1x4x9x8xf32>) outs(%narrow : tensor<1x4x9x8xbf16>) {
      ^bb0(%number: f32, %out: bf16):
        %r = arith.truncf %number : f32 to bf16
        linalg.yield %r : bf16
      } -> tensor<1x4x9x8xbf16>
      return %o : tensor<1x4x9x8xbf16>
    }
    ```
    becomes
    ```
    %o = attn.generic scores(%x, %x) scale 1.0 pool(%x)
    ```
    of bf16.
  }];
  let dependentDialects = [
    "::mlir::linalg::LinalgDialect", "::mlir::tensor::TensorDialect"
  ];
}

#endif // MIXATTN_PASSES_RAISE_PASSES_TD
