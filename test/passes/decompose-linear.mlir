// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The plain path of linear attention, stage by stage.
//
// RUN: mixattn-opt --attn-decompose --canonicalize --cse --split-input-file %s | FileCheck %s

// Features in f32, states and what is read from them in f64; two query heads
// read one key head, two key heads one value head.
// CHECK-DAG: #[[FEATURE:.+]] = affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d2, d3)>
// CHECK-DAG: #[[VALUE:.+]] = affine_map<(d0, d1, d2, d3, d4) -> (d0, d1 floordiv 2, d2, d4)>
// CHECK-DAG: #[[STATE:.+]] = affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d3, d4)>
// CHECK-DAG: #[[READ:.+]] = affine_map<(d0, d1, d2, d3, d4) -> (d0, d1 floordiv 2, d3, d4)>
// CHECK-DAG: #[[RESULT:.+]] = affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d2, d4)>
// CHECK-LABEL: func.func @grouped
// CHECK-SAME:    %[[Q:[a-z0-9]+]]: tensor<?x4x?x8xbf16>, %[[K:[a-z0-9]+]]: tensor<?x2x?x8xbf16>, %[[V:[a-z0-9]+]]: tensor<?x1x?x6xf16>)
// CHECK-DAG:     %[[SCALE:.+]] = arith.constant 2.500000e-01 : f64
// CHECK-DAG:     %[[EPS:.+]] = arith.constant 1.000000e-05 : f64
// CHECK-DAG:     %[[ZERO:.+]] = arith.constant 0.000000e+00 : f64
// CHECK-DAG:     %[[NONE:.+]] = arith.constant 0.000000e+00 : f32
// CHECK-DAG:     %[[ONE:.+]] = arith.constant 1.000000e+00 : f32
// CHECK:         linalg.generic {{.*}} ins(%[[K]] :
// CHECK:         %[[KEYS:.+]] = linalg.generic
// CHECK-NEXT:    ^bb0(%[[X:.+]]: f32, %{{.+}}: f32):
// CHECK-NEXT:      %[[ABOVE:.+]] = arith.cmpf ogt, %[[X]], %[[NONE]] : f32
// CHECK-NEXT:      %[[LINE:.+]] = arith.addf %[[X]], %[[ONE]] : f32
// CHECK-NEXT:      %[[CURVE:.+]] = math.exp %[[X]] : f32
// CHECK-NEXT:      arith.select %[[ABOVE]], %[[LINE]], %[[CURVE]] : f32
// CHECK:         linalg.generic {{.*}} ins(%[[Q]] :
// CHECK:         %[[QUERIES:.+]] = linalg.generic
// CHECK:           math.exp
// CHECK:         %[[SUMS:.+]] = linalg.generic {indexing_maps = [#[[FEATURE]], #[[VALUE]], #[[STATE]]], iterator_types = ["parallel", "parallel", "reduction", "parallel", "parallel"]} ins(%[[KEYS]], %[[V]] : {{.*}} outs(%{{.+}} : tensor<?x2x8x6xf64>)
// CHECK:         %[[NORMS:.+]] = linalg.generic {{.*}} ins(%[[KEYS]] : {{.*}} outs(%{{.+}} : tensor<?x2x8xf64>)
// CHECK:         %[[DIVIDENDS:.+]] = linalg.generic {indexing_maps = [#[[FEATURE]], #[[READ]], #[[RESULT]]], iterator_types = ["parallel", "parallel", "parallel", "reduction", "parallel"]} ins(%[[QUERIES]], %[[SUMS]] :
// CHECK:         %[[DIVISORS:.+]] = linalg.generic {{.*}} ins(%[[QUERIES]], %[[NORMS]] :
// CHECK:         linalg.generic {{.*}} ins(%[[DIVIDENDS]], %[[DIVISORS]] :
// CHECK-NEXT:    ^bb0(%[[DIVIDEND:.+]]: f64, %[[DIVISOR:.+]]: f64, %{{.+}}: f16):
// CHECK-NEXT:      %[[DENOMINATOR:.+]] = arith.addf %[[DIVISOR]], %[[EPS]] : f64
// CHECK-NEXT:      %[[VANISHES:.+]] = arith.cmpf oeq, %[[DENOMINATOR]], %[[ZERO]] : f64
// CHECK-NEXT:      %[[RATIO:.+]] = arith.divf %[[DIVIDEND]], %[[DENOMINATOR]] : f64
// CHECK-NEXT:      %[[QUOTIENT:.+]] = arith.select %[[VANISHES]], %[[ZERO]], %[[RATIO]] : f64
// CHECK-NEXT:      arith.mulf %[[QUOTIENT]], %[[SCALE]] : f64
// CHECK-NEXT:      %[[SEES:.+]] = arith.cmpi sge
// CHECK-NEXT:      arith.select %[[SEES]]
// CHECK-NEXT:      arith.truncf %{{.+}} : f64 to f32
// CHECK-NEXT:      arith.truncf %{{.+}} : f32 to f16
!q = tensor<?x4x?x8xbf16>
!k = tensor<?x2x?x8xbf16>
!v = tensor<?x1x?x6xf16>
!o = tensor<?x4x?x6xf16>
func.func @grouped(%q: !q, %k: !k, %v: !v) -> !o {
  %o = attn.linear %q, %k, %v feature_map <elu> eps 1.0e-5 output_scale 0.25
      : (!q, !k, !v) -> !o
  return %o : !o
}

// -----

// Causal: a loop carries the state and what has been read; no tensor has both
// lengths, and none a state for each query. Keys before query 0 come first.
// CHECK-LABEL: func.func @causal
// CHECK-NOT:     tensor<1x2x7x9x
// CHECK-DAG:     %[[BEFORE:.+]] = arith.constant 2 : index
// CHECK-DAG:     %[[LAST:.+]] = arith.constant 7 : index
// CHECK:         tensor.extract_slice %{{.+}}[0, 0, 0, 0] [1, 2, 2, 8]
// CHECK:         scf.for %[[I:.+]] = %{{.+}} to %[[LAST]] step %{{.+}} iter_args(%[[SUMS:.+]] = %{{.+}}, %[[NORMS:.+]] = %{{.+}}, %[[DIVIDENDS:.+]] = %{{.+}}, %[[DIVISORS:.+]] = %{{.+}}) -> (tensor<1x2x8x8xf64>, tensor<1x2x8xf64>, tensor<1x2x7x8xf64>, tensor<1x2x7xf64>)
// CHECK:           %[[J:.+]] = arith.addi %[[I]], %[[BEFORE]] : index
// CHECK:           tensor.extract_slice %{{.+}}[0, 0, %[[J]], 0] [1, 2, 1, 8]
// CHECK:           %[[NEXT:.+]] = linalg.generic {{.*}} outs(%[[SUMS]] :
// CHECK:           linalg.generic {{.*}} outs(%[[NORMS]] :
// CHECK:           tensor.extract_slice %[[DIVIDENDS]][0, 0, %[[I]], 0]
// CHECK:           %[[ROW:.+]] = linalg.generic {{.*}} ins(%{{.+}}, %[[NEXT]] :
// CHECK:           tensor.insert_slice %[[ROW]] into %[[DIVIDENDS]][0, 0, %[[I]], 0]
!q = tensor<1x2x7x8xf32>
!k = tensor<1x2x9x8xf32>
func.func @causal(%q: !q, %k: !k) -> !q {
  %o = attn.linear %q, %k, %k feature_map <elu> causal : (!q, !k, !k) -> !q
  return %o : !q
}

// -----

// Nothing is read where there is no key; a slice of none would be invalid.
// CHECK-LABEL: func.func @causal_without_keys
// CHECK-NOT:     scf.for
// CHECK-NOT:     tensor.extract_slice
// CHECK:         return
!q = tensor<1x2x7x8xf32>
!k = tensor<1x2x0x8xf32>
func.func @causal_without_keys(%q: !q, %k: !k) -> !q {
  %o = attn.linear %q, %k, %k feature_map <elu> causal : (!q, !k, !k) -> !q
  return %o : !q
}

// -----

// Components add up in the state, with their prior; keys beyond the lengths
// leave it as it is.
// CHECK-LABEL: func.func @components
// CHECK-SAME:    %[[KEYS:[a-z0-9]+]]: tensor<1x2x3x9x8xf32>, %[[PRIOR:[a-z0-9]+]]: tensor<2x3x9xf32>, %[[N:[a-z0-9]+]]: tensor<1xi64>
// CHECK:         linalg.generic {{.*}} ins(%[[KEYS]] : tensor<1x2x3x9x8xf32>)
// CHECK:         linalg.generic {{.*}} iterator_types = ["parallel", "parallel", "reduction", "reduction", "parallel", "parallel"]} ins(%{{.+}}, %[[PRIOR]], %{{.+}}, %[[N]] :
// CHECK-NEXT:    ^bb0(%[[F:.+]]: f32, %[[P:.+]]: f32, %[[V:.+]]: f32, %[[LENGTH:.+]]: i64, %[[SUM:.+]]: f64):
// CHECK:           %[[MORE:.+]] = arith.addf %[[SUM]], %{{.+}} : f64
// CHECK:           %[[J:.+]] = linalg.index 3 : index
// CHECK:           %[[END:.+]] = arith.index_cast %[[LENGTH]] : i64 to index
// CHECK:           %[[COUNTS:.+]] = arith.cmpi slt, %[[J]], %[[END]] : index
// CHECK:           arith.select %[[COUNTS]], %[[MORE]], %[[SUM]] : f64
!q = tensor<1x2x7x8xf32>
!keys = tensor<1x2x3x9x8xf32>
func.func @components(%q: !q, %keys: !keys, %prior: tensor<2x3x9xf32>, %n: tensor<1xi64>,
                      %v: tensor<1x2x9x8xf32>) -> !q {
  %o = attn.linear_mixture_of_keys %q, %keys, %v prior(%prior : tensor<2x3x9xf32>)
      feature_map <relu> lengths(%n : tensor<1xi64>)
      : (!q, !keys, tensor<1x2x9x8xf32>) -> !q
  return %o : !q
}

// -----

// An MLP makes states of states; denominators have a mixer of their own.
// CHECK-LABEL: func.func @mlp
// CHECK-SAME:    %[[W1:[a-z0-9]+]]: tensor<2x3xf32>, %[[B1:[a-z0-9]+]]: tensor<3xf32>, %[[W2:[a-z0-9]+]]: tensor<3x4xf32>, %[[B2:[a-z0-9]+]]: tensor<4xf32>, %[[NORMALISER:[a-z0-9]+]]: tensor<2x4xf32>)
// CHECK:         %[[INIT:.+]] = linalg.generic {{.*}} ins(%[[B1]] :
// CHECK:         %[[HIDDEN:.+]] = linalg.generic {{.*}} ins(%[[W1]], %{{.+}} : {{.*}} outs(%[[INIT]] : tensor<1x3x8x8xf64>)
// CHECK:         linalg.generic {{.*}} ins(%[[B2]] :
// CHECK:         %[[STATE:.+]] = linalg.generic {{.*}} ins(%[[W2]], %[[HIDDEN]] :
// CHECK:           arith.maximumf
// CHECK:         %[[NORMS:.+]] = linalg.generic {{.*}} ins(%[[NORMALISER]], %{{.+}} :
// CHECK:         linalg.generic {{.*}} ins(%{{.+}}, %[[STATE]] :
// CHECK:         linalg.generic {{.*}} ins(%{{.+}}, %[[NORMS]] :
!q = tensor<1x4x7x8xf32>
!k = tensor<1x2x9x8xf32>
func.func @mlp(%q: !q, %k: !k, %w1: tensor<2x3xf32>, %b1: tensor<3xf32>, %w2: tensor<3x4xf32>,
               %b2: tensor<4xf32>, %n: tensor<2x4xf32>) -> !q {
  %o = attn.linear_admixture_heads %q, %k, %k
      mlp(%w1, %b1, %w2, %b2 : tensor<2x3xf32>, tensor<3xf32>, tensor<3x4xf32>, tensor<4xf32>)
      normaliser(%n : tensor<2x4xf32>) feature_map <elu> : (!q, !k, !k) -> !q
  return %o : !q
}

// -----

// Features of the other maps, of 3 numbers each: 3, then 2 * 2 * 3, then 2 * 5.
// CHECK-LABEL: func.func @maps
// CHECK:         arith.divf %{{.+}}, %{{.+}} : f64
// CHECK:         linalg.fill {{.*}} -> tensor<1x1x3x3xf64>
// CHECK:         tensor.collapse_shape %{{.+}} {{\[\[}}0], [1], [2], [3, 4]] : tensor<1x1x2x2x3xf32> into tensor<1x1x2x6xf32>
// CHECK:           arith.remui
// CHECK:         tensor.collapse_shape %{{.+}} {{\[\[}}0], [1], [2], [3, 4]] : tensor<1x1x2x2x6xf32> into tensor<1x1x2x12xf32>
// CHECK:         tensor.collapse_shape %{{.+}} {{\[\[}}0], [1], [2], [3, 4]] : tensor<1x1x2x2x5xf32> into tensor<1x1x2x10xf32>
!q = tensor<1x1x2x3xf32>
func.func @maps(%q: !q, %w: tensor<3x5xf32>) -> (!q, !q, !q) {
  %0 = attn.linear %q, %q, %q feature_map <normalized_elu> : (!q, !q, !q) -> !q
  %1 = attn.linear %q, %q, %q feature_map <dpfp, rolls = 2> : (!q, !q, !q) -> !q
  %2 = attn.linear %q, %q, %q feature_map <favor> favor(%w : tensor<3x5xf32>)
      : (!q, !q, !q) -> !q
  return %0, %1, %2 : !q, !q, !q
}

// -----

// Features that are given are read as they are.
// CHECK-LABEL: func.func @given
// CHECK-SAME:    %[[Q:[a-z0-9]+]]: tensor<1x1x2x3xf32>, %[[K:[a-z0-9]+]]: tensor<1x1x2x3xf32>)
// CHECK:         linalg.generic {{.*}} ins(%[[K]], %[[K]] :
// CHECK:         linalg.generic {{.*}} ins(%[[Q]], %{{.+}} :
!q = tensor<1x1x2x3xf32>
func.func @given(%q: !q, %k: !q) -> !q {
  %o = attn.linear_generic features(%q, %k : !q, !q) pool(%k : !q) -> !q
  return %o : !q
}
