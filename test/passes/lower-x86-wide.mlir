// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// tile-lower-x86 with 16 lanes, where it is not what 4 lanes are, only wider.
//
// RUN: mixattn-opt --tile-lower-x86="lanes=16 registers=32 fma=true" %s \
// RUN:   | FileCheck %s --implicit-check-not=tile.x86

// A table of 32 fractions, in two registers.
// CHECK-LABEL: func.func @exp2_by_table(
// CHECK:         llvm.call_intrinsic "llvm.x86.avx512.vpermi2var.d.512"
func.func @exp2_by_table(%x: vector<16xf32>) -> vector<16xf32> {
  %0 = tile.x86.exp2 %x : vector<16xf32>
  return %0 : vector<16xf32>
}
