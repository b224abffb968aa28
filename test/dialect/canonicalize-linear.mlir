// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Mixers of states that do nothing, and those that must stay.
//
// RUN: mixattn-opt --canonicalize %s | FileCheck %s

!q = tensor<1x2x3x4xf32>

// CHECK-LABEL: func.func @identity_mixer
// CHECK-SAME:    %[[Q:[a-z0-9]+]]: tensor<1x2x3x4xf32>, %[[N:[a-z0-9]+]]: tensor<1xi64>)
// CHECK:         attn.linear %[[Q]], %[[Q]], %[[Q]] feature_map <elu> lengths(%[[N]] : tensor<1xi64>) causal eps 1.000000e+00 output_scale 2.000000e+00 {author = "text"} :
func.func @identity_mixer(%q: !q, %n: tensor<1xi64>) -> !q {
  %m = arith.constant dense<[[1.0, 0.0], [0.0, 1.0]]> : tensor<2x2xf32>
  %o = attn.linear_admixture_heads %q, %q, %q mixer(%m : tensor<2x2xf32>)
      feature_map <elu> lengths(%n : tensor<1xi64>) causal eps 1.0
      output_scale 2.0 {author = "text"} : (!q, !q, !q) -> !q
  return %o : !q
}

// CHECK-LABEL: func.func @identity_premix
// CHECK-NOT:     premix
// CHECK:         attn.linear_generic
func.func @identity_premix(%q: !q) -> !q {
  %m = arith.constant dense<[[1.0, 0.0], [0.0, 1.0]]> : tensor<2x2xf32>
  %o = attn.linear_generic features(%q, %q : !q, !q) feature_map <elu>
      premix(%m : tensor<2x2xf32>) pool(%q : !q) -> !q
  return %o : !q
}

// CHECK-LABEL: func.func @other_mixers
// CHECK:         attn.linear_admixture_heads {{.*}} mixer(
// CHECK:         attn.linear_generic {{.*}} premix(
func.func @other_mixers(%q: !q, %p: tensor<2x2xf32>) -> (!q, !q) {
  %m = arith.constant dense<[[0.0, 1.0], [1.0, 0.0]]> : tensor<2x2xf32>
  %0 = attn.linear_admixture_heads %q, %q, %q mixer(%m : tensor<2x2xf32>)
      feature_map <elu> : (!q, !q, !q) -> !q
  %1 = attn.linear_generic features(%q, %q : !q, !q) feature_map <elu>
      premix(%p : tensor<2x2xf32>) pool(%q : !q) -> !q
  return %0, %1 : !q, !q
}

// [[1, 0]] gives its second head nothing, and is no identity.
// CHECK-LABEL: func.func @wide
// CHECK:         attn.linear_admixture_heads {{.*}} mixer(
// CHECK:         attn.linear_generic {{.*}} premix(
func.func @wide(%q: tensor<1x2x5x4xf32>, %k: tensor<1x1x5x4xf32>) -> (tensor<1x2x5x4xf32>, tensor<1x2x5x4xf32>) {
  %m = arith.constant dense<[[1.0, 0.0]]> : tensor<1x2xf32>
  %0 = attn.linear_admixture_heads %q, %k, %k mixer(%m : tensor<1x2xf32>) feature_map <elu>
      : (tensor<1x2x5x4xf32>, tensor<1x1x5x4xf32>, tensor<1x1x5x4xf32>) -> tensor<1x2x5x4xf32>
  %1 = attn.linear_generic features(%q, %k : tensor<1x2x5x4xf32>, tensor<1x1x5x4xf32>) feature_map <elu>
      premix(%m : tensor<1x2xf32>) pool(%k : tensor<1x1x5x4xf32>) -> tensor<1x2x5x4xf32>
  return %0, %1 : tensor<1x2x5x4xf32>, tensor<1x2x5x4xf32>
}
