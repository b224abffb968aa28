// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// attn-limit-sharing: few tensors are computed in one that is empty.
// RUN: mixattn-opt %s --attn-limit-sharing=most=2 | FileCheck %s
// RUN: mixattn-opt %s --attn-limit-sharing | FileCheck %s --check-prefix=USUAL

!x = tensor<?x4xf32>
#id = affine_map<(i, j) -> (i, j)>

// The third and fourth share the next tensor.
// CHECK-LABEL: func.func @one_empty_tensor
// CHECK:         %[[E:.+]] = tensor.empty(%[[N:.+]])
// CHECK-NEXT:    linalg.exp {{.*}} outs(%[[E]]
// CHECK-NEXT:    linalg.exp {{.*}} outs(%[[E]]
// CHECK-NEXT:    %[[NEXT:.+]] = tensor.empty(%[[N]])
// CHECK-NEXT:    linalg.exp {{.*}} outs(%[[NEXT]]
// CHECK-NEXT:    linalg.exp {{.*}} outs(%[[NEXT]]
// CHECK-NEXT:    %[[LAST:.+]] = tensor.empty(%[[N]])
// CHECK-NEXT:    linalg.exp {{.*}} outs(%[[LAST]]
// USUAL-LABEL: func.func @one_empty_tensor
// USUAL-COUNT-1: tensor.empty
// USUAL-NOT:     tensor.empty
// USUAL:         return
func.func @one_empty_tensor(%x: !x, %n: index) -> !x {
  %e = tensor.empty(%n) : !x
  %0 = linalg.exp ins(%x : !x) outs(%e : !x) -> !x
  %1 = linalg.exp ins(%0 : !x) outs(%e : !x) -> !x
  %2 = linalg.exp ins(%1 : !x) outs(%e : !x) -> !x
  %3 = linalg.exp ins(%2 : !x) outs(%e : !x) -> !x
  %4 = linalg.exp ins(%3 : !x) outs(%e : !x) -> !x
  return %4 : !x
}

// A value that is computed in an argument and overwrites it counts, too.
// CHECK-LABEL: func.func @overwritten
// CHECK-SAME:    %[[X:[a-z0-9]+]]: tensor<?x4xf32>
// CHECK:         %[[A:.+]] = linalg.generic {{.*}} outs(%[[X]]
// CHECK:         %[[B:.+]] = linalg.generic {{.*}} outs(%[[A]]
// CHECK:         %[[N:.+]] = tensor.dim %[[X]]
// CHECK-NEXT:    %[[NEXT:.+]] = tensor.empty(%[[N]])
// CHECK-NEXT:    linalg.generic {{.*}} ins(%[[B]] {{.*}} outs(%[[NEXT]]
func.func @overwritten(%x: !x) -> !x {
  %0 = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%x : !x) outs(%x : !x) {
  ^bb0(%a: f32, %b: f32):
    %s = arith.addf %a, %a : f32
    linalg.yield %s : f32
  } -> !x
  %1 = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%0 : !x) outs(%0 : !x) {
  ^bb0(%a: f32, %b: f32):
    %s = arith.addf %a, %a : f32
    linalg.yield %s : f32
  } -> !x
  %2 = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%1 : !x) outs(%1 : !x) {
  ^bb0(%a: f32, %b: f32):
    %s = arith.addf %a, %a : f32
    linalg.yield %s : f32
  } -> !x
  return %2 : !x
}

// Sums are read where they are computed.
// CHECK-LABEL: func.func @sums
// CHECK:         %[[E:.+]] = tensor.empty()
// CHECK:         %[[NONE:.+]] = linalg.fill {{.*}} outs(%[[E]]
// CHECK:         %[[A:.+]] = linalg.matmul {{.*}} outs(%[[NONE]]
// CHECK:         %[[B:.+]] = linalg.matmul {{.*}} outs(%[[A]]
// CHECK-NOT:     tensor.empty
// CHECK:         return %[[B]]
func.func @sums(%x: tensor<4x4xf32>, %zero: f32) -> tensor<4x4xf32> {
  %e = tensor.empty() : tensor<4x4xf32>
  %0 = linalg.fill ins(%zero : f32) outs(%e : tensor<4x4xf32>) -> tensor<4x4xf32>
  %1 = linalg.matmul ins(%x, %x : tensor<4x4xf32>, tensor<4x4xf32>)
      outs(%0 : tensor<4x4xf32>) -> tensor<4x4xf32>
  %2 = linalg.matmul ins(%x, %x : tensor<4x4xf32>, tensor<4x4xf32>)
      outs(%1 : tensor<4x4xf32>) -> tensor<4x4xf32>
  return %2 : tensor<4x4xf32>
}
