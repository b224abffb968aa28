// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Named linear attentions in the normal form: every clause is one there.
//
// RUN: mixattn-opt --attn-generalize %s | FileCheck %s

!q = tensor<?x4x?x8xf32>
!keys = tensor<?x4x2x?x8xf32>

// CHECK-LABEL: func.func @linear
// CHECK-SAME:    %[[Q:[a-z0-9]+]]: tensor<?x4x?x8xf32>, %[[W:[a-z0-9]+]]: tensor<8x6xf32>, %[[N:[a-z0-9]+]]: tensor<?xi64>)
// CHECK:         attn.linear_generic features(%[[Q]], %[[Q]] : {{.*}}) feature_map <favor> favor(%[[W]] : tensor<8x6xf32>) lengths(%[[N]] : tensor<?xi64>) causal eps 1.000000e-05 output_scale 2.500000e-01 pool(%[[Q]] : tensor<?x4x?x8xf32>) {author = "text"} -> tensor<?x4x?x8xf32>
func.func @linear(%q: !q, %w: tensor<8x6xf32>, %n: tensor<?xi64>) -> !q {
  %o = attn.linear %q, %q, %q feature_map <favor> favor(%w : tensor<8x6xf32>)
      lengths(%n : tensor<?xi64>) causal eps 1.0e-5 output_scale 0.25 {author = "text"}
      : (!q, !q, !q) -> !q
  return %o : !q
}

// CHECK-LABEL: func.func @components
// CHECK-SAME:    %[[Q:[a-z0-9]+]]: tensor<?x4x?x8xf32>, %[[KEYS:[a-z0-9]+]]: tensor<?x4x2x?x8xf32>, %[[SHIFTS:[a-z0-9]+]]: tensor<4x2x8xf32>, %[[PRIOR:[a-z0-9]+]]: tensor<4x2xf32>)
// CHECK:         attn.linear_generic features(%[[Q]], %[[KEYS]] : {{.*}}) feature_map <elu> prior(%[[PRIOR]] : tensor<4x2xf32>) pool(
// CHECK:         attn.linear_generic features(%[[Q]], %[[Q]] : {{.*}}) shifted_by(%[[SHIFTS]] : tensor<4x2x8xf32>) feature_map <dpfp, rolls = 2> causal pool(
func.func @components(%q: !q, %keys: !keys, %shifts: tensor<4x2x8xf32>,
                      %prior: tensor<4x2xf32>) -> (!q, !q) {
  %0 = attn.linear_mixture_of_keys %q, %keys, %q prior(%prior : tensor<4x2xf32>)
      feature_map <elu> : (!q, !keys, !q) -> !q
  %1 = attn.linear_mixture_of_keys %q, %q, %q shifted_by(%shifts : tensor<4x2x8xf32>)
      feature_map <dpfp, rolls = 2> causal : (!q, !q, !q) -> !q
  return %0, %1 : !q, !q
}

// CHECK-LABEL: func.func @mixers
// CHECK:         attn.linear_generic {{.*}} feature_map <relu> premix(%{{.+}} : tensor<4x4xf32>) pool(
// CHECK:         attn.linear_generic {{.*}} feature_map <relu> premix_mlp(%{{.+}}, %{{.+}}, %{{.+}}, %{{.+}} : tensor<4x3xf32>, tensor<3xf32>, tensor<3x4xf32>, tensor<4xf32>) normaliser(%{{.+}} : tensor<4x4xf32>) eps 1.000000e+00 pool(
func.func @mixers(%q: !q, %m: tensor<4x4xf32>, %w1: tensor<4x3xf32>, %b1: tensor<3xf32>,
                  %w2: tensor<3x4xf32>, %b2: tensor<4xf32>) -> (!q, !q) {
  %0 = attn.linear_admixture_heads %q, %q, %q mixer(%m : tensor<4x4xf32>)
      feature_map <relu> : (!q, !q, !q) -> !q
  %1 = attn.linear_admixture_heads %q, %q, %q
      mlp(%w1, %b1, %w2, %b2 : tensor<4x3xf32>, tensor<3xf32>, tensor<3x4xf32>, tensor<4xf32>)
      normaliser(%m : tensor<4x4xf32>) feature_map <relu> eps 1.0 : (!q, !q, !q) -> !q
  return %0, %1 : !q, !q
}
