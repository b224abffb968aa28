// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Ops of the training side as linalg ops.
//
// RUN: mixattn-opt --attn-expand-training --canonicalize --cse --split-input-file %s \
// RUN:   | FileCheck %s --implicit-check-not=attn.
// RUN: mixattn-opt --attn-decompose --canonicalize --cse --split-input-file %s \
// RUN:   | FileCheck %s --implicit-check-not=attn.

// A softmax over components, shifted by the largest, and zero where all are off
// or where the key is hidden: products, then the terms that a Gaussian has in
// addition. The components of a query's row lie within it.
// CHECK-DAG: #[[EACH:.+]] = affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d2, d3, d4)>
// CHECK-DAG: #[[TURNED:.+]] = affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d3, d2, d4)>
// CHECK-DAG: #[[PLACE:.+]] = affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d2, d4)>
// CHECK-DAG: #[[OF_KEY:.+]] = affine_map<(d0, d1, d2, d3, d4) -> (d0, d1 floordiv 2, d3, d4)>
// CHECK-DAG: #[[MASK:.+]] = affine_map<(d0, d1, d2, d3, d4) -> (d2, d4)>
// CHECK-DAG: #[[LENGTH:.+]] = affine_map<(d0, d1, d2, d3, d4) -> (d0)>
// CHECK-LABEL: func.func @responsibilities
// CHECK-SAME:    %[[Q:[a-z0-9]+]]: tensor<?x4x?x8xf16>, %[[K:[a-z0-9]+]]: tensor<?x2x2x?x8xf16>, %[[P:[a-z0-9]+]]: tensor<4x2xf32>, %[[M:[a-z0-9]+]]: tensor<?x?xi1>, %[[N:[a-z0-9]+]]: tensor<?xi64>)
// CHECK-DAG:     %[[LEAST:.+]] = arith.constant -3.40282347E+38 : f32
// CHECK-DAG:     %[[ZERO:.+]] = arith.constant 0.000000e+00 : f32
// CHECK:         %[[APART:.+]] = tensor.expand_shape %[[Q]] {{\[\[0\], \[1, 2\], \[3\], \[4\]\]}}
// CHECK:         %[[BY_GROUP:.+]] = linalg.generic {{.*}} iterator_types = ["parallel", "parallel", "parallel", "parallel", "parallel", "parallel", "reduction"]} ins(%[[APART]], %[[K]] :
// CHECK:         %[[PRODUCTS:.+]] = tensor.collapse_shape %[[BY_GROUP]]
// CHECK:         %[[TERMS:.+]] = linalg.generic {{.*}} ins(%{{[a-z0-9_]+}}, %[[FACTORS:[a-z0-9_]+]] :
// CHECK:         linalg.fill ins(%[[LEAST]] : f32)
// CHECK:         %[[LARGEST:.+]] = linalg.generic {indexing_maps = [#[[EACH]], #{{.+}}, #[[OF_KEY]], #{{.+}}, #[[PLACE]]], iterator_types = ["parallel", "parallel", "parallel", "reduction", "parallel"]} ins(%[[PRODUCTS]], %[[FACTORS]], %[[TERMS]], %[[P]] :
// CHECK:         %[[EXPS:.+]] = linalg.generic {indexing_maps = [#[[EACH]], {{.*}} ins(%[[PRODUCTS]], %[[FACTORS]], %[[TERMS]], %[[P]], %[[LARGEST]] :
// CHECK:           arith.subf
// CHECK-NEXT:      math.exp
// CHECK:         %[[SUMS:.+]] = linalg.generic {indexing_maps = [#[[EACH]], #[[PLACE]]], {{.*}} ins(%[[EXPS]] :
// CHECK:         linalg.generic {indexing_maps = [#[[EACH]], #[[PLACE]], #[[MASK]], #[[LENGTH]], #[[TURNED]]], {{.*}} ins(%[[EXPS]], %[[SUMS]], %[[M]], %[[N]] :
// CHECK-NEXT:    ^bb0(%[[EXP:.+]]: f32, %[[SUM:.+]]: f32, %[[SEEN:.+]]: i1, %[[LENGTH:.+]]: i64, %{{.+}}: f16):
// CHECK-NEXT:      %[[OFF:.+]] = arith.cmpf oeq, %[[SUM]], %[[ZERO]]
// CHECK-NEXT:      %[[RATIO:.+]] = arith.divf %[[EXP]], %[[SUM]]
// CHECK-NEXT:      %[[SHARE:.+]] = arith.select %[[OFF]], %[[ZERO]], %[[RATIO]]
// CHECK-DAG:       linalg.index 2
// CHECK-DAG:       linalg.index 4
// CHECK:           arith.index_cast %[[LENGTH]]
// CHECK:           arith.andi %[[SEEN]],
// CHECK:           arith.select %{{.+}}, %[[SHARE]], %[[ZERO]]
// CHECK:           arith.truncf %{{.+}} : f32 to f16
func.func @responsibilities(%q: tensor<?x4x?x8xf16>, %k: tensor<?x2x2x?x8xf16>,
                            %p: tensor<4x2xf32>, %m: tensor<?x?xi1>,
                            %n: tensor<?xi64>) -> tensor<?x4x2x?x?xf16> {
  %g = attn.responsibilities %q, %k prior(%p : tensor<4x2xf32>)
      mask(%m : tensor<?x?xi1>) lengths(%n : tensor<?xi64>) causal
      : (tensor<?x4x?x8xf16>, tensor<?x2x2x?x8xf16>) -> tensor<?x4x2x?x?xf16>
  return %g : tensor<?x4x2x?x?xf16>
}

// -----

// Variances that are left out are sqrt(D), of products too; nothing is hidden.
// One product for all components: a query has a term of each shift.
// CHECK-LABEL: func.func @dot
// CHECK-SAME:    %[[Q:[a-z0-9]+]]: tensor<1x2x3x16xf32>, %[[B:[a-z0-9]+]]: tensor<2x2x16xf32>)
// CHECK-DAG:     %[[FACTORS:.+]] = arith.constant dense<2.500000e-01> : tensor<2xf32>
// CHECK:         linalg.generic {{.*}} ins(%[[Q]], %[[Q]] : {{.*}} outs(%{{.+}} : tensor<1x2x3x3xf32>)
// CHECK:         linalg.generic {{.*}} ins(%[[Q]], %[[B]] :
// CHECK-NOT:     arith.cmpi
// CHECK:         return
func.func @dot(%q: tensor<1x2x3x16xf32>, %b: tensor<2x2x16xf32>) -> tensor<1x2x2x3x3xf32> {
  %g = attn.responsibilities %q, %q shifted_by(%b : tensor<2x2x16xf32>) dot
      : (tensor<1x2x3x16xf32>, tensor<1x2x3x16xf32>) -> tensor<1x2x2x3x3xf32>
  return %g : tensor<1x2x2x3x3xf32>
}

// -----

// Sums in f64, of rows first, where a few terms may be added in f32, divided by as many places as there are.
// CHECK-DAG: #[[EACH:.+]] = affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d2, d3, d4)>
// CHECK-DAG: #[[ROW:.+]] = affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d2, d3)>
// CHECK-DAG: #[[ROWS:.+]] = affine_map<(d0, d1, d2, d3) -> (d2, d0, d1, d3)>
// CHECK-DAG: #[[PRIOR:.+]] = affine_map<(d0, d1, d2, d3) -> (d0, d1)>
// CHECK-DAG: #[[KEYS:.+]] = affine_map<(d0, d1, d2, d3, d4) -> (d3, d0, d1, d4, d2)>
// CHECK-DAG: #[[PER_KEY:.+]] = affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d2)>
// CHECK-LABEL: func.func @means
// CHECK-SAME:    %[[G:[a-z0-9]+]]: tensor<?x4x2x7x?xbf16>)
// CHECK:         %[[OF_ROWS:.+]] = linalg.generic {indexing_maps = [#[[EACH]], #[[ROW]]], iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction"]} ins(%[[G]] : {{.*}} outs(%{{.+}} : tensor<?x4x2x7xf64>) attrs = {attn.short_sums_in_f32}
// CHECK:           arith.extf %{{.+}} : bf16 to f32
// CHECK:           arith.extf %{{.+}} : f32 to f64
// CHECK:         %[[SUMS:.+]] = linalg.generic {indexing_maps = [#[[ROWS]], #[[PRIOR]]], iterator_types = ["parallel", "parallel", "reduction", "reduction"]} ins(%[[OF_ROWS]] : {{.*}} outs(%{{.+}} : tensor<4x2xf64>) {
// CHECK:         %[[BN:.+]] = arith.muli %{{.+}}, %c7
// CHECK:         %[[S:.+]] = tensor.dim %[[G]], %c4
// CHECK:         %[[BNS:.+]] = arith.muli %[[BN]], %[[S]]
// CHECK:         %[[COUNT:.+]] = arith.sitofp
// CHECK:         linalg.generic {{.*}} ins(%[[SUMS]] :
// CHECK:           arith.divf %{{.+}}, %[[COUNT]] : f64
// CHECK-NEXT:      arith.truncf %{{.+}} : f64 to f32
// CHECK:         linalg.generic {indexing_maps = [#[[KEYS]], #[[PER_KEY]]], iterator_types = ["parallel", "parallel", "parallel", "reduction", "reduction"]} ins(%[[G]] :
func.func @means(%g: tensor<?x4x2x7x?xbf16>) -> (tensor<4x2xbf16>, tensor<4x2x?xbf16>) {
  %0 = attn.prior_update %g : tensor<?x4x2x7x?xbf16> -> tensor<4x2xbf16>
  %1 = attn.prior_update %g per_key : tensor<?x4x2x7x?xbf16> -> tensor<4x2x?xbf16>
  return %0, %1 : tensor<4x2xbf16>, tensor<4x2x?xbf16>
}

// -----

// Columns against columns in f64, then squares of what they are off.
// CHECK-DAG: #[[LEFT:.+]] = affine_map<(d0, d1, d2) -> (d2, d0)>
// CHECK-DAG: #[[RIGHT:.+]] = affine_map<(d0, d1, d2) -> (d2, d1)>
// CHECK-LABEL: func.func @penalty
// CHECK-SAME:    %[[M:[a-z0-9]+]]: tensor<?x3xf32>)
// CHECK:         %[[GRAM:.+]] = linalg.generic {indexing_maps = [#[[LEFT]], #[[RIGHT]], #{{.+}}], iterator_types = ["parallel", "parallel", "reduction"]} ins(%[[M]], %[[M]] : {{.*}} outs(%{{.+}} : tensor<3x3xf64>)
// CHECK:         %[[TOTAL:.+]] = linalg.generic {{.*}} iterator_types = ["reduction", "reduction"]} ins(%[[GRAM]] :
// CHECK:           arith.cmpi eq
// CHECK-NEXT:      %[[UNIT:.+]] = arith.select
// CHECK-NEXT:      %[[OFF:.+]] = arith.subf %{{.+}}, %[[UNIT]] : f64
// CHECK-NEXT:      arith.mulf %[[OFF]], %[[OFF]] : f64
// CHECK:         linalg.generic {{.*}} iterator_types = []} ins(%[[TOTAL]] :
// CHECK:           arith.truncf %{{.+}} : f64 to f32
func.func @penalty(%m: tensor<?x3xf32>) -> tensor<f32> {
  %p = attn.orthogonal_penalty %m : tensor<?x3xf32> -> tensor<f32>
  return %p : tensor<f32>
}
