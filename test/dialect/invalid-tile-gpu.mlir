// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Errors of the tile ops of GPUs.
//
// RUN: mixattn-opt %s --split-input-file --verify-diagnostics

func.func @load(%q: memref<?x40xbf16>, %i: index) {
  // expected-error @below {{'tile.mma.load' op expected a known number of columns, and a result of half as many elements as the next multiple of 16}}
  %a = tile.mma.load %q[%i] rows %i : memref<?x40xbf16> -> vector<20xbf16>
  return
}

// -----

func.func @copy(%q: memref<?x40xbf16>, %tile: !tile.shared<16x32xbf16, padded>, %i: index) {
  // expected-error @below {{'tile.mma.copy' op expected a tile with all columns of the source}}
  tile.mma.copy %q[%i] rows %i into %tile threads 128 : memref<?x40xbf16>, !tile.shared<16x32xbf16, padded>
  return
}

// -----

func.func @store(%x: vector<16xf32>, %o: memref<?x33xbf16>, %i: index) {
  // expected-error @below {{'tile.store' op expected a fragment with all columns of the matrix}}
  tile.store %x into %o[%i] rows %i : vector<16xf32>, memref<?x33xbf16>
  return
}

// -----

func.func @rows(%x: vector<2xf32>, %o: memref<?x8x?xf32>, %i: index) {
  // expected-error @below {{'tile.store_rows' op expected an index for each of 3 dims, but got 2}}
  tile.store_rows %x into %o[%i, %i] rows %i : memref<?x8x?xf32>
  return
}

// -----

func.func @store_to_matrices(%x: vector<16xf32>, %o: memref<?x?x32xf32>, %i: index) {
  // expected-error @below {{'tile.store' op expected a known first dim, whose rows come in turn, but got 'memref<?x?x32xf32>'}}
  tile.store %x into %o[%i] rows %i : vector<16xf32>, memref<?x?x32xf32>
  return
}

// -----

func.func @load_of_matrices(%q: memref<?x?x16xbf16>, %i: index) {
  // expected-error @below {{'tile.mma.load' op expected a known first dim, whose rows come in turn, but got 'memref<?x?x16xbf16>'}}
  %a = tile.mma.load %q[%i] rows %i : memref<?x?x16xbf16> -> vector<8xbf16>
  return
}

// -----

func.func @copy_of_matrices(%q: memref<?x?x16xbf16>, %tile: !tile.shared<16x16xbf16, padded>, %i: index) {
  // expected-error @below {{'tile.mma.copy' op expected a known first dim, whose rows come in turn, but got 'memref<?x?x16xbf16>'}}
  tile.mma.copy %q[%i] rows %i into %tile threads 128 : memref<?x?x16xbf16>, !tile.shared<16x16xbf16, padded>
  return
}

// -----

func.func @rows_in_turn(%x: vector<2xf32>, %o: memref<?x?xf32>, %i: index) {
  // expected-error @below {{'tile.store_rows' op expected a known first dim, whose rows come in turn, but got 'memref<?x?xf32>'}}
  tile.store_rows %x into %o[%i] rows %i : memref<?x?xf32>
  return
}

// -----

func.func @row_in_turn(%x: vector<2xf32>, %o: memref<4x?xf32>, %i: index) {
  // expected-error @below {{'tile.store_rows' op expected an index for each of 1 dims, but got 2}}
  tile.store_rows %x into %o[%i, %i] rows %i : memref<4x?xf32>
  return
}

// -----

func.func @read_rows(%o: memref<?x8x?xf32>, %i: index) {
  // expected-error @below {{'tile.load_rows' op expected an index for each of 3 dims, but got 4}}
  %x = tile.load_rows %o[%i, %i, %i, %i] rows %i : memref<?x8x?xf32>
  return
}

// -----

func.func @read_rows_of_tile(%o: !tile.shared<4x64xf32, padded>, %i: index) {
  // expected-error @below {{'tile.load_rows' op expected an index for each of 2 dims, but got 3}}
  %x = tile.load_rows %o[%i, %i, %i] rows %i : !tile.shared<4x64xf32, padded>
  return
}

// -----

func.func @not_padded(%q: vector<8xbf16>, %s: vector<8xf32>, %tile: !tile.shared<16x16xbf16, swizzle = 128>) {
  // expected-error @below {{'tile.mma.product' op operand #1 must be padded tile of f16 or bf16 in shared memory, but got '!tile.shared<16x16xbf16, swizzle = 128>'}}
  %p = tile.mma.product %q by %tile onto %s : vector<8xbf16> by !tile.shared<16x16xbf16, swizzle = 128> onto vector<8xf32>
  return
}

// -----

!tile = !tile.shared<16x24xbf16, padded>
func.func @odd_tile(%q: vector<8xbf16>, %s: vector<12xf32>, %tile: !tile) {
  // expected-error @below {{'tile.mma.product' op expected sizes of the tile that are multiples of 16}}
  %p = tile.mma.product %q by %tile onto %s : vector<8xbf16> by !tile onto vector<12xf32>
  return
}

// -----

!tile = !tile.shared<16x16xbf16, padded>
func.func @no_left_side(%q: vector<8xbf16>, %s: vector<8xf32>, %tile: !tile) {
  // expected-error @below {{'tile.mma.product' op expected a left side for each accumulator, and one at least}}
  %p:2 = tile.mma.product %q by %tile onto %s, %s : vector<8xbf16> by !tile onto vector<8xf32>, vector<8xf32>
  return
}

// -----

!tile = !tile.shared<16x32xbf16, padded>
func.func @other_sizes(%q: vector<8xbf16>, %s: vector<8xf32>, %tile: !tile) {
  // expected-error @below {{'tile.mma.product' op expected left sides and sums of 16 rows that fit the tile}}
  %p = tile.mma.product %q by %tile onto %s : vector<8xbf16> by !tile onto vector<8xf32>
  return
}

// -----

!left = !tile.shared<24x16xbf16, padded>
!tile = !tile.shared<16x16xbf16, padded>
func.func @odd_left_tile(%q: !left, %s: vector<8xf32>, %tile: !tile) {
  // expected-error @below {{'tile.mma.product' op expected left sides and sums of 16 rows that fit the tile}}
  %p = tile.mma.product %q by %tile onto %s : !left by !tile onto vector<8xf32>
  return
}

// -----

!tile = !tile.shared<16x16xf16, padded>
func.func @other_type(%q: vector<8xbf16>, %s: vector<8xf32>, %tile: !tile) {
  // expected-error @below {{'tile.mma.product' op expected one element type on both sides}}
  %p = tile.mma.product %q by %tile onto %s : vector<8xbf16> by !tile onto vector<8xf32>
  return
}

// -----

func.func @other_products(%q: vector<8xbf16>, %s: vector<8xf32>, %tile: !tile.shared<16x16xbf16, padded>) {
  // expected-error @below {{'tile.mma.product' op failed to verify that products and accumulators have the same types}}
  %p = "tile.mma.product"(%q, %tile, %s) {operandSegmentSizes = array<i32: 1, 1, 1>} : (vector<8xbf16>, !tile.shared<16x16xbf16, padded>, vector<8xf32>) -> vector<4xf32>
  return
}

// -----

func.func @arguments(%s: vector<8xf32>, %i: index) {
  // expected-error @below {{'tile.map' op expected a region with the row, the column and an element per operand as arguments}}
  %r = tile.map [%i, %i] of %s : vector<8xf32> -> vector<8xf32> {
  ^bb0(%x: f32):
    tile.yield %x : f32
  }
  return
}

// -----

func.func @yielded(%s: vector<8xf32>, %i: index) {
  // expected-error @below {{'tile.map' op expected 'tile.yield' with an element per result}}
  %r = tile.map [%i, %i] of %s : vector<8xf32> -> vector<8xf32> {
  ^bb0(%row: index, %column: index, %x: f32):
    tile.yield
  }
  return
}

// -----

func.func @exps(%s: vector<8xf32>, %i: index) {
  // expected-error @below {{'tile.map' op expected 1 to 8 exponentials of every eight, but got 9}}
  %r = tile.map [%i, %i] of %s exps 9 : vector<8xf32> -> vector<8xf32> {
  ^bb0(%row: index, %column: index, %x: f32):
    tile.yield %x : f32
  }
  return
}

// -----

func.func @results(%s: vector<8xf32>, %i: index) {
  // expected-error @below {{'tile.map' op expected results of one type}}
  %r:2 = tile.map [%i, %i] of %s : vector<8xf32> -> vector<8xf32>, vector<4xf32> {
  ^bb0(%row: index, %column: index, %x: f32):
    tile.yield %x, %x : f32, f32
  }
  return
}

// -----

func.func @operands(%s: vector<8xf32>, %i: index) {
  // expected-error @below {{'tile.map' op expected rows, or fragments of the results' type}}
  %r = tile.map [%i, %i] of %s : vector<8xf32> -> vector<4xf32> {
  ^bb0(%row: index, %column: index, %x: f32):
    tile.yield %x : f32
  }
  return
}

// -----

// expected-error @below {{expected elements of 8, 16, 32 or 64 bits, but got 'i1'}}
func.func private @elements(!tile.shared<16x16xi1, padded>)

// -----

// expected-error @below {{expected 2 sizes above 0}}
func.func private @sizes(!tile.shared<16xi8, padded>)

// -----

func.func @offset() {
  // expected-error @below {{'tile.shared_tile' op expected an offset that 16 divides, but got 8}}
  %t = tile.shared_tile at 8 : !tile.shared<16x16xbf16, padded>
  return
}

// -----

func.func @elements_of_three(%t: !tile.shared<16x16xbf16, padded>, %x: vector<3xbf16>, %i: index) {
  // expected-error @below {{'tile.shared_write_row' op expected elements of the tile that take 2, 4, 8 or 16 bytes, but got 'vector<3xbf16>'}}
  tile.shared_write_row %x into %t[%i, %i] : vector<3xbf16>, !tile.shared<16x16xbf16, padded>
  return
}

// -----

func.func @rows_of_less(%t: !tile.shared<16x16xbf16, padded>, %i: index) {
  // expected-error @below {{'tile.shared_rows' op expected some of the rows, with all columns, but got '!tile.shared<32x16xbf16, padded>' of '!tile.shared<16x16xbf16, padded>'}}
  %r = tile.shared_rows %t[%i] : !tile.shared<16x16xbf16, padded> -> !tile.shared<32x16xbf16, padded>
  return
}

// -----

func.func @fetch_of_less(%bias: memref<8x?xbf16>, %i: index) {
  %t = tile.shared_tile at 0 : !tile.shared<16x64xbf16, padded>
  // expected-error @below {{'tile.fetch' op expected an index for each of 2 dims, one at least, but got 1}}
  tile.fetch %bias[%i] into %t threads 32 : memref<8x?xbf16>, !tile.shared<16x64xbf16, padded>
  return
}

// -----

func.func @fetch_of_others(%bias: memref<8x?xf32>, %i: index) {
  %t = tile.shared_tile at 0 : !tile.shared<16x64xbf16, padded>
  // expected-error @below {{'tile.fetch' op expected one element type, but got 'f32' and 'bf16'}}
  tile.fetch %bias[%i, %i] into %t threads 32 : memref<8x?xf32>, !tile.shared<16x64xbf16, padded>
  return
}

// -----

func.func @fetch_of_columns(%bias: memref<8x?xbf16, strided<[1, 8]>>, %i: index) {
  %t = tile.shared_tile at 0 : !tile.shared<16x64xbf16, padded>
  // expected-error @below {{'tile.fetch' op expected a source that is contiguous along its last dim}}
  tile.fetch %bias[%i, %i] into %t threads 32 : memref<8x?xbf16, strided<[1, 8]>>, !tile.shared<16x64xbf16, padded>
  return
}

// -----

func.func @rows_beyond(%i: index) {
  %t = tile.shared_tile at 0 : !tile.shared<64x16xbf16, padded>
  // expected-error @below {{'tile.shared_rows' op expected some of the rows, with all columns, but got '!tile.shared<32x16xbf16, padded every = 3>' of '!tile.shared<64x16xbf16, padded>'}}
  %r = tile.shared_rows %t[%i] : !tile.shared<64x16xbf16, padded> -> !tile.shared<32x16xbf16, padded every = 3>
  return
}

// -----

// expected-error @below {{expected every row or a few of them, but got every 0}}
func.func @no_rows(%t: !tile.shared<32x16xbf16, padded every = 0>) {
  return
}

// -----

func.func @put_of_less(%x: vector<4xf32>) {
  %t = tile.shared_tile at 0 : !tile.shared<16x16xbf16, padded>
  // expected-error @below {{'tile.put' op expected a fragment with as many columns as the tile}}
  tile.put %x into %t : vector<4xf32>, !tile.shared<16x16xbf16, padded>
  return
}

// -----

func.func @pair_of_another(%x: vector<16xf32>, %i: index) -> vector<16xf32> {
  %r = tile.map [%i, %i] of %x : vector<16xf32> -> vector<16xf32> {
  ^bb0(%row: index, %column: index, %a: f32):
    // expected-error @below {{'tile.first_of_pair' op expected the column of the region's element}}
    %first = tile.first_of_pair %row
    tile.yield %a : f32
  }
  return %r : vector<16xf32>
}
