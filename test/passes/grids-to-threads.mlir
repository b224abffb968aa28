// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Threads share the items of grids; what they have for themselves is one
// allocation.
//
// RUN: mixattn-opt --split-input-file --verify-diagnostics --tile-grids-to-threads %s | FileCheck %s

// CHECK-LABEL: func.func @scratch(
// CHECK-SAME:    %{{.+}}: memref<?xf32>, %[[N:.+]]: index, %[[BYTES:.+]]: index, %[[LARGE:.+]]: i1)
// CHECK:         %[[THREADS:.+]] = call @omp_get_max_threads()
// CHECK:         %[[COUNTERS:.+]] = memref.alloca(%{{.+}}) {alignment = 64 : i64} : memref<?xi64>
// CHECK:         arith.addi %[[BYTES]], %c63
// CHECK:         arith.muli %{{.+}}, %c64
// CHECK:         %[[ALL:.+]] = memref.alloc(%{{.+}}) {alignment = 64 : i64} : memref<?xi8>
// A part of the items for each thread, or one of all.
// CHECK:         %[[ASKED:.+]] = arith.index_cast %[[THREADS]]
// CHECK:         %[[PARTS:.+]] = arith.select %[[LARGE]], %[[ASKED]], %c1
// CHECK:         %[[FEWEST:.+]] = arith.divui %[[N]], %[[PARTS]]
// CHECK:         %[[LONGER:.+]] = arith.remui %[[N]], %[[PARTS]]
// CHECK:         scf.for %{{.+}} = %{{.+}} to %[[PARTS]]
// CHECK:           memref.store %{{.+}}, %[[COUNTERS]][
// CHECK:         omp.parallel if(%[[LARGE]]) num_threads(%[[THREADS]] : i32) {
// CHECK:           %[[OWN:.+]] = func.call @__kmpc_bound_thread_num(
// CHECK:           %[[NUMBER:.+]] = arith.index_cast %[[OWN]]
// CHECK:           %[[SCRATCH:.+]] = memref.view %[[ALL]][%{{.+}}][%{{.+}}] : memref<?xi8> to memref<?xi8>
// Its own part first, then the others.
// CHECK:           scf.for %[[I:.+]] = %{{.+}} to %[[PARTS]]
// CHECK:             %[[AFTER:.+]] = arith.addi %[[NUMBER]], %[[I]]
// CHECK:             %[[PART:.+]] = arith.remui %[[AFTER]], %[[PARTS]]
// CHECK:             %[[WHOLE:.+]] = arith.muli %[[PART]], %[[FEWEST]]
// CHECK:             %[[MORE:.+]] = arith.minsi %[[PART]], %[[LONGER]]
// CHECK:             %[[FIRST:.+]] = arith.addi %[[WHOLE]], %[[MORE]]
// CHECK:             arith.cmpi slt, %[[PART]], %[[LONGER]]
// CHECK:             %[[END:.+]] = arith.addi %[[FEWEST]],
// CHECK:             %[[LINE:.+]] = arith.muli %[[PART]], %c8
// CHECK:             scf.while
// CHECK:               %[[NEXT:.+]] = memref.atomic_rmw addi %{{.+}}, %[[COUNTERS]][%[[LINE]]]
// CHECK:               %[[TURN:.+]] = arith.index_cast %[[NEXT]] : i64 to index
// CHECK:               %[[IS:.+]] = arith.cmpi ult, %[[TURN]], %[[END]]
// CHECK:               scf.condition(%[[IS]]) %[[TURN]]
// CHECK:             ^bb0(%[[TAKEN:.+]]: index):
// CHECK:               %[[ITEM:.+]] = arith.addi %[[FIRST]], %[[TAKEN]]
// CHECK:               memref.view %[[SCRATCH]]
// CHECK:               memref.store %{{.+}}, %{{.+}}[%[[ITEM]]]
// CHECK:               scf.yield
// CHECK:           omp.terminator
// CHECK:         memref.dealloc %[[ALL]]
func.func @scratch(%x: memref<?xf32>, %n: index, %bytes: index, %isLarge: i1) {
  %c0 = arith.constant 0 : index
  tile.grid %n shared_if %isLarge scratch %bytes {
  ^bb0(%item: index, %scratch: memref<?xi8>):
    %own = memref.view %scratch[%c0][] : memref<?xi8> to memref<1xf32>
    %number = memref.load %own[%c0] : memref<1xf32>
    memref.store %number, %x[%item] : memref<?xf32>
  }
  return
}

// -----

// Scratch that no item uses is not allocated, nor is what there is none of.
// CHECK-LABEL: func.func @without(
// CHECK-NOT:     memref.alloc(
// CHECK:         omp.parallel num_threads
// CHECK:         omp.parallel num_threads
// CHECK-NOT:     memref.dealloc
// CHECK:         return
func.func @without(%x: memref<?xf32>, %n: index, %number: f32) {
  tile.grid %n scratch %n {
  ^bb0(%item: index, %scratch: memref<?xi8>):
    memref.store %number, %x[%item] : memref<?xf32>
  }
  tile.grid %n {
  ^bb0(%item: index):
    memref.store %number, %x[%item] : memref<?xf32>
  }
  return
}

// -----

func.func @blocks(%n: index) {
  // expected-error @below {{'tile.grid' op cannot be shared by threads: expected one count and items of one thread}}
  tile.grid %n threads 128 {
  ^bb0(%item: index):
  }
  return
}
