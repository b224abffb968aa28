// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Sums that are all that a kernel computes ask 4 KiB ahead for what they read, on
// CPUs where reading shows.
//
// RUN: mixattn-opt %s --attn-set-target='chip=graniterapids features=avx512f,fma threads=1' --attn-form-kernels --attn-bufferize --attn-stage-kernels --attn-schedule-kernels --canonicalize --cse | FileCheck %s
// RUN: mixattn-opt %s --attn-set-target='chip=znver5 features=avx512f,fma threads=1' --attn-form-kernels --attn-bufferize --attn-stage-kernels --attn-schedule-kernels --canonicalize --cse | FileCheck %s --check-prefix=FAST --implicit-check-not=prefetch

#all = affine_map<(i, j) -> (i, j)>
#row = affine_map<(i, j) -> (i)>
#lane = affine_map<(i, j) -> (j)>

// Four lines of a turn, 1024 numbers of f32 further on; for what is not along the
// lanes nothing is asked.
// CHECK-LABEL: func.func @sums
// FAST-LABEL:  func.func @sums
// CHECK:         scf.for %[[J:.+]] = %c0 to %{{.+}} step %c64
// CHECK:           %[[FIRST:.+]] = arith.addi %[[J]], %c1024
// CHECK-NEXT:      memref.prefetch %{{.+}}[%{{.+}}, %[[FIRST]]], read, locality<3>, data : memref<?x?xf32
// CHECK-COUNT-3:   memref.prefetch
// CHECK-NOT:       memref.prefetch
// CHECK:           vector.load
func.func @sums(%x: tensor<?x?xf32>, %scale: tensor<?xf32>, %into: tensor<?xf32>) -> tensor<?xf32> {
  %y = linalg.generic {indexing_maps = [#all, #row, #row],
                       iterator_types = ["parallel", "reduction"]}
      ins(%x, %scale : tensor<?x?xf32>, tensor<?xf32>) outs(%into : tensor<?xf32>) {
  ^bb0(%e: f32, %f: f32, %sum: f32):
    %term = arith.mulf %e, %f : f32
    %next = arith.addf %sum, %term : f32
    linalg.yield %next : f32
  } -> tensor<?xf32>
  return %y : tensor<?xf32>
}

// 2048 numbers of 16 bits.
// CHECK-LABEL: func.func @halves
// FAST-LABEL:  func.func @halves
// CHECK:           arith.addi %{{.+}}, %c2048
func.func @halves(%x: tensor<?x?xf16>, %into: tensor<?xf32>) -> tensor<?xf32> {
  %y = linalg.generic {indexing_maps = [#all, #row],
                       iterator_types = ["parallel", "reduction"]}
      ins(%x : tensor<?x?xf16>) outs(%into : tensor<?xf32>) {
  ^bb0(%e: f16, %sum: f32):
    %term = arith.extf %e : f16 to f32
    %next = arith.addf %sum, %term : f32
    linalg.yield %next : f32
  } -> tensor<?xf32>
  return %y : tensor<?xf32>
}

// Rows that other ops of the kernel read again are not only added up.
// CHECK-LABEL: func.func @norm
// FAST-LABEL:  func.func @norm
// CHECK-NOT:     memref.prefetch
func.func @norm(%x: tensor<?x?xf32>, %into: tensor<?xf32>, %all: tensor<?x?xf32>) -> tensor<?x?xf32> {
  %sums = linalg.generic {indexing_maps = [#all, #row],
                          iterator_types = ["parallel", "reduction"]}
      ins(%x : tensor<?x?xf32>) outs(%into : tensor<?xf32>) {
  ^bb0(%e: f32, %sum: f32):
    %next = arith.addf %sum, %e : f32
    linalg.yield %next : f32
  } -> tensor<?xf32>
  %y = linalg.generic {indexing_maps = [#all, #row, #all],
                       iterator_types = ["parallel", "parallel"]}
      ins(%x, %sums : tensor<?x?xf32>, tensor<?xf32>) outs(%all : tensor<?x?xf32>) {
  ^bb0(%e: f32, %sum: f32, %out: f32):
    %less = arith.subf %e, %sum : f32
    linalg.yield %less : f32
  } -> tensor<?x?xf32>
  return %y : tensor<?x?xf32>
}
