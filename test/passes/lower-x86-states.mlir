// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Products of the linear schedule: sums in registers, 4 rows at a time, two
// steps in a turn of the loop.
//
// RUN: mixattn-opt %s --attn-set-target='features=avx512f,fma' --tile-lower-x86 | FileCheck %s
// RUN: mixattn-opt %s --attn-set-target='features=avx2' --tile-lower-x86 | FileCheck %s --check-prefix=NARROW

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
  tile.x86.multiply %left[%row], %right count %count into %product
      : memref<64x128xf32>, memref<128x64xf32>, memref<4x64xf32>
  return
}

// 6 rows: 4, and 2, whose sums leave room for all five vectors of lanes.
// CHECK-LABEL: func.func @update
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
func.func @update(%sums: memref<6x80xf32>, %lost: memref<6x80xf32>,
                  %keys: memref<64x6xf32>, %values: memref<64x80xf32>,
                  %count: index) {
  tile.x86.update %sums lost %lost with %keys, %values count %count
      : memref<6x80xf32>, memref<6x80xf32>, memref<64x6xf32>, memref<64x80xf32>
  return
}
