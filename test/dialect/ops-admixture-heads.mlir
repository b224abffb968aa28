// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// How attn.admixture_heads is written: its three mixers, then every clause.
//
// RUN: mixattn-opt --verify-roundtrip %s | FileCheck %s

!q = tensor<?x2x?x64xf32>
!v = tensor<?x8x?x64xf32>
!m = tensor<2x8xf32>

// A linear mixer: two heads into eight.
// CHECK-LABEL: func.func @mixer
// CHECK-SAME:    %[[Q:.+]]: tensor<?x2x?x64xf32>, %[[V:.+]]: tensor<?x8x?x64xf32>, %[[M:.+]]: tensor<2x8xf32>)
// CHECK:         attn.admixture_heads %[[Q]], %[[Q]], %[[V]] mixer(%[[M]] : tensor<2x8xf32>) : (tensor<?x2x?x64xf32>, tensor<?x2x?x64xf32>, tensor<?x8x?x64xf32>) -> tensor<?x8x?x64xf32>
func.func @mixer(%q: !q, %v: !v, %m: !m) -> !v {
  %o = attn.admixture_heads %q, %q, %v mixer(%m : !m) : (!q, !q, !v) -> !v
  return %o : !v
}

// Each term rectified.
// CHECK-LABEL: func.func @relu_per_key
// CHECK:         attn.admixture_heads {{.*}} mixer(%{{.+}} : tensor<2x8xf32>) relu_per_key :
func.func @relu_per_key(%q: !q, %v: !v, %m: !m) -> !v {
  %o = attn.admixture_heads %q, %q, %v mixer(%m : !m) relu_per_key : (!q, !q, !v) -> !v
  return %o : !v
}

// A perceptron with three hidden units.
// CHECK-LABEL: func.func @mlp
// CHECK-SAME:    %[[W1:[a-z0-9]+]]: tensor<2x3xf32>, %[[B1:[a-z0-9]+]]: tensor<3xf16>, %[[W2:[a-z0-9]+]]: tensor<3x8xbf16>, %[[B2:[a-z0-9]+]]: tensor<8xf32>)
// CHECK:         attn.admixture_heads {{.*}} mlp(%[[W1]], %[[B1]], %[[W2]], %[[B2]] : tensor<2x3xf32>, tensor<3xf16>, tensor<3x8xbf16>, tensor<8xf32>) :
func.func @mlp(%q: !q, %v: !v, %w1: tensor<2x3xf32>, %b1: tensor<3xf16>,
               %w2: tensor<3x8xbf16>, %b2: tensor<8xf32>) -> !v {
  %o = attn.admixture_heads %q, %q, %v
      mlp(%w1, %b1, %w2, %b2
          : tensor<2x3xf32>, tensor<3xf16>, tensor<3x8xbf16>, tensor<8xf32>)
      : (!q, !q, !v) -> !v
  return %o : !v
}

// The scale acts after the mixer, or before it.
// CHECK-LABEL: func.func @scale
// CHECK:         attn.admixture_heads {{.*}} scale 1.250000e-01 :
// CHECK:         attn.admixture_heads {{.*}} scale_before :
// CHECK:         attn.admixture_heads {{.*}} scale 2.000000e+00 scale_before :
func.func @scale(%q: !q, %v: !v, %m: !m) -> (!v, !v, !v) {
  %0 = attn.admixture_heads %q, %q, %v mixer(%m : !m) scale 0.125 : (!q, !q, !v) -> !v
  %1 = attn.admixture_heads %q, %q, %v mixer(%m : !m) scale_before : (!q, !q, !v) -> !v
  %2 = attn.admixture_heads %q, %q, %v mixer(%m : !m) scale 2.0 scale_before : (!q, !q, !v) -> !v
  return %0, %1, %2 : !v, !v, !v
}

// All clauses, in the order in which they act; bias, weights and lse have the
// heads of the result.
// CHECK-LABEL: func.func @everything
// CHECK:         attn.admixture_heads {{.*}} mixer(%{{.+}} : tensor<2x8xf32>) relu_per_key scale 5.000000e-01 scale_before bias(%{{.+}} : tensor<8x?x?xf32>) score_mod {
// CHECK:         } mask(%{{.+}} : tensor<?x8x?x?xi1>) lengths(%{{.+}} : tensor<?xi64>) causal band <7, 7> {author = "text"} : {{.*}} -> tensor<?x8x?x64xf32> weights tensor<?x8x?x?xf32> lse tensor<?x8x?xf32>
func.func @everything(%q: !q, %v: !v, %m: !m, %bias: tensor<8x?x?xf32>,
                      %mask: tensor<?x8x?x?xi1>, %n: tensor<?xi64>)
    -> (!v, tensor<?x8x?x?xf32>, tensor<?x8x?xf32>) {
  %o, %weights, %lse = attn.admixture_heads %q, %q, %v mixer(%m : !m)
      relu_per_key scale 0.5 scale_before bias(%bias : tensor<8x?x?xf32>)
      score_mod {
      ^bb0(%s: f32, %b: index, %h: index, %i: index, %j: index):
        attn.yield %s : f32
      }
      mask(%mask : tensor<?x8x?x?xi1>) lengths(%n : tensor<?xi64>) causal
      band <7, 7> {author = "text"} : (!q, !q, !v)
      -> !v weights tensor<?x8x?x?xf32> lse tensor<?x8x?xf32>
  return %o, %weights, %lse : !v, tensor<?x8x?x?xf32>, tensor<?x8x?xf32>
}

// Fewer heads after the mixer than before; key heads divide global heads,
// value heads divide local ones.
// CHECK-LABEL: func.func @fewer
// CHECK:         attn.admixture_heads {{.*}} : (tensor<1x6x5x8xf16>, tensor<1x2x7x8xf16>, tensor<1x1x7x9xbf16>) -> tensor<1x4x5x9xbf16>
func.func @fewer(%q: tensor<1x6x5x8xf16>, %k: tensor<1x2x7x8xf16>,
                 %v: tensor<1x1x7x9xbf16>, %m: tensor<6x4xf16>)
    -> tensor<1x4x5x9xbf16> {
  %o = attn.admixture_heads %q, %k, %v mixer(%m : tensor<6x4xf16>)
      : (tensor<1x6x5x8xf16>, tensor<1x2x7x8xf16>, tensor<1x1x7x9xbf16>)
      -> tensor<1x4x5x9xbf16>
  return %o : tensor<1x4x5x9xbf16>
}
