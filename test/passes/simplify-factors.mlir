// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// FoldPrior, FoldLog2e and FoldScale: factors and terms of the normal form.
// Where they do not apply, and why, is in simplify-factors-remarks.mlir.
//
// RUN: mixattn-opt --attn-simplify --canonicalize --split-input-file %s \
// RUN:   | FileCheck %s

// log2(e) / 2 times the query, and nothing is left to be done per score.
// CHECK-LABEL: func.func @product
// CHECK-SAME:    %[[Q:[a-z0-9]+]]: tensor<?x2x?x4xf32>
// CHECK:         %[[FACTOR:.+]] = arith.constant 0.721347{{[0-9]+}} : f32
// CHECK:         %[[SCALED:.+]] = linalg.generic {{.*}} ins(%[[Q]] :
// CHECK-NEXT:    ^bb0(%[[X:.+]]: f32, %{{.+}}: f32):
// CHECK-NEXT:      arith.mulf %[[X]], %[[FACTOR]] : f32
// CHECK:         attn.generic scores(%[[SCALED]], %[[Q]] : {{.*}}) scale 1.000000e+00 causal base2 pool(
!q = tensor<?x2x?x4xf32>
func.func @product(%q: !q) -> !q {
  %o = attn.generic scores(%q, %q : !q, !q) causal pool(%q : !q) -> !q
  return %o : !q
}

// -----

// Queries of 16 bits stay: log2(e) is in the scale.
// CHECK-LABEL: func.func @narrow
// CHECK-NOT:     linalg.generic
// CHECK:         attn.generic scores({{.*}}) scale 0.72134{{[0-9]+}} base2 pool(
!q = tensor<1x2x3x4xbf16>
func.func @narrow(%q: !q) -> !q {
  %o = attn.generic scores(%q, %q : !q, !q) pool(%q : !q) -> !q
  return %o : !q
}

// -----

// Components meet in logsumexp: log2(e) / 8 goes to the query, log2(e) times
// the prior becomes the term per key; a natural lse may be asked for.
// CHECK-DAG: #[[PRIOR:.+]] = affine_map<(d0, d1, d2, d3) -> (d1, d2)>
// CHECK-DAG: #[[TERM:.+]] = affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>
// CHECK-LABEL: func.func @components
// CHECK-SAME:    %[[Q:[a-z0-9]+]]: tensor<?x2x?x4xf32>, %[[K:[a-z0-9]+]]: tensor<?x2x3x?x4xf32>, %[[P:[a-z0-9]+]]: tensor<2x3xf16>)
// CHECK-DAG:     %[[FACTOR:.+]] = arith.constant 0.1803368{{[0-9]+}} : f32
// CHECK-DAG:     %[[LOG2E:.+]] = arith.constant 1.44269{{[0-9]+}} : f32
// CHECK:         %[[SPREAD:.+]] = linalg.generic {indexing_maps = [#[[PRIOR]], #[[TERM]]], {{.*}} ins(%[[P]] : tensor<2x3xf16>)
// CHECK:           arith.extf %{{.+}} : f16 to f32
// CHECK:         %[[TERMS:.+]] = linalg.generic {{.*}} ins(%[[SPREAD]] :
// CHECK:           arith.mulf %{{.+}}, %[[LOG2E]] : f32
// CHECK:         %[[SCALED:.+]] = linalg.generic {{.*}} ins(%[[Q]] :
// CHECK:           arith.mulf %{{.+}}, %[[FACTOR]] : f32
// CHECK:         attn.generic scores(%[[SCALED]], %[[K]] : {{.*}}) key_term(%[[TERMS]] : tensor<?x2x3x?xf32>) scale 1.000000e+00 base2 pool({{.*}} lse
!q = tensor<?x2x?x4xf32>
!k = tensor<?x2x3x?x4xf32>
func.func @components(%q: !q, %k: !k, %prior: tensor<2x3xf16>)
    -> (!q, tensor<?x2x?xf32>) {
  %o, %lse = attn.generic scores(%q, %k : !q, !k) variances [8.0, 8.0, 8.0]
      prior(%prior : tensor<2x3xf16>) pool(%q : !q)
      -> !q lse tensor<?x2x?xf32>
  return %o, %lse : !q, tensor<?x2x?xf32>
}

// -----

// Different variances are divided by log2(e), and terms multiplied by it; a
// prior by position joins the term of the keys, which holds the one that was
// there.
// CHECK-DAG: #[[EACH:.+]] = affine_map<(d0, d1, d2, d3) -> (d1, d2, d3)>
// CHECK-DAG: #[[WHOLE:.+]] = affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>
// CHECK-LABEL: func.func @gaussians
// CHECK-SAME:    %[[Q:[a-z0-9]+]]: tensor<1x2x3x4xf32>, %[[K:[a-z0-9]+]]: tensor<1x2x2x3x4xf32>, %[[P:[a-z0-9]+]]: tensor<2x2x3xf32>, %[[T:[a-z0-9]+]]: tensor<1x2x3xf32>)
// CHECK-DAG:     %[[LOG2E:.+]] = arith.constant 1.44269502 : f32
// CHECK:         %[[OF_QUERY:.+]] = attn.row_term %[[Q]] factors [1.000000e+00, 5.000000e-01] has_square :
// CHECK:         %[[OF_KEY:.+]] = attn.row_term %[[K]] term(%[[T]] : tensor<1x2x3xf32>) factors [1.000000e+00, 5.000000e-01] of_keys has_square :
// CHECK:         %[[SUM:.+]] = linalg.generic {indexing_maps = [#[[EACH]], #[[WHOLE]], #[[WHOLE]]], {{.*}} ins(%[[P]], %[[OF_KEY]] :
// CHECK:           arith.addf
// CHECK:         %[[QUERY_TERMS:.+]] = linalg.generic {{.*}} ins(%[[OF_QUERY]] :
// CHECK:           arith.mulf %{{.+}}, %[[LOG2E]]
// CHECK:         %[[TERMS:.+]] = linalg.generic {{.*}} ins(%[[SUM]] :
// CHECK:           arith.mulf %{{.+}}, %[[LOG2E]]
// CHECK:         attn.generic scores(%[[Q]], %[[K]] : {{[^)]*}}) variances [{{0.69314718[0-9]+|6.931472e-01}}, {{1.38629436[0-9]+|1.386294e\+00}}] query_term(%[[QUERY_TERMS]] : tensor<1x2x2x3xf32>) key_term(%[[TERMS]] : tensor<1x2x2x3xf32>) scale 2.000000e+00 base2 pool(
!q = tensor<1x2x3x4xf32>
!k = tensor<1x2x2x3x4xf32>
func.func @gaussians(%q: !q, %k: !k, %prior: tensor<2x2x3xf32>,
                     %term: tensor<1x2x3xf32>) -> !q {
  %o = attn.generic scores(%q, %k : !q, !k) gaussian variances [1.0, 2.0]
      key_term(%term : tensor<1x2x3xf32>) prior(%prior : tensor<2x2x3xf32>)
      scale 2.0 pool(%q : !q) -> !q
  return %o : !q
}

// -----

// No components: terms are scaled as the product is, by 3 log2(e) here and the
// product by 3/2 log2(e).
// CHECK-LABEL: func.func @terms
// CHECK-SAME:    %[[Q:[a-z0-9]+]]: tensor<1x2x3x4xf32>, %[[T:[a-z0-9]+]]: tensor<1x2x3xf32>)
// CHECK-DAG:     %[[OF_PRODUCT:.+]] = arith.constant 2.16404{{[0-9]+}} : f32
// CHECK-DAG:     %[[OF_TERM:.+]] = arith.constant 4.32808{{[0-9]+}} : f32
// CHECK:         linalg.generic {{.*}} ins(%[[Q]] :
// CHECK:           arith.mulf %{{.+}}, %[[OF_PRODUCT]]
// CHECK:         linalg.generic {{.*}} ins(%[[T]] :
// CHECK:           arith.mulf %{{.+}}, %[[OF_TERM]]
// CHECK:         linalg.generic {{.*}} ins(%[[T]] :
// CHECK:           arith.mulf %{{.+}}, %[[OF_TERM]]
// CHECK:         attn.generic scores({{.*}}) query_term({{.*}}) key_term({{.*}}) scale 1.000000e+00 base2 pool(
!q = tensor<1x2x3x4xf32>
!t = tensor<1x2x3xf32>
func.func @terms(%q: !q, %t: !t) -> !q {
  %o = attn.generic scores(%q, %q : !q, !q) variances [2.0] query_term(%t : !t)
      key_term(%t : !t) scale 3.0 pool(%q : !q) -> !q
  return %o : !q
}

// -----

// The variance goes to the query, the scale waits for the combination.
// CHECK-LABEL: func.func @scaled_mixture
// CHECK:         attn.generic scores({{.*}}) scale 5.000000e-01 base2 pool(
// CHECK-NOT:     variances
!q = tensor<1x2x3x4xf32>
!k = tensor<1x2x2x3x4xf32>
func.func @scaled_mixture(%q: !q, %k: !k) -> !q {
  %o = attn.generic scores(%q, %k : !q, !k) variances [2.0, 2.0] scale 0.5
      pool(%q : !q) -> !q
  return %o : !q
}

// -----

// A factor passes through linear mixers, and through a ReLU or a maximum if it
// is positive; before an MLP it acts if it did so anyway.
// CHECK-LABEL: func.func @mixers
// CHECK:         attn.generic {{.*}} premix({{.*}}) scale 1.000000e+00 base2 pool(
// CHECK:         attn.generic {{.*}} premix({{.*}}) relu_per_key scale 1.000000e+00 base2 pool(
// CHECK:         attn.generic {{.*}} maximum scale 1.000000e+00 base2 pool(
// CHECK:         attn.generic {{.*}} premix_mlp({{.*}}) scale 1.000000e+00 pool(
// CHECK:         attn.generic {{.*}} premix_mlp({{.*}}) scale 0.72134{{[0-9]+}} base2 pool(
!q = tensor<1x2x3x4xf32>
!k = tensor<1x2x2x3x4xf32>
!m = tensor<2x2xf32>
!b = tensor<2xf32>
func.func @mixers(%q: !q, %k: !k, %m: !m, %b: !b) -> (!q, !q, !q, !q, !q) {
  %0 = attn.generic scores(%q, %q : !q, !q) premix(%m : !m) scale -0.5
      pool(%q : !q) -> !q
  %1 = attn.generic scores(%q, %q : !q, !q) premix(%m : !m) relu_per_key
      pool(%q : !q) -> !q
  %2 = attn.generic scores(%q, %k : !q, !k) maximum pool(%q : !q) -> !q
  %3 = attn.generic scores(%q, %q : !q, !q)
      premix_mlp(%m, %b, %m, %b : !m, !b, !m, !b) scale 0.5 scale_before
      pool(%q : !q) -> !q
  %4 = attn.generic scores(%q, %q : !q, !q)
      premix_mlp(%m, %b, %m, %b : !m, !b, !m, !b) scale 0.5 pool(%q : !q) -> !q
  return %0, %1, %2, %3, %4 : !q, !q, !q, !q, !q
}

// -----

// Components by a term alone keep a variance each.
// CHECK-LABEL: func.func @unequal_terms
// CHECK:         attn.generic scores({{.*}}) variances [5.545177e+00, 1.663553e+01] query_term({{.*}}) scale 1.000000e+00 base2 pool(
!q = tensor<1x2x3x4xf32>
!t = tensor<1x2x2x3xf32>
func.func @unequal_terms(%q: !q, %t: !t) -> !q {
  %o = attn.generic scores(%q, %q : !q, !q) variances [8.0, 24.0]
      query_term(%t : !t) pool(%q : !q) -> !q
  return %o : !q
}

// -----

// A prior by position joins a term that components share.
// CHECK-DAG: #[[EACH:.+]] = affine_map<(d0, d1, d2, d3) -> (d1, d2, d3)>
// CHECK-DAG: #[[SHARED:.+]] = affine_map<(d0, d1, d2, d3) -> (d0, d1, d3)>
// CHECK-LABEL: func.func @prior_by_position
// CHECK-SAME:    %[[P:[a-z0-9]+]]: tensor<2x2x3xf32>, %[[T:[a-z0-9]+]]: tensor<1x2x3xf32>)
// CHECK:         %[[SUM:.+]] = linalg.generic {indexing_maps = [#[[EACH]], #[[SHARED]], #{{.+}}], {{.*}} ins(%[[P]], %[[T]] :
// CHECK:           arith.addf
// CHECK:         %[[TERMS:.+]] = linalg.generic {{.*}} ins(%[[SUM]] :
// CHECK:         attn.generic {{.*}} key_term(%[[TERMS]] : tensor<1x2x2x3xf32>) scale
!q = tensor<1x2x3x4xf32>
!k = tensor<1x2x2x3x4xf32>
func.func @prior_by_position(%q: !q, %k: !k, %prior: tensor<2x2x3xf32>,
                             %term: tensor<1x2x3xf32>) -> !q {
  %o = attn.generic scores(%q, %k : !q, !k) variances [1.0, 2.0]
      key_term(%term : tensor<1x2x3xf32>) prior(%prior : tensor<2x2x3xf32>)
      pool(%q : !q) -> !q
  return %o : !q
}

// -----

// A Gaussian of projected keys stays one; log2(e) is in the scale.
// CHECK-LABEL: func.func @projected
// CHECK:         attn.generic scores({{[^)]*}}) projected_by({{[^)]*}}) gaussian scale 5.77078{{[0-9]+}} base2 pool(
!q = tensor<1x2x3x4xf32>
!e = tensor<2x3xf32>
func.func @projected(%q: !q, %e: !e) -> !q {
  %o = attn.generic scores(%q, %q : !q, !q) projected_by(%e, %e : !e, !e)
      gaussian scale 4.0 pool(%q : !q) -> !q
  return %o : !q
}
