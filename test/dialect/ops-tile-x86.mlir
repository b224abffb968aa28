// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// How the tile ops of x86 are written.
//
// RUN: mixattn-opt --verify-roundtrip %s | FileCheck %s

!tile = memref<64x16xf32>

// CHECK-LABEL: func.func @moves
// CHECK:         tile.x86.pack %{{.+}}[%{{.+}}, %{{.+}}] sizes[%{{.+}}, %{{.+}}] factor 1.250000e-01 into %{{.+}} : memref<?x64xbf16>, memref<64x16xf32>
// CHECK:         tile.x86.pack {{.*}} factor 1.000000e+00 into %{{.+}} : memref<?x?xi8>, memref<64x16xf32>
// CHECK:         tile.x86.unpack %{{.+}}, %{{.+}} into %{{.+}}[%{{.+}}] rows %{{.+}} : memref<64x16xf32>, memref<1x16xf32>, memref<?x64xbf16>
// CHECK:         tile.x86.widen %{{.+}}[%{{.+}}] last %{{.+}} rows %{{.+}} into %{{.+}} : memref<?x64xbf16>, memref<4x64xf32>
func.func @moves(%q: memref<?x64xbf16>, %mask: memref<?x?xi8>, %i: index, %n: index,
                 %tile: !tile, %factors: memref<1x16xf32>, %rows: memref<4x64xf32>) {
  tile.x86.pack %q[%i, %i] sizes [%n, %n] factor 0.125 into %tile : memref<?x64xbf16>, !tile
  tile.x86.pack %mask[%i, %i] sizes [%n, %n] factor 1.0 into %tile : memref<?x?xi8>, !tile
  tile.x86.unpack %tile, %factors into %q[%i] rows %n
      : !tile, memref<1x16xf32>, memref<?x64xbf16>
  tile.x86.widen %q[%i] last %n rows %n into %rows : memref<?x64xbf16>, memref<4x64xf32>
  return
}

// CHECK-LABEL: func.func @products
// CHECK:         tile.x86.product %{{.+}}[%{{.+}}] last %{{.+}}, %{{.+}} into %{{.+}} units 2 : memref<?x64xf32>, memref<64x16xf32>, memref<4x16xf32> {
// CHECK-NEXT:    ^bb0(%[[UNIT:.+]]: index):
// CHECK-NEXT:      arith.addi %[[UNIT]]
// CHECK:         tile.x86.product %{{.+}}[%{{.+}}] last %{{.+}}, %{{.+}} factor 1.250000e-01 into %{{[^ ]+}} :
// CHECK:         tile.x86.product transposed %{{.+}}[%{{.+}}], %{{.+}} count %{{.+}} onto %{{[^ ]+}} : memref<?x64xf32>, memref<64x16xf32>, memref<64x16xf32>
// CHECK:         tile.x86.product transposed {{.*}} onto %{{.+}} units 3 : memref<?x64xf32>, memref<64x16xf32>, memref<64x16xf32> {
// CHECK-NEXT:    ^bb0(%[[UNIT:.+]]: index):
// CHECK-NEXT:      arith.addi %[[UNIT]]
// CHECK:         tile.x86.product {{.*}} onto %{{.+}} lost %{{[^ ]+}} : memref<64x16xf32>, memref<64x16xf32>, memref<4x16xf32>, memref<4x16xf32>
// CHECK:         tile.x86.product {{.*}} into %{{[^ ]+}} : memref<64x16xf32>, memref<64x16xf32>, memref<4x16xf32> epilogue {
// CHECK-NEXT:    ^bb0(%[[SUM:.+]]: vector<16xf32>, %{{.+}}: index, %{{.+}}: index):
// CHECK-NEXT:      tile.x86.yield %[[SUM]] : vector<16xf32>
// CHECK:         tile.x86.product {{.*}} into %{{.+}} ahead 8 asks %{{.+}} : memref<64x16xf32> : memref<64x16xf32>, memref<64x16xf32>, memref<4x16xf32>
// CHECK:         tile.x86.product transposed {{.*}} units 1 : {{.*}} {
// CHECK:         } epilogue {
// CHECK:         tile.x86.exp2 %{{.+}} : vector<16xf32>
func.func @products(%k: memref<?x64xf32>, %i: index, %n: index, %q: !tile, %w: !tile,
                    %o: !tile, %s: memref<4x16xf32>, %x: vector<16xf32>) -> vector<16xf32> {
  tile.x86.product %k[%i] last %n, %q into %s units 2
      : memref<?x64xf32>, !tile, memref<4x16xf32> {
  ^bb0(%unit: index):
    %0 = arith.addi %unit, %i : index
  }
  tile.x86.product %k[%i] last %n, %q factor 0.125 into %s
      : memref<?x64xf32>, !tile, memref<4x16xf32>
  tile.x86.product transposed %k[%i], %w count %n onto %o : memref<?x64xf32>, !tile, !tile
  tile.x86.product transposed %k[%i], %w onto %o units 3 : memref<?x64xf32>, !tile, !tile {
  ^bb0(%unit: index):
    %1 = arith.addi %unit, %i : index
  }
  tile.x86.product %w[%i], %q count %n onto %s lost %s
      : !tile, !tile, memref<4x16xf32>, memref<4x16xf32>
  tile.x86.product %w[%i], %q count %n into %s : !tile, !tile, memref<4x16xf32> epilogue {
  ^bb0(%sum: vector<16xf32>, %row: index, %lane: index):
    tile.x86.yield %sum : vector<16xf32>
  }
  tile.x86.product %w[%i], %q count %n into %s ahead 8 asks %o : !tile
      : !tile, !tile, memref<4x16xf32>
  tile.x86.product transposed %k[%i], %w into %o units 1 : memref<?x64xf32>, !tile, !tile {
  ^bb0(%unit: index):
  } epilogue {
  ^bb0(%sum: vector<16xf32>, %row: index, %lane: index):
    tile.x86.yield %sum : vector<16xf32>
  }
  %y = tile.x86.exp2 %x : vector<16xf32>
  return %y : vector<16xf32>
}

// CHECK-LABEL: func.func @amx
// CHECK:         tile.x86.transpose %{{.+}}[%{{.+}}] rows %{{.+}} into %{{.+}} : memref<?x40xbf16>, memref<48x64xbf16>
// CHECK:         tile.x86.widen %{{.+}}[%{{.+}}] last %{{.+}} rows %{{.+}} into %{{.+}} : memref<?x40xbf16>, memref<32x64xbf16>
// CHECK:         tile.x86.product %{{.+}}[%{{.+}}], %{{.+}} amx into %{{.+}} : memref<32x64xbf16>, memref<32x64xbf16>, memref<32x32xf32>
// CHECK:         tile.x86.product %{{.+}}[%{{.+}}], %{{.+}} count %{{.+}} amx onto %{{.+}} : memref<48x64xbf16>, memref<32x64xbf16>, memref<48x32xf32>
// CHECK:         tile.x86.exp2 %{{.+}} brief flushed : vector<16xf32>
func.func @amx(%k: memref<?x40xbf16>, %i: index, %n: index, %keys: memref<32x64xbf16>,
               %q: memref<32x64xbf16>, %s: memref<32x32xf32>, %panel: memref<48x64xbf16>,
               %o: memref<48x32xf32>, %x: vector<16xf32>) -> vector<16xf32> {
  tile.x86.transpose %k[%i] rows %n into %panel : memref<?x40xbf16>, memref<48x64xbf16>
  tile.x86.widen %k[%i] last %n rows %n into %keys : memref<?x40xbf16>, memref<32x64xbf16>
  tile.x86.product %keys[%i], %q amx into %s
      : memref<32x64xbf16>, memref<32x64xbf16>, memref<32x32xf32>
  tile.x86.product %panel[%i], %q count %n amx onto %o
      : memref<48x64xbf16>, memref<32x64xbf16>, memref<48x32xf32>
  %y = tile.x86.exp2 %x brief flushed : vector<16xf32>
  return %y : vector<16xf32>
}
