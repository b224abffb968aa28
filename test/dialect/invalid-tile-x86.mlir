// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Errors of the tile ops of x86.
//
// RUN: mixattn-opt %s --split-input-file --verify-diagnostics

func.func @dynamic(%l: memref<64x64xf32>, %i: index, %r: memref<?x16xf32>, %t: memref<4x16xf32>) {
  // expected-error @below {{'tile.x86.product' op expected static sizes on the right and in the target}}
  tile.x86.product %l[%i], %r into %t
      : memref<64x64xf32>, memref<?x16xf32>, memref<4x16xf32>
  return
}

// -----

func.func @lanes(%l: memref<64x64xf32>, %i: index, %r: memref<64x32xf32>, %t: memref<4x16xf32>) {
  // expected-error @below {{'tile.x86.product' op expected the lanes of the target on the right}}
  tile.x86.product %l[%i], %r into %t
      : memref<64x64xf32>, memref<64x32xf32>, memref<4x16xf32>
  return
}

// -----

func.func @columns(%l: memref<64x63xf32>, %i: index, %r: memref<64x16xf32>, %t: memref<4x16xf32>) {
  // expected-error @below {{'tile.x86.product' op expected at least 64 columns on the left}}
  tile.x86.product %l[%i], %r into %t
      : memref<64x63xf32>, memref<64x16xf32>, memref<4x16xf32>
  return
}

// -----

func.func @columns_of_pairs(%l: memref<64x7xbf16>, %i: index, %r: memref<32x32xbf16>, %t: memref<4x16xf32>) {
  // expected-error @below {{'tile.x86.product' op expected at least 8 columns on the left}}
  tile.x86.product transposed %l[%i], %r into %t
      : memref<64x7xbf16>, memref<32x32xbf16>, memref<4x16xf32>
  return
}

// -----

func.func @lost_overwritten(%l: memref<64x64xf32>, %i: index, %r: memref<64x16xf32>, %t: memref<4x16xf32>) {
  // expected-error @below {{'tile.x86.product' op expected sums onto the target, which are what loses}}
  tile.x86.product %l[%i], %r into %t lost %t
      : memref<64x64xf32>, memref<64x16xf32>, memref<4x16xf32>, memref<4x16xf32>
  return
}

// -----

func.func @lost_shape(%l: memref<64x64xf32>, %i: index, %r: memref<64x16xf32>, %t: memref<4x16xf32>) {
  // expected-error @below {{'tile.x86.product' op expected the target's shape for what is lost}}
  tile.x86.product %l[%i], %r onto %t lost %r
      : memref<64x64xf32>, memref<64x16xf32>, memref<4x16xf32>, memref<64x16xf32>
  return
}

// -----

func.func @asked_open(%l: memref<64x64xf32>, %i: index, %r: memref<64x16xf32>, %t: memref<4x16xf32>, %a: memref<?x16xf32>) {
  // expected-error @below {{'tile.x86.product' op expected static sizes of what is asked for}}
  tile.x86.product %l[%i], %r into %t asks %a : memref<?x16xf32>
      : memref<64x64xf32>, memref<64x16xf32>, memref<4x16xf32>
  return
}

// -----

func.func @negative_units(%l: memref<64x64xf32>, %i: index, %r: memref<64x16xf32>, %t: memref<4x16xf32>) {
  // expected-error @below {{'tile.x86.product' op attribute 'units' failed to satisfy constraint: 64-bit signless integer attribute whose value is non-negative}}
  tile.x86.product %l[%i], %r into %t units -1
      : memref<64x64xf32>, memref<64x16xf32>, memref<4x16xf32> {
  ^bb0(%unit: index):
  }
  return
}

// -----

func.func @no_region(%l: memref<64x64xf32>, %i: index, %r: memref<64x16xf32>, %t: memref<4x16xf32>) {
  // expected-error @below {{'tile.x86.product' op expected units and a region, or neither}}
  tile.x86.product %l[%i], %r into %t units 3
      : memref<64x64xf32>, memref<64x16xf32>, memref<4x16xf32>
  return
}

// -----

func.func @no_units(%l: memref<64x64xf32>, %i: index, %r: memref<64x16xf32>, %t: memref<4x16xf32>) {
  // expected-error @below {{'tile.x86.product' op expected units and a region, or neither}}
  tile.x86.product %l[%i], %r into %t
      : memref<64x64xf32>, memref<64x16xf32>, memref<4x16xf32> {
  ^bb0(%unit: index):
  }
  return
}

// -----

func.func @units_and_count(%l: memref<64x64xf32>, %i: index, %r: memref<64x16xf32>, %t: memref<4x16xf32>) {
  // expected-error @below {{'tile.x86.product' op expected units, or a count: units are spread over all rows of the right side}}
  tile.x86.product %l[%i], %r count %i into %t units 3
      : memref<64x64xf32>, memref<64x16xf32>, memref<4x16xf32> {
  ^bb0(%unit: index):
  }
  return
}

// -----

func.func @unit_argument(%l: memref<64x64xf32>, %i: index, %r: memref<64x16xf32>, %t: memref<4x16xf32>) {
  // expected-error @below {{'tile.x86.product' op expected units in a region with one argument of type index and no terminator}}
  tile.x86.product %l[%i], %r into %t units 3
      : memref<64x64xf32>, memref<64x16xf32>, memref<4x16xf32> {
  ^bb0(%unit: f32):
  }
  return
}

// -----

func.func @unit_yields(%x: vector<16xf32>, %l: memref<64x64xf32>, %i: index, %r: memref<64x16xf32>, %t: memref<4x16xf32>) {
  // expected-error @below {{'tile.x86.product' op expected units in a region with one argument of type index and no terminator}}
  tile.x86.product %l[%i], %r into %t units 3
      : memref<64x64xf32>, memref<64x16xf32>, memref<4x16xf32> {
  ^bb0(%unit: index):
    tile.x86.yield %x : vector<16xf32>
  }
  return
}

// -----

func.func @epilogue_arguments(%l: memref<64x64xf32>, %i: index, %r: memref<64x16xf32>, %t: memref<4x16xf32>) {
  // expected-error @below {{'tile.x86.product' op expected an epilogue with a row of lanes and two indices as arguments that yields such a row}}
  tile.x86.product %l[%i], %r into %t
      : memref<64x64xf32>, memref<64x16xf32>, memref<4x16xf32> epilogue {
  ^bb0(%sum: vector<16xf32>, %row: index):
    tile.x86.yield %sum : vector<16xf32>
  }
  return
}

// -----

func.func @epilogue_yields_nothing(%l: memref<64x64xf32>, %i: index, %r: memref<64x16xf32>, %t: memref<4x16xf32>) {
  // expected-error @below {{'tile.x86.product' op expected an epilogue with a row of lanes and two indices as arguments that yields such a row}}
  tile.x86.product %l[%i], %r into %t
      : memref<64x64xf32>, memref<64x16xf32>, memref<4x16xf32> epilogue {
  ^bb0(%sum: vector<16xf32>, %row: index, %lane: index):
  }
  return
}

// -----

func.func @epilogue_yields_less(%x: vector<8xf32>, %l: memref<64x64xf32>, %i: index, %r: memref<64x16xf32>, %t: memref<4x16xf32>) {
  // expected-error @below {{'tile.x86.product' op expected an epilogue with a row of lanes and two indices as arguments that yields such a row}}
  tile.x86.product %l[%i], %r into %t
      : memref<64x64xf32>, memref<64x16xf32>, memref<4x16xf32> epilogue {
  ^bb0(%sum: vector<16xf32>, %row: index, %lane: index):
    tile.x86.yield %x : vector<8xf32>
  }
  return
}

// -----

func.func @rank(%x: vector<4x4xf32>) {
  // expected-error @below {{'tile.x86.exp2' op operand #0 must be}}
  %y = tile.x86.exp2 %x : vector<4x4xf32>
  return
}

// -----

func.func @brief(%x: vector<8xf32>) {
  // expected-error @below {{'tile.x86.exp2' op expected 16 lanes with 'brief'}}
  %y = tile.x86.exp2 %x brief : vector<8xf32>
  return
}

// -----

func.func @flushed(%x: vector<16xf32>) {
  // expected-error @below {{'tile.x86.exp2' op expected 'brief' with 'flushed'}}
  %y = tile.x86.exp2 %x flushed : vector<16xf32>
  return
}

// -----

func.func @amx_of_floats(%l: memref<32x32xf32>, %i: index, %r: memref<32x32xf32>, %t: memref<32x32xf32>) {
  // expected-error @below {{'tile.x86.product' op expected pairs, and rows on the left, with 'amx'}}
  tile.x86.product %l[%i], %r amx into %t : memref<32x32xf32>, memref<32x32xf32>, memref<32x32xf32>
  return
}

// -----

func.func @amx_of_columns(%l: memref<32x64xbf16>, %i: index, %r: memref<32x64xbf16>, %t: memref<32x32xf32>) {
  // expected-error @below {{'tile.x86.product' op expected pairs, and rows on the left, with 'amx'}}
  tile.x86.product transposed %l[%i], %r amx into %t : memref<32x64xbf16>, memref<32x64xbf16>, memref<32x32xf32>
  return
}

// -----

func.func @amx_of_some_rows(%l: memref<32x64xbf16>, %i: index, %r: memref<32x64xbf16>, %t: memref<20x32xf32>) {
  // expected-error @below {{'tile.x86.product' op expected rows, lanes and steps in multiples of 16 with 'amx'}}
  tile.x86.product %l[%i], %r amx into %t : memref<32x64xbf16>, memref<32x64xbf16>, memref<20x32xf32>
  return
}

// -----

func.func @amx_of_some_steps(%l: memref<32x64xbf16>, %i: index, %r: memref<20x64xbf16>, %t: memref<32x32xf32>) {
  // expected-error @below {{'tile.x86.product' op expected rows, lanes and steps in multiples of 16 with 'amx'}}
  tile.x86.product %l[%i], %r amx into %t : memref<32x64xbf16>, memref<20x64xbf16>, memref<32x32xf32>
  return
}

// -----

func.func @amx_of_scaled_sums(%l: memref<32x64xbf16>, %i: index, %r: memref<32x64xbf16>, %t: memref<32x32xf32>) {
  // expected-error @below {{'tile.x86.product' op expected no clauses but 'count', and 'onto' or a factor, with 'amx'}}
  tile.x86.product %l[%i], %r factor 0.5 amx onto %t : memref<32x64xbf16>, memref<32x64xbf16>, memref<32x32xf32>
  return
}

// -----

func.func @widen_to_another(%k: memref<?x64xf16>, %i: index, %t: memref<4x64xbf16>) {
  // expected-error @below {{'tile.x86.widen' op expected a target of f32 or of 'f16'}}
  tile.x86.widen %k[%i] last %i rows %i into %t : memref<?x64xf16>, memref<4x64xbf16>
  return
}

// -----

func.func @transpose_of_open_columns(%v: memref<?x?xbf16>, %i: index, %t: memref<16x32xbf16>) {
  // expected-error @below {{'tile.x86.transpose' op expected columns of known number in the source, and a target of known size}}
  tile.x86.transpose %v[%i] rows %i into %t : memref<?x?xbf16>, memref<16x32xbf16>
  return
}

// -----

func.func @transpose_to_fewer_rows(%v: memref<?x40xbf16>, %i: index, %t: memref<40x32xbf16>) {
  // expected-error @below {{'tile.x86.transpose' op expected a target of 48 rows and a multiple of 32 columns}}
  tile.x86.transpose %v[%i] rows %i into %t : memref<?x40xbf16>, memref<40x32xbf16>
  return
}

// -----

func.func @open_scores(%k: memref<?x64xf32>, %i: index, %s: memref<?x64xf32>) {
  // expected-error @below {{'tile.x86.dot_rows' op expected a known number of rows and lanes of scores}}
  tile.x86.dot_rows %k[%i] last %i, %k[%i] into %s
      : memref<?x64xf32>, memref<?x64xf32>, memref<?x64xf32>
  return
}

// -----

func.func @open_squares(%k: memref<?x64xf32>, %i: index, %s: memref<1x?xf32>) {
  // expected-error @below {{'tile.x86.square_rows' op expected a known number of rows and lanes of squares}}
  tile.x86.square_rows %k[%i] last %i into %s : memref<?x64xf32> into memref<1x?xf32>
  return
}

// -----

func.func @open_sums(%v: memref<?x64xf32>, %i: index, %s: memref<?x64xf32>) {
  // expected-error @below {{'tile.x86.sum_rows' op expected a known number of rows and lanes of sums}}
  tile.x86.sum_rows %v[%i] count %i, %s into %s
      : memref<?x64xf32>, memref<?x64xf32>, memref<?x64xf32>
  return
}

// -----

func.func @weights(%v: memref<?x64xf32>, %i: index, %w: memref<3x64xf32>, %s: memref<2x64xf32>) {
  // expected-error @below {{'tile.x86.sum_rows' op expected as many rows of weights as of sums}}
  tile.x86.sum_rows %v[%i] count %i, %w into %s
      : memref<?x64xf32>, memref<3x64xf32>, memref<2x64xf32>
  return
}
