// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Loops that no kernel computes are remarked on, each at its place.
//
// RUN: mixattn-opt %s --attn-set-target="chip=znver5 features=avx2,avx512f,fma threads=1" --attn-form-kernels --attn-remark-plain \
// RUN:   --verify-diagnostics=only-expected --remarks-filter=attn-remark-plain --remark-format=emitRemark

!t = tensor<4x4xf32>
func.func @plain(%x: !t, %w: !t) -> (!t, !t) {
  %zero = arith.constant 0.0 : f32
  %empty = tensor.empty() : !t
  %zeros = linalg.fill ins(%zero : f32) outs(%empty : !t) -> !t
  %p = linalg.matmul ins(%x, %w : !t, !t) outs(%zeros : !t) -> !t
  // expected-remark @below {{[Missed] plain | Category:attn-remark-plain | Reason="no schedule is for 'linalg.transpose': it is loops on one thread"}}
  %turned = linalg.transpose ins(%x : !t) outs(%empty : !t) permutation = [1, 0]
  return %p, %turned : !t, !t
}
