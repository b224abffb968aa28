// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The plain paths of attn.row_term and attn.project.
//
// RUN: mixattn-opt --attn-decompose --canonicalize --split-input-file %s \
// RUN:   | FileCheck %s --implicit-check-not=attn.

// Queries: (x . s - |x|^2 / 2) of each component, times its factor, plus a
// term of each component. Two heads share the shifts of one.
// CHECK-DAG: #[[ROW:.+]] = affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d3, d4)>
// CHECK-DAG: #[[SHIFT:.+]] = affine_map<(d0, d1, d2, d3, d4) -> (d1 floordiv 2, d2, d4)>
// CHECK-DAG: #[[SUM:.+]] = affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d2, d3)>
// CHECK-DAG: #[[EACH:.+]] = affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>
// CHECK-DAG: #[[COMPONENT:.+]] = affine_map<(d0, d1, d2, d3) -> (d2)>
// CHECK-LABEL: func.func @of_queries
// CHECK-SAME:    %[[X:[a-z0-9]+]]: tensor<?x4x?x8xbf16>, %[[S:[a-z0-9]+]]: tensor<2x3x8xf16>, %[[T:[a-z0-9]+]]: tensor<?x4x3x?xf16>)
// CHECK-DAG:     %[[HALF:.+]] = arith.constant -5.000000e-01 : f32
// CHECK-DAG:     %[[ZERO:.+]] = arith.constant 0.000000e+00 : f32
// CHECK-DAG:     %[[FACTORS:.+]] = arith.constant dense<[1.000000e+00, 5.000000e-01, 2.500000e-01]> : tensor<3xf32>
// CHECK:         %[[FILLED:.+]] = linalg.fill ins(%[[ZERO]] : f32)
// CHECK:         %[[SUMS:.+]] = linalg.generic {indexing_maps = [#[[ROW]], #[[SHIFT]], #[[SUM]]], iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction"]} ins(%[[X]], %[[S]] : {{.*}}) outs(%[[FILLED]] : tensor<?x4x3x?xf32>)
// CHECK-NEXT:    ^bb0(%[[IN:.+]]: bf16, %[[SHIFTED:.+]]: f16, %[[BEFORE:.+]]: f32):
// CHECK-DAG:       %[[WIDE:.+]] = arith.extf %[[IN]] : bf16 to f32
// CHECK-DAG:       %[[BY:.+]] = arith.extf %[[SHIFTED]] : f16 to f32
// CHECK:           %[[PRODUCT:.+]] = arith.mulf %[[WIDE]], %[[BY]] : f32
// CHECK-NEXT:      %[[WITH:.+]] = arith.addf %[[BEFORE]], %[[PRODUCT]] : f32
// CHECK-NEXT:      %[[HALVED:.+]] = arith.mulf %[[WIDE]], %[[HALF]] : f32
// CHECK-NEXT:      %[[SQUARE:.+]] = arith.mulf %[[WIDE]], %[[HALVED]] : f32
// CHECK-NEXT:      arith.addf %[[WITH]], %[[SQUARE]] : f32
// CHECK:         %[[R:.+]] = linalg.generic {indexing_maps = [#[[EACH]], #[[COMPONENT]], #[[EACH]], #[[EACH]]], {{.*}} ins(%[[SUMS]], %[[FACTORS]], %[[T]] :
// CHECK-NEXT:    ^bb0(%[[TOTAL:.+]]: f32, %[[FACTOR:.+]]: f32, %[[NARROW:.+]]: f16, %{{.+}}: f32):
// CHECK-DAG:       %[[SCALED:.+]] = arith.mulf %[[TOTAL]], %[[FACTOR]] : f32
// CHECK-DAG:       %[[TERM:.+]] = arith.extf %[[NARROW]] : f16 to f32
// CHECK:           arith.addf %[[SCALED]], %[[TERM]] : f32
// CHECK:         return %[[R]] : tensor<?x4x3x?xf32>
!x = tensor<?x4x?x8xbf16>
!t = tensor<?x4x3x?xf32>
func.func @of_queries(%x: !x, %s: tensor<2x3x8xf16>,
                      %term: tensor<?x4x3x?xf16>) -> !t {
  %0 = attn.row_term %x shifts(%s : tensor<2x3x8xf16>)
      term(%term : tensor<?x4x3x?xf16>) factors [1.0, 0.5, 0.25] has_square
      : !x -> !t
  return %0 : !t
}

// -----

// Keys: -|x + s|^2 / 2, and no product with the shift; plus a term that
// components share, and a prior that rows share.
// CHECK-DAG: #[[SHARED:.+]] = affine_map<(d0, d1, d2, d3) -> (d0, d1, d3)>
// CHECK-DAG: #[[PRIOR:.+]] = affine_map<(d0, d1, d2, d3) -> (d1, d2)>
// CHECK-LABEL: func.func @of_keys
// CHECK-SAME:    %[[X:[a-z0-9]+]]: tensor<1x2x5x8xf32>, %[[S:[a-z0-9]+]]: tensor<2x3x8xf32>, %[[T:[a-z0-9]+]]: tensor<1x2x5xf32>, %[[P:[a-z0-9]+]]: tensor<2x3xf16>)
// CHECK-DAG:     %[[HALF:.+]] = arith.constant -5.000000e-01 : f32
// CHECK:         linalg.generic {{.*}} ins(%[[X]], %[[S]] :
// CHECK-NEXT:    ^bb0(%[[IN:.+]]: f32, %[[BY:.+]]: f32, %[[BEFORE:.+]]: f32):
// CHECK-NEXT:      %[[MOVED:.+]] = arith.addf %[[IN]], %[[BY]] : f32
// CHECK-NEXT:      %[[HALVED:.+]] = arith.mulf %[[MOVED]], %[[HALF]] : f32
// CHECK-NEXT:      %[[SQUARE:.+]] = arith.mulf %[[MOVED]], %[[HALVED]] : f32
// CHECK-NEXT:      %[[SUM:.+]] = arith.addf %[[BEFORE]], %[[SQUARE]] : f32
// CHECK-NEXT:      linalg.yield %[[SUM]] : f32
// CHECK:         linalg.generic {indexing_maps = [#{{.+}}, #{{.+}}, #[[SHARED]], #[[PRIOR]], #{{.+}}], {{.*}} ins(%{{.+}}, %{{.+}}, %[[T]], %[[P]] :
// CHECK-NEXT:    ^bb0(%[[TOTAL:.+]]: f32, %[[FACTOR:.+]]: f32, %[[TERM:.+]]: f32, %[[NARROW:.+]]: f16, %{{.+}}: f32):
// CHECK-NEXT:      %[[SCALED:.+]] = arith.mulf %[[TOTAL]], %[[FACTOR]] : f32
// CHECK-NEXT:      %[[BOTH:.+]] = arith.addf %[[SCALED]], %[[TERM]] : f32
// CHECK-NEXT:      %[[LOG_PRIOR:.+]] = arith.extf %[[NARROW]] : f16 to f32
// CHECK-NEXT:      arith.addf %[[BOTH]], %[[LOG_PRIOR]] : f32
!x = tensor<1x2x5x8xf32>
!t = tensor<1x2x3x5xf32>
func.func @of_keys(%x: !x, %s: tensor<2x3x8xf32>, %term: tensor<1x2x5xf32>,
                   %prior: tensor<2x3xf16>) -> !t {
  %0 = attn.row_term %x shifts(%s : tensor<2x3x8xf32>)
      term(%term : tensor<1x2x5xf32>) prior(%prior : tensor<2x3xf16>)
      factors [1.0, 0.5, 0.25] of_keys has_square : !x -> !t
  return %0 : !t
}

// -----

// Each component has rows of its own.
// CHECK-DAG: #[[OWN:.+]] = affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d2, d3, d4)>
// CHECK-LABEL: func.func @of_components
// CHECK:         linalg.generic {indexing_maps = [#[[OWN]], #{{.+}}], {{.*}} ins(%{{.+}} : tensor<1x2x3x5x8xf32>)
// CHECK-NEXT:    ^bb0(%[[IN:.+]]: f32, %[[BEFORE:.+]]: f32):
// CHECK-NEXT:      %[[HALVED:.+]] = arith.mulf %[[IN]], %{{.+}} : f32
// CHECK-NEXT:      %[[SQUARE:.+]] = arith.mulf %[[IN]], %[[HALVED]] : f32
// CHECK-NEXT:      arith.addf %[[BEFORE]], %[[SQUARE]] : f32
!x = tensor<1x2x3x5x8xf32>
!t = tensor<1x2x3x5xf32>
func.func @of_components(%x: !x) -> !t {
  %0 = attn.row_term %x factors [1.0, 0.5, 0.25] of_keys has_square : !x -> !t
  return %0 : !t
}

// -----

// A shift alone is a product.
// CHECK-LABEL: func.func @products
// CHECK:         linalg.generic {{.*}} "reduction"
// CHECK-NEXT:    ^bb0(%[[IN:.+]]: f32, %[[BY:.+]]: f32, %[[BEFORE:.+]]: f32):
// CHECK-NEXT:      %[[PRODUCT:.+]] = arith.mulf %[[IN]], %[[BY]] : f32
// CHECK-NEXT:      %[[SUM:.+]] = arith.addf %[[BEFORE]], %[[PRODUCT]] : f32
// CHECK-NEXT:      linalg.yield %[[SUM]] : f32
!x = tensor<1x2x5x8xf32>
!t = tensor<1x2x3x5xf32>
func.func @products(%x: !x, %s: tensor<2x3x8xf32>) -> !t {
  %0 = attn.row_term %x shifts(%s : tensor<2x3x8xf32>) factors [1.0, 0.5, 0.25]
      : !x -> !t
  return %0 : !t
}

// -----

// A product of the projection and the sequence, in f32.
// CHECK-DAG: #[[PROJECTION:.+]] = affine_map<(d0, d1, d2, d3, d4) -> (d2, d4)>
// CHECK-DAG: #[[SEQUENCE:.+]] = affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d4, d3)>
// CHECK-DAG: #[[RESULT:.+]] = affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d2, d3)>
// CHECK-LABEL: func.func @projection
// CHECK-SAME:    %[[X:[a-z0-9]+]]: tensor<?x2x?x8xbf16>, %[[E:[a-z0-9]+]]: tensor<4x?xf16>)
// CHECK-DAG:     %[[BATCH:.+]] = tensor.dim %[[X]], %c0
// CHECK-DAG:     tensor.empty(%[[BATCH]]) : tensor<?x2x4x8xf32>
// CHECK:         %[[R:.+]] = linalg.generic {indexing_maps = [#[[PROJECTION]], #[[SEQUENCE]], #[[RESULT]]], iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction"]} ins(%[[E]], %[[X]] :
// CHECK-NEXT:    ^bb0(%[[LEFT:.+]]: f16, %[[RIGHT:.+]]: bf16, %[[BEFORE:.+]]: f32):
// CHECK-DAG:       %[[A:.+]] = arith.extf %[[LEFT]] : f16 to f32
// CHECK-DAG:       %[[B:.+]] = arith.extf %[[RIGHT]] : bf16 to f32
// CHECK:           %[[PRODUCT:.+]] = arith.mulf %[[A]], %[[B]] : f32
// CHECK-NEXT:      arith.addf %[[BEFORE]], %[[PRODUCT]] : f32
// CHECK:         return %[[R]]
!x = tensor<?x2x?x8xbf16>
!o = tensor<?x2x4x8xf32>
func.func @projection(%x: !x, %e: tensor<4x?xf16>) -> !o {
  %0 = attn.project %x by %e : !x, tensor<4x?xf16> -> !o
  return %0 : !o
}
