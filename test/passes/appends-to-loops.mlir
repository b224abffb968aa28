// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// New rows go to their places in a cache, element by element.
//
// RUN: mixattn-opt --attn-appends-to-loops %s | FileCheck %s

// A position beyond the cache is not written, nor is one before it, which as an
// unsigned number lies beyond.
// CHECK-LABEL: func.func @line
// CHECK-SAME:    %[[X:.+]]: memref<1x2x3xf32>, %[[C:.+]]: memref<1x9x3xf32>, %[[AT:.+]]: memref<1xi32>
// CHECK:         scf.parallel (%[[B:.+]], %[[I:.+]], %[[D:.+]]) =
// CHECK:           %[[START:.+]] = memref.load %[[AT]][%[[B]]]
// CHECK:           %[[FIRST:.+]] = arith.index_cast %[[START]] : i32 to index
// CHECK:           %[[PLACE:.+]] = arith.addi %[[FIRST]], %[[I]]
// CHECK:           %[[INSIDE:.+]] = arith.cmpi ult, %[[PLACE]], %c9
// CHECK:           scf.if %[[INSIDE]]
// CHECK:             %[[VALUE:.+]] = memref.load %[[X]][%[[B]], %[[I]], %[[D]]]
// CHECK:             memref.store %[[VALUE]], %[[C]][%[[B]], %[[PLACE]], %[[D]]]
func.func @line(%x: memref<1x2x3xf32>, %c: memref<1x9x3xf32>, %at: memref<1xi32>) {
  attn.append %x into %c at(%at) : memref<1x2x3xf32>, memref<1xi32> into memref<1x9x3xf32>
  return
}

// A ring goes on at its beginning; of more rows than it has room for the last stay.
// CHECK-LABEL: func.func @ring
// CHECK:         %[[LEFT:.+]] = arith.subi %c12{{.*}}, %{{.+}}
// CHECK:         %[[STAYS:.+]] = arith.cmpi ule, %[[LEFT]], %c9
// CHECK:         %[[PLACE:.+]] = arith.remui %{{.+}}, %c9
// CHECK:         scf.if %[[STAYS]]
// CHECK:           memref.store %{{.+}}, %{{.+}}[%{{.+}}, %[[PLACE]], %{{.+}}]
func.func @ring(%x: memref<1x12x3xf32>, %c: memref<1x9x3xf32>, %at: memref<1xi32>) {
  attn.append %x into %c at(%at) ring : memref<1x12x3xf32>, memref<1xi32> into memref<1x9x3xf32>
  return
}
