// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Conversions between f16 and f32 in integer arithmetic. Their values are
// checked, over all of f16, by expand-f16-values.test.
//
// RUN: mixattn-opt --attn-expand-f16 %s | FileCheck %s

// CHECK-LABEL: func.func @widen
// CHECK-SAME:    %[[HALF:[a-z0-9]+]]: f16
// CHECK-NOT:     arith.extf
// CHECK:         %[[BITS:.+]] = arith.bitcast %[[HALF]] : f16 to i16
// CHECK:         arith.extui %[[BITS]] : i16 to i32
// CHECK:         %[[WIDE:.+]] = arith.bitcast %{{.+}} : i32 to f32
// CHECK:         return %[[WIDE]]
func.func @widen(%x: f16) -> f32 {
  %y = arith.extf %x : f16 to f32
  return %y : f32
}

// CHECK-LABEL: func.func @narrow
// CHECK-SAME:    %[[WIDE:[a-z0-9]+]]: f32
// CHECK-NOT:     arith.truncf
// CHECK:         arith.bitcast %[[WIDE]] : f32 to i32
// CHECK:         %[[BITS:.+]] = arith.trunci %{{.+}} : i32 to i16
// CHECK:         %[[HALF:.+]] = arith.bitcast %[[BITS]] : i16 to f16
// CHECK:         return %[[HALF]]
func.func @narrow(%x: f32) -> f16 {
  %y = arith.truncf %x : f32 to f16
  return %y : f16
}

// Lane by lane.
// CHECK-LABEL: func.func @lanes
// CHECK:         %[[BITS:.+]] = arith.bitcast %{{.+}} : vector<4xf16> to vector<4xi16>
// CHECK:         arith.extui %[[BITS]] : vector<4xi16> to vector<4xi32>
// CHECK-NOT:     arith.extf
// CHECK-NOT:     arith.truncf
// CHECK:         arith.trunci %{{.+}} : vector<4xi32> to vector<4xi16>
func.func @lanes(%x: vector<4xf16>, %y: vector<4xf32>)
    -> (vector<4xf32>, vector<4xf16>) {
  %0 = arith.extf %x : vector<4xf16> to vector<4xf32>
  %1 = arith.truncf %y : vector<4xf32> to vector<4xf16>
  return %0, %1 : vector<4xf32>, vector<4xf16>
}

// Other widths, and tensors.
// CHECK-LABEL: func.func @others
// CHECK-NEXT:    arith.extf %{{.+}} : bf16 to f32
// CHECK-NEXT:    arith.truncf %{{.+}} : f32 to bf16
// CHECK-NEXT:    arith.extf %{{.+}} : tensor<4xf16> to tensor<4xf32>
// CHECK-NEXT:    return
func.func @others(%x: bf16, %y: f32, %z: tensor<4xf16>)
    -> (f32, bf16, tensor<4xf32>) {
  %0 = arith.extf %x : bf16 to f32
  %1 = arith.truncf %y : f32 to bf16
  %2 = arith.extf %z : tensor<4xf16> to tensor<4xf32>
  return %0, %1, %2 : f32, bf16, tensor<4xf32>
}

// From f64 by way of f32, rounded to odd there.
// CHECK-LABEL: func.func @from_f64
// CHECK:         %[[NEAREST:.+]] = arith.truncf %{{.+}} : f64 to f32
// CHECK:         %[[ODD:.+]] = arith.ori %{{.+}}, %{{.+}} : i32
// CHECK:         arith.truncf %{{.+}} : f32 to bf16
func.func @from_f64(%x: f64) -> bf16 {
  %y = arith.truncf %x : f64 to bf16
  return %y : bf16
}

// CHECK-LABEL: func.func @to_f64
// CHECK:         arith.extf %{{.+}} : f32 to f64
func.func @to_f64(%x: f16) -> f64 {
  %y = arith.extf %x : f16 to f64
  return %y : f64
}
