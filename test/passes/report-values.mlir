// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A GPU tells of values out of range where no kernel of an attention does.
//
// RUN: mixattn-opt --split-input-file --attn-report-values %s | FileCheck %s

// Bounds are numbers and dims; numbers of fewer bits are compared in 64.
// CHECK-LABEL: func.func @f(
// CHECK-SAME:    %[[X:[a-z0-9]+]]: memref<2x?xf32>
// CHECK-SAME:    %[[PLACES:[a-z0-9]+]]: memref<?x3xi32, strided<[?, 1]>>
// CHECK-DAG:     %[[ROWS:.+]] = memref.dim %[[PLACES]], %c0
// CHECK:         %[[COUNT:.+]] = arith.muli %[[ROWS]], %c3
// CHECK:         tile.grid %[[COUNT]] {
// CHECK-NEXT:    ^bb0(%[[ITEM:.+]]: index):
// CHECK:           %[[COLUMN:.+]] = arith.remui %[[ITEM]], %c3
// CHECK:           %[[ROW:.+]] = arith.divui %[[ITEM]], %c3
// CHECK:           %[[HELD:.+]] = memref.load %[[PLACES]][%[[ROW]], %[[COLUMN]]]
// CHECK:           %[[VALUE:.+]] = arith.extsi %[[HELD]] : i32 to i64
// CHECK:           %[[LOW:.+]] = arith.constant -2 : i64
// CHECK:           %[[BELOW:.+]] = arith.cmpi slt, %[[VALUE]], %[[LOW]]
// CHECK:           %[[SIZE:.+]] = memref.dim %[[X]], %c1
// CHECK:           %[[HIGH:.+]] = arith.index_cast %[[SIZE]]
// CHECK:           %[[ABOVE:.+]] = arith.cmpi sgt, %[[VALUE]], %[[HIGH]]
// CHECK:           %[[BAD:.+]] = arith.ori %[[BELOW]], %[[ABOVE]]
// CHECK:           tile.report %[[BAD]] of %[[PLACES]] : memref<?x3xi32, strided<[?, 1]>>
func.func @f(%x: memref<2x?xf32> {attn.name = "x", attn.dims = ["S"]},
             %places: memref<?x3xi32, strided<[?, 1]>> {attn.name = "p", attn.dims = ["E"], attn.range = [-2, "S"]}) {
  return
}

// -----

// One number.
// CHECK-LABEL: func.func @scalar(
// CHECK:         tile.grid %c1{{.*}} {
// CHECK:           memref.load %{{.+}}[] : memref<i64>
func.func @scalar(%x: memref<i64> {attn.name = "x", attn.range = [0, 5]}) {
  return
}

// -----

// A kernel that clamps a length reports it.
// CHECK-LABEL: func.func @reported(
// CHECK-COUNT-1: tile.grid
// CHECK-NOT:     tile.grid
func.func @reported(%n: memref<4xi64> {attn.name = "n", attn.range = [0, 5]}, %isBad: i1) {
  %open = memref.cast %n : memref<4xi64> to memref<?xi64>
  %c1 = arith.constant 1 : index
  tile.grid %c1 threads 128 {
  ^bb0(%item: index):
    tile.report %isBad of %open : memref<?xi64>
  }
  return
}

// -----

// A prior is looked at: each element, and each head up to the first that is on.
// CHECK-LABEL: func.func @prior(
// CHECK-SAME:    %[[P:[a-z0-9]+]]: memref<3x2xbf16>
// CHECK:         tile.grid %c6 {
// CHECK:           %[[WIDE:.+]] = arith.extf %{{.+}} : bf16 to f32
// CHECK:           %[[BAD:.+]] = arith.cmpf ult, %[[WIDE]], %
// CHECK:           tile.report %[[BAD]] of %[[P]]
// CHECK:         tile.grid %c3{{.*}} {
// CHECK:           scf.while
// CHECK:             arith.cmpf ogt
// CHECK:           tile.report
func.func @prior(%p: memref<3x2xbf16> {attn.name = "p", attn.holds = {kind = "prior"}}) {
  return
}
