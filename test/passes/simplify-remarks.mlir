// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Why rewrites of the normal form do not apply, and that they did.
//
// RUN: mixattn-opt %s --attn-simplify --split-input-file --verify-diagnostics=only-expected \
// RUN:   --remarks-filter=attn-simplify --remark-format=emitRemark

!q = tensor<1x2x3x4xf32>
func.func @applied(%q: !q, %keys: tensor<1x2x1x3x4xf32>, %shifts: tensor<2x2x4xf32>) {
  // expected-remark @below {{[Passed] DropSingleComponent | Category:attn-simplify}}
  // expected-remark @below {{[Passed] MakeTerms | Category:attn-simplify}}
  %0 = attn.generic scores(%q, %keys : !q, tensor<1x2x1x3x4xf32>) gaussian
      pool(%q : !q) -> !q
  // expected-remark @below {{[Passed] MakeTerms | Category:attn-simplify}}
  %1 = attn.generic scores(%q, %q : !q, !q)
      shifted_by(%shifts : tensor<2x2x4xf32>) pool(%q : !q) -> !q
  return
}

// -----

!q = tensor<1x2x3x4xf32>
!m = tensor<2x2xf32>
func.func @applied_to_heads(%q: !q) {
  %zero_row = arith.constant dense<[[0.0, 0.0], [0.5, 1.0]]> : !m
  %one_hot = arith.constant dense<[[0.0, 1.0], [1.0, 0.0]]> : !m
  // expected-remark @below {{[Passed] PruneHeads | Category:attn-simplify}}
  // expected-remark @below {{[Missed] SelectHeads}}
  %0 = attn.generic scores(%q, %q : !q, !q) premix(%zero_row : !m) finite
      pool(%q : !q) -> !q
  // expected-remark @below {{[Passed] SelectHeads | Category:attn-simplify}}
  %1 = attn.generic scores(%q, %q : !q, !q) premix(%one_hot : !m) finite
      pool(%q : !q) -> !q
  return
}

// -----

// Where terms are made: simplify-terms.mlir has what.
!q = tensor<1x2x3x4xf32>
!k = tensor<1x2x1x3x4xf32>
!term = tensor<1x2x3xf32>
func.func @terms(%q: !q, %k: !k, %term: !term, %shifts: tensor<2x2x4xf32>) {
  // expected-remark @below {{[Passed] MakeTerms | Category:attn-simplify}}
  %0 = attn.generic scores(%q, %q : !q, !q) gaussian key_term(%term : !term)
      pool(%q : !q) -> !q
  // expected-remark @below {{[Passed] MakeTerms | Category:attn-simplify}}
  %1 = attn.generic scores(%q, %q : !q, !q)
      shifted_by(%shifts : tensor<2x2x4xf32>) query_term(%term : !term)
      pool(%q : !q) -> !q
  // expected-remark @below {{[Missed] DropSingleComponent | Category:attn-simplify | Reason="there are terms per query or key already"}}
  %2 = attn.generic scores(%q, %k : !q, !k) query_term(%term : !term)
      pool(%q : !q) -> !q
  return
}

// -----

!q = tensor<1x2x3x4xf32>
!k = tensor<1x2x1x3x4xf32>
func.func @prior_of_one_component(%q: !q, %k: !k, %prior: tensor<2x1xf32>,
                                  %by_key: tensor<2x1x3xf32>) {
  // expected-remark @below {{[Missed] DropSingleComponent | Category:attn-simplify | Reason="the prior differs from key to key"}}
  %0 = attn.generic scores(%q, %k : !q, !k) prior(%by_key : tensor<2x1x3xf32>)
      finite pool(%q : !q) -> !q
  // expected-remark @below {{[Missed] DropSingleComponent | Category:attn-simplify | Reason="the prior is not promised to be finite"}}
  %1 = attn.generic scores(%q, %k : !q, !k) prior(%prior : tensor<2x1xf32>)
      pool(%q : !q) -> !q
  // expected-remark @below {{[Missed] DropSingleComponent | Category:attn-simplify | Reason="something sees a constant added to a row of scores"}}
  %2:2 = attn.generic scores(%q, %k : !q, !k) prior(%prior : tensor<2x1xf32>)
      finite pool(%q : !q) -> !q lse tensor<1x2x3xf32>
  // expected-remark @below {{[Passed] DropSingleComponent}}
  %3 = attn.generic scores(%q, %k : !q, !k) prior(%prior : tensor<2x1xf32>)
      finite pool(%q : !q) -> !q
  return
}

// -----

!q = tensor<1x4x3x8xf32>
!k = tensor<1x2x3x8xf32>
!m = tensor<4x4xf32>
func.func @heads(%q: !q, %k: !k, %m: !m, %shifts: tensor<2x2x8xf32>) {
  %zeros = arith.constant dense<0.0> : !m
  %zero_row = arith.constant dense<[[0.0, 0.0, 0.0, 0.0], [1.0, 1.0, 1.0, 1.0], [1.0, 1.0, 1.0, 1.0], [1.0, 1.0, 1.0, 1.0]]> : !m
  %one_hot = arith.constant dense<[[0.0, 1.0, 0.0, 0.0], [1.0, 0.0, 0.0, 0.0], [0.0, 0.0, 1.0, 0.0], [0.0, 0.0, 0.0, 1.0]]> : !m
  // expected-remark @below {{[Missed] SelectHeads | Category:attn-simplify | Reason="the mixer is not constant"}}
  %0 = attn.generic scores(%q, %q : !q, !q) premix(%m : !m) pool(%q : !q) -> !q
  // expected-remark @below {{[Missed] PruneHeads | Category:attn-simplify | Reason="no head would be left"}}
  // expected-remark @below {{[Missed] SelectHeads | Category:attn-simplify | Reason="the mixer does not pick one head for each output"}}
  %1 = attn.generic scores(%q, %q : !q, !q) premix(%zeros : !m) finite
      pool(%q : !q) -> !q
  // expected-remark @below {{[Missed] PruneHeads | Category:attn-simplify | Reason="operands are not promised to be finite"}}
  // expected-remark @below {{[Missed] SelectHeads | Category:attn-simplify | Reason="the mixer does not pick one head for each output"}}
  %2 = attn.generic scores(%q, %q : !q, !q) premix(%zero_row : !m)
      pool(%q : !q) -> !q
  // expected-remark @below {{[Missed] PruneHeads | Category:attn-simplify | Reason="query heads share key heads in groups"}}
  // expected-remark @below {{[Missed] SelectHeads | Category:attn-simplify | Reason="the mixer does not pick one head for each output"}}
  %3 = attn.generic scores(%q, %k : !q, !k) premix(%zero_row : !m) finite
      pool(%q : !q) -> !q
  // expected-remark @below {{[Missed] SelectHeads | Category:attn-simplify | Reason="heads have more than queries and keys"}}
  %4 = attn.generic scores(%q, %q : !q, !q) premix(%one_hot : !m) relu_per_key
      finite pool(%q : !q) -> !q
  return
}

// -----

// Nothing to say where no rule might apply.
!q = tensor<1x2x3x4xf32>
func.func @nothing(%q: !q) -> !q {
  %o = attn.generic scores(%q, %q : !q, !q) causal pool(%q : !q) -> !q
  return %o : !q
}
