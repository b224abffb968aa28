// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Right sides that are parameters come from panels that the caller keeps.
//
// RUN: mixattn-opt --split-input-file --attn-pack-parameters --canonicalize --cse %s | FileCheck %s

// Two kernels read one parameter: it is packed once. 64 bytes of a mark, and
// 2 panels of 768 terms and 48 lanes of f32.
// CHECK:       attn.manifest = "{\22entries\22:[{\22name\22:\22layers\22,\22packed\22:294976}]}
// CHECK-LABEL: func.func @layers(
// CHECK-SAME:    %[[X:[a-z0-9]+]]: memref<?x768xf32>, %[[W:[a-z0-9]+]]: memref<768x70xf32, strided<[?, 1]>> {attn.parameter}
// CHECK-SAME:    %[[MEMORY:[a-z0-9]+]]: memref<?xi8> {attn.packed}) {
// CHECK-DAG:     %[[ZERO:.+]] = arith.constant 0 : index
// CHECK-DAG:     %[[BYTES:.+]] = arith.constant 294976 : index
// CHECK-DAG:     %[[COUNT:.+]] = arith.constant 2 : index
// CHECK-DAG:     %[[LINE:.+]] = arith.constant 64 : index
// CHECK:         %[[GIVEN:.+]] = memref.dim %[[MEMORY]], %[[ZERO]]
// CHECK:         %[[ENOUGH:.+]] = arith.cmpi sge, %[[GIVEN]], %[[BYTES]]
// CHECK:         scf.if %[[ENOUGH]] {
// CHECK:           %[[MARK:.+]] = memref.view %[[MEMORY]][%[[ZERO]]][] : memref<?xi8> to memref<1xi64>
// CHECK:           memref.extract_aligned_pointer_as_index %[[W]]
// CHECK:           memref.extract_strided_metadata %[[W]]
// CHECK:           %[[FOUND:.+]] = memref.load %[[MARK]][%[[ZERO]]]
// CHECK-NEXT:      %[[NEW:.+]] = arith.cmpi ne, %[[OWN:.+]], %[[FOUND]] : i64
// CHECK-NEXT:      scf.if %[[NEW]] {
// CHECK-NEXT:        %[[PANELS:.+]] = memref.view %[[MEMORY]][%[[LINE]]][] : memref<?xi8> to memref<2x768x48xf32>
// CHECK-NEXT:        attn.kernel ins(%[[W]] : {{.+}}) outs(%[[PANELS]] : {{.+}}) {
// CHECK:               attn.panels %{{.+}} terms [0] lanes [1] width 48
// CHECK:             }
// CHECK-NEXT:        memref.store %[[OWN]], %[[MARK]][%[[ZERO]]]
// CHECK:         %[[SIZE:.+]] = arith.select %[[ENOUGH]], %[[COUNT]], %[[ZERO]]
// CHECK:         %[[ALL:.+]] = memref.view %[[MEMORY]][%[[LINE]]][%[[SIZE]]] : memref<?xi8> to memref<?x768x48xf32>
// CHECK:         attn.kernel ins(%[[X]], %[[W]], %{{.+}} : {{.+}}) panels(%[[ALL]] : memref<?x768x48xf32>) {
// CHECK:         attn.kernel ins(%[[X]], %[[W]], %{{.+}} : {{.+}}) panels(%[[ALL]] : memref<?x768x48xf32>) {
!x = memref<?x768xf32>
!w = memref<768x70xf32, strided<[?, 1]>>
!y = memref<?x70xf32>
module attributes {attn.target = #attn.target<x86, chip = "x86-64-v4", features = ["avx512f", "fma"]>,
    attn.manifest = "{\22entries\22:[{\22name\22:\22layers\22}]}"} {
  func.func @layers(%x: !x, %w: !w {attn.parameter}, %n: index, %y: !y, %z: !y) {
    attn.kernel ins(%x, %w, %n : !x, !w, index) outs(%y : !y) {
    ^bb0(%a: tensor<?x768xf32>, %b: tensor<768x70xf32>, %m: index):
      %zero = arith.constant 0.0 : f32
      %e = tensor.empty(%m) : tensor<?x70xf32>
      %f = linalg.fill ins(%zero : f32) outs(%e : tensor<?x70xf32>) -> tensor<?x70xf32>
      %r = linalg.matmul ins(%a, %b : tensor<?x768xf32>, tensor<768x70xf32>)
          outs(%f : tensor<?x70xf32>) -> tensor<?x70xf32>
      attn.results %r : tensor<?x70xf32>
    }
    attn.kernel ins(%x, %w, %n : !x, !w, index) outs(%z : !y) {
    ^bb0(%a: tensor<?x768xf32>, %b: tensor<768x70xf32>, %m: index):
      %zero = arith.constant 0.0 : f32
      %e = tensor.empty(%m) : tensor<?x70xf32>
      %f = linalg.fill ins(%zero : f32) outs(%e : tensor<?x70xf32>) -> tensor<?x70xf32>
      %r = linalg.matmul ins(%a, %b : tensor<?x768xf32>, tensor<768x70xf32>)
          outs(%f : tensor<?x70xf32>) -> tensor<?x70xf32>
      attn.results %r : tensor<?x70xf32>
    }
    return
  }
}

// -----

// An input, a parameter of open sizes, and few rows of what lies in rows of
// lanes are read where they lie.
// CHECK-LABEL: func.func @input(
// CHECK-NOT:     attn.packed
// CHECK-LABEL: func.func @open(
// CHECK-NOT:     attn.packed
// CHECK-LABEL: func.func @one_row(
// CHECK-NOT:     attn.packed
func.func @input(%x: memref<99x8xf32>, %w: memref<8x4xf32>, %y: memref<99x4xf32>) {
  attn.kernel ins(%x, %w : memref<99x8xf32>, memref<8x4xf32>) outs(%y : memref<99x4xf32>) {
  ^bb0(%a: tensor<99x8xf32>, %b: tensor<8x4xf32>):
    %zero = arith.constant 0.0 : f32
    %e = tensor.empty() : tensor<99x4xf32>
    %f = linalg.fill ins(%zero : f32) outs(%e : tensor<99x4xf32>) -> tensor<99x4xf32>
    %r = linalg.matmul ins(%a, %b : tensor<99x8xf32>, tensor<8x4xf32>)
        outs(%f : tensor<99x4xf32>) -> tensor<99x4xf32>
    attn.results %r : tensor<99x4xf32>
  }
  return
}
func.func @open(%x: memref<99x?xf32>, %w: memref<?x4xf32> {attn.parameter},
                %y: memref<99x4xf32>) {
  attn.kernel ins(%x, %w : memref<99x?xf32>, memref<?x4xf32>) outs(%y : memref<99x4xf32>) {
  ^bb0(%a: tensor<99x?xf32>, %b: tensor<?x4xf32>):
    %zero = arith.constant 0.0 : f32
    %e = tensor.empty() : tensor<99x4xf32>
    %f = linalg.fill ins(%zero : f32) outs(%e : tensor<99x4xf32>) -> tensor<99x4xf32>
    %r = linalg.matmul ins(%a, %b : tensor<99x?xf32>, tensor<?x4xf32>)
        outs(%f : tensor<99x4xf32>) -> tensor<99x4xf32>
    attn.results %r : tensor<99x4xf32>
  }
  return
}
func.func @one_row(%x: memref<1x8xf32>, %w: memref<8x4xf32> {attn.parameter},
                   %y: memref<1x4xf32>) {
  attn.kernel ins(%x, %w : memref<1x8xf32>, memref<8x4xf32>) outs(%y : memref<1x4xf32>) {
  ^bb0(%a: tensor<1x8xf32>, %b: tensor<8x4xf32>):
    %zero = arith.constant 0.0 : f32
    %e = tensor.empty() : tensor<1x4xf32>
    %f = linalg.fill ins(%zero : f32) outs(%e : tensor<1x4xf32>) -> tensor<1x4xf32>
    %r = linalg.matmul ins(%a, %b : tensor<1x8xf32>, tensor<8x4xf32>)
        outs(%f : tensor<1x4xf32>) -> tensor<1x4xf32>
    attn.results %r : tensor<1x4xf32>
  }
  return
}
