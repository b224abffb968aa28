// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// attn-expand-powers: a power with an integer exponent is a loop in its place.
// RUN: mixattn-opt %s --split-input-file --attn-expand-powers | FileCheck %s --implicit-check-not=fpowi --implicit-check-not=ipowi

// CHECK-NOT:   func.call
// CHECK-LABEL: func.func @float(
// CHECK:         cf.cond_br
// CHECK:         arith.mulf
// CHECK-NOT:     call
// CHECK-LABEL: func.func @integer(
// CHECK:         arith.muli
// CHECK-NOT:     call
// CHECK-NOT:   func.func
func.func @float(%x: f32, %n: i32) -> f32 {
  %y = math.fpowi %x, %n : f32, i32
  return %y : f32
}

// -----

func.func @integer(%x: i64, %n: i64) -> i64 {
  %y = math.ipowi %x, %n : i64
  return %y : i64
}
