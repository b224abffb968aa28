// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Errors of the tile ops of wgmma.
//
// RUN: mixattn-opt %s --split-input-file --verify-diagnostics

// expected-error @below {{expected 2 sizes above 0}}
func.func private @sizes(!tile.shared<2x128x64xbf16, swizzle = 128>)

// -----

// expected-error @below {{expected elements of f16 or bf16, but got 'f32'}}
func.func private @elements(!tile.shared<128x64xf32, swizzle = 128>)

// -----

// expected-error @below {{expected a swizzle of 128 bytes, but got 64}}
func.func private @swizzle(!tile.ring<2x128x64xbf16, swizzle = 64>)

// -----

// expected-error @below {{expected a multiple of 8 rows, but got 12}}
func.func private @rows(!tile.ring<2x12x64xbf16, swizzle = 128>)

// -----

func.func @offset() {
  // expected-error @below {{'tile.wgmma.ring' op expected an offset that 1024 divides, but got 512}}
  %r = tile.wgmma.ring at 512 : !tile.ring<2x128x64xbf16, swizzle = 128>
  return
}

// -----

func.func @tile_offset() {
  // expected-error @below {{'tile.shared_tile' op expected an offset that 1024 divides, but got 512}}
  %t = tile.shared_tile at 512 : !tile.shared<128x64xbf16, swizzle = 128>
  return
}

// -----

!t = !tile.shared<128x64xbf16, swizzle = 128>
func.func @store_columns(%x: vector<4xf32>, %t: !t, %map: !llvm.ptr, %i: index) {
  // expected-error @below {{'tile.wgmma.store' op expected a multiple of 16 columns, but got 8}}
  tile.wgmma.store %x by %t to %map[%i, %i, %i] : vector<4xf32>, !t, !llvm.ptr
  return
}

// -----

!t = !tile.shared<128x64xbf16, swizzle = 128>
func.func @store_indices(%x: vector<32xf32>, %t: !t, %map: !llvm.ptr, %i: index) {
  // expected-error @below {{'tile.wgmma.store' op expected 1 to 4 indices, but got 5}}
  tile.wgmma.store %x by %t to %map[%i, %i, %i, %i, %i] : vector<32xf32>, !t, !llvm.ptr
  return
}

// -----

func.func @registers() {
  // expected-error @below {{'tile.wgmma.roles' op expected multiples of 8 from 24 to 256 as registers, but got 20}}
  tile.wgmma.roles producer registers 20 {
  } consumers 2 registers 240 {
  }
  return
}

// -----

func.func @indices(%ring: !tile.ring<2x128x64xbf16, swizzle = 128>, %map: !llvm.ptr, %i: index) {
  // expected-error @below {{'tile.wgmma.fill' op expected 1 to 4 indices, but got 0}}
  tile.wgmma.fill %ring[%i] turn %i from %map[] : !tile.ring<2x128x64xbf16, swizzle = 128>, !llvm.ptr
  return
}

// -----

!t = !tile.shared<128x64xbf16, swizzle = 128>
func.func @terms(%p: vector<32xbf16>, %v: !t) {
  // expected-error @below {{'tile.wgmma.product' op expected as many terms on both sides, a multiple of 16, but got 64 and 128}}
  %o = tile.wgmma.product %p, %v : vector<32xbf16>, !t -> !tile.pending<vector<32xf32>>
  return
}

// -----

!t = !tile.shared<264x64xbf16, swizzle = 128>
func.func @columns(%q: !t, %k: !t) {
  // expected-error @below {{'tile.wgmma.product' op expected a multiple of 8 columns, at most 256, but got 264}}
  %o = tile.wgmma.product %q, %k transposed : !t, !t -> !tile.pending<vector<132xf32>>
  return
}

// -----

!t = !tile.shared<128x64xbf16, swizzle = 128>
func.func @types(%p: vector<64xf16>, %v: !t) {
  // expected-error @below {{'tile.wgmma.product' op expected one element type on both sides, but got 'f16' and 'bf16'}}
  %o = tile.wgmma.product %p, %v : vector<64xf16>, !t -> !tile.pending<vector<32xf32>>
  return
}

// -----

!t = !tile.shared<128x64xbf16, swizzle = 128>
func.func @fragments(%p: vector<64xbf16>, %v: !t) {
  // expected-error @below {{'tile.wgmma.product' op expected fragments of 32 f32, as the product has columns}}
  %o = tile.wgmma.product %p, %v : vector<64xbf16>, !t -> !tile.pending<vector<64xf32>>
  return
}

// -----

func.func @box(%k: memref<2x4x8x64xbf16>) {
  // expected-error @below {{'tile.tensor_map' op expected from 1 to 256 rows, but got 257}}
  %m = tile.tensor_map %k box 257 x 64 swizzle 128 : memref<2x4x8x64xbf16> -> !llvm.ptr
  return
}

// -----

func.func @swizzled(%k: memref<2x4x8x64xbf16>) {
  // expected-error @below {{'tile.tensor_map' op expected 32, 64 or 128 bytes of columns, which are swizzled}}
  %m = tile.tensor_map %k box 128 x 32 swizzle 128 : memref<2x4x8x64xbf16> -> !llvm.ptr
  return
}
