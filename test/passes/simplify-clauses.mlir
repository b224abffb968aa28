// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Rewrites of the normal form with given scores, projections, noise, mixers
// of one column, sigsoftmax and kept bands.
//
// RUN: mixattn-opt %s --attn-simplify --split-input-file \
// RUN:   --verify-diagnostics=only-expected \
// RUN:   --remarks-filter=attn-simplify --remark-format=emitRemark
// RUN: mixattn-opt %s --attn-simplify --split-input-file | FileCheck %s

// Heads of given scores vanish and are picked as those of queries are.
// CHECK-LABEL: func.func @given
// CHECK:         attn.generic given(%{{.+}} : tensor<1x1x5x7xf32>) premix(%{{.+}} : tensor<1x2xf32>)
// CHECK:         attn.generic given(%{{.+}} : tensor<1x2x5x7xf32>) finite
!s = tensor<1x2x5x7xf32>
!v = tensor<1x2x7x4xf32>
!o = tensor<1x2x5x4xf32>
!m = tensor<2x2xf32>
func.func @given(%s: !s, %v: !v) {
  %zero_row = arith.constant dense<[[0.0, 0.0], [0.5, 1.0]]> : !m
  %one_hot = arith.constant dense<[[0.0, 1.0], [1.0, 0.0]]> : !m
  // expected-remark @below {{[Passed] PruneHeads}}
  // expected-remark @below {{[Missed] SelectHeads | Category:attn-simplify | Reason="the mixer is not constant"}}
  // expected-remark @below {{[Missed] FoldLog2e | Category:attn-simplify | Reason="scores are given in natural units"}}
  %0 = attn.generic given(%s : !s) premix(%zero_row : !m) finite
      pool(%v : !v) -> !o
  // expected-remark @below {{[Passed] SelectHeads}}
  %1 = attn.generic given(%s : !s) premix(%one_hot : !m) finite
      pool(%v : !v) -> !o
  %2 = attn.generic given(%s : !s) causal sigsoftmax keep <1, 1>
      pool(%v : !v) -> !o
  return
}

// -----

// A term per key is one of the projected keys, which are not there yet.
// CHECK-LABEL: func.func @projected
// CHECK:         attn.generic scores({{.*}}) projected_by({{.*}}) gaussian
// CHECK:         attn.generic scores({{.*}}) projected_by({{.*}}) premix(%{{.+}} : tensor<1x2xf32>)
// CHECK:         attn.generic scores({{.*}}) projected_by({{.*}}) scale
// CHECK-NOT:     premix
!q = tensor<1x2x5x4xf32>
!p = tensor<3x5xf32>
!m = tensor<2x2xf32>
func.func @projected(%q: !q, %e: !p) {
  %zero_row = arith.constant dense<[[0.0, 0.0], [0.5, 1.0]]> : !m
  %one_hot = arith.constant dense<[[0.0, 1.0], [1.0, 0.0]]> : !m
  // expected-remark @below {{[Missed] MakeTerms | Category:attn-simplify | Reason="keys are projected"}}
  %0 = attn.generic scores(%q, %q : !q, !q) projected_by(%e, %e : !p, !p)
      gaussian pool(%q : !q) -> !q
  // expected-remark @below {{[Passed] PruneHeads}}
  %1 = attn.generic scores(%q, %q : !q, !q) projected_by(%e, %e : !p, !p)
      premix(%zero_row : !m) finite pool(%q : !q) -> !q
  // expected-remark @below {{[Passed] SelectHeads}}
  %2 = attn.generic scores(%q, %q : !q, !q) projected_by(%e, %e : !p, !p)
      premix(%one_hot : !m) finite pool(%q : !q) -> !q
  return
}

// -----

// The factor of the noise belongs to query heads, and so does global noise.
// From Philox it depends on which head it is drawn for.
// CHECK-LABEL: func.func @pruned_noise
// CHECK-SAME:    %{{.+}}: tensor<1x3x5x4xf32>, %{{.+}}: tensor<1x2x5x4xf32>, %[[SIGMA:.+]]: tensor<3xf32>, %[[LOCAL:.+]]: tensor<1x2x5x5xf32>, %[[GLOBAL:.+]]: tensor<1x3x5x5xf32>
// CHECK:         attn.generic {{.*}} premix(%{{.+}} : tensor<2x2xf32>) noise <local> sigma(%{{.+}} : tensor<2xf32>) drawn(%[[LOCAL]] :
// CHECK:         tensor.extract %[[GLOBAL]]
// CHECK:         attn.generic {{.*}} premix(%{{.+}} : tensor<2x2xf32>) noise <global> sigma(%{{.+}} : tensor<2xf32>) drawn(%{{.+}} : tensor<1x2x5x5xf32>)
// CHECK:         attn.generic {{.*}} premix(%{{.+}} : tensor<2x2xf32>) noise <local> sigma(%{{.+}} : tensor<2xf32>) philox(
// CHECK:         attn.generic {{.*}} premix(%{{.+}} : tensor<3x2xf32>) noise <global> sigma(%[[SIGMA]] : tensor<3xf32>) philox(
!q = tensor<1x3x5x4xf32>
!v = tensor<1x2x5x4xf32>
!m = tensor<3x2xf32>
func.func @pruned_noise(%q: !q, %v: !v, %sigma: tensor<3xf32>,
                        %local: tensor<1x2x5x5xf32>,
                        %global: tensor<1x3x5x5xf32>, %seed: tensor<i64>) {
  %m = arith.constant dense<[[0.5, 1.0], [0.0, 0.0], [1.0, -1.0]]> : !m
  // expected-remark @below {{[Passed] PruneHeads}}
  %0 = attn.generic scores(%q, %q : !q, !q) premix(%m : !m)
      noise <local> sigma(%sigma : tensor<3xf32>)
      drawn(%local : tensor<1x2x5x5xf32>) finite pool(%v : !v) -> !v
  // expected-remark @below {{[Passed] PruneHeads}}
  %1 = attn.generic scores(%q, %q : !q, !q) premix(%m : !m)
      noise <global> sigma(%sigma : tensor<3xf32>)
      drawn(%global : tensor<1x3x5x5xf32>) finite pool(%v : !v) -> !v
  // expected-remark @below {{[Passed] PruneHeads}}
  %2 = attn.generic scores(%q, %q : !q, !q) premix(%m : !m)
      noise <local> sigma(%sigma : tensor<3xf32>)
      philox(%seed, %seed : tensor<i64>, tensor<i64>) finite pool(%v : !v) -> !v
  // expected-remark @below {{[Missed] PruneHeads | Category:attn-simplify | Reason="noise depends on the numbers of the heads"}}
  %3 = attn.generic scores(%q, %q : !q, !q) premix(%m : !m)
      noise <global> sigma(%sigma : tensor<3xf32>)
      philox(%seed, %seed : tensor<i64>, tensor<i64>) finite pool(%v : !v) -> !v
  return
}

// -----

// A picked head has its noise still; a constant of a row passes noise by, so
// there is no square of queries.
// CHECK-LABEL: func.func @noise
// CHECK-SAME:    %[[Q:.+]]: tensor<1x2x5x4xf32>, %
// CHECK:         attn.generic {{.*}} noise <local>
// CHECK:         %[[TERM:.+]] = attn.row_term %[[Q]] factors [5.000000e-01] of_keys has_square :
// CHECK-NOT:     attn.row_term
// CHECK:         attn.generic scores({{[^)]*}}) key_term(%{{.+}} : tensor<1x2x1x5xf32>) premix({{.*}}) noise <global>
!q = tensor<1x2x5x4xf32>
!m = tensor<2x2xf32>
func.func @noise(%q: !q, %m: !m, %sigma: tensor<2xf32>,
                 %noise: tensor<1x2x5x5xf32>) {
  %one_hot = arith.constant dense<[[0.0, 1.0], [1.0, 0.0]]> : !m
  // expected-remark @below {{[Missed] SelectHeads | Category:attn-simplify | Reason="scores have noise"}}
  %0 = attn.generic scores(%q, %q : !q, !q) premix(%one_hot : !m)
      noise <local> sigma(%sigma : tensor<2xf32>)
      drawn(%noise : tensor<1x2x5x5xf32>) finite pool(%q : !q) -> !q
  // expected-remark @below {{[Passed] MakeTerms}}
  %1 = attn.generic scores(%q, %q : !q, !q) gaussian premix(%m : !m)
      noise <global> sigma(%sigma : tensor<2xf32>)
      drawn(%noise : tensor<1x2x5x5xf32>) pool(%q : !q) -> !q
  return
}

// -----

// One column for all output heads, as many as there are value heads.
// CHECK-LABEL: func.func @one_column
// CHECK-SAME:    %[[Q:.+]]: tensor<1x2x5x4xf32>, %[[K:.+]]: tensor<1x1x5x4xf32>
// CHECK:         attn.generic scores(%{{.+}}, %{{.+}} : tensor<1x1x5x4xf32>, tensor<1x1x5x4xf32>) premix(%{{.+}} : tensor<1xf32>) {{.*}} -> tensor<1x3x5x4xf32>
// CHECK:         arith.constant dense<1> : tensor<3xi32>
// CHECK:         attn.generic scores(%{{.+}}, %{{.+}} : tensor<1x3x5x4xf32>, tensor<1x3x5x4xf32>) scale {{.*}} -> tensor<1x3x5x4xf32>
// CHECK:         attn.generic scores(%{{.+}}, %[[K]] : tensor<1x3x5x4xf32>, tensor<1x1x5x4xf32>) scale
!q = tensor<1x2x5x4xf32>
!k = tensor<1x1x5x4xf32>
!v = tensor<1x3x5x4xf32>
func.func @one_column(%q: !q, %k: !k, %v: !v, %p: tensor<2xf32>) {
  %half = arith.constant dense<[0.5, 0.0]> : tensor<2xf32>
  %second = arith.constant dense<[0.0, 1.0]> : tensor<2xf32>
  // expected-remark @below {{[Passed] PruneHeads}}
  // expected-remark @below {{[Missed] SelectHeads | Category:attn-simplify | Reason="the mixer is not constant"}}
  %0 = attn.generic scores(%q, %q : !q, !q) premix(%half : tensor<2xf32>) finite
      pool(%v : !v) -> !v
  // expected-remark @below {{[Passed] SelectHeads}}
  %1 = attn.generic scores(%q, %q : !q, !q) premix(%second : tensor<2xf32>)
      pool(%v : !v) -> !v
  // expected-remark @below {{[Passed] SelectHeads}}
  %2 = attn.generic scores(%q, %k : !q, !k) premix(%second : tensor<2xf32>)
      pool(%v : !v) -> !v
  // expected-remark @below {{[Missed] SelectHeads | Category:attn-simplify | Reason="the mixer is not constant"}}
  %3 = attn.generic scores(%q, %q : !q, !q) premix(%p : tensor<2xf32>)
      pool(%v : !v) -> !v
  return
}

// -----

// A sigmoid sees a constant that is added to a row, so queries have their
// square, too; a kept band does not see it, and products have none.
// CHECK-LABEL: func.func @normalisers
// CHECK-SAME:    %[[Q:.+]]: tensor<1x2x5x4xf32>, %{{.+}}: tensor<1x2x1x5x4xf32>, %{{.+}}: tensor<2x1xf32>, %[[SHIFTS:.+]]: tensor<2x2x4xf32>
// CHECK:         attn.row_term %[[Q]] factors [5.000000e-01] has_square :
// CHECK-NEXT:    attn.row_term %[[Q]] factors [5.000000e-01] of_keys has_square :
// CHECK:         attn.generic scores({{[^)]*}}) query_term({{[^)]*}}) key_term({{[^)]*}}) scale 1.000000e+00 sigsoftmax
// CHECK:         attn.row_term %[[Q]] shifts(%[[SHIFTS]] : tensor<2x2x4xf32>) factors [5.000000e-01, 5.000000e-01] has_square :
// CHECK-NEXT:    attn.row_term %[[Q]] shifts(%[[SHIFTS]] : tensor<2x2x4xf32>) factors [5.000000e-01, 5.000000e-01] of_keys has_square :
// CHECK:         attn.generic scores({{[^)]*}}) query_term({{[^)]*}}) key_term({{[^)]*}}) scale 1.000000e+00 sigsoftmax
// CHECK:         attn.generic {{.*}} sigsoftmax finite
// CHECK:         attn.row_term %[[Q]] shifts(%[[SHIFTS]] : tensor<2x2x4xf32>) factors [1.000000e+00, 1.000000e+00] :
// CHECK-NOT:     attn.row_term
// CHECK:         attn.generic scores({{[^)]*}}) query_term({{[^)]*}}) scale {{.*}} sigsoftmax
// CHECK:         attn.row_term %[[Q]] factors [5.000000e-01] of_keys has_square :
// CHECK-NOT:     attn.row_term
// CHECK:         attn.generic scores({{[^)]*}}) key_term({{[^)]*}}) scale {{.*}} keep
!q = tensor<1x2x5x4xf32>
func.func @normalisers(%q: !q, %keys: tensor<1x2x1x5x4xf32>,
                       %prior: tensor<2x1xf32>, %shifts: tensor<2x2x4xf32>) {
  // expected-remark @below {{[Passed] MakeTerms | Category:attn-simplify}}
  %0 = attn.generic scores(%q, %q : !q, !q) gaussian sigsoftmax
      pool(%q : !q) -> !q
  // expected-remark @below {{[Passed] MakeTerms | Category:attn-simplify}}
  %1 = attn.generic scores(%q, %q : !q, !q)
      shifted_by(%shifts : tensor<2x2x4xf32>) gaussian sigsoftmax
      pool(%q : !q) -> !q
  // expected-remark @below {{[Missed] DropSingleComponent | Category:attn-simplify | Reason="something sees a constant added to a row of scores"}}
  %2 = attn.generic scores(%q, %keys : !q, tensor<1x2x1x5x4xf32>)
      prior(%prior : tensor<2x1xf32>) sigsoftmax finite pool(%q : !q) -> !q
  // expected-remark @below {{[Passed] MakeTerms}}
  %3 = attn.generic scores(%q, %q : !q, !q)
      shifted_by(%shifts : tensor<2x2x4xf32>) sigsoftmax pool(%q : !q) -> !q
  // expected-remark @below {{[Passed] MakeTerms}}
  %4 = attn.generic scores(%q, %q : !q, !q) gaussian keep <1, 0>
      pool(%q : !q) -> !q
  return
}
