// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// How attn.mixture_of_keys is written: keys with components and keys that are
// shifted, every clause alone, then all of them, then the results on request.
//
// RUN: mixattn-opt --verify-roundtrip %s | FileCheck %s

!q = tensor<?x4x?x64xf32>
!keys = tensor<?x2x3x?x64xf32>
!shifts = tensor<4x3x64xf32>

// Three components in the keys.
// CHECK-LABEL: func.func @plain
// CHECK-SAME:    %[[Q:.+]]: tensor<?x4x?x64xf32>, %[[KEYS:.+]]: tensor<?x2x3x?x64xf32>
// CHECK:         attn.mixture_of_keys %[[Q]], %[[KEYS]], %[[Q]] : (tensor<?x4x?x64xf32>, tensor<?x2x3x?x64xf32>, tensor<?x4x?x64xf32>) -> tensor<?x4x?x64xf32>
func.func @plain(%q: !q, %keys: !keys) -> !q {
  %o = attn.mixture_of_keys %q, %keys, %q : (!q, !keys, !q) -> !q
  return %o : !q
}

// Three components shifted from one key; one is enough to be a component.
// CHECK-LABEL: func.func @shifted_by
// CHECK-SAME:    %[[SHIFTS:[a-z0-9]+]]: tensor<4x3x64xf32>, %[[ONE:[a-z0-9]+]]: tensor<4x1x64xf16>)
// CHECK:         attn.mixture_of_keys {{.*}} shifted_by(%[[SHIFTS]] : tensor<4x3x64xf32>) :
// CHECK:         attn.mixture_of_keys {{.*}} shifted_by(%[[ONE]] : tensor<4x1x64xf16>) :
func.func @shifted_by(%q: !q, %shifts: !shifts, %one: tensor<4x1x64xf16>) -> (!q, !q) {
  %0 = attn.mixture_of_keys %q, %q, %q shifted_by(%shifts : !shifts) : (!q, !q, !q) -> !q
  %1 = attn.mixture_of_keys %q, %q, %q shifted_by(%one : tensor<4x1x64xf16>)
      : (!q, !q, !q) -> !q
  return %0, %1 : !q, !q
}

// The score of a component, and how components combine.
// CHECK-LABEL: func.func @scores
// CHECK:         attn.mixture_of_keys {{.*}} dot :
// CHECK:         attn.mixture_of_keys {{.*}} variances [8.000000e+00, 2.400000e+01, 5.000000e-01] :
// CHECK:         attn.mixture_of_keys {{.*}} maximum :
func.func @scores(%q: !q, %keys: !keys) -> (!q, !q, !q) {
  %0 = attn.mixture_of_keys %q, %keys, %q dot : (!q, !keys, !q) -> !q
  %1 = attn.mixture_of_keys %q, %keys, %q variances [8.0, 24.0, 0.5] : (!q, !keys, !q) -> !q
  %2 = attn.mixture_of_keys %q, %keys, %q maximum : (!q, !keys, !q) -> !q
  return %0, %1, %2 : !q, !q, !q
}

// A prior per component, or per component and key.
// CHECK-LABEL: func.func @prior
// CHECK:         attn.mixture_of_keys {{.*}} prior(%{{.+}} : tensor<4x3xf32>) :
// CHECK:         attn.mixture_of_keys {{.*}} prior(%{{.+}} : tensor<4x3x?xbf16>) :
func.func @prior(%q: !q, %keys: !keys, %prior2: tensor<4x3xf32>,
                 %prior3: tensor<4x3x?xbf16>) -> (!q, !q) {
  %0 = attn.mixture_of_keys %q, %keys, %q prior(%prior2 : tensor<4x3xf32>) : (!q, !keys, !q) -> !q
  %1 = attn.mixture_of_keys %q, %keys, %q prior(%prior3 : tensor<4x3x?xbf16>) : (!q, !keys, !q) -> !q
  return %0, %1 : !q, !q
}

// All clauses, in the order in which they act.
// CHECK-LABEL: func.func @everything
// CHECK:         attn.mixture_of_keys {{.*}} shifted_by(%{{.+}} : tensor<4x3x64xf32>) dot variances [1.000000e+00, 2.000000e+00, 3.000000e+00] prior(%{{.+}} : tensor<4x3xf32>) bias(%{{.+}} : tensor<4x?x?xf32>) score_mod {
// CHECK:         } mask(%{{.+}} : tensor<?x1x?x?xi1>) lengths(%{{.+}} : tensor<?xi64>) causal band <7, 7> {author = "text"} :
func.func @everything(%q: !q, %shifts: !shifts, %prior: tensor<4x3xf32>,
                      %bias: tensor<4x?x?xf32>, %mask: tensor<?x1x?x?xi1>,
                      %n: tensor<?xi64>) -> !q {
  %o = attn.mixture_of_keys %q, %q, %q shifted_by(%shifts : !shifts) dot
      variances [1.0, 2.0, 3.0] prior(%prior : tensor<4x3xf32>)
      bias(%bias : tensor<4x?x?xf32>) score_mod {
      ^bb0(%s: f32, %b: index, %h: index, %i: index, %j: index):
        attn.yield %s : f32
      }
      mask(%mask : tensor<?x1x?x?xi1>) lengths(%n : tensor<?xi64>) causal
      band <7, 7> {author = "text"} : (!q, !q, !q) -> !q
  return %o : !q
}

// Weights and the logarithm of their sum, one of them or both.
// CHECK-LABEL: func.func @results
// CHECK:         %{{.+}}, %{{.+}} = attn.mixture_of_keys {{.*}} -> tensor<?x4x?x64xf32> weights tensor<?x4x?x?xf32>{{$}}
// CHECK:         %{{.+}}, %{{.+}} = attn.mixture_of_keys {{.*}} -> tensor<?x4x?x64xf32> lse tensor<?x4x?xf32>{{$}}
// CHECK:         %{{.+}}, %{{.+}}, %{{.+}} = attn.mixture_of_keys {{.*}} -> tensor<?x4x?x64xf32> weights tensor<?x4x?x?xf32> lse tensor<?x4x?xf32>{{$}}
func.func @results(%q: !q, %keys: !keys) {
  %0:2 = attn.mixture_of_keys %q, %keys, %q : (!q, !keys, !q) -> !q weights tensor<?x4x?x?xf32>
  %1:2 = attn.mixture_of_keys %q, %keys, %q : (!q, !keys, !q) -> !q lse tensor<?x4x?xf32>
  %2:3 = attn.mixture_of_keys %q, %keys, %q
      : (!q, !keys, !q) -> !q weights tensor<?x4x?x?xf32> lse tensor<?x4x?xf32>
  return
}

// One key head and one value head for all, static sizes, 16 bits.
// CHECK-LABEL: func.func @narrow
// CHECK:         attn.mixture_of_keys {{.*}} : (tensor<2x4x5x8xbf16>, tensor<2x1x2x7x8xbf16>, tensor<2x1x7x6xf16>) -> tensor<2x4x5x6xf16>
func.func @narrow(%q: tensor<2x4x5x8xbf16>, %keys: tensor<2x1x2x7x8xbf16>,
                  %v: tensor<2x1x7x6xf16>) -> tensor<2x4x5x6xf16> {
  %o = attn.mixture_of_keys %q, %keys, %v
      : (tensor<2x4x5x8xbf16>, tensor<2x1x2x7x8xbf16>, tensor<2x1x7x6xf16>)
      -> tensor<2x4x5x6xf16>
  return %o : tensor<2x4x5x6xf16>
}

// Sizes of zero.
// CHECK-LABEL: func.func @empty
// CHECK:         attn.mixture_of_keys
func.func @empty(%q: tensor<0x2x0x4xf32>, %keys: tensor<0x2x3x0x4xf32>)
    -> tensor<0x2x0x4xf32> {
  %o = attn.mixture_of_keys %q, %keys, %q
      : (tensor<0x2x0x4xf32>, tensor<0x2x3x0x4xf32>, tensor<0x2x0x4xf32>)
      -> tensor<0x2x0x4xf32>
  return %o : tensor<0x2x0x4xf32>
}
