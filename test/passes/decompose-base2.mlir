// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Scores that are logarithms to base 2, and results wider than their values.
//
// RUN: mixattn-opt --attn-decompose --split-input-file %s \
// RUN:   | FileCheck %s --implicit-check-not=attn.

// Powers of 2 and logarithms to base 2 wherever exponentials would stand; lse
// is the natural logarithm.
// CHECK-LABEL: func.func @components
// CHECK:         math.exp2
// CHECK:         math.log2
// CHECK:         math.exp2
// CHECK:         %[[LOG:.+]] = math.log2
// CHECK-NEXT:    %[[LSE:.+]] = arith.addf %{{.+}}, %[[LOG]] : f32
// CHECK-NEXT:    %[[LN2:.+]] = arith.constant 0.693147182 : f32
// CHECK-NEXT:    arith.mulf %[[LSE]], %[[LN2]] : f32
// CHECK-NOT:     math.{{exp|log}}{{ }}
!q = tensor<1x2x3x4xf32>
func.func @components(%q: !q, %k: tensor<1x2x2x3x4xf32>)
    -> (!q, tensor<1x2x3xf32>) {
  %o, %lse = attn.generic scores(%q, %k : !q, tensor<1x2x2x3x4xf32>)
      scale 1.0 base2 pool(%q : !q) -> !q lse tensor<1x2x3xf32>
  return %o, %lse : !q, tensor<1x2x3xf32>
}

// -----

// No rounding to 16 bits.
// CHECK-LABEL: func.func @wide
// CHECK-NOT:     to bf16
// CHECK:         return %{{.+}} : tensor<1x2x3x4xf32>
!q = tensor<1x2x3x4xbf16>
func.func @wide(%q: !q) -> tensor<1x2x3x4xf32> {
  %o = attn.generic scores(%q, %q : !q, !q) pool(%q : !q)
      -> tensor<1x2x3x4xf32>
  return %o : tensor<1x2x3x4xf32>
}
