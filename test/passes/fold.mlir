// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Folds onto plain attention. Where they do not apply, and why, is in
// fold-remarks.mlir.
//
// RUN: mixattn-opt --attn-fold='keys heads values' --canonicalize \
// RUN:   --split-input-file %s | FileCheck %s
// RUN: mixattn-opt --attn-fold --split-input-file %s \
// RUN:   | FileCheck %s --check-prefix=OFF
// RUN: mixattn-opt --attn-simplify --split-input-file %s \
// RUN:   | FileCheck %s --check-prefix=OFF

// Three components are three times the keys; the prior of each head is a bias,
// what hides a key hides all its components.
// CHECK-DAG: #[[VALUE:.+]] = affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d3, d4)>
// CHECK-DAG: #[[PRIOR:.+]] = affine_map<(d0, d1, d2, d3) -> (d0, d2)>
// CHECK-DAG: #[[MASK:.+]] = affine_map<(d0, d1, d2, d3, d4) -> (d1, d2, d4)>
// CHECK-DAG: #[[LENGTHS:.+]] = affine_map<(d0, d1, d2, d3, d4) -> (d0)>
// CHECK-LABEL: func.func @components
// OFF-LABEL:   func.func @components
// OFF:         attn.generic scores({{.*}}, tensor<?x2x3x?x8xbf16>)
// CHECK-SAME:    %[[Q:[a-z0-9]+]]: tensor<?x4x?x8xbf16>, %[[KEYS:[a-z0-9]+]]: tensor<?x2x3x?x8xbf16>, %[[V:[a-z0-9]+]]: tensor<?x4x?x8xbf16>, %[[P:[a-z0-9]+]]: tensor<4x3xf32>, %[[M:[a-z0-9]+]]: tensor<4x?x?xi1>, %[[N:[a-z0-9]+]]: tensor<?xi64>)
// CHECK:         %[[K:.+]] = tensor.collapse_shape %[[KEYS]] {{\[}}[0], [1], [2, 3], [4]] : tensor<?x2x3x?x8xbf16> into tensor<?x2x?x8xbf16>
// CHECK:         %[[VALUES:.+]] = linalg.generic {indexing_maps = [#[[VALUE]], #{{.+}}], {{.*}} ins(%[[V]] :
// CHECK:         %[[WIDE:.+]] = tensor.collapse_shape %[[VALUES]] {{\[}}[0], [1], [2, 3], [4]] : tensor<?x4x3x?x8xbf16> into tensor<?x4x?x8xbf16>
// CHECK:         %[[PRIORS:.+]] = linalg.generic {indexing_maps = [#[[PRIOR]], #{{.+}}], {{.*}} ins(%[[P]] :
// CHECK:         %[[BIAS:.+]] = tensor.collapse_shape %[[PRIORS]] {{\[}}[0], [1], [2, 3]] : tensor<4x1x3x?xf32> into tensor<4x1x?xf32>
// CHECK:         %[[SEEN:.+]] = linalg.generic {indexing_maps = [#[[MASK]], #[[LENGTHS]], #{{.+}}], {{.*}} ins(%[[M]], %[[N]] :
// CHECK:           arith.cmpi slt
// CHECK:           arith.cmpi sle
// CHECK:         %[[MASKS:.+]] = tensor.collapse_shape %[[SEEN]] {{\[}}[0], [1], [2], [3, 4]] : tensor<?x4x?x3x?xi1> into tensor<?x4x?x?xi1>
// CHECK:         attn.generic scores(%[[Q]], %[[K]] : {{.*}}) gaussian variances [8.000000e+00] scale 1.000000e+00 bias(%[[BIAS]] : tensor<4x1x?xf32>) mask(%[[MASKS]] : tensor<?x4x?x?xi1>) pool(%[[WIDE]] :
!q = tensor<?x4x?x8xbf16>
!k = tensor<?x2x3x?x8xbf16>
func.func @components(%q: !q, %keys: !k, %v: !q, %prior: tensor<4x3xf32>,
                      %mask: tensor<4x?x?xi1>, %n: tensor<?xi64>) -> !q {
  %o = attn.generic scores(%q, %keys : !q, !k) gaussian
      variances [8.0, 8.0, 8.0] prior(%prior : tensor<4x3xf32>)
      mask(%mask : tensor<4x?x?xi1>) lengths(%n : tensor<?xi64>) causal
      pool(%v : !q) -> !q
  return %o : !q
}

// -----

// Shifted keys of 16 bits are f32, and so is their query; a prior by position;
// one mask for all batch rows and heads; an lse.
// CHECK-DAG: #[[PRIOR:.+]] = affine_map<(d0, d1, d2, d3) -> (d0, d2, d3)>
// CHECK-LABEL: func.func @shifted
// OFF-LABEL:   func.func @shifted
// CHECK-SAME:    %[[Q:[a-z0-9]+]]: tensor<1x2x5x8xf16>, %[[S:[a-z0-9]+]]: tensor<2x3x8xf32>
// CHECK-DAG:     %[[WIDE:.+]] = linalg.generic {{.*}} ins(%[[Q]] : tensor<1x2x5x8xf16>) outs(%{{.+}} : tensor<1x2x5x8xf32>)
// CHECK-DAG:     %[[KEYS:.+]] = linalg.generic {{.*}} ins(%[[Q]], %[[S]] :
// CHECK:         %[[K:.+]] = tensor.collapse_shape %[[KEYS]] {{.*}} into tensor<1x2x15x8xf32>
// CHECK:         linalg.generic {indexing_maps = [#[[PRIOR]],
// CHECK:         attn.generic scores(%[[WIDE]], %[[K]] : {{.*}}) variances [2.000000e+00] scale 1.000000e+00 bias(%{{.+}} : tensor<2x1x15xf16>) mask(%{{.+}} : tensor<1x1x5x15xi1>) pool(%{{.+}} : tensor<1x2x15x8xf16>) -> tensor<1x2x5x8xf16> lse
!q = tensor<1x2x5x8xf16>
func.func @shifted(%q: !q, %shifts: tensor<2x3x8xf32>,
                   %prior: tensor<2x3x5xf16>) -> (!q, tensor<1x2x5xf32>) {
  %o, %lse = attn.generic scores(%q, %q : !q, !q)
      shifted_by(%shifts : tensor<2x3x8xf32>) variances [2.0, 2.0, 2.0]
      prior(%prior : tensor<2x3x5xf16>) band <1, 1>
      pool(%q : !q) -> !q lse tensor<1x2x5xf32>
  return %o, %lse : !q, tensor<1x2x5xf32>
}

// -----

// Terms per key follow their keys, those of one component are repeated.
// CHECK-LABEL: func.func @terms
// OFF-LABEL:   func.func @terms
// CHECK-SAME:    %{{.+}}: tensor<1x2x5x8xf32>, %{{.+}}: tensor<1x2x3x5x8xf32>, %[[EACH:[a-z0-9]+]]: tensor<1x2x3x5xf32>, %[[ONE:[a-z0-9]+]]: tensor<1x2x5xf32>)
// CHECK:         %[[OF_EACH:.+]] = tensor.collapse_shape %[[EACH]] {{.*}} into tensor<1x2x15xf32>
// CHECK:         attn.generic {{.*}} query_term(%[[ONE]] : tensor<1x2x5xf32>) key_term(%[[OF_EACH]] : tensor<1x2x15xf32>)
// CHECK:         %[[REPEATED:.+]] = linalg.generic {{.*}} ins(%[[ONE]] :
// CHECK:         tensor.collapse_shape %[[REPEATED]] {{.*}} into tensor<1x2x15xf32>
// CHECK:         attn.generic {{.*}} key_term(%{{.+}} : tensor<1x2x15xf32>)
!q = tensor<1x2x5x8xf32>
!k = tensor<1x2x3x5x8xf32>
func.func @terms(%q: !q, %keys: !k, %each: tensor<1x2x3x5xf32>,
                 %one: tensor<1x2x5xf32>) -> (!q, !q) {
  %0 = attn.generic scores(%q, %keys : !q, !k)
      query_term(%one : tensor<1x2x5xf32>)
      key_term(%each : tensor<1x2x3x5xf32>) scale 1.0 pool(%q : !q) -> !q
  %1 = attn.generic scores(%q, %keys : !q, !k)
      key_term(%one : tensor<1x2x5xf32>) scale 1.0 pool(%q : !q) -> !q
  return %0, %1 : !q, !q
}

// -----

// Four query heads of eight features become 32 features; what follows the
// mixer stays.
// CHECK-DAG: #[[WEIGHT:.+]] = affine_map<(d0, d1, d2, d3, d4) -> (d3, d1)>
// CHECK-DAG: #[[COLUMN:.+]] = affine_map<(d0, d1, d2, d3, d4) -> (d3)>
// CHECK-DAG: #[[HEAD:.+]] = affine_map<(d0, d1, d2, d3, d4) -> (d0, d3, d2, d4)>
// CHECK-LABEL: func.func @mixed_scores
// OFF-LABEL:   func.func @mixed_scores
// CHECK-SAME:    %[[Q:[a-z0-9]+]]: tensor<1x4x5x8xbf16>, %[[M:[a-z0-9]+]]: tensor<4x2xf32>, %[[P:[a-z0-9]+]]: tensor<4xf32>, %[[V:[a-z0-9]+]]: tensor<1x2x5x8xbf16>
// CHECK:         %[[QUERIES:.+]] = linalg.generic {indexing_maps = [#[[WEIGHT]], #[[HEAD]], #{{.+}}], {{.*}} ins(%[[M]], %[[Q]] :
// CHECK:         %[[LONG_QUERY:.+]] = tensor.collapse_shape %[[QUERIES]] {{.*}} : tensor<1x2x5x4x8xf32> into tensor<1x2x5x32xf32>
// CHECK:         %[[KEYS:.+]] = linalg.generic {indexing_maps = [#[[HEAD]], #{{.+}}], {{.*}} ins(%[[Q]] :
// CHECK:         %[[LONG_KEY:.+]] = tensor.collapse_shape %[[KEYS]] {{.*}} : tensor<1x1x5x4x8xf32> into tensor<1x1x5x32xf32>
// CHECK:         attn.generic scores(%[[LONG_QUERY]], %[[LONG_KEY]] : {{.*}}) scale 0.35355339{{[0-9]+}} causal sigsoftmax pool(%[[V]] :
// CHECK:         linalg.generic {indexing_maps = [#[[COLUMN]], #[[HEAD]], #{{.+}}], {{.*}} ins(%[[P]], %[[Q]] :
// CHECK:         attn.generic scores({{.*}}) variances [2.000000e+00] scale 3.000000e+00 pool(
!q = tensor<1x4x5x8xbf16>
!v = tensor<1x2x5x8xbf16>
func.func @mixed_scores(%q: !q, %m: tensor<4x2xf32>, %p: tensor<4xf32>, %v: !v)
    -> (!v, !v) {
  %0 = attn.generic scores(%q, %q : !q, !q) premix(%m : tensor<4x2xf32>) causal
      sigsoftmax pool(%v : !v) -> !v
  %1 = attn.generic scores(%q, %q : !q, !q) variances [2.0]
      premix(%p : tensor<4xf32>) scale 3.0 scale_before pool(%v : !v) -> !v
  return %0, %1 : !v, !v
}

// -----

// Every head pools the values of both.
// CHECK-LABEL: func.func @mixed_weights
// OFF-LABEL:   func.func @mixed_weights
// OFF:         attn.generic {{.*}} postmix(
// CHECK:         %[[O:.+]] = attn.generic {{.*}} pool(%{{.+}} : tensor<1x1x5x16xf32>) -> tensor<1x2x5x16xf32>
// CHECK:         linalg.generic {{.*}} ins(%{{.+}}, %[[O]] : tensor<2x2xf32>, tensor<1x2x5x16xf32>) outs(%{{.+}} : tensor<1x2x5x8xf32>)
!q = tensor<1x2x5x8xf32>
func.func @mixed_weights(%q: !q, %m: tensor<2x2xf32>) -> !q {
  %o = attn.generic scores(%q, %q : !q, !q) postmix(%m : tensor<2x2xf32>)
      pool(%q : !q) -> !q
  return %o : !q
}
