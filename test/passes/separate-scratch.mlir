// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Tiles of a thread's scratch memory become allocations of their own.
//
// RUN: mixattn-opt --pass-pipeline='builtin.module(func.func(attn-separate-scratch))' %s | FileCheck %s

// CHECK-LABEL: func.func @tiles(
// CHECK-SAME:    %[[ROWS:[^:]+]]: index
// CHECK:         tile.grid
// CHECK:         scf.for
// CHECK-NEXT:      %[[FIXED:.+]] = memref.alloc() : memref<16x16xf32>
// CHECK-NEXT:      %[[SIZED:.+]] = memref.alloc(%[[ROWS]]) : memref<?x16xf32>
// CHECK-NEXT:      %[[VALUE:.+]] = memref.load %[[FIXED]]
// CHECK-NEXT:      memref.store %[[VALUE]], %[[SIZED]]
// CHECK-DAG:       memref.dealloc %[[FIXED]]
// CHECK-DAG:       memref.dealloc %[[SIZED]]
// CHECK-NEXT:    }
func.func @tiles(%rows: index, %bytes: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c1024 = arith.constant 1024 : index
  tile.grid %rows scratch %bytes {
  ^bb0(%item: index, %own: memref<?xi8>):
    scf.for %i = %c0 to %rows step %c1 {
      %fixed = memref.view %own[%c0][] : memref<?xi8> to memref<16x16xf32>
      %sized = memref.view %own[%c1024][%rows] : memref<?xi8> to memref<?x16xf32>
      %value = memref.load %fixed[%c0, %i] : memref<16x16xf32>
      memref.store %value, %sized[%c0, %i] : memref<?x16xf32>
    }
  }
  return
}

// Memory that is no item's own stays a view.
// CHECK-LABEL: func.func @shared(
// CHECK-NOT:     memref.alloc
// CHECK:         memref.view
func.func @shared(%all: memref<?xi8>, %x: f32) {
  %c0 = arith.constant 0 : index
  %table = memref.view %all[%c0][] : memref<?xi8> to memref<16xf32>
  memref.store %x, %table[%c0] : memref<16xf32>
  return
}
