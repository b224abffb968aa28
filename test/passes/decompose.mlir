// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Attention, unfused: the stages of the plain path. decompose-clauses.mlir has
// what single clauses add, decompose-scores.mlir what comes before the scale.
//
// RUN: mixattn-opt --attn-decompose --split-input-file %s \
// RUN:   | FileCheck %s --implicit-check-not=attn.

// All stages of attention with dynamic sizes and 16-bit operands, computed in
// f32; query head h reads key head h / 2 and the one value head.
// CHECK-DAG: #[[QUERY:.+]] = affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d2, d4)>
// CHECK-DAG: #[[KEY:.+]] = affine_map<(d0, d1, d2, d3, d4) -> (d0, d1 floordiv 2, d3, d4)>
// CHECK-DAG: #[[SCORE:.+]] = affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d2, d3)>
// CHECK-DAG: #[[ELEMENT:.+]] = affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>
// CHECK-DAG: #[[ROW:.+]] = affine_map<(d0, d1, d2, d3) -> (d0, d1, d2)>
// CHECK-DAG: #[[VALUE:.+]] = affine_map<(d0, d1, d2, d3, d4) -> (d0, d1 floordiv 4, d3, d4)>
// CHECK-LABEL: func.func @stages
// CHECK-SAME:    %[[Q:[a-z0-9]+]]: tensor<?x4x?x8xbf16>, %[[K:[a-z0-9]+]]: tensor<?x2x?x8xbf16>, %[[V:[a-z0-9]+]]: tensor<?x1x?x6xf16>

// Products over features.
// CHECK:         %[[PRODUCTS:.+]] = linalg.generic {indexing_maps = [#[[QUERY]], #[[KEY]], #[[SCORE]]], iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction"]}
// CHECK-SAME:      ins(%[[Q]], %[[K]] :
// CHECK-NEXT:    ^bb0(%[[QIN:.+]]: bf16, %[[KIN:.+]]: bf16, %[[SUM:.+]]: f32):
// CHECK-DAG:       %[[QWIDE:.+]] = arith.extf %[[QIN]] : bf16 to f32
// CHECK-DAG:       %[[KWIDE:.+]] = arith.extf %[[KIN]] : bf16 to f32
// CHECK:           %[[PRODUCT:.+]] = arith.mulf %[[QWIDE]], %[[KWIDE]] : f32
// CHECK-NEXT:      %[[NEXT:.+]] = arith.addf %[[SUM]], %[[PRODUCT]] fastmath<reassoc> : f32
// CHECK-NEXT:      linalg.yield %[[NEXT]] : f32

// Scale; no clause hides anything.
// CHECK:         %[[SCORES:.+]] = linalg.generic {{.*}} ins(%[[PRODUCTS]] :
// CHECK:           %[[SCALE:.+]] = arith.constant 5.000000e-01 : f32
// CHECK-NEXT:      %[[SCALED:.+]] = arith.mulf %{{.+}}, %[[SCALE]] : f32
// CHECK-NEXT:      linalg.yield %[[SCALED]] : f32

// The maximum of each row, from -2^127 up.
// CHECK:         %[[LEAST:.+]] = arith.constant -3.40282347E+38 : f32
// CHECK:         linalg.fill ins(%[[LEAST]] : f32)
// CHECK:         %[[MAX:.+]] = linalg.generic {indexing_maps = [#[[ELEMENT]], #[[ROW]]], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%[[SCORES]] :
// CHECK-NEXT:    ^bb0(%[[IN:.+]]: f32, %[[SOFAR:.+]]: f32):
// CHECK-NEXT:      %[[GREATER:.+]] = arith.cmpf ogt, %[[IN]], %[[SOFAR]] : f32
// CHECK-NEXT:      arith.select %[[GREATER]], %[[IN]], %[[SOFAR]] : f32

// Exponentials of the shifted scores, and their sum.
// CHECK:         %[[EXPS:.+]] = linalg.generic {indexing_maps = [#[[ELEMENT]], #[[ROW]], #[[ELEMENT]]], {{.*}} ins(%[[SCORES]], %[[MAX]] :
// CHECK:           %[[SHIFTED:.+]] = arith.subf
// CHECK-NEXT:      math.exp %[[SHIFTED]] : f32
// CHECK:         %[[ROWSUM:.+]] = linalg.generic {indexing_maps = [#[[ELEMENT]], #[[ROW]]], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%[[EXPS]] :
// CHECK:           arith.addf

// Weights: zeros where the sum is zero.
// CHECK:         %[[WEIGHTS:.+]] = linalg.generic {{.*}} ins(%[[EXPS]], %[[ROWSUM]] :
// CHECK-NEXT:    ^bb0(%[[EXP:.+]]: f32, %[[EXACT:.+]]: f64, %{{.+}}: f32):
// CHECK-NEXT:      %[[TOTAL:.+]] = arith.truncf %[[EXACT]] : f64 to f32
// CHECK-NEXT:      %[[ZERO:.+]] = arith.constant 0.000000e+00 : f32
// CHECK-NEXT:      %[[EMPTY:.+]] = arith.cmpf oeq, %[[TOTAL]], %[[ZERO]] : f32
// CHECK-NEXT:      %[[QUOTIENT:.+]] = arith.divf %[[EXP]], %[[TOTAL]] : f32
// CHECK-NEXT:      arith.select %[[EMPTY]], %[[ZERO]], %[[QUOTIENT]] : f32

// Products over keys, summed in f64: a weight of zero contributes nothing.
// CHECK:         %[[POOLED:.+]] = linalg.generic {indexing_maps = [#[[SCORE]], #[[VALUE]], #[[QUERY]]], iterator_types = ["parallel", "parallel", "parallel", "reduction", "parallel"]} ins(%[[WEIGHTS]], %[[V]] :
// CHECK-NEXT:    ^bb0(%[[WEIGHT:.+]]: f32, %[[VIN:.+]]: f16, %[[ACC:.+]]: f64):
// CHECK-NEXT:      %[[NIL:.+]] = arith.constant 0.000000e+00 : f32
// CHECK-NEXT:      %[[HIDDEN:.+]] = arith.cmpf oeq, %[[WEIGHT]], %[[NIL]] : f32
// CHECK-NEXT:      %[[VWIDE:.+]] = arith.extf %[[VIN]] : f16 to f32
// CHECK-NEXT:      %[[TERM:.+]] = arith.mulf %[[WEIGHT]], %[[VWIDE]] : f32
// CHECK-NEXT:      %[[SAFE:.+]] = arith.select %[[HIDDEN]], %[[NIL]], %[[TERM]] : f32
// CHECK-NEXT:      %[[TERM64:.+]] = arith.extf %[[SAFE]] : f32 to f64
// CHECK-NEXT:      arith.addf %[[ACC]], %[[TERM64]] : f64

// The result has the value's element type.
// CHECK:         %[[O:.+]] = linalg.generic {{.*}} ins(%[[POOLED]] :
// CHECK:           arith.truncf %{{.+}} : f32 to f16
// CHECK:         return %[[O]] : tensor<?x4x?x6xf16>
!q = tensor<?x4x?x8xbf16>
!k = tensor<?x2x?x8xbf16>
!v = tensor<?x1x?x6xf16>
!o = tensor<?x4x?x6xf16>
func.func @stages(%q: !q, %k: !k, %v: !v) -> !o {
  %o = attn.generic scores(%q, %k : !q, !k) scale 0.5 pool(%v : !v) -> !o
  return %o : !o
}

// -----

// A postmix lies between weights and pool: source heads are summed over.
// CHECK-DAG: #[[MIXER:.+]] = affine_map<(d0, d1, d2, d3, d4) -> (d4, d1)>
// CHECK-DAG: #[[SOURCE:.+]] = affine_map<(d0, d1, d2, d3, d4) -> (d0, d4, d2, d3)>
// CHECK-DAG: #[[MIXED:.+]] = affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d2, d3)>
// CHECK-LABEL: func.func @postmix
// CHECK-SAME:    %[[M:[a-z0-9]+]]: tensor<2x2xf32>)
// CHECK:           arith.divf
// CHECK:         %[[WEIGHTS:.+]] = linalg.generic {indexing_maps = [#[[MIXER]], #[[SOURCE]], #[[MIXED]]], iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction"]} ins(%[[M]], %{{.+}} :
// CHECK:           arith.mulf
// CHECK:         linalg.generic {{.*}} ins(%[[WEIGHTS]], %{{.+}} :
!q = tensor<1x2x3x4xf32>
func.func @postmix(%q: !q, %m: tensor<2x2xf32>) -> !q {
  %o = attn.generic scores(%q, %q : !q, !q) postmix(%m : tensor<2x2xf32>)
      pool(%q : !q) -> !q
  return %o : !q
}

// -----

// A postmix per row has its mixers made first, from the offset and products
// over the features of its source.
// CHECK-DAG: #[[SOURCE:.+]] = affine_map<(d0, d1, d2, d3, d4) -> (d0, d2, d1, d4)>
// CHECK-DAG: #[[WEIGHT:.+]] = affine_map<(d0, d1, d2, d3, d4) -> (d4, d3)>
// CHECK-DAG: #[[OFFSET:.+]] = affine_map<(d0, d1, d2, d3) -> (d2, d3)>
// CHECK-DAG: #[[MIXER:.+]] = affine_map<(d0, d1, d2, d3, d4) -> (d0, d2, d4, d1)>
// CHECK-LABEL: func.func @postmix_by_row
// CHECK-SAME:    %[[Q:[a-z0-9]+]]: tensor<1x2x3x4xbf16>, %[[W:[a-z0-9]+]]: tensor<4x2xf32>, %[[B:[a-z0-9]+]]: tensor<2x2xf32>)
// CHECK:         %[[START:.+]] = linalg.generic {indexing_maps = [#[[OFFSET]], {{.*}} ins(%[[B]] : tensor<2x2xf32>)
// CHECK:         %[[MIXERS:.+]] = linalg.generic {indexing_maps = [#[[SOURCE]], #[[WEIGHT]], {{.*}} ins(%[[Q]], %[[W]] : {{.*}} outs(%[[START]] :
// CHECK:         linalg.generic {indexing_maps = [#[[MIXER]], {{.*}} ins(%[[MIXERS]], %{{.+}} :
!q = tensor<1x2x3x4xbf16>
!m = tensor<2x2xf32>
func.func @postmix_by_row(%q: !q, %w: tensor<4x2xf32>, %b: !m) -> !q {
  %o = attn.generic scores(%q, %q : !q, !q)
      postmix_by_row(%q, %w, %b : !q, tensor<4x2xf32>, !m) pool(%q : !q) -> !q
  return %o : !q
}

// -----

// Named ops decompose as well, and a result's type may differ in what it says
// of its sizes.
// CHECK-LABEL: func.func @named
// CHECK:         %[[O:.+]] = tensor.cast %{{.+}} : tensor<1x2x3x4xf32> to tensor<?x2x3x4xf32>
// CHECK:         return %[[O]]
!q = tensor<1x2x3x4xf32>
func.func @named(%q: !q, %m: tensor<2x2xf32>) -> tensor<?x2x3x4xf32> {
  %0 = attn.softmax %q, %q, %q : (!q, !q, !q) -> !q
  %1 = attn.mix_heads %0, %q, %q mixer(%m : tensor<2x2xf32>)
      : (!q, !q, !q) -> tensor<?x2x3x4xf32>
  return %1 : tensor<?x2x3x4xf32>
}
