// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Rewrites of the normal form, rule by rule. Where a rule does not apply, and
// why, is in simplify-remarks.mlir. Factors fold on top of each: see
// simplify-factors.mlir.
//
// RUN: mixattn-opt --attn-simplify --canonicalize --split-input-file %s \
// RUN:   | FileCheck %s

// MakeTerms: with equal variances a Gaussian is a product plus a term of the
// keys, -|k|^2 / (2 * 8); all else stays. Keys share a head, so the prior does.
// CHECK-LABEL: func.func @gaussian_components
// CHECK-SAME:    %[[Q:[a-z0-9]+]]: tensor<?x2x?x4xbf16>, %[[KEYS:[a-z0-9]+]]: tensor<?x1x3x?x4xbf16>, %[[V:[a-z0-9]+]]: tensor<?x2x?x4xbf16>, %[[PRIOR:[a-z0-9]+]]: tensor<2x3xf32>)
// CHECK-NOT:     attn.row_term %[[Q]]
// CHECK:         %[[NORMS:.+]] = attn.row_term %[[KEYS]] factors [1.250000e-01, 1.250000e-01, 1.250000e-01] of_keys has_square : tensor<?x1x3x?x4xbf16> -> tensor<?x1x3x?xf32>
// CHECK-NOT:     attn.row_term
// CHECK:         %[[TERM:.+]] = linalg.generic {{.*}} ins(%[[NORMS]] :
// CHECK:         %[[PRIOR2:.+]] = linalg.generic {{.*}} ins(%[[PRIOR]] :
// CHECK:         attn.generic scores(%[[Q]], %[[KEYS]] : {{[^)]*}}) variances [5.545177e+00, 5.545177e+00, 5.545177e+00] key_term(%[[TERM]] : tensor<?x1x3x?xf32>) prior(%[[PRIOR2]] : tensor<2x3xf32>) scale 5.000000e-01 causal base2 pool(%[[V]] :
!q = tensor<?x2x?x4xbf16>
func.func @gaussian_components(%q: !q, %keys: tensor<?x1x3x?x4xbf16>, %v: !q,
                               %prior: tensor<2x3xf32>) -> !q {
  %o = attn.generic scores(%q, %keys : !q, tensor<?x1x3x?x4xbf16>) gaussian
      variances [8.0, 8.0, 8.0] prior(%prior : tensor<2x3xf32>) scale 0.5 causal
      pool(%v : !q) -> !q
  return %o : !q
}

// -----

// One key, a variance of its own, and what a constant of a row does not touch:
// a linear mixer, a bias, a score_mod that adds, weights on request.
// CHECK-LABEL: func.func @gaussian
// CHECK-SAME:    %[[Q:[a-z0-9]+]]: tensor<1x2x3x4xf32>
// CHECK:         %[[NORMS:.+]] = attn.row_term %[[Q]] factors [5.000000e-01] of_keys has_square : tensor<1x2x3x4xf32> -> tensor<1x2x1x3xf32>
// CHECK-NOT:     attn.row_term
// CHECK:         attn.generic scores({{[^)]*}}) key_term(%[[NORMS]] : tensor<1x2x1x3xf32>) premix({{.*}}) scale 1.000000e+00 bias({{.*}}) score_mod {
// CHECK:         } pool({{.*}}) -> tensor<1x2x3x4xf32> weights tensor<1x2x3x3xf32>
!q = tensor<1x2x3x4xf32>
!m = tensor<2x2xf32>
func.func @gaussian(%q: !q, %m: !m, %bias: tensor<3x3xf32>)
    -> (!q, tensor<1x2x3x3xf32>) {
  %o, %weights = attn.generic scores(%q, %q : !q, !q) gaussian premix(%m : !m)
      bias(%bias : tensor<3x3xf32>) score_mod {
      ^bb0(%s: f32, %b: index, %h: index, %i: index, %j: index):
        %two = arith.constant 2.0 : f32
        %0 = arith.subf %s, %two : f32
        %1 = arith.addf %two, %0 : f32
        attn.yield %1 : f32
      } pool(%q : !q) -> !q weights tensor<1x2x3x3xf32>
  return %o, %weights : !q, tensor<1x2x3x3xf32>
}

// -----

// MakeTerms: one product for all components, and a term for each: q's product
// with its shift, and the shifted key's square. There is no square of q.
// CHECK-LABEL: func.func @shifted_gaussians
// CHECK-SAME:    %[[Q:[a-z0-9]+]]: tensor<?x4x?x8xf32>, %[[K:[a-z0-9]+]]: tensor<?x2x?x8xf32>, %[[SHIFTS:[a-z0-9]+]]: tensor<2x3x8xf32>, %[[PRIOR:[a-z0-9]+]]: tensor<4x3xf32>)
// CHECK-DAG:     %[[OF_PRODUCT:.+]] = arith.constant 0.180336878 : f32
// CHECK-DAG:     %[[LOG2E:.+]] = arith.constant 1.44269502 : f32
// CHECK:         %[[QUERY_TERM:.+]] = attn.row_term %[[Q]] shifts(%[[SHIFTS]] : tensor<2x3x8xf32>) factors [1.250000e-01, 1.250000e-01, 1.250000e-01] : tensor<?x4x?x8xf32> -> tensor<?x4x3x?xf32>
// CHECK:         %[[KEY_TERM:.+]] = attn.row_term %[[K]] shifts(%[[SHIFTS]] : tensor<2x3x8xf32>) factors [1.250000e-01, 1.250000e-01, 1.250000e-01] of_keys has_square : tensor<?x2x?x8xf32> -> tensor<?x2x3x?xf32>
// CHECK:         %[[QUERY_TERM2:.+]] = linalg.generic {{.*}} ins(%[[QUERY_TERM]] :
// CHECK:           arith.mulf %{{.+}}, %[[LOG2E]] : f32
// CHECK:         %[[KEY_TERM2:.+]] = linalg.generic {{.*}} ins(%[[KEY_TERM]] :
// CHECK:           arith.mulf %{{.+}}, %[[LOG2E]] : f32
// CHECK:         %[[PRIOR2:.+]] = linalg.generic {{.*}} ins(%[[PRIOR]] :
// CHECK:         %[[Q2:.+]] = linalg.generic {{.*}} ins(%[[Q]] :
// CHECK:           arith.mulf %{{.+}}, %[[OF_PRODUCT]] : f32
// CHECK:         attn.generic scores(%[[Q2]], %[[K]] : {{[^)]*}}) query_term(%[[QUERY_TERM2]] : tensor<?x4x3x?xf32>) key_term(%[[KEY_TERM2]] : tensor<?x2x3x?xf32>) prior(%[[PRIOR2]] : tensor<4x3xf32>) scale 1.000000e+00 causal base2 pool(
!q = tensor<?x4x?x8xf32>
!k = tensor<?x2x?x8xf32>
func.func @shifted_gaussians(%q: !q, %k: !k, %shifts: tensor<2x3x8xf32>,
                             %prior: tensor<4x3xf32>) -> !q {
  %o = attn.generic scores(%q, %k : !q, !k)
      shifted_by(%shifts : tensor<2x3x8xf32>) gaussian
      variances [8.0, 8.0, 8.0] prior(%prior : tensor<4x3xf32>) scale 1.0 causal
      pool(%q : !q) -> !q
  return %o : !q
}

// -----

// Products have no squares; that holds whoever looks at the row, and the scale
// stays what it was, 1/sqrt(4) here, times log2(e).
// CHECK-LABEL: func.func @shifted_products
// CHECK-SAME:    %[[Q:[a-z0-9]+]]: tensor<1x2x3x4xf32>, %[[SHIFTS:[a-z0-9]+]]: tensor<2x3x4xf32>)
// CHECK-DAG:     %[[SCALE:.+]] = arith.constant 0.72134751 : f32
// CHECK:         %[[TERM:.+]] = attn.row_term %[[Q]] shifts(%[[SHIFTS]] : tensor<2x3x4xf32>) factors [1.000000e+00, 1.000000e+00, 1.000000e+00] : tensor<1x2x3x4xf32> -> tensor<1x2x3x3xf32>
// CHECK-NOT:     attn.row_term
// CHECK:         %[[TERM2:.+]] = linalg.generic {{.*}} ins(%[[TERM]] :
// CHECK:           arith.mulf %{{.+}}, %[[SCALE]] : f32
// CHECK:         attn.generic scores({{[^)]*}}) query_term(%[[TERM2]] : tensor<1x2x3x3xf32>) maximum scale 1.000000e+00 base2 pool({{.*}} lse tensor<1x2x3xf32>
!q = tensor<1x2x3x4xf32>
func.func @shifted_products(%q: !q, %shifts: tensor<2x3x4xf32>)
    -> (!q, tensor<1x2x3xf32>) {
  %o, %lse = attn.generic scores(%q, %q : !q, !q)
      shifted_by(%shifts : tensor<2x3x4xf32>) maximum pool(%q : !q)
      -> !q lse tensor<1x2x3xf32>
  return %o, %lse : !q, tensor<1x2x3xf32>
}

// -----

// DropSingleComponent: the dimension vanishes, and with it how components
// combine.
// CHECK-LABEL: func.func @one_component
// CHECK-SAME:    %[[Q:[a-z0-9]+]]: tensor<?x2x?x4xf32>, %[[KEYS:[a-z0-9]+]]: tensor<?x2x1x?x4xf32>
// CHECK:         %[[K:.+]] = tensor.collapse_shape %[[KEYS]] {{\[}}[0], [1, 2], [3], [4]] : tensor<?x2x1x?x4xf32> into tensor<?x2x?x4xf32>
// CHECK:         attn.generic scores(%{{.+}}, %[[K]] : {{.*}}) scale 1.000000e+00 lengths({{.*}}) base2 pool(
!q = tensor<?x2x?x4xf32>
func.func @one_component(%q: !q, %keys: tensor<?x2x1x?x4xf32>, %n: tensor<?xi64>) -> !q {
  %o = attn.generic scores(%q, %keys : !q, tensor<?x2x1x?x4xf32>)
      variances [3.0] maximum lengths(%n : tensor<?xi64>) pool(%q : !q) -> !q
  return %o : !q
}

// -----

// PruneHeads: heads of zero rows vanish from all that has query heads.
// CHECK-LABEL: func.func @prune
// CHECK-SAME:    %[[Q:[a-z0-9]+]]: tensor<?x4x?x8xf32>, %[[KEYS:[a-z0-9]+]]: tensor<?x4x3x?x8xf32>, %[[PRIOR:[a-z0-9]+]]: tensor<4x3xf32>
// CHECK-DAG:     %[[KEPT:.+]] = arith.constant dense<[0, 2]> : tensor<2xi32>
// CHECK:         %[[Q2:.+]] = linalg.generic {{.*}} ins(%[[KEPT]] : tensor<2xi32>)
// CHECK-NEXT:    ^bb0(%[[ENTRY:.+]]: i32, %{{.+}}: f32):
// CHECK:           %[[HEAD:.+]] = arith.index_cast %[[ENTRY]] : i32 to index
// CHECK:           tensor.extract %[[Q]][%{{.+}}, %[[HEAD]], %{{.+}}, %{{.+}}] : tensor<?x4x?x8xf32>
// CHECK:         %[[KEYS2:.+]] = linalg.generic {{.*}} ins(%[[KEPT]] :
// CHECK:           tensor.extract %[[KEYS]]
// CHECK:         %[[PRIOR2:.+]] = linalg.generic {{.*}} ins(%[[KEPT]] :
// CHECK:           tensor.extract %[[PRIOR]]
// CHECK:         linalg.generic {{.*}} ins(%[[PRIOR2]] :
// CHECK:         attn.generic scores(%[[Q2]], %[[KEYS2]] : tensor<?x2x?x8xf32>, tensor<?x2x3x?x8xf32>) variances {{.*}} key_term(%{{.+}} : tensor<?x2x3x?xf32>) premix(%{{.+}} : tensor<2x2xf32>) {{.*}} finite pool({{.*}}) -> tensor<?x2x?x8xf32>
!q = tensor<?x4x?x8xf32>
!keys = tensor<?x4x3x?x8xf32>
!v = tensor<?x2x?x8xf32>
func.func @prune(%q: !q, %keys: !keys, %prior: tensor<4x3xf32>, %v: !v) -> !v {
  %m = arith.constant dense<[[1.0, 0.5], [0.0, -0.0], [2.0, 0.0], [0.0, 0.0]]> : tensor<4x2xf32>
  %o = attn.generic scores(%q, %keys : !q, !keys) variances [1.0, 2.0, 3.0]
      prior(%prior : tensor<4x3xf32>) premix(%m : tensor<4x2xf32>) finite
      pool(%v : !v) -> !v
  return %o : !v
}

// -----

// Shared keys stay.
// CHECK-LABEL: func.func @prune_beside_shared_keys
// CHECK-SAME:    %[[Q:[a-z0-9]+]]: tensor<1x2x3x8xf32>, %[[K:[a-z0-9]+]]: tensor<1x1x3x8xf32>)
// CHECK:         attn.generic scores(%{{.+}}, %[[K]] : tensor<1x1x3x8xf32>, tensor<1x1x3x8xf32>) premix(%{{.+}} : tensor<1x2xf32>) relu_per_key scale 1.000000e+00 base2 finite pool(%[[Q]] :
!q = tensor<1x2x3x8xf32>
!k = tensor<1x1x3x8xf32>
func.func @prune_beside_shared_keys(%q: !q, %k: !k) -> !q {
  %m = arith.constant dense<[[0.0, 0.0], [2.0, 1.0]]> : tensor<2x2xf32>
  %o = attn.generic scores(%q, %k : !q, !k) premix(%m : tensor<2x2xf32>)
      relu_per_key scale 3.0 scale_before finite pool(%q : !q) -> !q
  return %o : !q
}

// -----

// SelectHeads: a mixer that picks one head for each output is a choice of
// heads; key head h / 2 follows query head h.
// CHECK-LABEL: func.func @select
// CHECK-SAME:    %[[Q:[a-z0-9]+]]: tensor<1x4x3x8xf32>, %[[K:[a-z0-9]+]]: tensor<1x2x3x8xf32>, %[[V:[a-z0-9]+]]: tensor<1x3x3x8xf32>)
// CHECK-DAG:     %[[HEADS:.+]] = arith.constant dense<[3, 0, 3]> : tensor<3xi32>
// CHECK-DAG:     %[[KEY_HEADS:.+]] = arith.constant dense<[1, 0, 1]> : tensor<3xi32>
// CHECK:         %[[Q2:.+]] = linalg.generic {{.*}} ins(%[[HEADS]] :
// CHECK:           tensor.extract %[[Q]]
// CHECK:         %[[K2:.+]] = linalg.generic {{.*}} ins(%[[KEY_HEADS]] :
// CHECK:           tensor.extract %[[K]]
// CHECK:         %[[Q3:.+]] = linalg.generic {{.*}} ins(%[[Q2]] :
// CHECK:         attn.generic scores(%[[Q3]], %[[K2]] : tensor<1x3x3x8xf32>, tensor<1x3x3x8xf32>) scale 1.000000e+00 base2 {{(finite )?}}pool(%[[V]] :
!q = tensor<1x4x3x8xf32>
!k = tensor<1x2x3x8xf32>
!v = tensor<1x3x3x8xf32>
func.func @select(%q: !q, %k: !k, %v: !v) -> !v {
  %m = arith.constant dense<[[0.0, 1.0, 0.0], [0.0, 0.0, 0.0], [0.0, 0.0, 0.0], [1.0, 0.0, 1.0]]> : tensor<4x3xf32>
  %o = attn.generic scores(%q, %k : !q, !k) premix(%m : tensor<4x3xf32>)
      scale 2.0 scale_before finite pool(%v : !v) -> !v
  return %o : !v
}

// -----

// One rule prepares for the next: a single Gaussian component becomes a
// product.
// CHECK-LABEL: func.func @several_rules
// CHECK:         %[[K:.+]] = tensor.collapse_shape
// CHECK:         %[[NORMS:.+]] = attn.row_term %[[K]] factors [5.000000e-01] of_keys has_square :
// CHECK:         %[[TERM:.+]] = linalg.generic {{.*}} ins(%[[NORMS]] :
// CHECK:         attn.generic scores(%{{.+}}, %[[K]] : {{[^)]*}}) key_term(%[[TERM]] : tensor<1x2x1x3xf32>) scale 1.000000e+00 base2 pool(
!q = tensor<1x2x3x4xf32>
func.func @several_rules(%q: !q, %keys: tensor<1x2x1x3x4xf32>) -> !q {
  %o = attn.generic scores(%q, %keys : !q, tensor<1x2x1x3x4xf32>) gaussian
      pool(%q : !q) -> !q
  return %o : !q
}

// -----

// Named ops are not looked at.
// CHECK-LABEL: func.func @named
// CHECK-NEXT:    attn.softmax {{.*}} gaussian :
!q = tensor<1x2x3x4xf32>
func.func @named(%q: !q) -> !q {
  %o = attn.softmax %q, %q, %q gaussian : (!q, !q, !q) -> !q
  return %o : !q
}

// -----

// A score_mod that asks for the size of an operand that is replaced goes on
// asking the old one.
// CHECK-LABEL: func.func @size_of_a_replaced_operand
// CHECK-SAME:    %[[KEYS:[a-z0-9]+]]: tensor<1x2x1x?x4xf32>
// CHECK:         tensor.collapse_shape %[[KEYS]]
// CHECK:         attn.generic {{.*}} score_mod {
// CHECK:           tensor.dim %[[KEYS]],
!q = tensor<1x2x?x4xf32>
!keys = tensor<1x2x1x?x4xf32>
func.func @size_of_a_replaced_operand(%q: !q, %keys: !keys) -> !q {
  %c3 = arith.constant 3 : index
  %o = attn.generic scores(%q, %keys : !q, !keys) score_mod {
  ^bb0(%s: f32, %b: index, %h: index, %i: index, %j: index):
    %size = tensor.dim %keys, %c3 : !keys
    %wide = arith.index_cast %size : index to i32
    %x = arith.sitofp %wide : i32 to f32
    %t = arith.addf %s, %x : f32
    attn.yield %t : f32
  } pool(%q : !q) -> !q
  return %o : !q
}
// -----

// The sum that a score_mod adds may be long.
// CHECK-LABEL: func.func @long_sum
// CHECK:         attn.row_term %{{.+}} factors [5.000000e-01] of_keys has_square :
// CHECK-NOT:     attn.row_term
// CHECK:         attn.generic {{.*}} key_term(
!q = tensor<1x2x3x4xf32>
func.func @long_sum(%q: !q) -> !q {
  %o = attn.generic scores(%q, %q : !q, !q) gaussian score_mod {
  ^bb0(%s: f32, %b: index, %h: index, %i: index, %j: index):
    %place = arith.index_cast %j : index to i32
    %x0 = arith.sitofp %place : i32 to f32
    %x1 = arith.mulf %x0, %x0 : f32
    %x2 = arith.mulf %x1, %x1 : f32
    %x3 = arith.mulf %x2, %x2 : f32
    %x4 = arith.mulf %x3, %x3 : f32
    %x5 = arith.mulf %x4, %x4 : f32
    %x6 = arith.mulf %x5, %x5 : f32
    %x7 = arith.mulf %x6, %x6 : f32
    %x8 = arith.mulf %x7, %x7 : f32
    %x9 = arith.mulf %x8, %x8 : f32
    %x10 = arith.mulf %x9, %x9 : f32
    %x11 = arith.mulf %x10, %x10 : f32
    %x12 = arith.mulf %x11, %x11 : f32
    %x13 = arith.mulf %x12, %x12 : f32
    %x14 = arith.mulf %x13, %x13 : f32
    %x15 = arith.mulf %x14, %x14 : f32
    %x16 = arith.mulf %x15, %x15 : f32
    %x17 = arith.mulf %x16, %x16 : f32
    %x18 = arith.mulf %x17, %x17 : f32
    %x19 = arith.mulf %x18, %x18 : f32
    %x20 = arith.mulf %x19, %x19 : f32
    %x21 = arith.mulf %x20, %x20 : f32
    %x22 = arith.mulf %x21, %x21 : f32
    %x23 = arith.mulf %x22, %x22 : f32
    %x24 = arith.mulf %x23, %x23 : f32
    %x25 = arith.mulf %x24, %x24 : f32
    %x26 = arith.mulf %x25, %x25 : f32
    %x27 = arith.mulf %x26, %x26 : f32
    %x28 = arith.mulf %x27, %x27 : f32
    %x29 = arith.mulf %x28, %x28 : f32
    %x30 = arith.mulf %x29, %x29 : f32
    %x31 = arith.mulf %x30, %x30 : f32
    %x32 = arith.mulf %x31, %x31 : f32
    %x33 = arith.mulf %x32, %x32 : f32
    %x34 = arith.mulf %x33, %x33 : f32
    %x35 = arith.mulf %x34, %x34 : f32
    %x36 = arith.mulf %x35, %x35 : f32
    %x37 = arith.mulf %x36, %x36 : f32
    %x38 = arith.mulf %x37, %x37 : f32
    %x39 = arith.mulf %x38, %x38 : f32
    %x40 = arith.mulf %x39, %x39 : f32
    %t = arith.addf %s, %x40 : f32
    attn.yield %t : f32
  } pool(%q : !q) -> !q
  return %o : !q
}
