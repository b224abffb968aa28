// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// How many steps a turn of a loop over terms has: as many as pay on a CPU in
// pools, half as many where units run between them, and two in products of rows. Steps that do
// not fill a turn come in twos and then one by one.
//
// RUN: mixattn-opt %s --attn-set-target='chip=graniterapids features=avx512f,fma' --tile-lower-x86 | FileCheck %s --check-prefixes=CHECK,EIGHT
// RUN: mixattn-opt %s --attn-set-target='chip=znver5 features=avx512f,fma' --tile-lower-x86 | FileCheck %s --check-prefixes=CHECK,TWO

// CHECK-LABEL: func.func @pool
// EIGHT:         %{{.*}}:16 = scf.for
// EIGHT-COUNT-128: vector.fma
// EIGHT-NOT:       vector.fma
// CHECK:         %{{.*}}:16 = scf.for
// CHECK-COUNT-32:  vector.fma
// CHECK-NOT:       vector.fma
// CHECK:         %{{.*}}:16 = scf.for
// CHECK-COUNT-16:  vector.fma
// CHECK-NOT:     vector.fma
// CHECK:         return
func.func @pool(%values: memref<64x4xf32>, %weights: memref<64x64xf32>,
                %count: index, %sums: memref<4x64xf32>) {
  %c0 = arith.constant 0 : index
  tile.x86.product transposed %values[%c0], %weights count %count onto %sums
      : memref<64x4xf32>, memref<64x64xf32>, memref<4x64xf32>
  return
}

// CHECK-LABEL: func.func @rows
// CHECK:         %{{.*}}:16 = scf.for
// CHECK-COUNT-32:  vector.fma
// CHECK-NOT:       vector.fma
// CHECK:         %{{.*}}:16 = scf.for
func.func @rows(%left: memref<4x128xf32>, %right: memref<128x64xf32>,
                %count: index, %product: memref<4x64xf32>) {
  %c0 = arith.constant 0 : index
  tile.x86.product %left[%c0], %right count %count into %product
      : memref<4x128xf32>, memref<128x64xf32>, memref<4x64xf32>
  return
}

// 64 steps in four groups: twelve before a unit, and four among its ops. No
// steps are left over.
// CHECK-LABEL: func.func @units
// CHECK:         %{{.*}}:16 = scf.for
// EIGHT:           %{{.*}}:16 = scf.for
// EIGHT-COUNT-64:    vector.fma
// EIGHT:             scf.yield
// TWO:             %{{.*}}:16 = scf.for
// TWO-COUNT-16:      vector.fma
// TWO-NOT:           vector.fma
// CHECK:           memref.store {{.*}} : memref<?xindex>
func.func @units(%keys: memref<4x64xf32>, %queries: memref<64x64xf32>,
                 %scores: memref<4x64xf32>, %other: memref<?xindex>) {
  %c0 = arith.constant 0 : index
  tile.x86.product %keys[%c0], %queries into %scores units 4
      : memref<4x64xf32>, memref<64x64xf32>, memref<4x64xf32> {
  ^bb0(%unit: index):
    memref.store %unit, %other[%unit] : memref<?xindex>
  }
  return
}
