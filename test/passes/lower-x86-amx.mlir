// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Products by AMX: squares of registers, and the same in vectors of f32.
//
// RUN: mixattn-opt %s --attn-set-target='features=amx-bf16,amx-tile,avx512f,fma' --tile-lower-x86 --canonicalize --cse \
// RUN:   | FileCheck %s --implicit-check-not=tile.x86
// RUN: mixattn-opt %s --attn-set-target='features=avx512f,emulated-amx,fma' --tile-lower-x86 --canonicalize --cse \
// RUN:   | FileCheck %s --check-prefix=EMULATED --implicit-check-not=tile.x86 --implicit-check-not=amx.tile

// Two by two squares: each square of a side is loaded once, and used twice.
// CHECK-LABEL: func.func @scores(
// CHECK-SAME:    %[[K:.+]]: memref<?x64xbf16>, %[[ROW:.+]]: index, %[[Q:.+]]: memref<32x64xbf16>, %[[S:.+]]: memref<32x32xf32>)
// CHECK-COUNT-4: amx.tile_zero
// CHECK:         %[[A:.+]] = amx.tile_load %[[K]][%[[ROW]], %c0]
// CHECK-NEXT:    %[[B:.+]] = amx.tile_load %[[Q]][%c0, %c0]
// CHECK-NEXT:    amx.tile_mulf %[[A]], %[[B]]
// CHECK-NEXT:    %[[C:.+]] = amx.tile_load %[[Q]][%c0, %c32]
// CHECK-NEXT:    amx.tile_mulf %[[A]], %[[C]]
// CHECK:         %[[NEXT:.+]] = arith.addi %[[ROW]], %c16
// CHECK-NEXT:    %[[D:.+]] = amx.tile_load %[[K]][%[[NEXT]], %c0]
// CHECK-NEXT:    amx.tile_mulf %[[D]], %[[B]]
// CHECK-NEXT:    amx.tile_mulf %[[D]], %[[C]]
// CHECK:         amx.tile_load %[[K]][%[[ROW]], %c32]
// CHECK-NEXT:    amx.tile_load %[[Q]][%c16, %c0]
// CHECK:         amx.tile_store %[[S]][%c0, %c0]
// CHECK-NEXT:    amx.tile_store %[[S]][%c0, %c16]
// CHECK-NEXT:    amx.tile_store %[[S]][%c16, %c0]
// CHECK-NEXT:    amx.tile_store %[[S]][%c16, %c16]
// CHECK-NEXT:    return
//
// A square of a row and of a lane: even and odd terms from zero, then both onto
// the sum.
// EMULATED-LABEL: func.func @scores(
// EMULATED:         scf.for %{{.+}} = %c0 to %c32 step %c1
// EMULATED:           scf.for %{{.+}} = %c0 to %c32 step %c16
// EMULATED:             %[[SUM:.+]] = scf.for %[[STEP:.+]] = %c0 to %c32 step %c16 iter_args(%{{.+}} = %{{.+}})
// EMULATED:               %[[END:.+]] = arith.addi %[[STEP]], %c16
// EMULATED:               %[[TERMS:.+]]:2 = scf.for %{{.+}} = %[[STEP]] to %[[END]] step %c1
// EMULATED-COUNT-2:         vector.fma
// EMULATED:               arith.addf %[[TERMS]]#0, %[[TERMS]]#1
// EMULATED:               arith.addf
// EMULATED:             vector.store %[[SUM]]
func.func @scores(%k: memref<?x64xbf16>, %row: index, %q: memref<32x64xbf16>, %s: memref<32x32xf32>) {
  tile.x86.product %k[%row], %q amx into %s
      : memref<?x64xbf16>, memref<32x64xbf16>, memref<32x32xf32>
  return
}

// What does not divide by two squares comes last. A count is a loop, and sums
// begin with those that are there.
// CHECK-LABEL: func.func @pool(
// CHECK-SAME:    %[[V:.+]]: memref<48x64xbf16>, %[[W:.+]]: memref<32x32xbf16>, %[[N:.+]]: index, %[[O:.+]]: memref<48x16xf32>)
// CHECK:         %[[X:.+]] = amx.tile_load %[[O]][%c0, %c0]
// CHECK:         %[[Y:.+]] = amx.tile_load %[[O]][%c16, %c0]
// CHECK:         %[[SUMS:.+]]:2 = scf.for %[[I:.+]] = %c0 to %[[N]] step %c16 iter_args(%{{.+}} = %[[X]], %{{.+}} = %[[Y]])
// CHECK:           %[[COLUMN:.+]] = arith.muli %[[I]], %c2
// CHECK:           amx.tile_load %[[V]][%c0, %[[COLUMN]]]
// CHECK:           amx.tile_load %[[W]][%[[I]], %c0]
// CHECK:         amx.tile_store %[[O]][%c0, %c0], %[[SUMS]]#0
// CHECK:         amx.tile_store %[[O]][%c16, %c0], %[[SUMS]]#1
// CHECK:         amx.tile_load %[[O]][%c32, %c0]
// CHECK:         amx.tile_store %[[O]][%c32, %c0]
func.func @pool(%v: memref<48x64xbf16>, %w: memref<32x32xbf16>, %n: index, %o: memref<48x16xf32>) {
  %c0 = arith.constant 0 : index
  tile.x86.product %v[%c0], %w count %n amx onto %o
      : memref<48x64xbf16>, memref<32x32xbf16>, memref<48x16xf32>
  return
}

// All lanes are scaled.
// CHECK-LABEL: func.func @brief(
// CHECK:         %[[ALL:.+]] = arith.constant -1 : i16
// CHECK:         "llvm.x86.avx512.mask.reduce.ps.512"
// CHECK-COUNT-3: vector.fma
// CHECK:         "llvm.x86.avx512.mask.scalef.ps.512"(%{{.+}}, %{{.+}}, %{{.+}}, %[[ALL]],
func.func @brief(%x: vector<16xf32>) -> vector<16xf32> {
  %y = tile.x86.exp2 %x brief : vector<16xf32>
  return %y : vector<16xf32>
}

// Those whose powers are no denormal numbers.
// CHECK-LABEL: func.func @flushed(
// CHECK-SAME:    %[[X:.+]]: vector<16xf32>
// CHECK:         %[[LEAST:.+]] = arith.constant dense<-1.260000e+02>
// CHECK:         %[[ARE_NORMAL:.+]] = arith.cmpf uge, %[[X]], %[[LEAST]]
// CHECK:         %[[LANES:.+]] = llvm.bitcast %[[ARE_NORMAL]] : vector<16xi1> to i16
// CHECK-COUNT-3: vector.fma
// CHECK:         "llvm.x86.avx512.mask.scalef.ps.512"(%{{.+}}, %[[X]], %{{.+}}, %[[LANES]],
func.func @flushed(%x: vector<16xf32>) -> vector<16xf32> {
  %y = tile.x86.exp2 %x brief flushed : vector<16xf32>
  return %y : vector<16xf32>
}

// Two rows at a time are words, of which squares are transposed; rows that are
// not there, and columns, are 0.
// CHECK-LABEL: func.func @transpose(
// CHECK:         scf.for %[[FIRST:.+]] = %c0 to %c64 step %c32
// CHECK:           vector.maskedload
// CHECK:           vector.interleave
// CHECK:           vector.shuffle
// CHECK:           vector.store %{{.+}}, %{{.+}}[%c0, %[[FIRST]]] : memref<32x64xbf16>, vector<32xbf16>
// CHECK:           vector.store %{{.+}}, %{{.+}}[%c31, %[[FIRST]]]
func.func @transpose(%v: memref<?x20xbf16>, %row: index, %rows: index, %panel: memref<32x64xbf16>) {
  tile.x86.transpose %v[%row] rows %rows into %panel
      : memref<?x20xbf16>, memref<32x64xbf16>
  return
}

// Columns beyond those of the source are 0.
// CHECK-LABEL: func.func @padded(
// CHECK:         scf.for
// CHECK:           scf.for %[[C:.+]] = %c0 to %c32 step %c16
// CHECK:             %[[LEFT:.+]] = arith.subi %c20, %[[C]]
// CHECK:             %[[HELD:.+]] = arith.maxsi %[[LEFT]], %c0
// CHECK:             %[[MASK:.+]] = vector.create_mask %[[HELD]]
// CHECK:             %[[PART:.+]] = vector.maskedload %{{.+}}[%{{.+}}, %[[C]]], %[[MASK]]
// CHECK:             vector.store %[[PART]]
func.func @padded(%k: memref<?x20xbf16>, %row: index, %last: index, %rows: index, %keys: memref<32x32xbf16>) {
  tile.x86.widen %k[%row] last %last rows %rows into %keys
      : memref<?x20xbf16>, memref<32x32xbf16>
  return
}
