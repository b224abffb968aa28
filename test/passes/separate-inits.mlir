// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: mixattn-opt %s --split-input-file --attn-separate-inits --canonicalize --cse | FileCheck %s

// A bias that is spread, and a relu in place.
// CHECK-LABEL: func.func @layer(
// CHECK-SAME:    %[[X:.+]]: tensor<4x8xf32>, %[[W:.+]]: tensor<8x2xf32>, %[[B:.+]]: tensor<2xf32>)
// CHECK-DAG:     %[[ZERO:.+]] = arith.constant 0.000000e+00
// CHECK-DAG:     %[[E:.+]] = tensor.empty
// CHECK:         %[[ZEROS:.+]] = linalg.fill ins(%[[ZERO]] : f32) outs(%[[E]] :
// CHECK:         %[[P:.+]] = linalg.matmul {{.*}} outs(%[[ZEROS]] :
// CHECK:         %[[SUM:.+]] = linalg.generic {{.*}} ins(%[[P]], %[[B]] : {{.*}}) outs(%[[E]] :
// CHECK:         ^bb0(%[[LEFT:.+]]: f32, %[[RIGHT:.+]]: f32, %{{.+}}: f32):
// CHECK:           arith.addf %[[LEFT]], %[[RIGHT]]
// CHECK:         linalg.generic {{.*}} ins(%[[SUM]] : {{.*}}) outs(%[[E]] :
// CHECK:         ^bb0(%[[IN:.+]]: f32, %{{.+}}: f32):
// CHECK:           arith.maximumf %[[IN]], %[[ZERO]]
#all = affine_map<(i, j) -> (i, j)>
func.func @layer(%x: tensor<4x8xf32>, %w: tensor<8x2xf32>, %b: tensor<2xf32>)
    -> tensor<4x2xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<4x2xf32>
  %bias = linalg.broadcast ins(%b : tensor<2xf32>)
      outs(%e : tensor<4x2xf32>) dimensions = [0]
  %y = linalg.matmul ins(%x, %w : tensor<4x8xf32>, tensor<8x2xf32>)
      outs(%bias : tensor<4x2xf32>) -> tensor<4x2xf32>
  %relu = linalg.generic {indexing_maps = [#all], iterator_types = ["parallel", "parallel"]}
      outs(%y : tensor<4x2xf32>) {
  ^bb0(%in: f32):
    %r = arith.maximumf %in, %zero : f32
    linalg.yield %r : f32
  } -> tensor<4x2xf32>
  return %relu : tensor<4x2xf32>
}

// -----

// A residual; sizes are known where they are asked for.
// CHECK-LABEL: func.func @residual(
// CHECK-SAME:    %{{.+}}: tensor<?x8xf32>, %{{.+}}: tensor<8x8xf32>, %[[R:.+]]: tensor<?x8xf32>)
// CHECK:         %[[N:.+]] = tensor.dim %[[R]], %c0
// CHECK:         tensor.empty(%[[N]])
// CHECK:         %[[P:.+]] = linalg.matmul
// CHECK:         linalg.generic {{.*}} ins(%[[P]], %[[R]] :
func.func @residual(%x: tensor<?x8xf32>, %w: tensor<8x8xf32>, %r: tensor<?x8xf32>)
    -> tensor<?x8xf32> {
  %y = linalg.matmul ins(%x, %w : tensor<?x8xf32>, tensor<8x8xf32>)
      outs(%r : tensor<?x8xf32>) -> tensor<?x8xf32>
  return %y : tensor<?x8xf32>
}

// -----

// One number for all.
// CHECK-LABEL: func.func @filled(
// CHECK-SAME:    %[[C:[a-z0-9]+]]: f32)
// CHECK:         %[[P:.+]] = linalg.matmul
// CHECK:         linalg.generic {{.*}} ins(%[[P]], %[[C]] : tensor<4x4xf32>, f32)
func.func @filled(%x: tensor<4x4xf32>, %c: f32) -> tensor<4x4xf32> {
  %e = tensor.empty() : tensor<4x4xf32>
  %f = linalg.fill ins(%c : f32) outs(%e : tensor<4x4xf32>) -> tensor<4x4xf32>
  %y = linalg.matmul ins(%x, %x : tensor<4x4xf32>, tensor<4x4xf32>)
      outs(%f : tensor<4x4xf32>) -> tensor<4x4xf32>
  return %y : tensor<4x4xf32>
}

// -----

// Sums from 0 stay, and so does a tensor without numbers.
// CHECK-LABEL: func.func @zero(
// CHECK-COUNT-2: linalg.matmul
// CHECK-NOT:     linalg.generic
func.func @zero(%x: tensor<4x4xf32>) -> (tensor<4x4xf32>, tensor<4x4xf32>) {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<4x4xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<4x4xf32>) -> tensor<4x4xf32>
  %y = linalg.matmul ins(%x, %x : tensor<4x4xf32>, tensor<4x4xf32>)
      outs(%f : tensor<4x4xf32>) -> tensor<4x4xf32>
  %z = linalg.matmul ins(%x, %x : tensor<4x4xf32>, tensor<4x4xf32>)
      outs(%e : tensor<4x4xf32>) -> tensor<4x4xf32>
  return %y, %z : tensor<4x4xf32>, tensor<4x4xf32>
}
