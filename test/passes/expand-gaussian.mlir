// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// attn-expand-gaussian: products, and terms of any variances.
//
// RUN: mixattn-opt --attn-expand-gaussian --split-input-file %s | FileCheck %s

// -|q|^2 / 2 and -|k|^2 / 2 over each variance.
// CHECK-LABEL: func.func @gaussian
// CHECK-SAME:    %[[Q:[a-z0-9]+]]: tensor<1x2x3x4xf32>, %[[K:[a-z0-9]+]]: tensor<1x2x2x5x4xf32>
// CHECK:         %[[QUERY:.+]] = linalg.generic {{.*}}"reduction"]} ins(%[[Q]] :
// CHECK:           arith.constant -5.000000e-01 : f32
// CHECK:         %[[KEY:.+]] = linalg.generic {{.*}}"reduction"]} ins(%[[K]] :
// CHECK:         attn.generic scores(%[[Q]], %[[K]] : {{.*}}) variances [1.000000e+00, 2.000000e+00] query_term(%[[QUERY]] : {{.*}}) key_term(%[[KEY]] : {{.*}}) scale 1.000000e+00 pool(
!q = tensor<1x2x3x4xf32>
!k = tensor<1x2x2x5x4xf32>
!v = tensor<1x2x5x4xf32>
func.func @gaussian(%q: !q, %k: !k, %v: !v) -> !q {
  %o = attn.generic scores(%q, %k : !q, !k) gaussian variances [1.0, 2.0]
      pool(%v : !v) -> !q
  return %o : !q
}

// -----

// Shifts alone are a term per query; a term that there is is added.
// CHECK-LABEL: func.func @shifted
// CHECK-SAME:    %[[Q:[a-z0-9]+]]: tensor<1x2x3x4xf32>, %[[S:[a-z0-9]+]]: tensor<2x2x4xf32>, %[[T:[a-z0-9]+]]: tensor<1x2x3xf32>
// CHECK:         %[[OWN:.+]] = linalg.generic {{.*}} ins(%[[Q]], %[[S]] :
// CHECK:         %[[SUM:.+]] = linalg.generic {{.*}} ins(%[[T]] : {{.*}}) outs(%[[OWN]] :
// CHECK:         attn.generic scores(%[[Q]], %[[Q]] : {{.*}}) variances [1.000000e+00, 1.000000e+00] query_term(%[[SUM]] :
// CHECK-NOT:     key_term
!q = tensor<1x2x3x4xf32>
!s = tensor<2x2x4xf32>
func.func @shifted(%q: !q, %s: !s, %t: tensor<1x2x3xf32>) -> !q {
  %o = attn.generic scores(%q, %q : !q, !q) shifted_by(%s : !s)
      query_term(%t : tensor<1x2x3xf32>) pool(%q : !q) -> !q
  return %o : !q
}
