// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Parts of the workspace with other dims are parts of it.
//
// RUN: mixattn-opt --tile-fold-reshapes %s | FileCheck %s

// CHECK-LABEL: func.func @collapse(
// CHECK-SAME:      %[[W:.+]]: memref<?xi8>, %[[N:.+]]: index, %[[B:.+]]: index)
// CHECK:         %[[ROWS:.+]] = arith.muli %[[N]], %{{.+}} : index
// CHECK:         %[[Y:.+]] = memref.view %[[W]][%[[B]]][%[[ROWS]]] : memref<?xi8> to memref<?x8xf32>
// CHECK-NOT:     memref.dim
// CHECK:         return %[[Y]]
func.func @collapse(%w: memref<?xi8>, %n: index, %b: index) -> memref<?x8xf32> {
  %x = memref.view %w[%b][%n] : memref<?xi8> to memref<?x4x8xf32>
  %y = memref.collapse_shape %x [[0, 1], [2]] : memref<?x4x8xf32> into memref<?x8xf32>
  return %y : memref<?x8xf32>
}

// Twice.
// CHECK-LABEL: func.func @expand(
// CHECK-SAME:      %[[W:.+]]: memref<?xi8>, %[[N:.+]]: index, %[[B:.+]]: index)
// CHECK-NOT:     shape
// CHECK:         %[[Z:.+]] = memref.view %[[W]][%[[B]]][%[[N]]] : memref<?xi8> to memref<?x4x2x8xf32>
// CHECK-NOT:     shape
// CHECK:         return %[[Z]]
func.func @expand(%w: memref<?xi8>, %n: index, %b: index) -> memref<?x4x2x8xf32> {
  %x = memref.view %w[%b][%n] : memref<?xi8> to memref<?x64xf32>
  %y = memref.expand_shape %x [[0], [1, 2]] output_shape [%n, 8, 8] : memref<?x64xf32> into memref<?x8x8xf32>
  %z = memref.expand_shape %y [[0], [1, 2], [3]] output_shape [%n, 4, 2, 8]
      : memref<?x8x8xf32> into memref<?x4x2x8xf32>
  return %z : memref<?x4x2x8xf32>
}

// CHECK-LABEL: func.func @argument
// CHECK:         memref.expand_shape
func.func @argument(%x: memref<?x64xf32>, %n: index) -> memref<?x8x8xf32> {
  %y = memref.expand_shape %x [[0], [1, 2]] output_shape [%n, 8, 8] : memref<?x64xf32> into memref<?x8x8xf32>
  return %y : memref<?x8x8xf32>
}
