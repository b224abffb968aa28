// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// tile-lower-x86 with 16 lanes, where it is not what 4 lanes are, only wider.
//
// RUN: mixattn-opt --attn-set-target="features=avx512f,fma" --tile-lower-x86 %s \
// RUN:   | FileCheck %s --implicit-check-not=tile.x86
// RUN: mixattn-opt --attn-set-target="chip=skylake-avx512 features=avx512f,avx512dq,fma" --tile-lower-x86 %s \
// RUN:   | FileCheck %s --check-prefix=SCALED

// A table of 32 fractions, in two registers; or, where the CPU scales by powers
// of 2, a polynomial of what is above a whole number.
// SCALED-LABEL: func.func @exp2_by_table(
// SCALED-SAME:    %[[X:.+]]: vector<16xf32>
// SCALED:         %[[ARE_NORMAL:.+]] = arith.cmpf uge, %[[X]],
// SCALED:         %[[LANES:.+]] = llvm.bitcast %[[ARE_NORMAL]] : vector<16xi1> to i16
// SCALED:         "llvm.x86.avx512.mask.reduce.ps.512"
// SCALED-COUNT-5: vector.fma
// SCALED:         "llvm.x86.avx512.mask.scalef.ps.512"(%{{.+}}, %[[X]], %{{.+}}, %[[LANES]],
// CHECK-LABEL: func.func @exp2_by_table(
// CHECK:         llvm.call_intrinsic "llvm.x86.avx512.vpermi2var.d.512"
func.func @exp2_by_table(%x: vector<16xf32>) -> vector<16xf32> {
  %0 = tile.x86.exp2 %x : vector<16xf32>
  return %0 : vector<16xf32>
}

// Five features of bf16: two pairs in turns, and the last one paired with a 0.
// CHECK-LABEL: func.func @odd_pairs(
// CHECK:         scf.for
// CHECK:           vector.load {{.*}} : memref<?x5xbf16>, vector<2xbf16>
// CHECK:           llvm.call_intrinsic "llvm.x86.avx512bf16.dpbf16ps.512"
// CHECK:         %[[LAST:.*]] = arith.constant 4 : index
// CHECK:         memref.load %{{.*}}[%{{.*}}, %[[LAST]]] : memref<?x5xbf16>
// CHECK:         arith.extui {{.*}} : i16 to i32
// CHECK:         llvm.call_intrinsic "llvm.x86.avx512bf16.dpbf16ps.512"
func.func @odd_pairs(%keys: memref<?x5xbf16>, %row: index, %last: index, %queries: memref<3x32xbf16>,
    %scores: memref<1x16xf32>) {
  tile.x86.product %keys[%row] last %last, %queries into %scores
      : memref<?x5xbf16>, memref<3x32xbf16>, memref<1x16xf32>
  return
}

// A bias by lane and relu, of the sum with what the target held.
// CHECK-LABEL: func.func @bias_relu
// CHECK-SAME:    %[[TARGET:[a-z0-9_]+]]: memref<1x32xf32>, %[[BIAS:[a-z0-9_]+]]: memref<32xf32>
// CHECK:         scf.for
// CHECK:         %[[BEFORE:[a-z0-9_]+]] = vector.load %[[TARGET]]
// CHECK:         %[[SUM:[a-z0-9_]+]] = arith.addf %[[BEFORE]]
// CHECK:         %[[OFFSET:[a-z0-9_]+]] = vector.load %[[BIAS]][%[[LANE:[a-z0-9_]+]]]
// CHECK:         %[[MOVED:[a-z0-9_]+]] = arith.addf %[[SUM]], %[[OFFSET]]
// CHECK:         %[[RELU:[a-z0-9_]+]] = arith.maximumf %[[MOVED]],
// CHECK:         vector.store %[[RELU]], %[[TARGET]][%{{.*}}, %[[LANE]]]
// CHECK:         vector.load %[[BIAS]]
// CHECK-NOT:     tile.x86.yield
func.func @bias_relu(%left: memref<?x9xf32>, %row: index, %right: memref<9x32xf32>,
                     %target: memref<1x32xf32>, %bias: memref<32xf32>) {
  %zero = arith.constant dense<0.0> : vector<16xf32>
  tile.x86.product %left[%row], %right onto %target
      : memref<?x9xf32>, memref<9x32xf32>, memref<1x32xf32> epilogue {
  ^bb0(%sum: vector<16xf32>, %r: index, %lane: index):
    %offset = vector.load %bias[%lane] : memref<32xf32>, vector<16xf32>
    %moved = arith.addf %sum, %offset : vector<16xf32>
    %relu = arith.maximumf %moved, %zero : vector<16xf32>
    tile.x86.yield %relu : vector<16xf32>
  }
  return
}
