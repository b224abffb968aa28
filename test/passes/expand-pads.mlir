// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Pads, and tensors side by side, become what kernels of a GPU take.
//
// RUN: mixattn-opt --attn-expand-pads --canonicalize %s | FileCheck %s

// Only dims that grow are looked at; outside nothing is read.
// CHECK-LABEL: func.func @rows
// CHECK-SAME:    %[[X:.+]]: tensor<?x8xf32>, %[[C:.+]]: f32)
// CHECK-DAG:     %[[TWO:.+]] = arith.constant 2 : index
// CHECK-DAG:     %[[N:.+]] = tensor.dim %[[X]], %c0
// CHECK:         %[[MORE:.+]] = arith.addi %[[N]], %[[TWO]]
// CHECK:         %[[E:.+]] = tensor.empty(%[[MORE]]) : tensor<?x8xf32>
// CHECK:         linalg.generic {{.*}} ["parallel", "parallel"]} outs(%[[E]] :
// CHECK:           %[[I:.+]] = linalg.index 0
// CHECK:           %[[J:.+]] = linalg.index 1
// CHECK:           %[[ROW:.+]] = arith.subi %[[I]], %[[TWO]]
// CHECK:           %[[THERE:.+]] = arith.cmpi ult, %[[ROW]], %{{.+}} : index
// CHECK:           %[[Y:.+]] = scf.if %[[THERE]] -> (f32) {
// CHECK-NEXT:        %[[OWN:.+]] = tensor.extract %[[X]][%[[ROW]], %[[J]]]
// CHECK-NEXT:        scf.yield %[[OWN]]
// CHECK-NEXT:      } else {
// CHECK-NEXT:        scf.yield %[[C]]
// CHECK:           linalg.yield %[[Y]]
func.func @rows(%x: tensor<?x8xf32>, %c: f32) -> tensor<?x8xf32> {
  %y = tensor.pad %x low[2, 0] high[0, 0] {
  ^bb0(%i: index, %j: index):
    tensor.yield %c : f32
  } : tensor<?x8xf32> to tensor<?x8xf32>
  return %y : tensor<?x8xf32>
}

// The number around may follow from its place.
// CHECK-LABEL: func.func @places
// CHECK:         scf.if
// CHECK:         } else {
// CHECK-NEXT:      arith.index_cast %{{.+}} : index to i32
// CHECK-NEXT:      scf.yield
func.func @places(%x: tensor<3xi32>) -> tensor<7xi32> {
  %y = tensor.pad %x low[1] high[3] {
  ^bb0(%i: index):
    %n = arith.index_cast %i : index to i32
    tensor.yield %n : i32
  } : tensor<3xi32> to tensor<7xi32>
  return %y : tensor<7xi32>
}

// CHECK-LABEL: func.func @sides
// CHECK-SAME:    %[[X:[^ ]+]]: tensor<4x?xf16>, %[[Z:[^ ]+]]: tensor<4x?xf16>)
// CHECK:         %[[N:.+]] = tensor.dim %[[X]], %c1
// CHECK:         %[[M:.+]] = tensor.dim %[[Z]], %c1
// CHECK:         %[[BOTH:.+]] = affine.apply #{{.+}}()[%[[N]], %[[M]]]
// CHECK:         %[[E:.+]] = tensor.empty(%[[BOTH]])
// CHECK:         %[[FIRST:.+]] = tensor.insert_slice %[[X]] into %[[E]][0, 0] [4, %{{.+}}] [1, 1]
// CHECK:         tensor.insert_slice %[[Z]] into %[[FIRST]][0, %{{.+}}] [4, %{{.+}}] [1, 1]
func.func @sides(%x: tensor<4x?xf16>, %z: tensor<4x?xf16>) -> tensor<4x?xf16> {
  %y = tensor.concat dim(1) %x, %z : (tensor<4x?xf16>, tensor<4x?xf16>) -> tensor<4x?xf16>
  return %y : tensor<4x?xf16>
}

// A size that the type of the result alone knows.
// CHECK-LABEL: func.func @known
// CHECK:         %[[ALL:.+]] = tensor.insert_slice %{{.+}} into %{{.+}}[%{{.+}}, 0] [5, 2] [1, 1] : tensor<5x2xf32> into tensor<?x2xf32>
// CHECK:         tensor.cast %[[ALL]] : tensor<?x2xf32> to tensor<9x2xf32>
func.func @known(%x: tensor<?x2xf32>, %z: tensor<5x2xf32>) -> tensor<9x2xf32> {
  %y = tensor.concat dim(0) %x, %z : (tensor<?x2xf32>, tensor<5x2xf32>) -> tensor<9x2xf32>
  return %y : tensor<9x2xf32>
}

// A size that the inputs alone know.
// CHECK-LABEL: func.func @open
// CHECK:         %[[ALL:.+]] = tensor.insert_slice %{{.+}} into %{{.+}}[4, 0] [5, 2] [1, 1] : tensor<5x2xf32> into tensor<9x2xf32>
// CHECK:         %[[CAST:.+]] = tensor.cast %[[ALL]] : tensor<9x2xf32> to tensor<?x2xf32>
// CHECK:         return %[[CAST]]
func.func @open(%x: tensor<4x2xf32>, %z: tensor<5x2xf32>) -> tensor<?x2xf32> {
  %y = tensor.concat dim(0) %x, %z : (tensor<4x2xf32>, tensor<5x2xf32>) -> tensor<?x2xf32>
  return %y : tensor<?x2xf32>
}
