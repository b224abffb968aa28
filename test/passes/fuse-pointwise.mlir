// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: mixattn-opt --attn-fuse-pointwise --split-input-file %s | FileCheck %s
// RUN: mixattn-opt --attn-fuse-pointwise=most=2 --split-input-file %s \
// RUN:   | FileCheck %s --check-prefix=MOST

// A chain is one loop; what it reads twice is read once. Tensors that are only
// overwritten are not read.
// CHECK-LABEL: func.func @chain(
// CHECK-SAME:    %[[X:[a-z0-9]+]]: tensor<4xf32>, %[[W:[a-z0-9]+]]: tensor<4xf32>)
// CHECK-NEXT:    %[[RESULT:.+]] = linalg.generic {{.*}} ins(%[[X]], %[[W]] : {{.*}} outs(%[[X]] :
// CHECK-NEXT:    ^bb0(%[[A:.+]]: f32, %[[B:.+]]: f32, %{{.+}}: f32):
// CHECK-NEXT:      %[[SUM:.+]] = arith.addf %[[A]], %[[B]] : f32
// CHECK-NEXT:      %[[PRODUCT:.+]] = arith.mulf %[[SUM]], %[[B]] : f32
// CHECK-NEXT:      %[[POWER:.+]] = math.exp %[[PRODUCT]] : f32
// CHECK-NEXT:      linalg.yield %[[POWER]] : f32
// CHECK:         return %[[RESULT]]
//
// A body of two ops takes no third.
// MOST-LABEL: func.func @chain(
// MOST-COUNT-2: linalg.generic
// MOST-NOT:     linalg.generic
// MOST-LABEL: func.func @branches(
func.func @chain(%x: tensor<4xf32>, %w: tensor<4xf32>) -> tensor<4xf32> {
  %0 = linalg.add ins(%x, %w : tensor<4xf32>, tensor<4xf32>) outs(%x : tensor<4xf32>) -> tensor<4xf32>
  %1 = linalg.mul ins(%0, %w : tensor<4xf32>, tensor<4xf32>) outs(%0 : tensor<4xf32>) -> tensor<4xf32>
  %2 = linalg.exp ins(%1 : tensor<4xf32>) outs(%1 : tensor<4xf32>) -> tensor<4xf32>
  return %2 : tensor<4xf32>
}

// -----

// A value that two ops read is computed once, by itself.
// CHECK-LABEL: func.func @branches(
// CHECK-COUNT-3: linalg.generic
// CHECK-NOT:     linalg.generic
func.func @branches(%x: tensor<4xf32>, %e: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  %0 = linalg.exp ins(%x : tensor<4xf32>) outs(%e : tensor<4xf32>) -> tensor<4xf32>
  %1 = linalg.negf ins(%0 : tensor<4xf32>) outs(%e : tensor<4xf32>) -> tensor<4xf32>
  %2 = linalg.abs ins(%0 : tensor<4xf32>) outs(%e : tensor<4xf32>) -> tensor<4xf32>
  return %1, %2 : tensor<4xf32>, tensor<4xf32>
}

// -----

// So is what is broadcast, and what is summed up or is a sum.
// CHECK-LABEL: func.func @others(
// CHECK:         %[[EXPS:.+]] = linalg.generic {{.*}} ["parallel"]
// CHECK:           math.exp
// CHECK:         %[[ROWS:.+]] = linalg.generic {{.*}} ["parallel", "parallel"]} ins(%[[EXPS]] :
// CHECK:         %[[SUMS:.+]] = linalg.reduce { arith.addf } ins(%[[ROWS]] :
// CHECK:         linalg.generic {{.*}} ins(%[[SUMS]] :
#row = affine_map<(i, j) -> (i)>
#each = affine_map<(i, j) -> (i, j)>
func.func @others(%x: tensor<4xf32>, %e: tensor<4x8xf32>) -> tensor<4xf32> {
  %0 = linalg.exp ins(%x : tensor<4xf32>) outs(%x : tensor<4xf32>) -> tensor<4xf32>
  %1 = linalg.generic {indexing_maps = [#row, #each], iterator_types = ["parallel", "parallel"]}
      ins(%0 : tensor<4xf32>) outs(%e : tensor<4x8xf32>) {
  ^bb0(%a: f32, %b: f32):
    %n = arith.negf %a : f32
    linalg.yield %n : f32
  } -> tensor<4x8xf32>
  %2 = linalg.reduce { arith.addf } ins(%1 : tensor<4x8xf32>) outs(%x : tensor<4xf32>) dimensions = [1]
  %3 = linalg.abs ins(%2 : tensor<4xf32>) outs(%x : tensor<4xf32>) -> tensor<4xf32>
  return %3 : tensor<4xf32>
}
