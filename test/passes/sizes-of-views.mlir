// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Sizes of views are those that they were made with.
//
// RUN: mixattn-opt --tile-sizes-of-views %s | FileCheck %s --implicit-check-not=memref.dim

// The rows of a part of a part, with other dims.
// CHECK-LABEL: func.func @chain(
// CHECK-SAME:      %[[X:.+]]: memref<?x?x192xf32>, %[[B:.+]]: index, %[[N:[a-z0-9]+]]: index)
// CHECK:         %[[ROWS:.+]] = arith.muli %[[B]], %[[N]]
// CHECK:         return %[[ROWS]], %[[N]]
func.func @chain(%x: memref<?x?x192xf32>, %b: index, %n: index) -> (index, index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %part = memref.subview %x[0, 0, 64] [%b, %n, 64] [1, 1, 1]
      : memref<?x?x192xf32> to memref<?x?x64xf32, strided<[?, 192, 1], offset: 64>>
  %heads = memref.expand_shape %part [[0], [1], [2, 3]] output_shape [%b, %n, 4, 16]
      : memref<?x?x64xf32, strided<[?, 192, 1], offset: 64>> into memref<?x?x4x16xf32, strided<[?, 192, 16, 1], offset: 64>>
  %one = memref.subview %heads[0, 0, 1, 0] [%b, %n, 1, 16] [1, 1, 1, 1]
      : memref<?x?x4x16xf32, strided<[?, 192, 16, 1], offset: 64>> to memref<?x?x16xf32, strided<[?, 192, 1], offset: 80>>
  %rows = memref.collapse_shape %one [[0, 1], [2]]
      : memref<?x?x16xf32, strided<[?, 192, 1], offset: 80>> into memref<?x16xf32, strided<[?, 1], offset: 80>>
  %r = memref.dim %rows, %c0 : memref<?x16xf32, strided<[?, 1], offset: 80>>
  %k = memref.dim %one, %c1 : memref<?x?x16xf32, strided<[?, 192, 1], offset: 80>>
  return %r, %k : index, index
}

// A cast that knows less, and a buffer.
// CHECK-LABEL: func.func @cast(
// CHECK-SAME:      %[[X:.+]]: memref<?x4xf32>)
// CHECK:         %[[N:.+]] = memref.dim %[[X]], %c0
// CHECK:         return %[[N]], %c4
func.func @cast(%x: memref<?x4xf32>) -> (index, index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %y = memref.cast %x : memref<?x4xf32> to memref<?x?xf32>
  %n = memref.dim %y, %c0 : memref<?x?xf32>
  %m = memref.dim %y, %c1 : memref<?x?xf32>
  return %n, %m : index, index
}
