// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Why folds onto plain attention do not apply, and that they did.
//
// RUN: mixattn-opt %s --attn-fold='keys heads values' --split-input-file \
// RUN:   --verify-diagnostics --remarks-filter=attn-fold \
// RUN:   --remark-format=emitRemark

!q = tensor<1x2x3x4xf32>
!k = tensor<1x2x2x3x4xf32>
!m = tensor<2x2xf32>
func.func @applied(%q: !q, %k: !k, %m: !m) {
  // expected-remark @below {{[Passed] ConcatenateKeys | Category:attn-fold}}
  // expected-remark @below {{[Passed] ConcatenateValues | Category:attn-fold}}
  %0 = attn.generic scores(%q, %k : !q, !k) scale 1.0 postmix(%m : !m)
      pool(%q : !q) -> !q
  // expected-remark @below {{[Passed] ConcatenateHeads | Category:attn-fold}}
  %1 = attn.generic scores(%q, %q : !q, !q) premix(%m : !m) pool(%q : !q) -> !q
  // Nothing to fold.
  %2 = attn.generic scores(%q, %q : !q, !q) causal pool(%q : !q) -> !q
  return
}

// -----

!q = tensor<1x2x3x4xf32>
!k = tensor<1x2x2x3x4xf32>
!m = tensor<2x2xf32>
!s = tensor<1x2x3x3xf32>
!terms = tensor<1x2x2x3xf32>
func.func @components(%q: !q, %k: !k, %m: !m, %s: !s, %terms: !terms) {
  // expected-remark @below {{[Missed] ConcatenateKeys | Category:attn-fold | Reason="components combine by their maximum"}}
  %0 = attn.generic scores(%q, %k : !q, !k) maximum scale 1.0
      pool(%q : !q) -> !q
  // expected-remark @below {{[Missed] ConcatenateKeys | Category:attn-fold | Reason="combined scores are mixed over heads"}}
  // expected-remark @below {{[Missed] ConcatenateHeads | Category:attn-fold | Reason="components combine before the mixer"}}
  %1 = attn.generic scores(%q, %k : !q, !k) premix(%m : !m) scale 1.0
      pool(%q : !q) -> !q
  // expected-remark @below {{[Missed] ConcatenateKeys | Category:attn-fold | Reason="combined scores are scaled"}}
  %2 = attn.generic scores(%q, %k : !q, !k) pool(%q : !q) -> !q
  // expected-remark @below {{[Missed] ConcatenateKeys | Category:attn-fold | Reason="combined scores are changed pointwise"}}
  %3 = attn.generic scores(%q, %k : !q, !k) scale 1.0 bias(%s : !s)
      pool(%q : !q) -> !q
  // expected-remark @below {{[Missed] ConcatenateKeys | Category:attn-fold | Reason="combined scores are changed pointwise"}}
  %4 = attn.generic scores(%q, %k : !q, !k) scale 1.0 score_mod {
  ^bb0(%x: f32, %batch: index, %h: index, %i: index, %j: index):
    attn.yield %x : f32
  } pool(%q : !q) -> !q
  // expected-remark @below {{[Missed] ConcatenateKeys | Category:attn-fold | Reason="a sigmoid reads combined scores"}}
  %5 = attn.generic scores(%q, %k : !q, !k) scale 1.0 sigsoftmax
      pool(%q : !q) -> !q
  // expected-remark @below {{[Missed] ConcatenateKeys | Category:attn-fold | Reason="weights outside a band are dropped"}}
  %6 = attn.generic scores(%q, %k : !q, !k) scale 1.0 keep <1, 1>
      pool(%q : !q) -> !q
  // expected-remark @below {{[Missed] ConcatenateKeys | Category:attn-fold | Reason="the weights are asked for"}}
  %7:2 = attn.generic scores(%q, %k : !q, !k) scale 1.0
      pool(%q : !q) -> !q weights !s
  // expected-remark @below {{[Missed] ConcatenateKeys | Category:attn-fold | Reason="components share their keys"}}
  %8 = attn.generic scores(%q, %q : !q, !q) key_term(%terms : !terms) scale 1.0
      pool(%q : !q) -> !q
  // expected-remark @below {{[Missed] ConcatenateKeys | Category:attn-fold | Reason="terms per query differ from component to component"}}
  %9 = attn.generic scores(%q, %k : !q, !k) query_term(%terms : !terms)
      scale 1.0 pool(%q : !q) -> !q
  // expected-remark @below {{[Missed] ConcatenateKeys | Category:attn-fold | Reason="variances differ"}}
  %10 = attn.generic scores(%q, %k : !q, !k) variances [1.0, 2.0]
      pool(%q : !q) -> !q
  return
}

// -----

!q = tensor<1x2x3x4xf32>
!k = tensor<1x1x3x4xf32>
!m = tensor<2x2xf32>
!s = tensor<1x2x3x3xf32>
!sigma = tensor<2xf32>
!term = tensor<1x2x3xf32>
func.func @heads(%q: !q, %k: !k, %m: !m, %s: !s, %sigma: !sigma, %term: !term) {
  // expected-remark @below {{[Missed] ConcatenateHeads | Category:attn-fold | Reason="scores are given"}}
  %0 = attn.generic given(%s : !s) premix(%m : !m) pool(%q : !q) -> !q
  // expected-remark @below {{[Missed] ConcatenateHeads | Category:attn-fold | Reason="a Gaussian is no product"}}
  %1 = attn.generic scores(%q, %q : !q, !q) gaussian premix(%m : !m)
      pool(%q : !q) -> !q
  // expected-remark @below {{[Missed] ConcatenateHeads | Category:attn-fold | Reason="there are terms per query or key"}}
  %2 = attn.generic scores(%q, %q : !q, !q) query_term(%term : !term)
      premix(%m : !m) pool(%q : !q) -> !q
  // expected-remark @below {{[Missed] ConcatenateHeads | Category:attn-fold | Reason="terms of the mixer pass through a ReLU"}}
  %3 = attn.generic scores(%q, %q : !q, !q) premix(%m : !m) relu_per_key
      pool(%q : !q) -> !q
  // expected-remark @below {{[Missed] ConcatenateHeads | Category:attn-fold | Reason="scores have noise"}}
  %4 = attn.generic scores(%q, %q : !q, !q) premix(%m : !m)
      noise <local> sigma(%sigma : !sigma) drawn(%s : !s) pool(%q : !q) -> !q
  // expected-remark @below {{[Missed] ConcatenateHeads | Category:attn-fold | Reason="query heads share key heads in groups"}}
  %5 = attn.generic scores(%q, %k : !q, !k) premix(%m : !m) pool(%q : !q) -> !q
  // expected-remark @below {{[Missed] ConcatenateValues | Category:attn-fold | Reason="the mixed weights are asked for"}}
  %6:2 = attn.generic scores(%q, %q : !q, !q) postmix(%m : !m)
      pool(%q : !q) -> !q weights !s
  return
}
