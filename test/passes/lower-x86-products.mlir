// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Products in blocks of rows and vectors of lanes whose sums stay in registers,
// two steps in a turn of the loop, and what a store does with a sum.
//
// RUN: mixattn-opt %s --attn-set-target='features=avx512f,fma' --tile-lower-x86 | FileCheck %s
// RUN: mixattn-opt %s --attn-set-target='features=avx2' --tile-lower-x86 | FileCheck %s --check-prefix=NARROW
// RUN: mixattn-opt %s --attn-set-target='family=x86 chip=emeraldrapids features=avx512f,fma' --tile-lower-x86 | FileCheck %s --check-prefix=SLOW

// CHECK-LABEL: func.func @multiply
// CHECK-SAME:    %[[LEFT:.*]]: memref<64x128xf32>, %[[ROW:.*]]: index, %[[COUNT:.*]]: index, %[[RIGHT:.*]]: memref<128x64xf32>, %[[PRODUCT:.*]]: memref<4x64xf32>
// CHECK:         %[[ODD:.*]] = arith.remui %[[COUNT]]
// CHECK:         %[[EVEN:.*]] = arith.subi %[[COUNT]], %[[ODD]]
// CHECK-NOT:     scf.for
// CHECK:         %{{.*}}:16 = scf.for %[[D:.*]] = %{{.*}} to %[[EVEN]]
// CHECK-COUNT-4:   vector.load %[[RIGHT]][%[[D]], %{{.*}}] : memref<128x64xf32>, vector<16xf32>
// CHECK:           %[[FIRST:.*]] = memref.load %[[LEFT]][%{{.*}}, %[[D]]]
// CHECK:           vector.broadcast %[[FIRST]] : f32 to vector<16xf32>
// CHECK-COUNT-32:  vector.fma
// CHECK:         %{{.*}}:16 = scf.for %{{.*}} = %[[EVEN]] to %[[COUNT]]
// CHECK-COUNT-16:  vector.fma
// CHECK-COUNT-16: vector.store %{{.*}}, %[[PRODUCT]]
//
// 16 registers hold the sums of 4 rows and 2 vectors; without a fused
// instruction products are added.
// NARROW-LABEL: func.func @multiply
// NARROW:         scf.for %[[LANE:.*]] = %{{.*}} to %{{.*}} step %{{.*}} {
// NARROW:           %{{.*}}:8 = scf.for
// NARROW-COUNT-2:     vector.load %{{.*}} : memref<128x64xf32>, vector<8xf32>
// NARROW-NOT:         vector.fma
// NARROW:             arith.mulf
// NARROW:             arith.addf
func.func @multiply(%left: memref<64x128xf32>, %row: index, %count: index,
                    %right: memref<128x64xf32>, %product: memref<4x64xf32>) {
  tile.x86.product %left[%row], %right count %count into %product
      : memref<64x128xf32>, memref<128x64xf32>, memref<4x64xf32>
  return
}

// 6 rows: 4, and 2, whose sums leave room for all five vectors of lanes.
// CHECK-LABEL: func.func @lost
// CHECK-SAME:    %[[SUMS:.*]]: memref<6x80xf32>, %[[LOST:.*]]: memref<6x80xf32>
// CHECK:         scf.for
// CHECK:           %{{.*}}:16 = scf.for
// CHECK:           %[[NEW:.*]]:16 = scf.for
// CHECK:           %[[SUM:.*]] = vector.load %[[SUMS]]
// CHECK:           %[[OLD:.*]] = vector.load %[[LOST]]
// CHECK:           %[[TERM:.*]] = arith.subf %[[NEW]]#0, %[[OLD]]
// CHECK:           %[[TOTAL:.*]] = arith.addf %[[SUM]], %[[TERM]]
// CHECK:           %[[TAKEN:.*]] = arith.subf %[[TOTAL]], %[[SUM]]
// CHECK:           %[[MORE:.*]] = arith.subf %[[TAKEN]], %[[TERM]]
// CHECK:           %[[KNOWN:.*]] = arith.cmpf ord, %[[MORE]], %[[MORE]]
// CHECK:           %[[REST:.*]] = arith.select %[[KNOWN]], %[[MORE]],
// CHECK:           vector.store %[[TOTAL]], %[[SUMS]]
// CHECK:           vector.store %[[REST]], %[[LOST]]
// CHECK:           %{{.*}}:4 = scf.for
// CHECK:           %{{.*}}:4 = scf.for
// CHECK:         }
// CHECK:         %{{.*}}:10 = scf.for
func.func @lost(%sums: memref<6x80xf32>, %lost: memref<6x80xf32>,
                %keys: memref<64x6xf32>, %values: memref<64x80xf32>,
                %count: index) {
  %c0 = arith.constant 0 : index
  tile.x86.product transposed %keys[%c0], %values count %count onto %sums lost %lost
      : memref<64x6xf32>, memref<64x80xf32>, memref<6x80xf32>, memref<6x80xf32>
  return
}

// Seven rows of three vectors fit the registers; a sum times a factor is added.
// CHECK-LABEL: func.func @factor_onto
// CHECK-SAME:    %[[LEFT:[a-z0-9_]+]]: memref<?x7xf32>, {{.*}} %[[TARGET:[a-z0-9_]+]]: memref<7x48xf32>
// CHECK:         %[[SUMS:[a-z0-9_]+]]:21 = scf.for
// CHECK:           %[[LESS:[a-z0-9_]+]] = arith.mulf %{{.*}}, %{{.*}} : vector<16xf32>
// CHECK:           %[[BEFORE:[a-z0-9_]+]] = vector.load %[[TARGET]]
// CHECK:           %[[SUM:[a-z0-9_]+]] = arith.addf %[[BEFORE]], %[[LESS]]
// CHECK:           vector.store %[[SUM]], %[[TARGET]]
// CHECK-NOT:     scf.for
// CHECK:         return
func.func @factor_onto(%left: memref<?x7xf32>, %row: index, %right: memref<9x48xf32>,
                       %target: memref<7x48xf32>) {
  tile.x86.product transposed %left[%row], %right factor 0.5 onto %target
      : memref<?x7xf32>, memref<9x48xf32>, memref<7x48xf32>
  return
}

// Lanes of 16 bits are widened as they are read, unless they are pairs.
// CHECK-LABEL: func.func @widened
// CHECK-SAME:    %[[LEFT:[a-z0-9_]+]]: memref<1x128xf32>, %[[RIGHT:[a-z0-9_]+]]: memref<128x16xbf16>
// CHECK:         %[[SOME:.+]] = vector.load %[[RIGHT]][%{{.+}}, %{{.+}}] : memref<128x16xbf16>, vector<16xbf16>
// CHECK-NEXT:    %[[WIDE:.+]] = arith.extf %[[SOME]] : vector<16xbf16> to vector<16xf32>
// CHECK:         vector.fma %{{.+}}, %[[WIDE]], %{{.+}} : vector<16xf32>
func.func @widened(%left: memref<1x128xf32>, %right: memref<128x16xbf16>,
                   %target: memref<1x16xf32>) {
  %c0 = arith.constant 0 : index
  tile.x86.product %left[%c0], %right into %target
      : memref<1x128xf32>, memref<128x16xbf16>, memref<1x16xf32>
  return
}

// Rows that are steps are clamped in each step.
// CHECK-LABEL: func.func @clamped_steps
// CHECK-SAME:    %[[LEFT:[a-z0-9_]+]]: memref<?x1xf32>, %[[ROW:[a-z0-9_]+]]: index, %[[LAST:[a-z0-9_]+]]: index
// CHECK:         scf.for %[[I:[a-z0-9_]+]] =
// CHECK:           %[[NEXT:[a-z0-9_]+]] = arith.addi %[[ROW]], %[[I]]
// CHECK:           %[[AT:[a-z0-9_]+]] = arith.minsi %[[NEXT]], %[[LAST]]
// CHECK:           memref.load %[[LEFT]][%[[AT]],
func.func @clamped_steps(%left: memref<?x1xf32>, %row: index, %last: index,
                         %right: memref<9x16xf32>, %target: memref<1x16xf32>) {
  tile.x86.product transposed %left[%row] last %last, %right into %target
      : memref<?x1xf32>, memref<9x16xf32>, memref<1x16xf32>
  return
}

// A clamped product onto a target whose lost sums are kept.
// CHECK-LABEL: func.func @clamped_lost
// CHECK-SAME:    %[[LEFT:[a-z0-9_]+]]: memref<?x9xf32>, %[[ROW:[a-z0-9_]+]]: index, %[[LAST:[a-z0-9_]+]]: index, {{.*}} %[[TARGET:[a-z0-9_]+]]: memref<1x16xf32>, %[[LOST:[a-z0-9_]+]]: memref<1x16xf32>
// CHECK:         %[[AT:[a-z0-9_]+]] = arith.minsi %[[ROW]], %[[LAST]]
// CHECK:         scf.for %[[I:[a-z0-9_]+]] =
// CHECK:           memref.load %[[LEFT]][%[[AT]], %[[I]]]
// CHECK:         vector.load %[[TARGET]]
// CHECK:         vector.load %[[LOST]]
// CHECK:         vector.store %{{.*}}, %[[TARGET]]
// CHECK:         vector.store %{{.*}}, %[[LOST]]
func.func @clamped_lost(%left: memref<?x9xf32>, %row: index, %last: index,
                        %right: memref<9x16xf32>, %target: memref<1x16xf32>,
                        %lost: memref<1x16xf32>) {
  tile.x86.product %left[%row] last %last, %right onto %target lost %lost
      : memref<?x9xf32>, memref<9x16xf32>, memref<1x16xf32>, memref<1x16xf32>
  return
}

// Two vectors of bf16 are one load: its even and its odd numbers are sums of
// their own until all terms are in, and then stand in turn.
// CHECK-LABEL: func.func @in_turn(
// CHECK-SAME:    %[[LEFT:[a-z0-9_]+]]: memref<1x128xf32>, %[[RIGHT:[a-z0-9_]+]]: memref<128x48xbf16>
// CHECK:         vector.load %[[RIGHT]][%{{.+}}, %{{.+}}] : memref<128x48xbf16>, vector<32xbf16>
// CHECK:         %[[PAIRS:.+]] = vector.bitcast %{{.+}} : vector<32xbf16> to vector<16xi32>
// CHECK:         %[[LOW:.+]] = arith.shli %[[PAIRS]], %{{.+}} : vector<16xi32>
// CHECK:         %[[HIGH:.+]] = arith.andi %[[PAIRS]], %{{.+}} : vector<16xi32>
// CHECK:         arith.bitcast %[[LOW]] : vector<16xi32> to vector<16xf32>
// CHECK:         arith.bitcast %[[HIGH]] : vector<16xi32> to vector<16xf32>
// CHECK:         vector.load %[[RIGHT]][%{{.+}}, %{{.+}}] : memref<128x48xbf16>, vector<16xbf16>
// CHECK:         %[[BOTH:.+]] = vector.interleave %{{.+}}, %{{.+}} : vector<16xf32> -> vector<32xf32>
// CHECK:         vector.extract_strided_slice %[[BOTH]] {offsets = [0]
// CHECK:         vector.extract_strided_slice %[[BOTH]] {offsets = [16]
// CHECK-COUNT-3: vector.store
func.func @in_turn(%left: memref<1x128xf32>, %right: memref<128x48xbf16>,
                   %out: memref<1x48xf32>) {
  %c0 = arith.constant 0 : index
  tile.x86.product %left[%c0], %right into %out
      : memref<1x128xf32>, memref<128x48xbf16>, memref<1x48xf32>
  return
}

// Step i asks for row i + 8 of the right side, a line of the cache at a time.
// CHECK-LABEL: func.func @ahead
// CHECK-SAME:    %{{.*}}: memref<1x?xf32>, %{{.*}}: index, %{{.*}}: index, %[[RIGHT:.*]]: memref<64x128xbf16>
// CHECK:         scf.for %[[I:[a-z0-9]+]] =
// CHECK:           %[[FAR:.*]] = arith.constant 8 : index
// CHECK:           %[[NEXT:.*]] = arith.addi %[[I]], %[[FAR]]
// CHECK:           memref.prefetch %[[RIGHT]][%[[NEXT]], %{{.*}}], read, locality<2>, data
// CHECK:           %[[LINE:.*]] = arith.constant 32 : index
// CHECK:           memref.prefetch %[[RIGHT]][%[[NEXT]], %[[LINE]]]
// CHECK-COUNT-2:   memref.prefetch %[[RIGHT]][%[[NEXT]],
// CHECK-NOT:       memref.prefetch %{{.*}}[%[[NEXT]],
// CHECK:           vector.load %[[RIGHT]][%[[I]],
func.func @ahead(%left: memref<1x?xf32>, %row: index, %count: index,
                 %right: memref<64x128xbf16>, %product: memref<1x128xf32>) {
  tile.x86.product %left[%row], %right count %count onto %product ahead 8
      : memref<1x?xf32>, memref<64x128xbf16>, memref<1x128xf32>
  return
}

// Step i asks for row i of another matrix, into the first cache, whatever its
// width.
// CHECK-LABEL: func.func @asks
// CHECK-SAME:    %[[RIGHT:[a-z0-9]+]]: memref<64x64xf32>, %[[NEXT:[a-z0-9]+]]: memref<32x32xf32>
// CHECK:         scf.for %[[I:[a-z0-9]+]] =
// CHECK:           memref.prefetch %[[NEXT]][%[[I]], %{{.*}}], read, locality<3>, data
// CHECK:           %[[LINE:.*]] = arith.constant 16 : index
// CHECK:           memref.prefetch %[[NEXT]][%[[I]], %[[LINE]]], read, locality<3>, data
// CHECK-NOT:       memref.prefetch %{{.*}}[%[[I]],
// CHECK:           vector.load %[[RIGHT]][%[[I]],
func.func @asks(%left: memref<4x?xf32>, %row: index, %count: index,
                %right: memref<64x64xf32>, %next: memref<32x32xf32>,
                %product: memref<4x64xf32>) {
  tile.x86.product %left[%row], %right count %count onto %product
      asks %next : memref<32x32xf32>
      : memref<4x?xf32>, memref<64x64xf32>, memref<4x64xf32>
  return
}

// Where reading shows, rows ahead are asked for into the first cache.
// SLOW-LABEL: func.func @ahead
// SLOW:         memref.prefetch %{{.+}}, read, locality<3>, data : memref<64x128xbf16>
