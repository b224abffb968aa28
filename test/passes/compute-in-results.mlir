// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// attn-compute-in-results: results are computed in the caller's buffers.
// RUN: mixattn-opt %s --attn-compute-in-results | FileCheck %s

#id = affine_map<(i) -> (i)>

// CHECK-LABEL: func.func @own
// CHECK-SAME:    %[[X:.+]]: tensor<4xf32>, %[[Y:.+]]: memref<4xf32>
// CHECK-NOT:     tensor.empty
// CHECK:         %[[OWN:.+]] = bufferization.to_tensor %[[Y]] restrict writable
// CHECK:         %[[EXP:.+]] = linalg.exp ins(%[[X]] : tensor<4xf32>) outs(%[[OWN]] : tensor<4xf32>)
// CHECK:         materialize_in_destination %[[EXP]] in restrict writable %[[Y]]
func.func @own(%x: tensor<4xf32>, %y: memref<4xf32>) {
  %0 = tensor.empty() : tensor<4xf32>
  %1 = linalg.exp ins(%x : tensor<4xf32>) outs(%0 : tensor<4xf32>) -> tensor<4xf32>
  bufferization.materialize_in_destination %1 in restrict writable %y
      : (tensor<4xf32>, memref<4xf32>) -> ()
  return
}

// Two results begin with one filled tensor, which is neither's own.
// CHECK-LABEL: func.func @shared
// CHECK:         tensor.empty
// CHECK-NOT:     to_tensor
func.func @shared(%x: tensor<4xf32>, %one: f32, %y: memref<4xf32>,
                  %z: memref<4xf32>) {
  %0 = tensor.empty() : tensor<4xf32>
  %1 = linalg.fill ins(%one : f32) outs(%0 : tensor<4xf32>) -> tensor<4xf32>
  %2 = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]}
      ins(%x : tensor<4xf32>) outs(%1 : tensor<4xf32>) {
  ^bb0(%a: f32, %b: f32):
    %sum = arith.addf %a, %b : f32
    linalg.yield %sum : f32
  } -> tensor<4xf32>
  %3 = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]}
      ins(%x : tensor<4xf32>) outs(%1 : tensor<4xf32>) {
  ^bb0(%a: f32, %b: f32):
    %product = arith.mulf %a, %b : f32
    linalg.yield %product : f32
  } -> tensor<4xf32>
  bufferization.materialize_in_destination %2 in restrict writable %y
      : (tensor<4xf32>, memref<4xf32>) -> ()
  bufferization.materialize_in_destination %3 in restrict writable %z
      : (tensor<4xf32>, memref<4xf32>) -> ()
  return
}

// A value that goes to two results is copied to both.
// CHECK-LABEL: func.func @twice
// CHECK:         tensor.empty
// CHECK-NOT:     to_tensor
func.func @twice(%x: tensor<4xf32>, %y: memref<4xf32>, %z: memref<4xf32>) {
  %0 = tensor.empty() : tensor<4xf32>
  %1 = linalg.exp ins(%x : tensor<4xf32>) outs(%0 : tensor<4xf32>) -> tensor<4xf32>
  bufferization.materialize_in_destination %1 in restrict writable %y
      : (tensor<4xf32>, memref<4xf32>) -> ()
  bufferization.materialize_in_destination %1 in restrict writable %z
      : (tensor<4xf32>, memref<4xf32>) -> ()
  return
}
