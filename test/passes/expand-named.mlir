// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Ops of several steps, and gathers, become linalg ops with bodies.
//
// RUN: mixattn-opt --attn-expand-named %s | FileCheck %s

// A maximum, exponentials, a sum, quotients.
// CHECK-LABEL: func.func @softmax
// CHECK:         linalg.generic {{.*}} ["parallel", "reduction"]
// CHECK:           arith.maxnumf
// CHECK:         linalg.generic {{.*}} ["parallel", "parallel"]
// CHECK:           math.exp
// CHECK:         linalg.generic {{.*}} ["parallel", "reduction"]
// CHECK:           arith.addf
// CHECK:         linalg.generic {{.*}} ["parallel", "parallel"]
// CHECK:           arith.divf
// CHECK-NOT:     linalg.softmax
func.func @softmax(%x: tensor<5x?xf32>, %e: tensor<5x?xf32>) -> tensor<5x?xf32> {
  %y = linalg.softmax dimension(1) ins(%x : tensor<5x?xf32>) outs(%e : tensor<5x?xf32>) -> tensor<5x?xf32>
  return %y : tensor<5x?xf32>
}

// Rows of a table.
// CHECK-LABEL: func.func @rows
// CHECK-SAME:    %[[X:.+]]: tensor<50x?xf32>, %[[I:.+]]: tensor<?x1xi64>
// CHECK:         %[[E:.+]] = tensor.empty(%{{.+}}, %{{.+}}) : tensor<?x?xf32>
// CHECK:         linalg.generic {{.*}} ["parallel", "parallel"]} outs(%[[E]] :
// CHECK:           %[[N:.+]] = linalg.index 0
// CHECK:           %[[ROW:.+]] = tensor.extract %[[I]][%[[N]], %{{.+}}]
// CHECK:           %[[AT:.+]] = arith.index_cast %[[ROW]] : i64 to index
// CHECK:           %[[J:.+]] = linalg.index 1
// CHECK:           tensor.extract %[[X]][%[[AT]], %[[J]]]
func.func @rows(%x: tensor<50x?xf32>, %i: tensor<?x1xi64>) -> tensor<?x?xf32> {
  %y = tensor.gather %x[%i] gather_dims([0]) : (tensor<50x?xf32>, tensor<?x1xi64>) -> tensor<?x?xf32>
  return %y : tensor<?x?xf32>
}

// Two dims at once, which stay as ones.
// CHECK-LABEL: func.func @elements
// CHECK-SAME:    %[[X:.+]]: tensor<4x5x6xf32>, %[[I:.+]]: tensor<7x2xindex>
// CHECK:         linalg.generic {{.*}} outs(%{{.+}} : tensor<7x1x5x1xf32>)
// CHECK:           %[[K:.+]] = tensor.extract %[[I]][%[[N:.+]], %{{.+}}]
// CHECK:           %[[M:.+]] = linalg.index 2
// CHECK:           %[[L:.+]] = tensor.extract %[[I]][%[[N]], %{{.+}}]
// CHECK:           tensor.extract %[[X]][%[[K]], %[[M]], %[[L]]]
func.func @elements(%x: tensor<4x5x6xf32>, %i: tensor<7x2xindex>) -> tensor<7x1x5x1xf32> {
  %y = tensor.gather %x[%i] gather_dims([0, 2]) : (tensor<4x5x6xf32>, tensor<7x2xindex>) -> tensor<7x1x5x1xf32>
  return %y : tensor<7x1x5x1xf32>
}
