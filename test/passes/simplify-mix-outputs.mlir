// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// MixOutputs: heads that share values pool them first and mix afterwards.
//
// RUN: mixattn-opt %s --attn-simplify --split-input-file \
// RUN:   --verify-diagnostics=only-expected \
// RUN:   --remarks-filter=attn-simplify --remark-format=emitRemark
// RUN: mixattn-opt --attn-simplify --canonicalize --split-input-file %s \
// RUN:   | FileCheck %s

// One value head: out[b,a,i,e] = sum_c m[c,a] pooled[b,c,i,e]. The pooled
// result is f32 when values have 16 bits; it is rounded once, after mixing. lse
// is that of the softmax, before and after.
// CHECK-DAG: #[[MIXER:.+]] = affine_map<(d0, d1, d2, d3, d4) -> (d4, d1)>
// CHECK-DAG: #[[POOLED:.+]] = affine_map<(d0, d1, d2, d3, d4) -> (d0, d4, d2, d3)>
// CHECK-DAG: #[[OUT:.+]] = affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d2, d3)>
// CHECK-LABEL: func.func @multi_query
// CHECK-SAME:    %{{.+}}: tensor<?x4x?x8xbf16>, %[[V:.+]]: tensor<?x1x?x6xbf16>, %[[M:.+]]: tensor<4x4xf32>)
// CHECK:         %[[O:.+]], %[[LSE:.+]] = attn.generic {{.*}} causal keep <1, 0> base2 pool(%[[V]] : tensor<?x1x?x6xbf16>) -> tensor<?x4x?x6xf32> lse tensor<?x4x?xf32>
// CHECK:         %[[MIXED:.+]] = linalg.generic {indexing_maps = [#[[MIXER]], #[[POOLED]], #[[OUT]]], iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction"]} ins(%[[M]], %[[O]] :
// CHECK:           %[[TERM:.+]] = arith.mulf
// CHECK:           arith.addf %{{.+}}, %[[TERM]] : f32
// CHECK:         %[[ROUNDED:.+]] = linalg.generic {{.*}} ins(%[[MIXED]] :
// CHECK:           arith.truncf %{{.+}} : f32 to bf16
// CHECK:         return %[[ROUNDED]], %[[LSE]]
!q = tensor<?x4x?x8xbf16>
!v = tensor<?x1x?x6xbf16>
!o = tensor<?x4x?x6xbf16>
!m = tensor<4x4xf32>
func.func @multi_query(%q: !q, %v: !v, %m: !m) -> (!o, tensor<?x4x?xf32>) {
  // expected-remark @below {{[Passed] MixOutputs | Category:attn-simplify}}
  %o, %lse = attn.generic scores(%q, %q : !q, !q) causal keep <1, 0>
      postmix(%m : !m) pool(%v : !v) -> !o lse tensor<?x4x?xf32>
  return %o, %lse : !o, tensor<?x4x?xf32>
}

// -----

// Two groups of heads: every head pools both groups' values, 3 features each.
// Each row has a mixer of its own.
// CHECK-DAG: #[[VALUE:.+]] = affine_map<(d0, d1, d2, d3, d4) -> (d0, d3, d2, d4)>
// CHECK-DAG: #[[ROW:.+]] = affine_map<(d0, d1, d2, d3, d4) -> (d0, d2, d4, d1)>
// CHECK-DAG: #[[POOLED:.+]] = affine_map<(d0, d1, d2, d3, d4) -> (d0, d4, d2, (d1 floordiv 2) * 3 + d3)>
// CHECK-LABEL: func.func @grouped_by_row
// CHECK-SAME:    %{{.+}}: tensor<1x4x5x8xf32>, %[[V:.+]]: tensor<1x2x5x3xf32>
// CHECK:         %[[APART:.+]] = linalg.generic {indexing_maps = [#[[VALUE]], #{{.+}}], {{.*}} ins(%[[V]] :
// CHECK:         %[[WIDE:.+]] = tensor.collapse_shape %[[APART]] {{\[}}[0], [1], [2], [3, 4]] : tensor<1x1x5x2x3xf32> into tensor<1x1x5x6xf32>
// CHECK:         %[[O:.+]] = attn.generic {{.*}} pool(%[[WIDE]] : tensor<1x1x5x6xf32>) -> tensor<1x4x5x6xf32>
// CHECK:         %[[MIXER:.+]] = linalg.generic {{.*}} "reduction"]} {{.*}} outs(%{{.+}} : tensor<1x5x4x4xf32>)
// CHECK:         linalg.generic {indexing_maps = [#[[ROW]], #[[POOLED]], #{{.+}}], {{.*}} ins(%[[MIXER]], %[[O]] :
!q = tensor<1x4x5x8xf32>
!v = tensor<1x2x5x3xf32>
!o = tensor<1x4x5x3xf32>
func.func @grouped_by_row(%q: !q, %v: !v, %w: tensor<8x4xf32>,
                          %b: tensor<4x4xf32>) -> !o {
  // expected-remark @below {{[Passed] MixOutputs | Category:attn-simplify}}
  %o = attn.generic scores(%q, %q : !q, !q)
      postmix_by_row(%q, %w, %b : !q, tensor<8x4xf32>, tensor<4x4xf32>)
      pool(%v : !v) -> !o
  return %o : !o
}

// -----

// Wide values of a few heads cost every head more than the mixer does.
// CHECK-LABEL: func.func @declined
// CHECK-COUNT-3: attn.generic {{.*}} postmix(
!q = tensor<1x4x5x8xf32>
!v = tensor<1x2x5x32xf32>
!m = tensor<4x4xf32>
func.func @declined(%q: !q, %v: !v, %one: tensor<1x1x5x8xf32>, %m: !m)
    -> (!q, tensor<1x4x5x32xf32>, !q) {
  // expected-remark @below {{[Missed] MixOutputs | Category:attn-simplify | Reason="values differ from head to head"}}
  %0 = attn.generic scores(%q, %q : !q, !q) postmix(%m : !m) pool(%q : !q) -> !q
  // expected-remark @below {{[Missed] MixOutputs | Category:attn-simplify | Reason="each head would pool too many values"}}
  %1 = attn.generic scores(%q, %q : !q, !q) postmix(%m : !m)
      pool(%v : !v) -> tensor<1x4x5x32xf32>
  // expected-remark @below {{[Missed] MixOutputs | Category:attn-simplify | Reason="the mixed weights are asked for"}}
  %2:2 = attn.generic scores(%q, %q : !q, !q) postmix(%m : !m)
      pool(%one : tensor<1x1x5x8xf32>) -> !q weights tensor<1x4x5x5xf32>
  return %0, %1, %2#0 : !q, tensor<1x4x5x32xf32>, !q
}
