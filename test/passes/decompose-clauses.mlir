// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Terms that each clause adds to a score, and keys that it hides.
//
// RUN: mixattn-opt --attn-decompose --split-input-file %s \
// RUN:   | FileCheck %s --implicit-check-not=attn.

!q = tensor<1x2x3x4xf32>

// A bias is added to the scaled score; it broadcasts from the right, and a
// size of 1 repeats.
// CHECK-DAG: #[[BIAS:.+]] = affine_map<(d0, d1, d2, d3) -> (d1, 0, d3)>
// CHECK-LABEL: func.func @bias
// CHECK-SAME:    %[[BIAS_OPERAND:[a-z0-9]+]]: tensor<2x1x3xf16>)
// CHECK:         linalg.generic {indexing_maps = [#{{.+}}, #[[BIAS]], #{{.+}}]{{.*}} ins(%{{.+}}, %[[BIAS_OPERAND]] :
// CHECK-NEXT:    ^bb0(%{{.+}}: f32, %[[NARROW:.+]]: f16, %{{.+}}: f32):
// CHECK:           %[[SCALED:.+]] = arith.mulf
// CHECK-NEXT:      %[[WIDE:.+]] = arith.extf %[[NARROW]] : f16 to f32
// CHECK-NEXT:      %[[SCORE:.+]] = arith.addf %[[SCALED]], %[[WIDE]] : f32
// CHECK-NEXT:      linalg.yield %[[SCORE]] : f32
func.func @bias(%q: !q, %bias: tensor<2x1x3xf16>) -> !q {
  %o = attn.generic scores(%q, %q : !q, !q) bias(%bias : tensor<2x1x3xf16>)
      pool(%q : !q) -> !q
  return %o : !q
}

// -----

// Where the mask is false, the score is -inf. A mask of rank 0 holds for all.
// CHECK-DAG: #[[MASK:.+]] = affine_map<(d0, d1, d2, d3) -> ()>
// CHECK-LABEL: func.func @mask
// CHECK:         linalg.generic {indexing_maps = [#{{.+}}, #[[MASK]], #{{.+}}]
// CHECK-NEXT:    ^bb0(%{{.+}}: f32, %[[VISIBLE:.+]]: i1, %{{.+}}: f32):
// CHECK:           %[[SCORE:.+]] = arith.mulf
// CHECK-NEXT:      %[[HIDDEN:.+]] = arith.constant 0xFF800000 : f32
// CHECK-NEXT:      arith.select %[[VISIBLE]], %[[SCORE]], %[[HIDDEN]] : f32
!q = tensor<1x2x3x4xf32>
func.func @mask(%q: !q, %mask: tensor<i1>) -> !q {
  %o = attn.generic scores(%q, %q : !q, !q) mask(%mask : tensor<i1>)
      pool(%q : !q) -> !q
  return %o : !q
}

// -----

// Key j counts where j < lengths[b].
// CHECK-DAG: #[[BATCH:.+]] = affine_map<(d0, d1, d2, d3) -> (d0)>
// CHECK-LABEL: func.func @lengths
// CHECK:         linalg.generic {indexing_maps = [#{{.+}}, #[[BATCH]], #{{.+}}]
// CHECK-NEXT:    ^bb0(%{{.+}}: f32, %[[LENGTH:.+]]: i32, %{{.+}}: f32):
// CHECK:           %[[J:.+]] = linalg.index 3
// CHECK:           %[[COUNT:.+]] = arith.index_cast %[[LENGTH]] : i32 to index
// CHECK-NEXT:      %[[VISIBLE:.+]] = arith.cmpi slt, %[[J]], %[[COUNT]] : index
// CHECK:           arith.select %[[VISIBLE]]
!q = tensor<1x2x3x4xf32>
func.func @lengths(%q: !q, %n: tensor<1xi32>) -> !q {
  %o = attn.generic scores(%q, %q : !q, !q) lengths(%n : tensor<1xi32>)
      pool(%q : !q) -> !q
  return %o : !q
}

// -----

// Query i stands at key i + (S - N), and sees it and what is before.
// CHECK-LABEL: func.func @causal
// CHECK-SAME:    %[[Q:[a-z0-9]+]]: tensor<1x2x?x4xf32>, %[[K:[a-z0-9]+]]: tensor<1x2x?x4xf32>
// CHECK:         %[[N:.+]] = tensor.dim %[[Q]],
// CHECK:         %[[S:.+]] = tensor.dim %[[K]],
// CHECK:         %[[OFFSET:.+]] = arith.subi %[[S]], %[[N]] : index
// CHECK:           %[[I:.+]] = linalg.index 2
// CHECK:           %[[J:.+]] = linalg.index 3
// CHECK:           %[[OWN:.+]] = arith.addi %[[I]], %[[OFFSET]] : index
// CHECK-NEXT:      %[[VISIBLE:.+]] = arith.cmpi sle, %[[J]], %[[OWN]] : index
// CHECK:           arith.select %[[VISIBLE]]
!q = tensor<1x2x?x4xf32>
func.func @causal(%q: !q, %k: !q) -> !q {
  %o = attn.generic scores(%q, %k : !q, !q) causal pool(%k : !q) -> !q
  return %o : !q
}

// -----

// A band bounds the distance from that key on both sides.
// CHECK-LABEL: func.func @band
// CHECK:           %[[J:.+]] = linalg.index 3
// CHECK:           %[[OWN:.+]] = arith.addi
// CHECK-NEXT:      %[[BACK:.+]] = arith.constant -3 : index
// CHECK-NEXT:      %[[FIRST:.+]] = arith.addi %[[OWN]], %[[BACK]] : index
// CHECK-NEXT:      %[[LOW:.+]] = arith.cmpi sge, %[[J]], %[[FIRST]] : index
// CHECK-NEXT:      %[[AHEAD:.+]] = arith.constant 1 : index
// CHECK-NEXT:      %[[LAST:.+]] = arith.addi %[[OWN]], %[[AHEAD]] : index
// CHECK-NEXT:      %[[HIGH:.+]] = arith.cmpi sle, %[[J]], %[[LAST]] : index
// CHECK-NEXT:      %[[VISIBLE:.+]] = arith.andi %[[LOW]], %[[HIGH]] : i1
// CHECK:           arith.select %[[VISIBLE]]
!q = tensor<1x2x3x4xf32>
func.func @band(%q: !q) -> !q {
  %o = attn.generic scores(%q, %q : !q, !q) band <3, 1> pool(%q : !q) -> !q
  return %o : !q
}

// -----

// A score_mod is evaluated in f32 whatever type it is written in: conversions
// vanish, constants keep their value, what is read or captured is widened.
// CHECK-LABEL: func.func @score_mod
// CHECK-SAME:    %[[SLOPES:[a-z0-9]+]]: tensor<2xf16>, %[[CAPTURED:[a-z0-9]+]]: bf16)
// CHECK:         linalg.generic
// CHECK:           %[[H:.+]] = linalg.index 1
// CHECK:           %[[SCORE:.+]] = arith.mulf
// CHECK-NOT:       : bf16
// CHECK:           %[[WIDE:.+]] = arith.extf %[[CAPTURED]] : bf16 to f32
// CHECK-NEXT:      %[[HALF:.+]] = arith.constant 5.000000e-01 : f32
// CHECK-NEXT:      %[[NARROW:.+]] = tensor.extract %[[SLOPES]][%[[H]]] : tensor<2xf16>
// CHECK-NEXT:      %[[SLOPE:.+]] = arith.extf %[[NARROW]] : f16 to f32
// CHECK-NEXT:      %[[A:.+]] = arith.addf %[[SCORE]], %[[SLOPE]] : f32
// CHECK-NEXT:      %[[B:.+]] = arith.mulf %[[A]], %[[HALF]] : f32
// CHECK-NEXT:      %[[C:.+]] = arith.addf %[[B]], %[[WIDE]] : f32
// CHECK-NEXT:      linalg.yield %[[C]] : f32
!q = tensor<1x2x3x4xf32>
func.func @score_mod(%q: !q, %slopes: tensor<2xf16>, %x: bf16) -> !q {
  %o = attn.generic scores(%q, %q : !q, !q) score_mod {
  ^bb0(%s: bf16, %b: index, %h: index, %i: index, %j: index):
    %half = arith.constant 0.5 : bf16
    %narrow = tensor.extract %slopes[%h] : tensor<2xf16>
    %wide = arith.extf %narrow : f16 to f32
    %slope = arith.truncf %wide : f32 to bf16
    %0 = arith.addf %s, %slope : bf16
    %1 = arith.mulf %0, %half : bf16
    %2 = arith.addf %1, %x : bf16
    attn.yield %2 : bf16
  } pool(%q : !q) -> !q
  return %o : !q
}
