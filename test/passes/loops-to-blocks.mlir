// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// attn-loops-to-blocks: loops over positions become those of one block.
// RUN: mixattn-opt %s --split-input-file --attn-loops-to-blocks --canonicalize | FileCheck %s

// Threads share elements, one writes a number, and all meet around writes.
// CHECK-LABEL: func.func @walk
// CHECK-SAME:    %[[X:.+]]: memref<?x4xf32>, %[[Y:.+]]: memref<4xf32>, %[[SUM:.+]]: memref<1xf32>, %[[N:.+]]: index
// CHECK:         tile.grid %c1 threads 512 {
// CHECK:           %[[THREAD:.+]] = gpu.thread_id x
// CHECK:           scf.for %[[I:.+]] = %c0 to %[[N]] step %c1 {
// CHECK:             gpu.barrier
// CHECK-NEXT:        scf.for %[[E:.+]] = %[[THREAD]] to %c4 step %c512 {
// CHECK:               memref.store %{{.+}}, %[[Y]][%[[E]]]
// CHECK:             }
// CHECK-NEXT:        gpu.barrier
// CHECK-NEXT:        %[[OLD:.+]] = memref.load %[[SUM]][%c0]
// CHECK-NEXT:        %[[NEW:.+]] = arith.addf %[[OLD]]
// CHECK-NEXT:        gpu.barrier
// CHECK-NEXT:        %[[FIRST:.+]] = arith.cmpi eq, %[[THREAD]], %c0
// CHECK-NEXT:        scf.if %[[FIRST]] {
// CHECK-NEXT:          memref.store %[[NEW]], %[[SUM]][%c0]
// CHECK-NEXT:        }
// CHECK-NEXT:        gpu.barrier
// CHECK-NEXT:      }
func.func @walk(%x: memref<?x4xf32>, %y: memref<4xf32>, %sum: memref<1xf32>,
                %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.for %i = %c0 to %n step %c1 {
    %row = memref.subview %x[%i, 0] [1, 4] [1, 1]
        : memref<?x4xf32> to memref<4xf32, strided<[1], offset: ?>>
    linalg.add ins(%row, %y : memref<4xf32, strided<[1], offset: ?>>,
                              memref<4xf32>) outs(%y : memref<4xf32>)
    %old = memref.load %sum[%c0] : memref<1xf32>
    %new = arith.addf %old, %old : f32
    memref.store %new, %sum[%c0] : memref<1xf32>
  }
  return
}

// -----

// Buffers of steps are there before the loop; so are conditions in it.
// CHECK-LABEL: func.func @buffers
// CHECK:         %[[BUFFER:.+]] = memref.alloc(%{{.+}})
// CHECK-NEXT:    tile.grid
// CHECK:           scf.for
// CHECK:             scf.if
// CHECK:               gpu.barrier
// CHECK:               memref.store %{{.+}}, %[[BUFFER]]
// CHECK:         memref.dealloc %[[BUFFER]]
func.func @buffers(%x: memref<?xf32>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.for %i = %c0 to %n step %c1 {
    %size = memref.dim %x, %c0 : memref<?xf32>
    %isThere = arith.cmpi slt, %i, %size : index
    %buffer = memref.alloc(%size) : memref<?xf32>
    scf.if %isThere {
      memref.copy %x, %buffer : memref<?xf32> to memref<?xf32>
      linalg.exp ins(%buffer : memref<?xf32>) outs(%x : memref<?xf32>)
    }
    memref.dealloc %buffer : memref<?xf32>
  }
  return
}

// -----

// Grids, and numbers that steps hand on, stay where they are.
// CHECK-LABEL: func.func @others
// CHECK-NOT:     tile.grid %c1
// CHECK:         scf.for
// CHECK:         scf.for
// CHECK-NEXT:      tile.grid
func.func @others(%x: memref<?xf32>, %n: index, %zero: f32) -> f32 {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %sum = scf.for %i = %c0 to %n step %c1 iter_args(%s = %zero) -> (f32) {
    %e = memref.load %x[%i] : memref<?xf32>
    %t = arith.addf %s, %e : f32
    memref.store %t, %x[%i] : memref<?xf32>
    scf.yield %t : f32
  }
  scf.for %i = %c0 to %n step %c1 {
    tile.grid %n threads 128 {
    ^bb0(%item: index):
      memref.store %zero, %x[%item] : memref<?xf32>
    }
  }
  return %sum : f32
}
