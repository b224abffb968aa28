// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Entries on buffers of their caller's: arguments, then results.
//
// RUN: mixattn-opt --attn-take-buffers --split-input-file %s | FileCheck %s

// Arguments are read, results written, whatever is between; strides are free
// but the innermost. The attributes go along.
// CHECK-LABEL: func.func @read_and_write(
// CHECK-SAME:    %[[X:[a-z0-9]+]]: memref<?x4xf32, strided<[?, 1]>> {attn.dims = ["N"], attn.name = "x"},
// CHECK-SAME:    %[[Y:[a-z0-9]+]]: memref<?x4xf32, strided<[?, 1]>> {attn.dims = ["N"], attn.name = "y", attn.result}) {
// CHECK-NEXT:    %[[IN:.+]] = bufferization.to_tensor %[[X]] restrict : memref<?x4xf32, strided<[?, 1]>> to tensor<?x4xf32>
// CHECK-NEXT:    %[[OUT:.+]] = arith.negf %[[IN]] : tensor<?x4xf32>
// CHECK-NEXT:    bufferization.materialize_in_destination %[[OUT]] in restrict writable %[[Y]] :
// CHECK-NEXT:    return{{$}}
func.func @read_and_write(%x: tensor<?x4xf32> {attn.name = "x", attn.dims = ["N"]})
    -> (tensor<?x4xf32> {attn.name = "y", attn.dims = ["N"]}) {
  %0 = arith.negf %x : tensor<?x4xf32>
  return %0 : tensor<?x4xf32>
}

// -----

// Buffers of rank 1 are contiguous; those of rank 0 are one element. A range
// stays with its argument.
// CHECK-LABEL: func.func @low_ranks
// CHECK-SAME:    memref<4xi64> {attn.name = "x", attn.range = [0, 3]}, %{{.+}}: memref<f16> {attn.name = "y"}
func.func @low_ranks(%x: tensor<4xi64> {attn.name = "x", attn.range = [0, 3]},
                     %y: tensor<f16> {attn.name = "y"}) {
  return
}

// -----

// Booleans are bytes for the caller: true is what is not zero, and 1.
// CHECK-LABEL: func.func @booleans
// CHECK-SAME:    %[[X:[a-z0-9]+]]: memref<?xi8> {attn.boolean, attn.dims = ["N"], attn.name = "x"}, %[[Y:[a-z0-9]+]]: memref<?xi8> {attn.boolean, attn.dims = ["N"], attn.name = "y", attn.result}
// CHECK:         %[[IN:.+]] = bufferization.to_tensor %[[X]] restrict : memref<?xi8> to tensor<?xi8>
// CHECK:         %[[BOOLEANS:.+]] = linalg.generic {{.*}} ins(%[[IN]] : tensor<?xi8>) outs(%{{.+}} : tensor<?xi1>)
// CHECK-NEXT:    ^bb0(%[[BYTE:.+]]: i8, %{{.+}}: i1):
// CHECK:           %[[ZERO:.+]] = arith.constant 0 : i8
// CHECK-NEXT:      arith.cmpi ne, %[[BYTE]], %[[ZERO]] : i8
// CHECK:         %[[BYTES:.+]] = linalg.generic {{.*}} ins(%[[BOOLEANS]] : tensor<?xi1>) outs(%{{.+}} : tensor<?xi8>)
// CHECK:           arith.extui %{{.+}} : i1 to i8
// CHECK:         bufferization.materialize_in_destination %[[BYTES]] in restrict writable %[[Y]] :
func.func @booleans(%x: tensor<?xi1> {attn.name = "x", attn.dims = ["N"]})
    -> (tensor<?xi1> {attn.name = "y", attn.dims = ["N"]}) {
  return %x : tensor<?xi1>
}

// -----

// One value may be two results.
// CHECK-LABEL: func.func @two_results
// CHECK-SAME:    %[[X:[a-z0-9]+]]: memref<4xf32> {attn.name = "x"}, %[[Y:[a-z0-9]+]]: memref<4xf32> {attn.name = "y", attn.result}, %[[Z:[a-z0-9]+]]: memref<4xf32> {attn.name = "z", attn.result}
// CHECK:         materialize_in_destination %[[IN:.+]] in restrict writable %[[Y]] :
// CHECK:         materialize_in_destination %[[IN]] in restrict writable %[[Z]] :
func.func @two_results(%x: tensor<4xf32> {attn.name = "x"})
    -> (tensor<4xf32> {attn.name = "y"}, tensor<4xf32> {attn.name = "z"}) {
  return %x, %x : tensor<4xf32>, tensor<4xf32>
}

// -----

// CHECK-LABEL: func.func private @helper(%{{.+}}: tensor<4xf32>) -> tensor<4xf32>
func.func private @helper(%x: tensor<4xf32>) -> tensor<4xf32> {
  return %x : tensor<4xf32>
}
