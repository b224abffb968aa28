// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Loops that no kernel computes are remarked on, each at its place; products in
// kernels and the tensors that they fill are not.
//
// RUN: mixattn-opt %s --attn-set-target="chip=znver5 features=avx2,avx512f,fma threads=1" --attn-form-kernels --attn-remark-plain \
// RUN:   --remarks-filter=attn-remark-plain --remark-format=emitRemark -o /dev/null 2>&1 | FileCheck %s

// CHECK-NOT: remark:
// CHECK:     remark-plain.mlir:[[#@LINE + 13]]:{{.*}} remark: [Missed] plain | Category:attn-remark-plain | Reason="'linalg.generic' is loops on one thread: rows: an operand is of i1"
// CHECK-NOT: remark:
// CHECK:     remark-plain.mlir:[[#@LINE + 17]]:{{.*}} remark: [Missed] plain {{.*}} rows: 'math.exp' is of f64"
// CHECK-NOT: remark:
#all = affine_map<(i, j) -> (i, j)>
!t = tensor<4x4xf32>
!b = tensor<4x4xi1>
!d = tensor<4x4xf64>
func.func @plain(%x: !t, %w: !t, %z: !d, %none: !b, %nothing: !d) -> (!t, !b, !d, !t) {
  %zero = arith.constant 0.0 : f32
  %empty = tensor.empty() : !t
  %zeros = linalg.fill ins(%zero : f32) outs(%empty : !t) -> !t
  %p = linalg.matmul ins(%x, %w : !t, !t) outs(%zeros : !t) -> !t
  %b = linalg.generic {indexing_maps = [#all, #all, #all], iterator_types = ["parallel", "parallel"]}
      ins(%x, %w : !t, !t) outs(%none : !b) {
  ^bb0(%0: f32, %1: f32, %out: i1):
    %2 = arith.cmpf olt, %0, %1 : f32
    linalg.yield %2 : i1
  } -> !b
  %d = linalg.exp ins(%z : !d) outs(%nothing : !d) -> !d
  %turned = linalg.transpose ins(%x : !t) outs(%empty : !t) permutation = [1, 0]
  return %p, %b, %d, %turned : !t, !b, !d, !t
}

// Stages outside of kernels are decomposed.
// CHECK: remark-plain.mlir:[[#@LINE + 3]]:{{.*}} remark: [Missed] plain {{.*}} Reason="'attn.project' is loops on one thread"
// CHECK-NOT: remark:
func.func @stage(%k: tensor<1x2x16x8xf32>, %e: tensor<4x16xf32>) -> tensor<1x2x4x8xf32> {
  %0 = attn.project %k by %e : tensor<1x2x16x8xf32>, tensor<4x16xf32> -> tensor<1x2x4x8xf32>
  return %0 : tensor<1x2x4x8xf32>
}
