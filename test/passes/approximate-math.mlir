// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Functions of libm that become polynomials, and those that do not.
// Their values are checked by approximate-math-values.test.
//
// RUN: mixattn-opt --attn-approximate-math %s | FileCheck %s

// CHECK-LABEL: func.func @polynomials
// CHECK-NOT:     math.{{erf|exp|exp2|expm1|log|log1p|log2|tanh}}{{ }}
// CHECK:         math.fma
// CHECK:         return
func.func @polynomials(%x: f32) -> (f32, f32, f32, f32, f32, f32, f32, f32) {
  %0 = math.exp %x : f32
  %1 = math.expm1 %x : f32
  %2 = math.log %x : f32
  %3 = math.log1p %x : f32
  %4 = math.log2 %x : f32
  %5 = math.tanh %x : f32
  %6 = math.exp2 %x : f32
  %7 = math.erf %x : f32
  return %0, %1, %2, %3, %4, %5, %6, %7 : f32, f32, f32, f32, f32, f32, f32, f32
}

// Instructions, and functions without a polynomial that holds over the whole
// range.
// CHECK-LABEL: func.func @others
// CHECK:         math.sqrt
// CHECK:         math.absf
// CHECK:         math.sin
// CHECK:         math.erfc
// CHECK:         math.powf
func.func @others(%x: f32) -> (f32, f32, f32, f32, f32) {
  %0 = math.sqrt %x : f32
  %1 = math.absf %x : f32
  %2 = math.sin %x : f32
  %3 = math.erfc %x : f32
  %4 = math.powf %x, %x : f32
  return %0, %1, %2, %3, %4 : f32, f32, f32, f32, f32
}

// CHECK-LABEL: func.func @wide
// CHECK:         math.exp %{{.+}} : f64
func.func @wide(%x: f64) -> f64 {
  %0 = math.exp %x : f64
  return %0 : f64
}
