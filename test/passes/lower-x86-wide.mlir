// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// tile-lower-x86 with 16 lanes, where it is not what 4 lanes are, only wider.
//
// RUN: mixattn-opt --attn-set-target="features=avx512f,fma" --tile-lower-x86 %s \
// RUN:   | FileCheck %s --implicit-check-not=tile.x86

// A table of 32 fractions, in two registers.
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
  tile.x86.scores %keys[%row] last %last, %queries into %scores units 0
      : memref<?x5xbf16>, memref<3x32xbf16>, memref<1x16xf32> {
  ^bb0(%unit: index):
  }
  return
}
