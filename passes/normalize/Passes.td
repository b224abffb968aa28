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

def ExpandNamedPass : Pass<"attn-expand-named"> {
  let summary = "Write ops of several steps, and gathers, as linalg ops";
  let description = [{
    Input: tensors.
    Output: `linalg` ops of several steps (`linalg.softmax`) as one op for each
    step, and `tensor.gather` as a `linalg.generic`: what schedules take.
    Skips: all others, and ops on buffers.

    ```mlir
    func.func @f(%x: tensor<50x8xf32>, %i: tensor<7x1xi64>) -> tensor<7x8xf32> {
      %y = tensor.gather %x[%i] gather_dims([0])
          : (tensor<50x8xf32>, tensor<7x1xi64>) -> tensor<7x8xf32>
      return %y : tensor<7x8xf32>
    }
    ```
    becomes
    ```
    %y = linalg.generic … outs(%e) {  // for i, j
      %row = tensor.extract %i[i, 0]
      linalg.yield tensor.extract %x[%row, j]
    }
    ```
  }];
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::linalg::LinalgDialect",
    "::mlir::math::MathDialect", "::mlir::tensor::TensorDialect"
  ];
}

def ExpandPadsPass : Pass<"attn-expand-pads"> {
  let summary = "Write pads, and tensors side by side, as a GPU's kernels take them";
  let description = [{
    Input: tensors.
    Output: `tensor.pad` as one `linalg.generic` over what it gives, which reads
    what is padded where that has an element; `tensor.concat` as copies into one
    tensor, whose buffer may be the caller's.
    Skips: all others.

    ```mlir
    func.func @f(%x: tensor<?x8xf32>, %c: f32) -> tensor<?x8xf32> {
      %y = tensor.pad %x low[2, 0] high[0, 0] {
      ^bb0(%i: index, %j: index):
        tensor.yield %c : f32
      } : tensor<?x8xf32> to tensor<?x8xf32>
      return %y : tensor<?x8xf32>
    }
    ```
    becomes
    ```
    %y = linalg.generic … outs(%e) {  // for i, j
      %row = arith.subi i, %c2
      %there = arith.cmpi ult, %row, %n
      linalg.yield scf.if %there { tensor.extract %x[%row, j] } else { %c }
    }
    ```
  }];
  let dependentDialects = [
    "::mlir::affine::AffineDialect", "::mlir::arith::ArithDialect",
    "::mlir::linalg::LinalgDialect", "::mlir::scf::SCFDialect",
    "::mlir::tensor::TensorDialect"
  ];
}

def ExpandTrainingPass : Pass<"attn-expand-training"> {
  let summary = "Write ops of the training side as linalg ops";
  let description = [{
    Input: tensors.
    Output: `attn.responsibilities`, `attn.prior_update` and
    `attn.orthogonal_penalty` as `linalg` ops, which schedules take: products,
    terms of rows, a softmax over components; sums in f64.
    Skips: all others.

    ```mlir
    func.func @f(%g: tensor<2x4x2x7x9xf32>) -> tensor<4x2xf32> {
      %p = attn.prior_update %g : tensor<2x4x2x7x9xf32> -> tensor<4x2xf32>
      return %p : tensor<4x2xf32>
    }
    ```
    becomes
    ```
    %rows = linalg.generic … outs(%zeros : tensor<2x4x2x7xf64>)  // over j
    %sums = linalg.generic … outs(%none : tensor<4x2xf64>)       // over b, i
    %p = linalg.generic …                                        // by 126
    ```
  }];
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::linalg::LinalgDialect",
    "::mlir::math::MathDialect", "::mlir::tensor::TensorDialect"
  ];
}

def SplitWindowsPass : Pass<"attn-split-windows"> {
  let summary = "Give windows that lie side by side a dim of their own";
  let description = [{
    Input: tensors.
    Output: where the loops of a `linalg` op walk over a dim of an input window
    by window, the windows do not overlap, and each is as long as the step from
    one to the next, or has one element, the input has two dims: of windows and
    of elements in one. A convolution whose kernel is its stride is a
    contraction then.
    Skips: windows that overlap or have gaps in them.

    ```mlir
    func.func @f(%x: tensor<2x3x8x8xf32>, %w: tensor<5x3x4x4xf32>,
                 %e: tensor<2x5x2x2xf32>) -> tensor<2x5x2x2xf32> {
      %y = linalg.conv_2d_nchw_fchw {strides = dense<4> : tensor<2xi64>}
          ins(%x, %w : tensor<2x3x8x8xf32>, tensor<5x3x4x4xf32>)
          outs(%e : tensor<2x5x2x2xf32>) -> tensor<2x5x2x2xf32>
      return %y : tensor<2x5x2x2xf32>
    }
    ```
    becomes
    ```
    %windows = tensor.expand_shape %x … into tensor<2x3x2x4x2x4xf32>
    %y = linalg.generic … ins(%windows, %w)  // for n, f, h, w, c, i, j
    ```
  }];
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::linalg::LinalgDialect",
    "::mlir::tensor::TensorDialect"
  ];
}

def SeparateInitsPass : Pass<"attn-separate-inits"> {
  let summary = "Read what an op computes from as an input";
  let description = [{
    Input: `linalg` ops on tensors.
    Output: a contraction that adds to a tensor with numbers sums from 0, and a
    pointwise op adds the two; a pointwise op that computes from the tensor that
    it writes to reads it as an input. A tensor that one number or one row fills
    is not made.
    Skips: contractions that add to 0, and to a tensor without numbers.

    ```mlir
    func.func @f(%x: tensor<4x8xf32>, %w: tensor<8x2xf32>, %b: tensor<2xf32>)
        -> tensor<4x2xf32> {
      %e = tensor.empty() : tensor<4x2xf32>
      %bias = linalg.broadcast ins(%b : tensor<2xf32>)
          outs(%e : tensor<4x2xf32>) dimensions = [0]
      %y = linalg.matmul ins(%x, %w : tensor<4x8xf32>, tensor<8x2xf32>)
          outs(%bias : tensor<4x2xf32>) -> tensor<4x2xf32>
      return %y : tensor<4x2xf32>
    }
    ```
    becomes
    ```
    %zeros = linalg.fill ins(%zero) outs(%e)
    %sum   = linalg.matmul ins(%x, %w) outs(%zeros)
    %y     = linalg.generic … ins(%sum, %b) outs(%e)  // sum + b
    ```
  }];
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::linalg::LinalgDialect",
    "::mlir::tensor::TensorDialect"
  ];
}

def FoldTransposesPass : Pass<"attn-fold-transposes"> {
  let summary = "Have contractions write what others read transposed";
  let description = [{
    Input: `linalg` ops on tensors, contractions that add to 0.
    Output: a contraction whose result goes through pointwise ops, and then has
    its dims split and put in another order, gives that: so do these ops. No copy
    is made.
    Skips: orders that take the innermost dim elsewhere, or whose innermost dim
    vectors of 16 numbers do not fill; open dims but the first; results that
    others read as well.

    ```mlir
    func.func @f(%x: tensor<50x64xf32>, %w: tensor<96x64xf32>) -> tensor<3x50x32xf32> {
      %zero = arith.constant 0.0 : f32
      %e = tensor.empty() : tensor<50x96xf32>
      %zeros = linalg.fill ins(%zero : f32) outs(%e : tensor<50x96xf32>) -> tensor<50x96xf32>
      %y = linalg.contract
          indexing_maps = [affine_map<(n, f, k) -> (n, k)>, affine_map<(n, f, k) -> (f, k)>, affine_map<(n, f, k) -> (n, f)>]
          ins(%x, %w : tensor<50x64xf32>, tensor<96x64xf32>) outs(%zeros : tensor<50x96xf32>) -> tensor<50x96xf32>
      %heads = tensor.expand_shape %y [[0], [1, 2]] output_shape [50, 3, 32] : tensor<50x96xf32> into tensor<50x3x32xf32>
      %t = tensor.empty() : tensor<3x50x32xf32>
      %o = linalg.transpose ins(%heads : tensor<50x3x32xf32>) outs(%t : tensor<3x50x32xf32>) permutation = [1, 0, 2]
      return %o : tensor<3x50x32xf32>
    }
    ```
    becomes
    ```
    %v = tensor.expand_shape %w [[0, 1], [2]] output_shape [3, 32, 64]
    %o = linalg.generic … ins(%x, %v) outs(%zeros)  // for h, n, d, k: x[n, k] v[h, d, k]
    ```
  }];
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::linalg::LinalgDialect",
    "::mlir::tensor::TensorDialect"
  ];
}

#endif // MIXATTN_PASSES_NORMALIZE_PASSES_TD
