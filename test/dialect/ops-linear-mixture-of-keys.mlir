// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// How attn.linear_mixture_of_keys is written: keys with components and keys
// that are shifted, priors, all clauses.
//
// RUN: mixattn-opt --verify-roundtrip %s | FileCheck %s

!q = tensor<?x4x?x64xf32>
!keys = tensor<?x2x3x?x64xf32>
!v = tensor<?x2x?x64xf32>
!shifts = tensor<4x3x64xf32>

// CHECK-LABEL: func.func @plain
// CHECK-SAME:    %[[Q:.+]]: tensor<?x4x?x64xf32>, %[[KEYS:.+]]: tensor<?x2x3x?x64xf32>, %[[V:.+]]: tensor<?x2x?x64xf32>
// CHECK:         attn.linear_mixture_of_keys %[[Q]], %[[KEYS]], %[[V]] feature_map <elu> : (tensor<?x4x?x64xf32>, tensor<?x2x3x?x64xf32>, tensor<?x2x?x64xf32>) -> tensor<?x4x?x64xf32>
func.func @plain(%q: !q, %keys: !keys, %v: !v) -> !q {
  %o = attn.linear_mixture_of_keys %q, %keys, %v feature_map <elu> : (!q, !keys, !v) -> !q
  return %o : !q
}

// CHECK-LABEL: func.func @shifted_by
// CHECK:         attn.linear_mixture_of_keys {{.*}} shifted_by(%{{.+}} : tensor<4x3x64xf32>) feature_map <elu> :
func.func @shifted_by(%q: !q, %shifts: !shifts) -> !q {
  %o = attn.linear_mixture_of_keys %q, %q, %q shifted_by(%shifts : !shifts)
      feature_map <elu> : (!q, !q, !q) -> !q
  return %o : !q
}

// A prior is of key heads: per component, or per component and key.
// CHECK-LABEL: func.func @prior
// CHECK:         attn.linear_mixture_of_keys {{.*}} prior(%{{.+}} : tensor<2x3xf32>) feature_map <relu> :
// CHECK:         attn.linear_mixture_of_keys {{.*}} prior(%{{.+}} : tensor<2x3x?xbf16>) feature_map <relu> :
func.func @prior(%q: !q, %keys: !keys, %v: !v, %prior: tensor<2x3xf32>,
                 %by_position: tensor<2x3x?xbf16>) {
  %0 = attn.linear_mixture_of_keys %q, %keys, %v prior(%prior : tensor<2x3xf32>)
      feature_map <relu> : (!q, !keys, !v) -> !q
  %1 = attn.linear_mixture_of_keys %q, %keys, %v prior(%by_position : tensor<2x3x?xbf16>)
      feature_map <relu> : (!q, !keys, !v) -> !q
  return
}

// Components that a constant prior switches off, one in each head.
// CHECK-LABEL: func.func @constant_prior
// CHECK:         attn.linear_mixture_of_keys
func.func @constant_prior(%q: !q, %keys: !keys, %v: !v) -> !q {
  %prior = arith.constant dense<[[0.0, 0.5, 0.5], [1.0, 7.0, 0.0]]> : tensor<2x3xf32>
  %o = attn.linear_mixture_of_keys %q, %keys, %v prior(%prior : tensor<2x3xf32>)
      feature_map <elu> : (!q, !keys, !v) -> !q
  return %o : !q
}

// CHECK-LABEL: func.func @everything
// CHECK:         attn.linear_mixture_of_keys {{.*}} shifted_by(%{{.+}} : tensor<4x3x64xf32>) prior(%{{.+}} : tensor<4x3xf32>) feature_map <favor> favor(%{{.+}} : tensor<64x8xf16>) lengths(%{{.+}} : tensor<?xi64>) causal eps 1.000000e-05 output_scale 2.500000e-01 {author = "text"} :
func.func @everything(%q: !q, %shifts: !shifts, %prior: tensor<4x3xf32>,
                      %w: tensor<64x8xf16>, %n: tensor<?xi64>) -> !q {
  %o = attn.linear_mixture_of_keys %q, %q, %q shifted_by(%shifts : !shifts)
      prior(%prior : tensor<4x3xf32>) feature_map <favor> favor(%w : tensor<64x8xf16>)
      lengths(%n : tensor<?xi64>) causal eps 1.0e-5 output_scale 0.25 {author = "text"}
      : (!q, !q, !q) -> !q
  return %o : !q
}
