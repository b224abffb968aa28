// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Errors of the tile ops of x86.
//
// RUN: mixattn-opt %s --split-input-file --verify-diagnostics

func.func @scores(%k: memref<?x64xf32>, %i: index, %q: memref<64x16xf32>, %s: memref<4x16xf32>) {
  // expected-error @below {{'tile.x86.scores' op expected a region with one argument of type index}}
  tile.x86.scores %k[%i] last %i, %q into %s units 0
      : memref<?x64xf32>, memref<64x16xf32>, memref<4x16xf32> {
  ^bb0(%unit: f32):
  }
  return
}

// -----

func.func @units(%k: memref<?x64xf32>, %i: index, %q: memref<64x16xf32>, %s: memref<4x16xf32>) {
  // expected-error @below {{'tile.x86.scores' op attribute 'units' failed to satisfy constraint: 64-bit signless integer attribute whose value is non-negative}}
  tile.x86.scores %k[%i] last %i, %q into %s units -1
      : memref<?x64xf32>, memref<64x16xf32>, memref<4x16xf32> {
  ^bb0(%unit: index):
  }
  return
}

// -----

func.func @no_region(%v: memref<?x64xf32>, %i: index, %w: memref<64x16xf32>, %o: memref<64x16xf32>) {
  // expected-error @below {{'tile.x86.pool' op expected units and a region, or neither}}
  tile.x86.pool %v[%i] count %i, %w into %o units 3
      : memref<?x64xf32>, memref<64x16xf32>, memref<64x16xf32>
  return
}

// -----

func.func @pool(%v: memref<?x64xf32>, %i: index, %w: memref<64x16xf32>, %o: memref<64x16xf32>) {
  // expected-error @below {{'tile.x86.pool' op expected a region with one argument of type index}}
  tile.x86.pool %v[%i] count %i, %w into %o units 3
      : memref<?x64xf32>, memref<64x16xf32>, memref<64x16xf32> {
  ^bb0(%unit: f32):
  }
  return
}

// -----

func.func @rank(%x: vector<4x4xf32>) {
  // expected-error @below {{'tile.x86.exp2' op operand #0 must be}}
  %y = tile.x86.exp2 %x : vector<4x4xf32>
  return
}
