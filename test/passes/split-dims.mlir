// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A dim that is split into two open ones becomes a view; expand-strided-metadata
// takes it. One open dim is upstream's.
//
// RUN: mixattn-opt --attn-split-dims %s | FileCheck %s
// RUN: mixattn-opt --attn-split-dims --expand-strided-metadata %s | FileCheck %s --check-prefix=AFTER

// CHECK-LABEL: func.func @rows
// CHECK-SAME:    %[[X:.+]]: memref<?x8xf32>, %[[B:.+]]: index, %[[N:.+]]: index
// CHECK:         %[[BASE:.+]], %{{.+}}, %{{.+}}:2, %[[S:.+]]:2 = memref.extract_strided_metadata %[[X]]
// CHECK:         %[[ROWS:.+]] = arith.muli %[[S]]#0, %[[N]]
// CHECK:         memref.reinterpret_cast %[[BASE]] to offset: [0], sizes: [%[[B]], %[[N]], 8], strides: [%[[ROWS]], 8, 1] : memref<f32> to memref<?x?x8xf32>
// AFTER-LABEL: func.func @rows
// AFTER-NOT:     expand_shape
func.func @rows(%x: memref<?x8xf32>, %b: index, %n: index) -> memref<?x?x8xf32> {
  %y = memref.expand_shape %x [[0, 1], [2]] output_shape [%b, %n, 8] : memref<?x8xf32> into memref<?x?x8xf32>
  return %y : memref<?x?x8xf32>
}

// CHECK-LABEL: func.func @heads
// CHECK:         memref.expand_shape
func.func @heads(%x: memref<?x8xf32>, %n: index) -> memref<?x4x8xf32> {
  %y = memref.expand_shape %x [[0, 1], [2]] output_shape [%n, 4, 8] : memref<?x8xf32> into memref<?x4x8xf32>
  return %y : memref<?x4x8xf32>
}
