// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// attn-loops-to-grids: linalg ops and copies become grids of a GPU.
// RUN: mixattn-opt %s --split-input-file --verify-diagnostics --attn-loops-to-grids --canonicalize | FileCheck %s

// A row of blocks for each place in the outer dims, an element a thread.
// CHECK-LABEL: func.func @pointwise
// CHECK-SAME:    %[[X:.+]]: memref<?x3x?xf32>, %[[Y:.+]]: memref<?x3x?xf32>
// CHECK-DAG:     %[[B:.+]] = memref.dim %[[X]], %c0
// CHECK-DAG:     %[[N:.+]] = memref.dim %[[X]], %c2
// CHECK-DAG:     %[[ROWS:.+]] = arith.muli %[[B]], %c3
// CHECK:         tile.grid %[[ROWS]], %[[PIECES:.+]] threads 128 {
// CHECK-NEXT:    ^bb0(%[[ROW:.+]]: index, %[[PIECE:.+]]: index):
// CHECK-DAG:       %[[J:.+]] = arith.remui %[[ROW]], %c3
// CHECK-DAG:       %[[I:.+]] = arith.divui %[[ROW]], %c3
// CHECK-DAG:       %[[THREAD:.+]] = gpu.thread_id x
// CHECK:           scf.for %[[K:.+]] = %{{.+}} to %{{.+}} step %c128
// CHECK:             memref.load %[[X]][%[[I]], %[[J]], %[[K]]]
// CHECK:             math.exp
// CHECK:             memref.store %{{.+}}, %[[Y]][%[[I]], %[[J]], %[[K]]]
func.func @pointwise(%x: memref<?x3x?xf32>, %y: memref<?x3x?xf32>) {
  linalg.exp ins(%x : memref<?x3x?xf32>) outs(%y : memref<?x3x?xf32>)
  return
}

// -----

// A thread sums up by itself, wherever the op has its sums.
#of = affine_map<(i, k, j) -> (i, k, j)>
#sum = affine_map<(i, k, j) -> (i, j)>

// CHECK-LABEL: func.func @reduction
// CHECK:         tile.grid %{{.+}}, %{{.+}} threads 128
// CHECK:           scf.for %[[J:.+]] =
// CHECK-NEXT:        scf.for %[[K:.+]] = %c0 to %c5
// CHECK-NEXT:          memref.load %{{.+}}[%[[I:.+]], %[[K]], %[[J]]]
// CHECK-NEXT:          memref.load %{{.+}}[%[[I]], %[[J]]]
func.func @reduction(%x: memref<4x5x6xf32>, %y: memref<4x6xf32>) {
  linalg.generic {indexing_maps = [#of, #sum],
                  iterator_types = ["parallel", "reduction", "parallel"]}
      ins(%x : memref<4x5x6xf32>) outs(%y : memref<4x6xf32>) {
  ^bb0(%in: f32, %out: f32):
    %s = arith.addf %in, %out : f32
    linalg.yield %s : f32
  }
  return
}

// -----

// One number is one thread's.
// CHECK-LABEL: func.func @number
// CHECK:         tile.grid %c1 {
// CHECK-NEXT:    ^bb0
// CHECK-NEXT:      memref.store
func.func @number(%x: memref<f32>, %zero: f32) {
  linalg.fill ins(%zero : f32) outs(%x : memref<f32>)
  return
}

// -----

// CHECK-LABEL: func.func @copy
// CHECK-NOT:     memref.copy
// CHECK:         tile.grid
func.func @copy(%x: memref<4xf32>, %y: memref<4xf32>) {
  memref.copy %x, %y : memref<4xf32> to memref<4xf32>
  return
}

// -----

// A row of a table by its number: one that is not there is the nearest.
#row = affine_map<(i, j) -> (i)>
#all = affine_map<(i, j) -> (i, j)>

// CHECK-LABEL: func.func @gather
// CHECK-SAME:    %[[TABLE:[a-z0-9]+]]: memref<?x4xf32>
// CHECK:         tile.grid
// CHECK:           %[[N:.+]] = memref.load %{{.+}}[%{{.+}}] : memref<?xi32>
// CHECK:           %[[WIDE:.+]] = arith.extsi %[[N]] : i32 to i64
// CHECK:           %[[SIZE:.+]] = arith.index_cast %{{.+}} : index to i64
// CHECK:           %[[LAST:.+]] = arith.subi %[[SIZE]], %c1_i64
// CHECK:           %[[LOW:.+]] = arith.minsi %[[WIDE]], %[[LAST]]
// CHECK:           %[[INSIDE:.+]] = arith.maxsi %[[LOW]], %c0_i64
// CHECK:           %[[PLACE:.+]] = arith.index_cast %[[INSIDE]] : i64 to index
// CHECK:           memref.load %[[TABLE]][%[[PLACE]], %{{.+}}]
func.func @gather(%table: memref<?x4xf32>, %n: memref<?xi32>,
                  %y: memref<?x4xf32>) {
  linalg.generic {indexing_maps = [#row, #all],
                  iterator_types = ["parallel", "parallel"]}
      ins(%n : memref<?xi32>) outs(%y : memref<?x4xf32>) {
  ^bb0(%number: i32, %out: f32):
    %row = arith.index_cast %number : i32 to index
    %column = linalg.index 1 : index
    %x = memref.load %table[%row, %column] : memref<?x4xf32>
    linalg.yield %x : f32
  }
  return
}

// -----

// Constants are written by a thread.
memref.global "private" constant @variances : memref<2x1xf32> = dense<[[8.0], [24.0]]>

// CHECK-LABEL: func.func @constant
// CHECK-DAG:     %[[EIGHT:.+]] = arith.constant 8.0
// CHECK-DAG:     %[[MORE:.+]] = arith.constant 2.4
// CHECK:         %[[BUFFER:.+]] = memref.alloc() : memref<2x1xf32>
// CHECK:         tile.grid %c1 {
// CHECK-NEXT:    ^bb0
// CHECK-NEXT:      memref.store %[[EIGHT]], %[[BUFFER]][%c0, %c0]
// CHECK-NEXT:      memref.store %[[MORE]], %[[BUFFER]][%c1, %c0]
// CHECK:         tile.grid
// CHECK:           memref.load %[[BUFFER]]
// CHECK:         memref.dealloc %[[BUFFER]]
func.func @constant(%y: memref<2x1xf32>) {
  %v = memref.get_global @variances : memref<2x1xf32>
  linalg.exp ins(%v : memref<2x1xf32>) outs(%y : memref<2x1xf32>)
  return
}

// -----

memref.global "private" constant @many : memref<2048xf32> = dense<1.0>

func.func @large(%y: memref<2048xf32>) {
  // expected-error @below {{is no constant of at most 1024 numbers, as a GPU's kernels write them}}
  %v = memref.get_global @many : memref<2048xf32>
  memref.copy %v, %y : memref<2048xf32> to memref<2048xf32>
  return
}
