// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Where terms need more than one constant of a row: different variances, who
// sees such a constant, and terms or a prior that are there already.
//
// RUN: mixattn-opt --attn-simplify --canonicalize --split-input-file %s \
// RUN:   | FileCheck %s

// With different variances the squares of queries differ from one component to
// the next. A prior is a part of the keys' term where each head of queries has
// its own keys.
// CHECK-LABEL: func.func @different_variances
// CHECK-SAME:    %[[Q:[a-z0-9]+]]: tensor<?x2x?x4xbf16>, %[[K:[a-z0-9]+]]: tensor<?x2x2x?x4xbf16>, %[[P:[a-z0-9]+]]: tensor<2x2xf16>)
// CHECK:         %[[OF_QUERY:.+]] = attn.row_term %[[Q]] factors [1.000000e+00, 2.500000e-01] has_square : tensor<?x2x?x4xbf16> -> tensor<?x2x2x?xf32>
// CHECK:         %[[OF_KEY:.+]] = attn.row_term %[[K]] prior(%[[P]] : tensor<2x2xf16>) factors [1.000000e+00, 2.500000e-01] of_keys has_square : tensor<?x2x2x?x4xbf16> -> tensor<?x2x2x?xf32>
// CHECK:         %[[QUERY_TERM:.+]] = linalg.generic {{.*}} ins(%[[OF_QUERY]] :
// CHECK:         %[[KEY_TERM:.+]] = linalg.generic {{.*}} ins(%[[OF_KEY]] :
// CHECK:         attn.generic scores(%[[Q]], %[[K]] : {{[^)]*}}) variances [6.931472e-01, 2.772589e+00] query_term(%[[QUERY_TERM]] : tensor<?x2x2x?xf32>) key_term(%[[KEY_TERM]] : tensor<?x2x2x?xf32>) scale 1.000000e+00 base2 pool(
!q = tensor<?x2x?x4xbf16>
!k = tensor<?x2x2x?x4xbf16>
func.func @different_variances(%q: !q, %k: !k, %prior: tensor<2x2xf16>) -> !q {
  %o = attn.generic scores(%q, %k : !q, !k) gaussian variances [1.0, 4.0]
      prior(%prior : tensor<2x2xf16>) pool(%q : !q) -> !q
  return %o : !q
}

// -----

// Shifted products of different variances: each product with a shift has its
// factor, and the shared product keeps its variances.
// CHECK-LABEL: func.func @different_products
// CHECK-SAME:    %[[Q:[a-z0-9]+]]: tensor<1x2x3x4xf32>, %[[S:[a-z0-9]+]]: tensor<2x2x4xf32>)
// CHECK:         %[[OF_QUERY:.+]] = attn.row_term %[[Q]] shifts(%[[S]] : tensor<2x2x4xf32>) factors [1.000000e+00, 2.500000e-01] : tensor<1x2x3x4xf32> -> tensor<1x2x2x3xf32>
// CHECK-NOT:     attn.row_term
// CHECK:         %[[TERM:.+]] = linalg.generic {{.*}} ins(%[[OF_QUERY]] :
// CHECK:         attn.generic scores(%[[Q]], %[[Q]] : {{[^)]*}}) variances [6.931472e-01, 2.772589e+00] query_term(%[[TERM]] : tensor<1x2x2x3xf32>) scale 1.000000e+00 base2 pool(
!q = tensor<1x2x3x4xf32>
func.func @different_products(%q: !q, %shifts: tensor<2x2x4xf32>) -> !q {
  %o = attn.generic scores(%q, %q : !q, !q)
      shifted_by(%shifts : tensor<2x2x4xf32>) variances [1.0, 4.0]
      pool(%q : !q) -> !q
  return %o : !q
}

// -----

// Whoever sees a constant that is added to a row: lse, an MLP, a ReLU, a
// score_mod that does more than add.
// CHECK-LABEL: func.func @sees_the_row
// CHECK-SAME:    %[[Q:[a-z0-9]+]]: tensor<1x2x3x4xf32>, {{.*}}, %[[S:[a-z0-9]+]]: tensor<2x2x4xf32>)
// CHECK-COUNT-6: attn.row_term %[[Q]] factors [5.000000e-01] has_square :{{.*[[:space:]].*}} = attn.row_term %[[Q]] factors [5.000000e-01] of_keys has_square :
// CHECK:         attn.row_term %[[Q]] shifts(%[[S]] : tensor<2x2x4xf32>) factors [5.000000e-01, 5.000000e-01] has_square :
// CHECK-NEXT:    attn.row_term %[[Q]] shifts(%[[S]] : tensor<2x2x4xf32>) factors [5.000000e-01, 5.000000e-01] of_keys has_square :
// CHECK-NOT:     attn.row_term
// CHECK-NOT:     gaussian
!q = tensor<1x2x3x4xf32>
!m = tensor<2x2xf32>
!b = tensor<2xf32>
!l = tensor<1x2x3xf32>
func.func @sees_the_row(%q: !q, %m: !m, %b: !b, %shifts: tensor<2x2x4xf32>)
    -> (!q, !l, !q, !q, !q, !q, !q, !q, !l) {
  %0:2 = attn.generic scores(%q, %q : !q, !q) gaussian pool(%q : !q) -> !q lse !l
  %1 = attn.generic scores(%q, %q : !q, !q) gaussian
      premix_mlp(%m, %b, %m, %b : !m, !b, !m, !b) pool(%q : !q) -> !q
  %2 = attn.generic scores(%q, %q : !q, !q) gaussian premix(%m : !m)
      relu_per_key pool(%q : !q) -> !q
  %3 = attn.generic scores(%q, %q : !q, !q) gaussian score_mod {
  ^bb0(%s: f32, %batch: index, %h: index, %i: index, %j: index):
    %t = math.tanh %s : f32
    attn.yield %t : f32
  } pool(%q : !q) -> !q
  %4 = attn.generic scores(%q, %q : !q, !q) gaussian score_mod {
  ^bb0(%s: f32, %batch: index, %h: index, %i: index, %j: index):
    %t = arith.addf %s, %s : f32
    attn.yield %t : f32
  } pool(%q : !q) -> !q
  %5 = attn.generic scores(%q, %q : !q, !q) gaussian score_mod {
  ^bb0(%s: f32, %batch: index, %h: index, %i: index, %j: index):
    %one = arith.constant 1.0 : f32
    %t = arith.subf %one, %s : f32
    attn.yield %t : f32
  } pool(%q : !q) -> !q
  %6:2 = attn.generic scores(%q, %q : !q, !q)
      shifted_by(%shifts : tensor<2x2x4xf32>) gaussian pool(%q : !q) -> !q lse !l
  return %0#0, %0#1, %1, %2, %3, %4, %5, %6#0, %6#1 : !q, !l, !q, !q, !q, !q, !q, !q, !l
}

// -----

// Terms that are there become a part of the new ones; one of queries stays
// where queries need none.
// CHECK-LABEL: func.func @terms
// CHECK-SAME:    %[[Q:[a-z0-9]+]]: tensor<1x2x3x4xf32>, %[[T:[a-z0-9]+]]: tensor<1x2x3xf32>, %[[S:[a-z0-9]+]]: tensor<2x2x4xf32>)
// CHECK:         attn.row_term %[[Q]] term(%[[T]] : tensor<1x2x3xf32>) factors [5.000000e-01] of_keys has_square :
// CHECK-NOT:     attn.row_term
// CHECK:         %[[SCALED:.+]] = linalg.generic {{.*}} ins(%[[T]] :
// CHECK:         attn.generic scores({{[^)]*}}) query_term(%[[SCALED]] : tensor<1x2x3xf32>) key_term(%{{.+}} : tensor<1x2x1x3xf32>) scale
// CHECK:         attn.row_term %[[Q]] shifts(%[[S]] : tensor<2x2x4xf32>) term(%[[T]] : tensor<1x2x3xf32>) factors [1.000000e+00, 1.000000e+00] : tensor<1x2x3x4xf32> -> tensor<1x2x2x3xf32>
// CHECK-NOT:     attn.row_term
// CHECK:         attn.generic scores({{[^)]*}}) query_term(%{{.+}} : tensor<1x2x2x3xf32>) scale
!q = tensor<1x2x3x4xf32>
!t = tensor<1x2x3xf32>
func.func @terms(%q: !q, %term: !t, %shifts: tensor<2x2x4xf32>) -> (!q, !q) {
  %0 = attn.generic scores(%q, %q : !q, !q) gaussian query_term(%term : !t)
      key_term(%term : !t) pool(%q : !q) -> !q
  %1 = attn.generic scores(%q, %q : !q, !q)
      shifted_by(%shifts : tensor<2x2x4xf32>) query_term(%term : !t)
      pool(%q : !q) -> !q
  return %0, %1 : !q, !q
}

// -----

// A prior for each key may hide keys: it stays a prior until it is folded.
// CHECK-LABEL: func.func @prior_by_key
// CHECK-SAME:    %[[P:[a-z0-9]+]]: tensor<2x2x3xf32>)
// CHECK:         %[[OF_KEY:.+]] = attn.row_term %{{.+}} factors [1.000000e+00, 1.000000e+00] of_keys has_square :
// CHECK:         linalg.generic {{.*}} ins(%[[P]], %[[OF_KEY]] :
// CHECK:         attn.generic scores({{[^)]*}}) key_term({{[^)]*}}) scale
!q = tensor<1x2x3x4xf32>
!k = tensor<1x2x2x3x4xf32>
func.func @prior_by_key(%q: !q, %k: !k, %prior: tensor<2x2x3xf32>) -> !q {
  %o = attn.generic scores(%q, %k : !q, !k) gaussian variances [1.0, 1.0]
      prior(%prior : tensor<2x2x3xf32>) pool(%q : !q) -> !q
  return %o : !q
}
