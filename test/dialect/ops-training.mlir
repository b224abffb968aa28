// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// How the ops of the training side are written: attn.responsibilities clause by
// clause, attn.prior_update and attn.orthogonal_penalty.
//
// RUN: mixattn-opt --verify-roundtrip %s | FileCheck %s

!q = tensor<?x4x?x16xf32>
!keys = tensor<?x2x3x?x16xf32>
!gamma = tensor<?x4x3x?x?xf32>

// CHECK-LABEL: func.func @responsibilities
// CHECK-SAME:    %[[Q:[a-z0-9]+]]: tensor<?x4x?x16xf32>, %[[K:[a-z0-9]+]]: tensor<?x2x3x?x16xf32>
// CHECK:         attn.responsibilities %[[Q]], %[[K]] : (tensor<?x4x?x16xf32>, tensor<?x2x3x?x16xf32>) -> tensor<?x4x3x?x?xf32>
// CHECK:         attn.responsibilities %[[Q]], %[[K]] dot :
// CHECK:         attn.responsibilities %[[Q]], %[[K]] variances [8.000000e+00, 2.400000e+01, 1.000000e+00] :
// CHECK:         attn.responsibilities %[[Q]], %[[K]] causal :
func.func @responsibilities(%q: !q, %keys: !keys) -> (!gamma, !gamma, !gamma, !gamma) {
  %0 = attn.responsibilities %q, %keys : (!q, !keys) -> !gamma
  %1 = attn.responsibilities %q, %keys dot : (!q, !keys) -> !gamma
  %2 = attn.responsibilities %q, %keys variances [8.0, 24.0, 1.0] : (!q, !keys) -> !gamma
  %3 = attn.responsibilities %q, %keys causal : (!q, !keys) -> !gamma
  return %0, %1, %2, %3 : !gamma, !gamma, !gamma, !gamma
}

// All clauses, in the order in which they act.
// CHECK-LABEL: func.func @everything
// CHECK:         attn.responsibilities {{.*}} shifted_by(%{{.+}} : tensor<4x3x16xf16>) dot variances [1.000000e+00, 2.000000e+00, 3.000000e+00] prior(%{{.+}} : tensor<4x3x?xbf16>) mask(%{{.+}} : tensor<?x1x?x?xi1>) lengths(%{{.+}} : tensor<?xi32>) causal band <7, 2> {author = "text"} :
func.func @everything(%q: !q, %shifts: tensor<4x3x16xf16>, %prior: tensor<4x3x?xbf16>,
                      %mask: tensor<?x1x?x?xi1>, %n: tensor<?xi32>) -> !gamma {
  %0 = attn.responsibilities %q, %q shifted_by(%shifts : tensor<4x3x16xf16>)
      dot variances [1.0, 2.0, 3.0] prior(%prior : tensor<4x3x?xbf16>)
      mask(%mask : tensor<?x1x?x?xi1>) lengths(%n : tensor<?xi32>) causal
      band <7, 2> {author = "text"} : (!q, !q) -> !gamma
  return %0 : !gamma
}

// The mean over keys, too, or a mean for each key.
// CHECK-LABEL: func.func @prior_update
// CHECK:         attn.prior_update %{{.+}} : tensor<?x4x3x?x?xf32> -> tensor<4x3xf32>
// CHECK:         attn.prior_update %{{.+}} per_key : tensor<?x4x3x?x?xf32> -> tensor<4x3x?xf32>
func.func @prior_update(%gamma: !gamma) -> (tensor<4x3xf32>, tensor<4x3x?xf32>) {
  %0 = attn.prior_update %gamma : !gamma -> tensor<4x3xf32>
  %1 = attn.prior_update %gamma per_key : !gamma -> tensor<4x3x?xf32>
  return %0, %1 : tensor<4x3xf32>, tensor<4x3x?xf32>
}

// A mixer of any sizes and of any float.
// CHECK-LABEL: func.func @orthogonal_penalty
// CHECK:         attn.orthogonal_penalty %{{.+}} : tensor<8x8xf32> -> tensor<f32>
// CHECK:         attn.orthogonal_penalty %{{.+}} : tensor<?x3xbf16> -> tensor<bf16>
func.func @orthogonal_penalty(%m: tensor<8x8xf32>, %n: tensor<?x3xbf16>)
    -> (tensor<f32>, tensor<bf16>) {
  %0 = attn.orthogonal_penalty %m : tensor<8x8xf32> -> tensor<f32>
  %1 = attn.orthogonal_penalty %n : tensor<?x3xbf16> -> tensor<bf16>
  return %0, %1 : tensor<f32>, tensor<bf16>
}
