// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Why factors and priors do not fold, and that they did.
//
// RUN: mixattn-opt %s --attn-simplify --split-input-file --verify-diagnostics \
// RUN:   --remarks-filter=attn-simplify --remark-format=emitRemark

!q = tensor<1x2x3x4xf32>
!k = tensor<1x2x2x3x4xf32>
func.func @applied(%q: !q, %k: !k, %prior: tensor<2x2xf32>) {
  // expected-remark @below {{[Passed] FoldPrior | Category:attn-simplify}}
  // expected-remark @below {{[Passed] FoldLog2e | Category:attn-simplify}}
  // expected-remark @below {{[Passed] FoldScale | Category:attn-simplify}}
  %0 = attn.generic scores(%q, %k : !q, !k) variances [1.0, 1.0]
      prior(%prior : tensor<2x2xf32>) pool(%q : !q) -> !q
  return
}

// -----

!q = tensor<1x4x3x4xf32>
!k = tensor<1x2x2x3x4xf32>
func.func @grouped_prior(%q: !q, %k: !k, %prior: tensor<4x2xf32>) {
  // expected-remark @below {{[Missed] FoldPrior | Category:attn-simplify | Reason="query heads share key heads in groups"}}
  // expected-remark @below {{[Passed] FoldLog2e}}
  // expected-remark @below {{[Passed] FoldScale}}
  %0 = attn.generic scores(%q, %k : !q, !k) variances [1.0, 1.0]
      prior(%prior : tensor<4x2xf32>) pool(%q : !q) -> !q
  return
}

// -----

// Whoever reads scores in natural units.
!q = tensor<1x2x3x4xf32>
!k = tensor<1x2x2x3x4xf32>
!s = tensor<1x2x3x3xf32>
!m = tensor<2x2xf32>
!b = tensor<2xf32>
func.func @natural(%q: !q, %k: !k, %s: !s, %m: !m, %b: !b) {
  // expected-remark @below {{[Missed] FoldLog2e | Category:attn-simplify | Reason="scores are given in natural units"}}
  %0 = attn.generic given(%s : !s) pool(%q : !q) -> !q
  // expected-remark @below {{[Missed] FoldLog2e | Category:attn-simplify | Reason="a bias is added in natural units"}}
  %1 = attn.generic scores(%q, %q : !q, !q) scale 1.0 bias(%s : !s)
      pool(%q : !q) -> !q
  // expected-remark @below {{[Missed] FoldLog2e | Category:attn-simplify | Reason="a score_mod reads natural scores"}}
  %2 = attn.generic scores(%q, %q : !q, !q) scale 1.0 score_mod {
  ^bb0(%x: f32, %batch: index, %h: index, %i: index, %j: index):
    attn.yield %x : f32
  } pool(%q : !q) -> !q
  // expected-remark @below {{[Missed] FoldLog2e | Category:attn-simplify | Reason="a sigmoid reads natural scores"}}
  %3 = attn.generic scores(%q, %q : !q, !q) scale 1.0 sigsoftmax
      pool(%q : !q) -> !q
  // expected-remark @below {{[Missed] FoldLog2e | Category:attn-simplify | Reason="an MLP reads natural scores"}}
  %4 = attn.generic scores(%q, %k : !q, !k)
      premix_mlp(%m, %b, %m, %b : !m, !b, !m, !b) scale 1.0 pool(%q : !q) -> !q
  // expected-remark @below {{[Missed] SelectHeads}}
  // expected-remark @below {{[Missed] FoldLog2e | Category:attn-simplify | Reason="noise is added in natural units"}}
  %5 = attn.generic scores(%q, %q : !q, !q) premix(%m : !m)
      noise <local> sigma(%b : !b) drawn(%s : !s) scale 1.0 scale_before
      pool(%q : !q) -> !q
  return
}

// -----

!q = tensor<1x2x3x4xf32>
func.func @out_of_range(%q: !q, %k: tensor<1x2x1x3x4xf32>, %t: tensor<1x2x1x3xf32>) {
  // expected-remark @below {{[Missed] FoldLog2e | Category:attn-simplify | Reason="a factor would leave the range of f32"}}
  // expected-remark @below {{[Passed] FoldScale}}
  %0 = attn.generic scores(%q, %q : !q, !q) scale 3.0e38 pool(%q : !q) -> !q
  // expected-remark @below {{[Missed] FoldLog2e | Category:attn-simplify | Reason="a factor would leave the range of f32"}}
  // expected-remark @below {{[Passed] FoldScale}}
  %1 = attn.generic scores(%q, %q : !q, !q) variances [1.2e-38]
      key_term(%t : tensor<1x2x1x3xf32>) pool(%q : !q) -> !q
  // expected-remark @below {{[Passed] FoldLog2e}}
  // expected-remark @below {{[Missed] FoldScale | Category:attn-simplify | Reason="the factor would leave the range of f32"}}
  %2 = attn.generic scores(%q, %q : !q, !q) variances [0.01] scale 2.0e38
      pool(%q : !q) -> !q
  return
}

// -----

!q = tensor<1x2x3x4xf32>
!k = tensor<1x2x2x3x4xf32>
!m = tensor<2x2xf32>
!b = tensor<2xf32>
!s = tensor<1x2x3x3xf32>
func.func @scales(%q: !q, %k: !k, %m: !m, %b: !b, %s: !s,
                  %narrow: tensor<1x2x3x4xbf16>, %e: tensor<2x3xf32>) {
  // expected-remark @below {{[Missed] FoldScale | Category:attn-simplify | Reason="a Gaussian is no product"}}
  // expected-remark @below {{[Missed] MakeTerms | Category:attn-simplify | Reason="keys are projected"}}
  // expected-remark @below {{[Passed] FoldLog2e}}
  %0 = attn.generic scores(%q, %q : !q, !q)
      projected_by(%e, %e : tensor<2x3xf32>, tensor<2x3xf32>) gaussian
      pool(%q : !q) -> !q
  // expected-remark @below {{[Missed] FoldScale | Category:attn-simplify | Reason="the query is not f32"}}
  // expected-remark @below {{[Passed] FoldLog2e}}
  %1 = attn.generic scores(%narrow, %narrow : tensor<1x2x3x4xbf16>, tensor<1x2x3x4xbf16>)
      pool(%q : !q) -> !q
  // expected-remark @below {{[Missed] FoldScale | Category:attn-simplify | Reason="variances differ"}}
  // expected-remark @below {{[Passed] FoldLog2e}}
  %2 = attn.generic scores(%q, %k : !q, !k) variances [1.0, 2.0]
      pool(%q : !q) -> !q
  // expected-remark @below {{[Missed] FoldScale | Category:attn-simplify | Reason="the scale is not positive and components combine before it"}}
  // expected-remark @below {{[Passed] FoldLog2e}}
  %3 = attn.generic scores(%q, %k : !q, !k) maximum scale -1.0
      pool(%q : !q) -> !q
  // expected-remark @below {{[Missed] FoldScale | Category:attn-simplify | Reason="an MLP reads scores before the scale"}}
  // expected-remark @below {{[Passed] FoldLog2e}}
  %4 = attn.generic scores(%q, %q : !q, !q)
      premix_mlp(%m, %b, %m, %b : !m, !b, !m, !b) pool(%q : !q) -> !q
  // expected-remark @below {{[Missed] SelectHeads}}
  // expected-remark @below {{[Missed] FoldScale | Category:attn-simplify | Reason="the scale acts on noise, too"}}
  // expected-remark @below {{[Passed] FoldLog2e}}
  %5 = attn.generic scores(%q, %q : !q, !q) premix(%m : !m)
      noise <local> sigma(%b : !b) drawn(%s : !s) pool(%q : !q) -> !q
  // expected-remark @below {{[Missed] SelectHeads}}
  // expected-remark @below {{[Missed] FoldScale | Category:attn-simplify | Reason="the scale is not positive and a ReLU comes before it"}}
  // expected-remark @below {{[Passed] FoldLog2e}}
  %6 = attn.generic scores(%q, %q : !q, !q) premix(%m : !m) relu_per_key
      scale -1.0 pool(%q : !q) -> !q
  // expected-remark @below {{[Missed] FoldScale | Category:attn-simplify | Reason="components combine before the scale"}}
  // expected-remark @below {{[Missed] FoldLog2e | Category:attn-simplify | Reason="a bias is added in natural units"}}
  %7 = attn.generic scores(%q, %k : !q, !k) bias(%s : !s) pool(%q : !q) -> !q
  return
}

// -----

// Nothing to say where all is done.
!q = tensor<1x2x3x4xf32>
func.func @nothing(%q: !q) -> !q {
  %o = attn.generic scores(%q, %q : !q, !q) scale 1.0 causal base2
      pool(%q : !q) -> !q
  return %o : !q
}
