// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Conversions of bf16 stay where the target has instructions for them.
//
// RUN: mixattn-opt %s --attn-expand-arith | FileCheck %s --check-prefixes=CHECK,BITS --implicit-check-not=arith.extf
// RUN: mixattn-opt %s --attn-set-target=features=avx512bf16,avx512vl --attn-expand-arith \
// RUN:   | FileCheck %s --check-prefixes=CHECK,INSTRUCTION

// CHECK-LABEL: func.func @convert
// BITS:          arith.shli
// BITS-NEXT:     arith.bitcast {{.*}} : i32 to f32
// INSTRUCTION:   arith.extf
func.func @convert(%x: bf16) -> f32 {
  %y = arith.extf %x : bf16 to f32
  return %y : f32
}

// CHECK-LABEL: func.func @ceiling
// CHECK-NOT:     arith.ceildivsi
// CHECK:         return
func.func @ceiling(%x: i32, %y: i32) -> i32 {
  %z = arith.ceildivsi %x, %y : i32
  return %z : i32
}
