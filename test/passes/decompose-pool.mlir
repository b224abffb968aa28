// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The plain path of attn.structured_pool: its matrix, one element after the
// other of its error, and sums of rows.
//
// RUN: mixattn-opt --attn-decompose --canonicalize --cse --split-input-file %s \
// RUN:   | FileCheck %s --implicit-check-not=attn.

// Two heads of the band read one value head. Entries of the band that lie
// beyond the rows have no weight, and are read nowhere.
// CHECK-DAG: #[[BAND:.+]] = affine_map<(d0, d1, d2, d3, d4) -> (d1, d2, d4)>
// CHECK-DAG: #[[RESULT:.+]] = affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d2, d3)>
// CHECK-LABEL: func.func @band
// CHECK-SAME:    %[[V:[a-z0-9]+]]: tensor<?x4x?x16xbf16>, %[[B:[a-z0-9]+]]: tensor<8x?x7xf16>)
// CHECK-DAG:     %[[ZERO:.+]] = arith.constant 0.000000e+00 : f32
// CHECK-DAG:     %[[TWO:.+]] = arith.constant 2 : index
// CHECK-DAG:     %[[HALF:.+]] = arith.constant 3 : index
// CHECK-DAG:     %[[ROWS:.+]] = tensor.dim %[[V]], %[[TWO]]
// CHECK:         %[[POOLED:.+]] = linalg.generic {indexing_maps = [#[[BAND]], #[[RESULT]]], iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction"]} ins(%[[B]] :
// CHECK-NEXT:    ^bb0(%[[IN:.+]]: f16, %[[SUM:.+]]: f32):
// CHECK-DAG:       %[[I:.+]] = linalg.index 2
// CHECK-DAG:       %[[T:.+]] = linalg.index 4
// CHECK:           %[[BACK:.+]] = arith.subi %[[T]], %[[HALF]]
// CHECK-NEXT:      %[[J:.+]] = arith.addi %[[I]], %[[BACK]]
// CHECK-NEXT:      %[[THERE:.+]] = arith.cmpi ult, %[[J]], %[[ROWS]]
// CHECK-NEXT:      %[[WIDE:.+]] = arith.extf %[[IN]] : f16 to f32
// CHECK-NEXT:      %[[WEIGHT:.+]] = arith.select %[[THERE]], %[[WIDE]], %[[ZERO]]
// CHECK-NEXT:      %[[ROW:.+]] = arith.select %[[THERE]], %[[J]], %[[I]]
// CHECK:           %[[HEAD:.+]] = arith.divui %{{.+}}, %[[TWO]]
// CHECK:           %[[VALUE:.+]] = tensor.extract %[[V]][%{{.+}}, %[[HEAD]], %[[ROW]], %{{.+}}]
// CHECK:           %[[NONE:.+]] = arith.cmpf oeq, %[[WEIGHT]], %[[ZERO]]
// CHECK-NEXT:      %[[TERM:.+]] = arith.mulf %[[WEIGHT]], %{{.+}}
// CHECK-NEXT:      %[[SEEN:.+]] = arith.select %[[NONE]], %[[ZERO]], %[[TERM]]
// CHECK-NEXT:      arith.addf %[[SUM]], %[[SEEN]]
// CHECK:         linalg.generic {{.*}} ins(%[[POOLED]] :
// CHECK:           arith.truncf %{{.+}} : f32 to bf16
func.func @band(%v: tensor<?x4x?x16xbf16>, %b: tensor<8x?x7xf16>) -> tensor<?x8x?x16xbf16> {
  %o = attn.structured_pool %v band(%b : tensor<8x?x7xf16>)
      : tensor<?x4x?x16xbf16> -> tensor<?x8x?x16xbf16>
  return %o : tensor<?x8x?x16xbf16>
}

// -----

// A table of columns: each row's own, then those of the windows, as far as
// they lie within the rows.
// CHECK-LABEL: func.func @windows
// CHECK-SAME:    %[[V:[a-z0-9]+]]: tensor<1x2x5x4xf32>, %[[T:[a-z0-9]+]]: tensor<?x3xi32>)
// CHECK-DAG:     %[[ROWS:.+]] = arith.constant 5 : index
// CHECK:         %[[OWN:.+]] = linalg.generic {{.*}} outs(%{{.+}} : tensor<5xi64>) {
// CHECK:           %[[I:.+]] = linalg.index 0
// CHECK-NEXT:      %[[SELF:.+]] = arith.index_cast %[[I]]
// CHECK-NEXT:      linalg.yield %[[SELF]]
// CHECK:         %[[TABLE:.+]] = scf.for %[[WINDOW:.+]] = {{.*}} iter_args(%[[BEFORE:.+]] = %[[OWN]]) -> (tensor<5xi64>)
// CHECK:           %[[NUMBER:.+]] = tensor.extract %[[T]][%[[WINDOW]], %{{.+}}] : tensor<?x3xi32>
// CHECK:           %[[WIDE:.+]] = arith.extsi %[[NUMBER]] : i32 to i64
// CHECK:           %[[LOW:.+]] = arith.maxsi %[[WIDE]], %c-1_i64
// CHECK:           %[[FEW:.+]] = arith.minsi %[[LOW]], %c2147483647_i64
// CHECK:           %[[COLUMN:.+]] = arith.index_cast %[[FEW]]
// CHECK:           %[[FIRST:.+]] = arith.index_cast
// CHECK:           %[[LENGTH:.+]] = arith.index_cast
// CHECK-NEXT:      %[[C:.+]] = arith.cmpi ult, %[[COLUMN]], %[[ROWS]]
// CHECK-NEXT:      %[[F:.+]] = arith.cmpi ult, %[[FIRST]], %[[ROWS]]
// CHECK-NEXT:      %[[THERE:.+]] = arith.andi %[[C]], %[[F]]
// CHECK-NEXT:      %[[REST:.+]] = arith.subi %[[ROWS]], %[[FIRST]]
// CHECK-NEXT:      %[[MOST:.+]] = arith.minsi %[[LENGTH]], %[[REST]]
// CHECK:           %[[SHOWN:.+]] = arith.maxsi %[[MOST]],
// CHECK:           %[[COUNT:.+]] = arith.select %[[THERE]], %[[SHOWN]],
// CHECK:           %[[BEGIN:.+]] = arith.select %[[THERE]], %[[FIRST]],
// CHECK:           %[[PART:.+]] = tensor.extract_slice %[[BEFORE]][%[[BEGIN]]] [%[[COUNT]]] [1]
// CHECK:           %[[FILLED:.+]] = linalg.fill {{.*}} outs(%[[PART]] :
// CHECK:           tensor.insert_slice %[[FILLED]] into %[[BEFORE]][%[[BEGIN]]] [%[[COUNT]]] [1]
// CHECK:         linalg.generic {{.*}} ins(%[[TABLE]] :
// CHECK-NEXT:    ^bb0(%[[J:.+]]: i64,
// CHECK:           %[[PLACE:.+]] = arith.index_cast %[[J]]
// CHECK:           tensor.extract %[[V]][%{{.+}}, %{{.+}}, %[[PLACE]], %{{.+}}]
func.func @windows(%v: tensor<1x2x5x4xf32>, %t: tensor<?x3xi32>) -> tensor<1x2x5x4xf32> {
  %o = attn.structured_pool %v windows(%t : tensor<?x3xi32>)
      : tensor<1x2x5x4xf32> -> tensor<1x2x5x4xf32>
  return %o : tensor<1x2x5x4xf32>
}

// -----

// Each element of the error adds to its row of all batch rows, and to the sum
// of its row, in f64; one that lies outside adds to nothing.
// CHECK-LABEL: func.func @normalised_error
// CHECK-SAME:    %[[V:[a-z0-9]+]]: tensor<?x2x5x4xf32>, %[[INDEX:[a-z0-9]+]]: tensor<?x3xi64>, %[[VALUE:[a-z0-9]+]]: tensor<?xf16>)
// CHECK-DAG:     %[[ZERO:.+]] = arith.constant 0.000000e+00 : f64
// CHECK-DAG:     %[[ONE:.+]] = arith.constant 1.000000e+00 : f64
// CHECK-DAG:     %[[HEADS:.+]] = arith.constant 2 : index
// CHECK-DAG:     %[[ROWS:.+]] = arith.constant 5 : index
// CHECK:         %[[SUMS:.+]] = linalg.fill ins(%[[ONE]] : f64)
// CHECK:         %[[ALL:.+]]:2 = scf.for %[[E:.+]] = {{.*}} iter_args(%[[O:.+]] = %[[V]], %[[S:.+]] = %[[SUMS]])
// CHECK:           %[[H:.+]] = arith.index_cast
// CHECK:           %[[I:.+]] = arith.index_cast
// CHECK:           %[[J:.+]] = arith.index_cast
// CHECK:           tensor.extract %[[VALUE]][%[[E]]]
// CHECK:           %[[X:.+]] = arith.extf %{{.+}} : f16 to f32
// CHECK:           arith.cmpi ult, %[[H]], %[[HEADS]]
// CHECK:           arith.cmpi ult, %[[I]], %[[ROWS]]
// CHECK:           arith.cmpi ult, %[[J]], %[[ROWS]]
// CHECK:           scf.if
// CHECK-DAG:         %[[ROW:.+]] = tensor.extract_slice %[[O]][0, %[[H]], %[[I]], 0]
// CHECK-DAG:         %[[READ:.+]] = tensor.extract_slice %[[V]][0, %[[H]], %[[J]], 0]
// CHECK:             %[[ADDED:.+]] = linalg.generic {{.*}} ins(%[[READ]] : {{.*}} outs(%[[ROW]] :
// CHECK:               arith.mulf %[[X]],
// CHECK:             tensor.insert_slice %[[ADDED]] into %[[O]][0, %[[H]], %[[I]], 0]
// CHECK:             %[[LAST:.+]] = tensor.extract %[[S]][%[[H]], %[[I]]]
// CHECK:             %[[WIDE:.+]] = arith.extf %[[X]] : f32 to f64
// CHECK:             %[[NEXT:.+]] = arith.addf %[[LAST]], %[[WIDE]]
// CHECK:             tensor.insert %[[NEXT]] into %[[S]][%[[H]], %[[I]]]
// CHECK:           } else {
// CHECK-NEXT:        scf.yield %[[O]], %[[S]]
// CHECK:         linalg.generic {{.*}} ins(%[[ALL]]#1 : {{.*}} outs(%[[ALL]]#0 :
// CHECK-NEXT:    ^bb0(%[[SUM:.+]]: f64, %[[POOLED:.+]]: f32):
// CHECK-NEXT:      %[[DIVIDEND:.+]] = arith.extf %[[POOLED]]
// CHECK-NEXT:      %[[VANISHES:.+]] = arith.cmpf oeq, %[[SUM]], %[[ZERO]]
// CHECK-NEXT:      %[[RATIO:.+]] = arith.divf %[[DIVIDEND]], %[[SUM]]
// CHECK-NEXT:      arith.select %[[VANISHES]], %[[ZERO]], %[[RATIO]]
func.func @normalised_error(%v: tensor<?x2x5x4xf32>, %index: tensor<?x3xi64>,
                            %value: tensor<?xf16>) -> tensor<?x2x5x4xf32> {
  %o = attn.structured_pool %v
      error(%index, %value : tensor<?x3xi64>, tensor<?xf16>) row_normalise
      : tensor<?x2x5x4xf32> -> tensor<?x2x5x4xf32>
  return %o : tensor<?x2x5x4xf32>
}

// -----

// A result's type may say more than the values' does.
// CHECK-LABEL: func.func @more
// CHECK:         %[[O:.+]] = tensor.cast %{{.+}} : tensor<?x2x?x4xf32> to tensor<3x2x5x4xf32>
// CHECK:         return %[[O]]
func.func @more(%v: tensor<?x2x?x4xf32>) -> tensor<3x2x5x4xf32> {
  %o = attn.structured_pool %v : tensor<?x2x?x4xf32> -> tensor<3x2x5x4xf32>
  return %o : tensor<3x2x5x4xf32>
}
