// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// attn-number-kernels: each op that makes a tensor is numbered, and the manifest
// says where it is and what it costs.
// RUN: mixattn-opt %s --attn-set-target --attn-write-manifest --attn-number-kernels --mlir-print-debuginfo --mlir-print-local-scope | FileCheck %s
// RUN: mixattn-opt %s --attn-number-kernels | FileCheck %s --check-prefix=WITHOUT --implicit-check-not=attn.manifest

// An op that no call has inlined has a place alone; loops are walked into, and
// constants are no code.
// CHECK:      module attributes {attn.manifest =
// CHECK-SAME:   \22kernels\22:[{\22bytes\22:[{\22coefficient\22:96,\22dims\22:[\22N\22]}],\22flops\22:[],\22number\22:0,\22op\22:\22math.sqrt\22,\22place\22:\22{{.*}}number-kernels.mlir:[[@LINE+16]]:8\22}
// CHECK-SAME:   \22flops\22:[{\22coefficient\22:384,\22dims\22:[\22N\22]}],\22number\22:2,\22op\22:\22linalg.matmul\22,\22place\22:\22{{.*}}:[[@LINE+22]]:10\22}
// CHECK-SAME:   \22name\22:\22first\22
// CHECK-SAME:   \22number\22:4,\22op\22:\22math.sqrt\22
// CHECK-SAME:   \22name\22:\22second\22
// CHECK-LABEL: func.func @first
// CHECK:         arith.constant {{.*}} : tensor<12x16xf32> loc("
// CHECK:         math.sqrt {{.*}} loc(fused<{attn.kernel = 0 : i64}>["{{.*}}number-kernels.mlir":[[@LINE+9]]:8])
// CHECK:         tensor.empty{{.*}} loc(fused<{attn.kernel = 1 : i64}>
// CHECK:         scf.for
// CHECK:           linalg.matmul {{.*}} loc(fused<{attn.kernel = 2 : i64}>
// CHECK-LABEL: func.func @second
// CHECK:         math.sqrt {{.*}} loc(fused<{attn.kernel = 4 : i64}>
// WITHOUT-LABEL: func.func @first
func.func @first(%x: tensor<?x12xf32> {attn.name = "x", attn.dims = ["N"]}) -> (tensor<?x16xf32> {attn.name = "y", attn.dims = ["N"]}) {
  %w = arith.constant dense<2.0> : tensor<12x16xf32>
  %y = math.sqrt %x : tensor<?x12xf32>
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %n = tensor.dim %x, %c0 : tensor<?x12xf32>
  %empty = tensor.empty(%n) : tensor<?x16xf32>
  %r = scf.for %i = %c0 to %c3 step %c1 iter_args(%z = %empty) -> tensor<?x16xf32> {
    %p = linalg.matmul ins(%y, %w : tensor<?x12xf32>, tensor<12x16xf32>) outs(%z : tensor<?x16xf32>) -> tensor<?x16xf32>
    %t = math.tanh %p : tensor<?x16xf32>
    scf.yield %t : tensor<?x16xf32>
  }
  return %r : tensor<?x16xf32>
}

func.func @second(%x: tensor<4xf32> {attn.name = "x"}) -> (tensor<4xf32> {attn.name = "y"}) {
  %y = math.sqrt %x : tensor<4xf32>
  return %y : tensor<4xf32>
}
