// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Panels that are there and leave the second cache: where reading shows, blocks
// of rows ask for what comes next, each for its share of 128 terms. Few rows do
// not, nor does who has a small right side.
//
// RUN: mixattn-opt %s --split-input-file --attn-pack-parameters --attn-schedule-kernels --canonicalize --cse | FileCheck %s

// CHECK-LABEL: func.func @slow(
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
