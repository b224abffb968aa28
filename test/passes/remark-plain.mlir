// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Loops that no kernel computes are remarked on, each at its place; products in
// kernels and the tensors that they fill are not.
//
// RUN: mixattn-opt %s --attn-set-target="chip=znver5 features=avx2,avx512f,fma threads=1" --attn-form-kernels --attn-remark-plain \
// RUN:   --remarks-filter=attn-remark-plain --remark-format=emitRemark -o /dev/null 2>&1 | FileCheck %s

// CHECK-NOT: remark:
// CHECK:     remark-plain.mlir:[[#@LINE + 12]]:{{.*}} remark: [Missed] plain | Category:attn-remark-plain | Reason="no schedule is for 'linalg.transpose': it is loops on one thread"
// CHECK-NOT: remark:
// CHECK:     remark-plain.mlir:[[#@LINE + 11]]:{{.*}} remark: [Missed] plain
// CHECK-NOT: remark:
!t = tensor<4x4xf32>
func.func @plain(%x: !t, %w: !t) -> (!t, !t, !t) {
  %zero = arith.constant 0.0 : f32
  %one = arith.constant 1.0 : f32
  %empty = tensor.empty() : !t
  %zeros = linalg.fill ins(%zero : f32) outs(%empty : !t) -> !t
  %p = linalg.matmul ins(%x, %w : !t, !t) outs(%zeros : !t) -> !t
  %ones = linalg.fill ins(%one : f32) outs(%empty : !t) -> !t
  %turned = linalg.transpose ins(%x : !t) outs(%empty : !t) permutation = [1, 0]
  %sum = linalg.add ins(%x, %ones : !t, !t) outs(%empty : !t) -> !t
  return %p, %turned, %sum : !t, !t, !t
}
