// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// tile-share-moves: one function for tiles of two widths, none for what is
// there once.
//
// RUN: mixattn-opt --tile-share-moves %s | FileCheck %s
// RUN: mixattn-opt --tile-share-moves --tile-lower-x86 %s | FileCheck %s --check-prefix=LOWERED

// CHECK-LABEL: func.func @both(
// CHECK:         %[[WIDE:.+]] = memref.cast %{{.+}} : memref<64x32xf32> to memref<64x?xf32, strided<[?, 1], offset: ?>>
// CHECK:         call @tile.x86.unpack(%[[WIDE]],
// CHECK:         call @tile.x86.unpack(
// CHECK:         call @[[PACK:tile.x86.pack[_0-9]*]](
// CHECK:         call @[[PACK]](
// A factor of its own, and a number of columns that is not known.
// CHECK:         tile.x86.pack
// CHECK:         tile.x86.pack
// CHECK:         return
func.func @both(%q: memref<?x64xf32>, %wide: memref<64x32xf32>, %narrow: memref<64x16xf32>,
                %factors: memref<1x32xf32>, %less: memref<1x16xf32>,
                %o: memref<?x64xf32>, %row: index, %rows: index) {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  tile.x86.unpack %wide, %factors into %o[%row] rows %rows
      : memref<64x32xf32>, memref<1x32xf32>, memref<?x64xf32>
  tile.x86.unpack %narrow, %less into %o[%row] rows %rows
      : memref<64x16xf32>, memref<1x16xf32>, memref<?x64xf32>
  tile.x86.pack %q[%row, %c0] sizes [%rows, %c64] factor 0.125 into %wide
      : memref<?x64xf32>, memref<64x32xf32>
  tile.x86.pack %q[%row, %row] sizes [%rows, %c64] factor 0.125 into %narrow
      : memref<?x64xf32>, memref<64x16xf32>
  tile.x86.pack %q[%row, %c0] sizes [%rows, %c64] factor 0.25 into %wide
      : memref<?x64xf32>, memref<64x32xf32>
  tile.x86.pack %q[%row, %c0] sizes [%rows, %rows] factor 0.125 into %wide
      : memref<?x64xf32>, memref<64x32xf32>
  return
}

// A tile of pairs is twice as wide as it has queries.
// CHECK-LABEL: func.func @pairs(
// CHECK:         call @[[PAIRS:tile.x86.pack[_0-9]*]](
// CHECK:         call @[[PAIRS]](
// CHECK:         call @tile.x86.pair(
// CHECK:         call @tile.x86.pair(
func.func @pairs(%q: memref<?x64xbf16>, %wide: memref<32x64xbf16>, %narrow: memref<32x32xbf16>,
                 %row: index, %rows: index) {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  tile.x86.pack %q[%row, %c0] sizes [%rows, %c64] factor 1.0 into %wide
      : memref<?x64xbf16>, memref<32x64xbf16>
  tile.x86.pack %q[%row, %c0] sizes [%rows, %c64] factor 1.0 into %narrow
      : memref<?x64xbf16>, memref<32x32xbf16>
  tile.x86.pair %q[%row] rows %rows into %wide : memref<?x64xbf16>, memref<32x64xbf16>
  tile.x86.pair %q[%c0] rows %c64 into %wide : memref<?x64xbf16>, memref<32x64xbf16>
  return
}

// CHECK:         func.func private @tile.x86.unpack(%[[TILE:.+]]: memref<64x?xf32, strided<[?, 1], offset: ?>>, %[[FACTORS:.+]]: memref<1x?xf32, strided<[?, 1], offset: ?>>, %[[O:.+]]: memref<?x64xf32>, %[[ROW:.+]]: index, %[[ROWS:.+]]: index)
// CHECK-SAME:      llvm.linkage = #llvm.linkage<internal>, no_inline
// CHECK-NEXT:    tile.x86.unpack %[[TILE]], %[[FACTORS]] into %[[O]][%[[ROW]]] rows %[[ROWS]]

// The tile's width is told by its size.
// LOWERED:       func.func private @[[NAME:tile.x86.pack[_0-9]*]](%{{.+}}: memref<?x64xbf16>, %{{.+}}, %{{.+}}, %{{.+}}, %{{.+}}, %[[TILE:.+]]: memref<32x?xbf16,
// LOWERED:         %[[WIDTH:.+]] = memref.dim %[[TILE]], %c1{{.*}}
// LOWERED:         %[[QUERIES:.+]] = arith.divui %[[WIDTH]], %c2{{.*}}
// LOWERED:         scf.for %{{.+}} = %c0{{.*}} to %[[QUERIES]] step
