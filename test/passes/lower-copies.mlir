// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Copies that involve strides become linalg, contiguous ones stay.
//
// RUN: mixattn-opt --attn-lower-copies %s | FileCheck %s

// CHECK-LABEL: func.func @from_strides
// CHECK-SAME:    %[[A:.+]]: memref<4x4xf32, strided<[8, 1]>>, %[[B:.+]]: memref<4x4xf32>
// CHECK-NOT:     memref.copy
// CHECK:         linalg.copy ins(%[[A]] : memref<4x4xf32, strided<[8, 1]>>) outs(%[[B]] : memref<4x4xf32>)
func.func @from_strides(%a: memref<4x4xf32, strided<[8, 1]>>,
                        %b: memref<4x4xf32>) {
  memref.copy %a, %b : memref<4x4xf32, strided<[8, 1]>> to memref<4x4xf32>
  return
}

// Sizes that are known on one side only; an offset is a stride's like.
// CHECK-LABEL: func.func @to_strides
// CHECK-NOT:     memref.copy
// CHECK:         linalg.copy
// CHECK:         linalg.copy
func.func @to_strides(%a: memref<?x4xi8>,
                      %b: memref<4x?xi8, strided<[?, 1], offset: ?>>,
                      %x: memref<f32>, %y: memref<f32, strided<[], offset: ?>>) {
  memref.copy %a, %b
      : memref<?x4xi8> to memref<4x?xi8, strided<[?, 1], offset: ?>>
  memref.copy %x, %y : memref<f32> to memref<f32, strided<[], offset: ?>>
  return
}

// CHECK-LABEL: func.func @contiguous
// CHECK-NOT:     linalg
// CHECK:         memref.copy
func.func @contiguous(%a: memref<?x4xf32>, %b: memref<?x4xf32>) {
  memref.copy %a, %b : memref<?x4xf32> to memref<?x4xf32>
  return
}

// Of unranked buffers nothing is known: they stay, too.
// CHECK-LABEL: func.func @unranked
// CHECK-NOT:     linalg
// CHECK:         memref.copy
func.func @unranked(%a: memref<*xf32>, %b: memref<*xf32>) {
  memref.copy %a, %b : memref<*xf32> to memref<*xf32>
  return
}
