// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Products whose lanes are not those of the target's registers.
//
// RUN: mixattn-opt %s --attn-set-target='features=avx2' --tile-lower-x86 --split-input-file --verify-diagnostics

func.func @lanes(%l: memref<4x8xf32>, %i: index, %r: memref<8x12xf32>, %t: memref<4x12xf32>) {
  // expected-error @below {{'tile.x86.product' op expected a multiple of 8 lanes, as the registers of this target have}}
  tile.x86.product %l[%i], %r into %t : memref<4x8xf32>, memref<8x12xf32>, memref<4x12xf32>
  return
}

// -----

func.func @epilogue(%l: memref<4x8xf32>, %i: index, %r: memref<8x16xf32>, %t: memref<4x16xf32>) {
  // expected-error @below {{'tile.x86.product' op expected an epilogue on 8 lanes, as the registers of this target have}}
  tile.x86.product %l[%i], %r into %t : memref<4x8xf32>, memref<8x16xf32>, memref<4x16xf32> epilogue {
  ^bb0(%sum: vector<16xf32>, %row: index, %lane: index):
    tile.x86.yield %sum : vector<16xf32>
  }
  return
}

// -----

func.func @amx(%l: memref<32x64xbf16>, %i: index, %r: memref<32x64xbf16>, %t: memref<32x32xf32>) {
  // expected-error @below {{'tile.x86.product' op expected a target with AMX}}
  tile.x86.product %l[%i], %r amx into %t : memref<32x64xbf16>, memref<32x64xbf16>, memref<32x32xf32>
  return
}
