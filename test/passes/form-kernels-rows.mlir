// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Ops that rows go through become one kernel, whoever reads their results.
//
// RUN: mixattn-opt %s --split-input-file --attn-set-target="chip=znver5 features=avx2,avx512f,fma threads=1" --attn-form-kernels --canonicalize --cse | FileCheck %s

#all = affine_map<(i, j) -> (i, j)>
#row = affine_map<(i, j) -> (i)>
!t = tensor<?x8xf32>
!r = tensor<?xf32>

// Each op of the kernel reads the row before it; two results leave it. What
// reads a result comes after it.
// CHECK-LABEL: func.func @centred
// CHECK-SAME:    %[[X:[a-z0-9]+]]: tensor<?x8xf32>
// CHECK:         %[[K:.+]]:2 = attn.kernel ins(%[[X]], %{{.+}} : tensor<?x8xf32>, index) outs(%{{.+}}, %{{.+}} : tensor<?xf32>, tensor<?x8xf32>) {
// CHECK:           linalg.fill
// CHECK:           %[[SUM:.+]] = linalg.generic {{.*}} ["parallel", "reduction"]
// CHECK:           %[[Y:.+]] = linalg.generic {{.*}} ["parallel", "parallel"]} ins(%{{.+}}, %[[SUM]] :
// CHECK:           attn.results %[[SUM]], %[[Y]]
// CHECK:         return %[[K]]#0, %[[K]]#1
func.func @centred(%x: !t) -> (!r, !t) {
  %zero = arith.constant 0.0 : f32
  %c0 = arith.constant 0 : index
  %n = tensor.dim %x, %c0 : !t
  %r = tensor.empty(%n) : !r
  %zeros = linalg.fill ins(%zero : f32) outs(%r : !r) -> !r
  %sum = linalg.generic {indexing_maps = [#all, #row], iterator_types = ["parallel", "reduction"]}
      ins(%x : !t) outs(%zeros : !r) {
  ^bb0(%in: f32, %out: f32):
    %0 = arith.addf %out, %in : f32
    linalg.yield %0 : f32
  } -> !r
  %e = tensor.empty(%n) : !t
  %y = linalg.generic {indexing_maps = [#all, #row, #all], iterator_types = ["parallel", "parallel"]}
      ins(%x, %sum : !t, !r) outs(%e : !t) {
  ^bb0(%in: f32, %s: f32, %out: f32):
    %0 = arith.subf %in, %s : f32
    linalg.yield %0 : f32
  } -> !t
  return %sum, %y : !r, !t
}

// -----

#all = affine_map<(i, j) -> (i, j)>
#turned = affine_map<(i, j) -> (j, i)>
!t = tensor<8x8xf32>

// Columns are no rows: another kernel.
// CHECK-LABEL: func.func @turned
// CHECK:         %[[E:.+]] = attn.kernel
// CHECK:           linalg.exp
// CHECK-NEXT:      attn.results
// CHECK:         attn.kernel ins(%[[E]] :
// CHECK:           linalg.generic
// CHECK:             linalg.yield
func.func @turned(%x: !t) -> !t {
  %e = tensor.empty() : !t
  %0 = linalg.exp ins(%x : !t) outs(%e : !t) -> !t
  %1 = linalg.generic {indexing_maps = [#turned, #all], iterator_types = ["parallel", "parallel"]}
      ins(%0 : !t) outs(%e : !t) {
  ^bb0(%in: f32, %out: f32):
    linalg.yield %in : f32
  } -> !t
  return %1 : !t
}

// -----

!t = tensor<8x8xf32>

// Another reader between two ops of a row ends the kernel before it.
// CHECK-LABEL: func.func @read_between
// CHECK:         %[[A:.+]] = attn.kernel
// CHECK:           linalg.exp
// CHECK-NEXT:      attn.results
// CHECK:         call @other(%[[A]])
// CHECK:         attn.kernel ins(%[[A]] :
// CHECK:           linalg.log
func.func private @other(!t)
func.func @read_between(%x: !t) -> !t {
  %e = tensor.empty() : !t
  %0 = linalg.exp ins(%x : !t) outs(%e : !t) -> !t
  call @other(%0) : (!t) -> ()
  %1 = linalg.log ins(%0 : !t) outs(%e : !t) -> !t
  return %1 : !t
}
