// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Scores that are given, projected keys, and what becomes of scores.
//
// RUN: mixattn-opt --verify-roundtrip %s | FileCheck %s

!s = tensor<?x8x?x?xf32>
!q = tensor<?x8x?x64xf32>
!v = tensor<?x8x?x32xbf16>
!e = tensor<16x?xf32>

// CHECK-LABEL: func.func @given
// CHECK:         attn.generic given(%{{.+}} : tensor<?x8x?x?xf32>) premix(%{{.+}} : tensor<8x8xf32>) scale 5.000000e-01 lengths(%{{.+}} : tensor<?xi64>) causal sigsoftmax keep <3, 4> postmix(%{{.+}} : tensor<8x8xf32>) pool(%{{.+}} : tensor<?x8x?x32xbf16>) -> tensor<?x8x?x32xbf16> weights tensor<?x8x?x?xf32> lse tensor<?x8x?xf32>
func.func @given(%s: !s, %v: !v, %m: tensor<8x8xf32>, %n: tensor<?xi64>)
    -> (!v, !s, tensor<?x8x?xf32>) {
  %o, %w, %lse = attn.generic given(%s : !s) premix(%m : tensor<8x8xf32>)
      scale 0.5 lengths(%n : tensor<?xi64>) causal sigsoftmax keep <3, 4>
      postmix(%m : tensor<8x8xf32>) pool(%v : !v) -> !v weights !s
      lse tensor<?x8x?xf32>
  return %o, %w, %lse : !v, !s, tensor<?x8x?xf32>
}

// Weights and what broadcasts have as many keys as the projections have rows.
// CHECK-LABEL: func.func @projected
// CHECK:         attn.softmax {{.*}} projected_by(%{{.+}}, %{{.+}} : tensor<16x?xf32>, tensor<16x?xf32>) gaussian bias(%{{.+}} : tensor<8x?x16xf32>) : {{.*}} -> tensor<?x8x?x32xbf16> weights tensor<?x8x?x16xf32>
// CHECK:         attn.generic scores(%{{.+}}, %{{.+}} : {{.*}}) projected_by(%{{.+}}, %{{.+}} : tensor<16x?xf32>, tensor<16x?xf32>) sigsoftmax pool
func.func @projected(%q: !q, %v: !v, %e: !e, %bias: tensor<8x?x16xf32>)
    -> (!v, tensor<?x8x?x16xf32>, !v) {
  %o, %w = attn.softmax %q, %q, %v projected_by(%e, %e : !e, !e) gaussian
      bias(%bias : tensor<8x?x16xf32>)
      : (!q, !q, !v) -> !v weights tensor<?x8x?x16xf32>
  %p = attn.generic scores(%q, %q : !q, !q) projected_by(%e, %e : !e, !e)
      sigsoftmax pool(%v : !v) -> !v
  return %o, %w, %p : !v, tensor<?x8x?x16xf32>, !v
}
