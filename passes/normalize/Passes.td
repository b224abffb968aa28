// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Passes on tensors: names, normal form, algebra, plain path.

#ifndef MIXATTN_PASSES_NORMALIZE_PASSES_TD
#define MIXATTN_PASSES_NORMALIZE_PASSES_TD

include "mlir/Pass/PassBase.td"

def SelectEntryPass : Pass<"attn-select-entry", "::mlir::ModuleOp"> {
  let summary = "Keep the public functions that are to be compiled";
  let description = [{
    Input: a module with public functions.
    Output: the entry called `entry` is public, every other function private;
    with an empty `entry` all stay as they are.
    Skips: declarations.

    ```mlir
    func.func @f() {
      return
    }
    func.func @g() {
      return
    }
    ```
    becomes, with `entry=f`,
    ```mlir
    func.func @f() {
      return
    }
    func.func private @g() {
      return
    }
    ```
  }];
  let options = [
    Option<"entry", "entry", "std::string", /*default=*/"",
           "The only public function to keep as an entry; all where empty">,
  ];
}

def BindNamesPass : Pass<"attn-bind-names", "::mlir::ModuleOp"> {
  let summary = "Name the arguments, results and dynamic dims of entries";
  let description = [{
    An entry is a public function with a body; its arguments and results are
    ranked tensors of floats or signless integers.

    Input: entries with or without `attn.name`, `attn.dims` and `attn.range`.
    Output: entries whose every argument and result has a name, whose every
    dynamic dimension has a name, the same for dimensions that an op needs
    equal, whose lengths have a range, and whose arguments hold (`attn.holds`)
    what ops ask of the values that they read.
    Skips: private functions and declarations.

    Errors: a call that could not be inlined, a name that occurs twice, two
    names for sizes that must be equal, a result's dimension that no argument
    has, bounds of values that name no dimension.

    ```mlir
    func.func @f(%q: tensor<?x2x3x4xf32> {attn.name = "q", attn.dims = ["B"]},
                 %k: tensor<?x2x3x4xf32>, %v: tensor<?x2x3x4xf32>)
        -> tensor<?x2x3x4xf32> {
      %o = attn.softmax %q, %k, %v
          : (tensor<?x2x3x4xf32>, tensor<?x2x3x4xf32>, tensor<?x2x3x4xf32>)
          -> tensor<?x2x3x4xf32>
      return %o : tensor<?x2x3x4xf32>
    }
    ```
    becomes
    ```mlir
    func.func @f(
        %q: tensor<?x2x3x4xf32> {attn.name = "q", attn.dims = ["B"]},
        %k: tensor<?x2x3x4xf32> {attn.name = "arg1", attn.dims = ["B"]},
        %v: tensor<?x2x3x4xf32> {attn.name = "arg2", attn.dims = ["B"]})
        -> (tensor<?x2x3x4xf32> {attn.name = "result0", attn.dims = ["B"]}) {
      %o = attn.softmax %q, %k, %v
          : (tensor<?x2x3x4xf32>, tensor<?x2x3x4xf32>, tensor<?x2x3x4xf32>)
          -> tensor<?x2x3x4xf32>
      return %o : tensor<?x2x3x4xf32>
    }
    ```
  }];
}

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
    - `CancelQueryNorm`: a Gaussian of equal variances becomes a product plus a
      term per key, unless something sees a constant added to a row of scores
      (an MLP, a ReLU, a score_mod that does more than add, `lse`).
    - `ShareShiftedKeys`: shifted keys of equal variances share one product,
      under the same condition if they are Gaussian.
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
    Output: the same, and `linalg` ops that make its new operands.
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
    %norms = linalg.generic … ins(%k, %k)          // -|k|^2 / 16
    %term = linalg.generic … ins(%norms)           // times log2 e
    %query = linalg.generic … ins(%q)              // times log2 e / 8
    %o = attn.generic scores(%query, %k : …)
        key_term(%term : tensor<1x2x5xf32>) scale 1.0 base2
        pool(%v : …) -> …
    ```
  }];
  let options = [
    Option<"makeTerms", "make-terms", "bool", /*default=*/"true",
           "Make tensors of terms per query and key: CancelQueryNorm, ShareShiftedKeys, FoldPrior; schedules do so themselves">,
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

def ExpandGaussianPass : Pass<"attn-expand-gaussian"> {
  let summary = "Say Gaussians and shifted keys as products and terms";
  let description = [{
    `-|q - k - s_r|^2 / (2 v_r)` is `q . k / v_r` plus a term per query and one
    per key, for any variances: what schedules know that make no terms
    themselves. Nothing is dropped, unlike in `attn-simplify`.

    Input: `attn.generic` on tensors.
    Output: the same without `gaussian` and `shifted_by`, and `linalg` ops that
    make its terms.
    Skips: attentions whose keys are projected.

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
    %of_query = linalg.generic … ins(%q)           // -|q|^2 / 16
    %of_key = linalg.generic … ins(%k)             // -|k|^2 / 16
    %o = attn.generic scores(%q, %k : …) variances [8.0]
        query_term(%of_query : tensor<1x2x1x3xf32>)
        key_term(%of_key : tensor<1x2x1x5xf32>)
        pool(%v : …) -> …
    ```
  }];
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::linalg::LinalgDialect",
    "::mlir::tensor::TensorDialect"
  ];
}

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
    Output: the same, and `linalg` ops that make its new operands.
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
