// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// How attn.linear_generic is written: features that are given, every clause
// alone, then all of them.
//
// RUN: mixattn-opt --verify-roundtrip %s | FileCheck %s

!q = tensor<?x8x?x64xf32>
!k = tensor<?x2x?x64xf32>
!keys = tensor<?x2x3x?x64xf32>
!v = tensor<?x2x?x96xbf16>
!o = tensor<?x8x?x96xbf16>

// Features as they are, of keys with components too.
// CHECK-LABEL: func.func @given
// CHECK:         attn.linear_generic features(%{{.+}}, %{{.+}} : tensor<?x8x?x64xf32>, tensor<?x2x?x64xf32>) pool(%{{.+}} : tensor<?x2x?x96xbf16>) -> tensor<?x8x?x96xbf16>
// CHECK:         attn.linear_generic features(%{{.+}}, %{{.+}} : tensor<?x8x?x64xf32>, tensor<?x2x3x?x64xf32>) pool(
func.func @given(%q: !q, %k: !k, %keys: !keys, %v: !v) -> (!o, !o) {
  %0 = attn.linear_generic features(%q, %k : !q, !k) pool(%v : !v) -> !o
  %1 = attn.linear_generic features(%q, %keys : !q, !keys) pool(%v : !v) -> !o
  return %0, %1 : !o, !o
}

// CHECK-LABEL: func.func @clauses
// CHECK:         attn.linear_generic features({{.*}}) feature_map <elu> pool(
// CHECK:         attn.linear_generic features({{.*}}) feature_map <favor> favor(%{{.+}} : tensor<64x16xf32>) pool(
// CHECK:         attn.linear_generic features({{.*}}) shifted_by(%{{.+}} : tensor<2x3x64xf32>) pool(
// CHECK:         attn.linear_generic features({{.*}}) prior(%{{.+}} : tensor<2x3x?xf32>) pool(
// CHECK:         attn.linear_generic features({{.*}}) premix(%{{.+}} : tensor<2x8xf32>) pool(
// CHECK:         attn.linear_generic features({{.*}}) lengths(%{{.+}} : tensor<?xi64>) pool(
// CHECK:         attn.linear_generic features({{.*}}) causal eps 1.000000e+00 output_scale 2.000000e+00 pool(
func.func @clauses(%q: !q, %k: !k, %keys: !keys, %v: !v, %w: tensor<64x16xf32>,
                   %shifts: tensor<2x3x64xf32>, %prior: tensor<2x3x?xf32>,
                   %p: tensor<2x8xf32>, %n: tensor<?xi64>) {
  %0 = attn.linear_generic features(%q, %k : !q, !k) feature_map <elu> pool(%v : !v) -> !o
  %1 = attn.linear_generic features(%q, %k : !q, !k) feature_map <favor>
      favor(%w : tensor<64x16xf32>) pool(%v : !v) -> !o
  %2 = attn.linear_generic features(%q, %k : !q, !k) shifted_by(%shifts : tensor<2x3x64xf32>)
      pool(%v : !v) -> !o
  %3 = attn.linear_generic features(%q, %keys : !q, !keys) prior(%prior : tensor<2x3x?xf32>)
      pool(%v : !v) -> !o
  %4 = attn.linear_generic features(%q, %k : !q, !k) premix(%p : tensor<2x8xf32>)
      pool(%v : !v) -> !o
  %5 = attn.linear_generic features(%q, %k : !q, !k) lengths(%n : tensor<?xi64>)
      pool(%v : !v) -> !o
  %6 = attn.linear_generic features(%q, %k : !q, !k) causal eps 1.0 output_scale 2.0
      pool(%v : !v) -> !o
  return
}

// CHECK-LABEL: func.func @everything
// CHECK:         attn.linear_generic features({{.*}}) shifted_by(%{{.+}} : tensor<2x3x64xf32>) feature_map <normalized_elu> prior(%{{.+}} : tensor<2x3xf32>) premix_mlp(%{{.+}}, %{{.+}}, %{{.+}}, %{{.+}} : tensor<2x5xf32>, tensor<5xf32>, tensor<5x8xf32>, tensor<8xf32>) normaliser(%{{.+}} : tensor<2x8xf32>) lengths(%{{.+}} : tensor<?xi64>) causal eps 1.000000e-05 output_scale 2.500000e-01 pool(%{{.+}} : tensor<?x2x?x96xbf16>) {author = "text"} -> tensor<?x8x?x96xbf16>
func.func @everything(%q: !q, %k: !k, %v: !v, %shifts: tensor<2x3x64xf32>,
                      %prior: tensor<2x3xf32>, %w1: tensor<2x5xf32>, %b1: tensor<5xf32>,
                      %w2: tensor<5x8xf32>, %b2: tensor<8xf32>, %m: tensor<2x8xf32>,
                      %n: tensor<?xi64>) -> !o {
  %o = attn.linear_generic features(%q, %k : !q, !k)
      shifted_by(%shifts : tensor<2x3x64xf32>) feature_map <normalized_elu>
      prior(%prior : tensor<2x3xf32>)
      premix_mlp(%w1, %b1, %w2, %b2 : tensor<2x5xf32>, tensor<5xf32>, tensor<5x8xf32>, tensor<8xf32>)
      normaliser(%m : tensor<2x8xf32>) lengths(%n : tensor<?xi64>) causal eps 1.0e-5
      output_scale 0.25 pool(%v : !v) {author = "text"} -> !o
  return %o : !o
}
