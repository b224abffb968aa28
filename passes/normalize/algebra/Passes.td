// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Passes that rewrite attentions where a simpler form is equal.

#ifndef MIXATTN_PASSES_NORMALIZE_ALGEBRA_PASSES_TD
#define MIXATTN_PASSES_NORMALIZE_ALGEBRA_PASSES_TD

include "mlir/Pass/PassBase.td"

def FoldPass : Pass<"attn-fold"> {
  let summary = "Say attentions that couple heads or keys as plain ones";
  let description = [{
    The folds that papers and frameworks use where no kernel couples heads or
    keys: exact, but with longer operands. They are baselines and candidates of
    a planner, so none acts unless it is asked for. Each that declines where it
    might apply says why in a missed remark of its name; each that applies
    leaves a passed one.

    - `keys` (`ConcatenateKeys`): R components that meet in logsumexp become
      R S keys of one softmax; the prior becomes a bias, values and masks are
      repeated.
    - `heads` (`ConcatenateHeads`): a linear mixer of scores becomes a product
      over all heads' features, of weighed queries and one long key.
    - `values` (`ConcatenateValues`): under a mixer of weights all heads' values
      become features of one head; outputs are mixed in f32.

    Input: `attn.generic` on tensors.
    Output: the same, and `linalg` ops and `attn.row_term` that make its new
    operands.
    Skips: named ops.

    ```mlir
    func.func @f(%q: tensor<1x2x3x4xf32>, %k: tensor<1x2x2x5x4xf32>,
                 %v: tensor<1x2x5x4xf32>) -> tensor<1x2x3x4xf32> {
      %o = attn.generic
          scores(%q, %k : tensor<1x2x3x4xf32>, tensor<1x2x2x5x4xf32>)
          gaussian variances [8.0, 8.0]
          pool(%v : tensor<1x2x5x4xf32>) -> tensor<1x2x3x4xf32>
      return %o : tensor<1x2x3x4xf32>
    }
    ```
    becomes, with `keys`,
    ```
    %keys = tensor.collapse_shape %k …             // [B,H,R,S,D] to [B,H,R S,D]
    %values = linalg.generic … ins(%v)             // [B,H,R S,E]
    %o = attn.generic scores(%q, %keys : …) gaussian variances [8.0]
        scale 1.0 pool(%values : …) -> tensor<1x2x3x4xf32>
    ```
  }];
  let options = [
    Option<"keys", "keys", "bool", /*default=*/"false",
           "Fold components of keys into further keys">,
    Option<"heads", "heads", "bool", /*default=*/"false",
           "Fold mixed heads of scores into one long product">,
    Option<"values", "values", "bool", /*default=*/"false",
           "Fold heads of values into features under a mixer of weights">,
  ];
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::linalg::LinalgDialect",
    "::mlir::tensor::TensorDialect"
  ];
}

def SimplifyPass : Pass<"attn-simplify"> {
  let summary = "Rewrite the normal form where a simpler one is equal";
  let description = [{
    Algebra that is exact in real arithmetic. Each rule that declines where it might apply says why in a
    missed remark of its name; each that applies leaves a passed one.

    - `PruneHeads`: query heads whose rows of a constant mixer are zero vanish;
      needs `finite`.
    - `SelectHeads`: a constant mixer of scores that picks one head for each
      output becomes a choice of heads.
    - `DropSingleComponent`: keys of one component lose it.
    - `MakeTerms`: Gaussians and shifted keys become one product of all
      components plus `attn.row_term` of queries and of keys. The squares of
      queries are left out where variances are equal and nothing sees a constant
      added to a row of scores, as an MLP, a ReLU, a score_mod that does more
      than add, or `lse` does. Declined where keys are projected.
    - `MixOutputs`: a mixer of weights over shared values mixes what the heads
      pool instead, in f32. Values of a few groups of heads are pooled side by
      side where that is less work than it saves.
    - `FoldPrior`: a prior becomes a part of the term per key, where key heads
      are not shared.
    - `FoldLog2e`: exponentials become powers of 2, with log2 e in the scale, or
      in variances, terms and prior where components meet in logsumexp; unless
      something reads scores in natural units.
    - `FoldScale`: scale and common variance become a factor of the query; 16-bit
      queries stay as they are.
    - `MixFeatures`: linear attention over components takes the mixture of their
      features as given, if that saves products.

    Input: `attn.generic` and `attn.linear_generic` on tensors.
    Output: the same, and `linalg` ops and `attn.row_term` that make its new
    operands.
    Skips: named ops.

    ```mlir
    func.func @f(%q: tensor<1x2x3x4xf32>, %k: tensor<1x2x5x4xf32>,
                 %v: tensor<1x2x5x4xf32>) -> tensor<1x2x3x4xf32> {
      %o = attn.generic
          scores(%q, %k : tensor<1x2x3x4xf32>, tensor<1x2x5x4xf32>)
          gaussian variances [8.0]
          pool(%v : tensor<1x2x5x4xf32>) -> tensor<1x2x3x4xf32>
      return %o : tensor<1x2x3x4xf32>
    }
    ```
    becomes
    ```
    %norms = attn.row_term %k factors [0.125] of_keys has_square …
    %term = linalg.generic … ins(%norms)           // times log2 e
    %query = linalg.generic … ins(%q)              // times log2 e / 8
    %o = attn.generic scores(%query, %k : …)
        key_term(%term : tensor<1x2x1x5xf32>) scale 1.0 base2
        pool(%v : …) -> …
    ```
  }];
  let options = [
    Option<"makeTerms", "make-terms", "bool", /*default=*/"true",
           "Make tensors of terms per query and key: MakeTerms, FoldPrior; attn-stage-kernels makes them of kernels">,
    Option<"foldScale", "fold-scale", "bool", /*default=*/"true",
           "Multiply queries by scales and variances; schedules do so as they pack them">,
    Option<"mixFeatures", "mix-features", "bool", /*default=*/"true",
           "Mix features of components as tensors; the linear schedule does so key by key">,
    Option<"mixOutputs", "mix-outputs", "bool", /*default=*/"true",
           "Mix outputs of heads that share values as tensors; the online schedule does so tile by tile">,
  ];
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::linalg::LinalgDialect",
    "::mlir::math::MathDialect", "::mlir::tensor::TensorDialect"
  ];
}

#endif // MIXATTN_PASSES_NORMALIZE_ALGEBRA_PASSES_TD
