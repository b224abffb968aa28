// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The rows of a product's left side lie in scratch memory, rounded as the graph
// says: an item makes those of its block, then goes over its panels.
//
// RUN: mixattn-opt %s --attn-set-target='chip=znver4 features=avx2,avx512f,avx512bf16,fma threads=2' --attn-plan=force=rows_dense --attn-form-kernels --attn-bufferize --attn-stage-kernels --attn-schedule-kernels --canonicalize --cse | FileCheck %s
// RUN: mixattn-opt %s --attn-set-target='family=x86 chip=graniterapids features=avx2,avx512f,avx512bf16,fma threads=2' --attn-plan=force=rows_dense --attn-form-kernels --attn-bufferize --attn-stage-kernels --attn-schedule-kernels --canonicalize --cse | FileCheck %s --check-prefix=AGAIN

#all = affine_map<(i, j) -> (i, j)>
#row = affine_map<(i, j) -> (i)>
!x = tensor<96x37xbf16>
!s = tensor<96xbf16>
!y = tensor<96x640xbf16>

// Pairs: an odd number of terms has a zero after it. The row of 37 terms, up to
// whole steps of AMX and a line more, takes 192 bytes. Two blocks of 48 rows, ten
// panels of 64 lanes in two parts.
// CHECK-LABEL: func.func @layer(
// CHECK:         tile.grid %c4 shared_if
// CHECK:           %[[LEFT:.+]] = memref.view %{{.+}} : memref<?xi8> to memref<48x96xbf16>
// CHECK:           scf.for %[[R:.+]] = %c0 to %{{.+}} step %c1 {
// CHECK:             %[[ROW:.+]] = memref.view %{{.+}} : memref<?xi8> to memref<37xbf16>
// CHECK:             vector.maskedstore %[[ROW]]
// CHECK:             memref.store %cst{{.*}}, %[[LEFT]][%[[R]], %c37]
// CHECK:           scf.for %{{.+}} = %{{.+}} to %{{.+}} step %c1 {
// CHECK:             %[[SOME:.+]] = memref.subview %[[LEFT]][0, 0] [48, 37]
// CHECK:             tile.x86.product %{{.+}}[%{{.+}}], %{{.+}} count %c19
// CHECK-NOT:     tile.grid
//
// Where panels come slowly from the shared cache, each part of them makes all
// rows again: one block.
// AGAIN-LABEL: func.func @layer(
// AGAIN:         tile.grid %c4 shared_if
// AGAIN:           %{{.+}} = memref.view %{{.+}} : memref<?xi8> to memref<96x80xf32>
func.func @layer(%x: !x, %w: tensor<37x640xbf16>) -> !y {
  %zero = arith.constant 0.0 : bf16
  %s = tensor.empty() : !s
  %zeros = linalg.fill ins(%zero : bf16) outs(%s : !s) -> !s
  %sum = linalg.generic {indexing_maps = [#all, #row], iterator_types = ["parallel", "reduction"]}
      ins(%x : !x) outs(%zeros : !s) {
  ^bb0(%in: bf16, %out: bf16):
    %0 = arith.addf %out, %in : bf16
    linalg.yield %0 : bf16
  } -> !s
  %e = tensor.empty() : !x
  %z = linalg.generic {indexing_maps = [#all, #row, #all], iterator_types = ["parallel", "parallel"]}
      ins(%x, %sum : !x, !s) outs(%e : !x) {
  ^bb0(%in: bf16, %part: bf16, %out: bf16):
    %0 = arith.subf %in, %part : bf16
    linalg.yield %0 : bf16
  } -> !x
  %empty = tensor.empty() : !y
  %init = linalg.fill ins(%zero : bf16) outs(%empty : !y) -> !y
  %p = linalg.matmul ins(%z, %w : !x, tensor<37x640xbf16>) outs(%init : !y) -> !y
  return %p : !y
}
