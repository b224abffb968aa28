// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A right side that leaves the second cache, where reading shows. Blocks of few
// rows ask for half of the lanes of what comes next while they multiply: for the
// next 32 terms of a panel, for 8 terms further where the right side is read as
// it lies. Others do so before they multiply where panels are there, each for
// its share of 128 terms. Who has a small right side asks for nothing.
//
// RUN: mixattn-opt %s --split-input-file --attn-pack-parameters --attn-schedule-kernels --canonicalize --cse | FileCheck %s

// CHECK-LABEL: func.func @slow(
// CHECK:             scf.for %{{.+}} = %c0 to %c768 step %c32 {
// CHECK:               %[[BLOCK:.+]] = arith.divui %{{.+}}, %c6 : index
// CHECK:               %[[ODD:.+]] = arith.remui %[[BLOCK]], %c2 : index
// CHECK:               %[[HALF:.+]] = arith.muli %[[ODD]], %c32 : index
// CHECK:               %[[NEXT:.+]] = memref.subview %{{.+}}[8, %[[HALF]]] [32, 32] [1, 1] : memref<128x64xf32, {{.+}}
// CHECK:               tile.x86.product {{.+}} onto %{{.+}} asks %[[NEXT]] : {{.+}} memref<6x64xf32
// CHECK:               tile.x86.product {{.+}} asks {{.+}} memref<4x64xf32
// CHECK:               tile.x86.product {{.+}} last {{.+}} asks {{.+}} memref<2x64xf32
// CHECK-NOT:         scf.for %{{.+}} = %c0 to %c768 step %c128 {
// CHECK:             arith.cmpi sle, %{{.+}}, %c64
// CHECK-NEXT:        scf.if
// CHECK-NEXT:          scf.for %{{.+}} = %c0 to %c768 step %c32 {
// CHECK:                 memref.subview %{{.+}}[32, %{{.+}}] [32, 32] [1, 1] : memref<128x64xf32
// CHECK-NOT:             memref.prefetch
// CHECK:               scf.for %{{.+}} = %c0 to %c768 step %c128 {
// CHECK:             %[[MANY:.+]] = arith.cmpi sge, %{{.+}}, %c48
// CHECK:             %[[ASKS:.+]] = arith.andi %{{.+}}, %[[MANY]]
// CHECK:             %[[END:.+]] = arith.select %[[ASKS]],
// CHECK:             memref.reinterpret_cast %{{.+}} to offset: [%{{.+}}], sizes: [128, 64], strides: [64, 1]
// CHECK:             scf.for %[[ROW:.+]] = %{{.+}} to %[[END]] step %c1 {
// CHECK:               scf.for %[[COLUMN:.+]] = %c0 to %c64 step %c16 {
// CHECK:                 memref.prefetch %{{.+}}[%[[ROW]], %[[COLUMN]]], read, locality<3>, data
!x = memref<?x768xf32>
!w = memref<768x768xf32, strided<[?, 1]>>
!y = memref<?x768xf32>
module attributes {attn.target = #attn.target<x86, chip = "graniterapids", features = ["avx512f", "fma"]>,
    attn.manifest = "{\22entries\22:[{\22name\22:\22slow\22}]}"} {
  func.func @slow(%x: !x, %w: !w {attn.parameter}, %n: index, %y: !y) {
    attn.kernel ins(%x, %w, %n : !x, !w, index) outs(%y : !y) {
    ^bb0(%a: tensor<?x768xf32>, %b: tensor<768x768xf32>, %m: index):
      %zero = arith.constant 0.0 : f32
      %e = tensor.empty(%m) : tensor<?x768xf32>
      %f = linalg.fill ins(%zero : f32) outs(%e : tensor<?x768xf32>) -> tensor<?x768xf32>
      %r = linalg.matmul ins(%a, %b : tensor<?x768xf32>, tensor<768x768xf32>)
          outs(%f : tensor<?x768xf32>) -> tensor<?x768xf32>
      attn.results %r : tensor<?x768xf32>
    }
    return
  }
}

// -----

// CHECK-LABEL: func.func @small(
// CHECK-NOT:     arith.cmpi sge, %{{.+}}, %c48
// CHECK-NOT:     asks
// CHECK:         return
!x = memref<?x256xf32>
!w = memref<256x768xf32, strided<[?, 1]>>
!y = memref<?x768xf32>
module attributes {attn.target = #attn.target<x86, chip = "graniterapids", features = ["avx512f", "fma"]>,
    attn.manifest = "{\22entries\22:[{\22name\22:\22small\22}]}"} {
  func.func @small(%x: !x, %w: !w {attn.parameter}, %n: index, %y: !y) {
    attn.kernel ins(%x, %w, %n : !x, !w, index) outs(%y : !y) {
    ^bb0(%a: tensor<?x256xf32>, %b: tensor<256x768xf32>, %m: index):
      %zero = arith.constant 0.0 : f32
      %e = tensor.empty(%m) : tensor<?x768xf32>
      %f = linalg.fill ins(%zero : f32) outs(%e : tensor<?x768xf32>) -> tensor<?x768xf32>
      %r = linalg.matmul ins(%a, %b : tensor<?x256xf32>, tensor<256x768xf32>)
          outs(%f : tensor<?x768xf32>) -> tensor<?x768xf32>
      attn.results %r : tensor<?x768xf32>
    }
    return
  }
}

// -----

// CHECK-LABEL: func.func @quick(
// CHECK-NOT:     arith.cmpi sge, %{{.+}}, %c48
// CHECK-NOT:     asks
// CHECK:         return
!x = memref<?x768xf32>
!w = memref<768x768xf32, strided<[?, 1]>>
!y = memref<?x768xf32>
module attributes {attn.target = #attn.target<x86, chip = "znver5", features = ["avx512f", "fma"]>,
    attn.manifest = "{\22entries\22:[{\22name\22:\22quick\22}]}"} {
  func.func @quick(%x: !x, %w: !w {attn.parameter}, %n: index, %y: !y) {
    attn.kernel ins(%x, %w, %n : !x, !w, index) outs(%y : !y) {
    ^bb0(%a: tensor<?x768xf32>, %b: tensor<768x768xf32>, %m: index):
      %zero = arith.constant 0.0 : f32
      %e = tensor.empty(%m) : tensor<?x768xf32>
      %f = linalg.fill ins(%zero : f32) outs(%e : tensor<?x768xf32>) -> tensor<?x768xf32>
      %r = linalg.matmul ins(%a, %b : tensor<?x768xf32>, tensor<768x768xf32>)
          outs(%f : tensor<?x768xf32>) -> tensor<?x768xf32>
      attn.results %r : tensor<?x768xf32>
    }
    return
  }
}

// -----

// A single row reads panels, too, where they are there and leave the second
// caches, 16 rows ahead: panels of 64 lanes, where tiles of 48 would leave all
// threads as much.
// CHECK-LABEL: func.func @row(
// CHECK:         scf.if %{{.+}} {
// CHECK:           %[[THERE:.+]] = arith.cmpi sgt, %{{.+}}, %c0
// CHECK:           %[[PANEL:.+]] = scf.if %[[THERE]] -> (memref<128x64xf32
// CHECK:           tile.x86.product %{{.+}}, %[[PANEL]] count %{{.+}} onto %{{.+}} ahead 16 : {{.+}}, memref<1x64xf32
// CHECK:         } else {
!x = memref<?x1100xf32>
!w = memref<1100x4160xf32, strided<[?, 1]>>
!y = memref<?x4160xf32>
module attributes {attn.target = #attn.target<x86, chip = "graniterapids", features = ["avx512f", "fma"]>,
    attn.manifest = "{\22entries\22:[{\22name\22:\22row\22}]}"} {
  func.func @row(%x: !x, %w: !w {attn.parameter}, %n: index, %y: !y) {
    attn.kernel ins(%x, %w, %n : !x, !w, index) outs(%y : !y) {
    ^bb0(%a: tensor<?x1100xf32>, %b: tensor<1100x4160xf32>, %m: index):
      %zero = arith.constant 0.0 : f32
      %e = tensor.empty(%m) : tensor<?x4160xf32>
      %f = linalg.fill ins(%zero : f32) outs(%e : tensor<?x4160xf32>) -> tensor<?x4160xf32>
      %r = linalg.matmul ins(%a, %b : tensor<?x1100xf32>, tensor<1100x4160xf32>)
          outs(%f : tensor<?x4160xf32>) -> tensor<?x4160xf32>
      attn.results %r : tensor<?x4160xf32>
    }
    return
  }
}
