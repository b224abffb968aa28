// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Sums in f64 of bf16 where 16 terms may be added in f32: four vectors of sums
// side by side, then those of f64. The last turn has fewer terms; rows of less
// than two strips, and those of f32, go to f64 at once.
//
// RUN: mixattn-opt %s --split-input-file --attn-set-target='features=avx512f' --attn-schedule-kernels --canonicalize | FileCheck %s

!x = memref<4x?xbf16>
!t = tensor<4x?xbf16>

// CHECK-LABEL: func.func @sums
// CHECK:         %[[IS_SHORT:.*]] = arith.cmpi slt, %[[SIZE:.*]], %c128 : index
// CHECK:         %[[REST:.*]] = arith.remui %[[SIZE]], %c64 : index
// CHECK:         %[[WHOLE:.*]] = arith.subi %[[SIZE]], %[[REST]] : index
// CHECK:         %[[END:.*]] = arith.select %[[IS_SHORT]], %c0, %[[WHOLE]] : index
// CHECK:         scf.for %[[FIRST:.*]] = %c0 to %[[END]] step %c1024 iter_args({{.*}} -> (vector<16xf64>, vector<16xf64>, vector<16xf64>, vector<16xf64>)
// CHECK:           %[[FULL:.*]] = arith.addi %[[FIRST]], %c1024 : index
// CHECK:           %[[NEXT:.*]] = arith.minsi %[[FULL]], %[[END]] : index
// CHECK:           %[[PARTS:.*]]:4 = scf.for {{.*}} = %[[FIRST]] to %[[NEXT]] step %c64 iter_args({{.*}} -> (vector<16xf32>, vector<16xf32>, vector<16xf32>, vector<16xf32>)
// CHECK:             %[[X:.*]] = arith.extf {{.*}} : vector<16xbf16> to vector<16xf32>
// CHECK-NEXT:        arith.addf %{{.*}}, %[[X]] : vector<16xf32>
// CHECK-NOT:         f64
// CHECK:             scf.yield
// CHECK:           %[[PART:.*]] = arith.extf %[[PARTS]]#0 : vector<16xf32> to vector<16xf64>
// CHECK:           arith.addf %{{.*}}, %[[PART]] : vector<16xf64>
// CHECK:         scf.for {{.*}} step %c64 iter_args({{.*}} -> (vector<16xf64>, vector<16xf64>, vector<16xf64>, vector<16xf64>)
func.func @sums(%x: !x, %o: memref<4xf64>) {
  attn.kernel ins(%x : !x) outs(%o : memref<4xf64>) {
  ^bb0(%a: !t):
    %zero = arith.constant 0.0 : f64
    %empty = tensor.empty() : tensor<4xf64>
    %zeros = linalg.fill ins(%zero : f64) outs(%empty : tensor<4xf64>) -> tensor<4xf64>
    %r = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i)>],
        iterator_types = ["parallel", "reduction"]} ins(%a : !t) outs(%zeros : tensor<4xf64>)
        attrs = {attn.short_sums_in_f32} {
    ^bb0(%e: bf16, %sum: f64):
      %number = arith.extf %e : bf16 to f32
      %wide = arith.extf %number : f32 to f64
      %next = arith.addf %sum, %wide : f64
      linalg.yield %next : f64
    } -> tensor<4xf64>
    attn.results %r : tensor<4xf64>
  }
  return
}

// -----

!x = memref<4x?xf32>
!t = tensor<4x?xf32>

// CHECK-LABEL: func.func @sums_of_f32
// CHECK-NOT:     vector<16xf32>)
// CHECK:         scf.for {{.*}} step %c64 iter_args({{.*}} -> (vector<16xf64>, vector<16xf64>, vector<16xf64>, vector<16xf64>)
func.func @sums_of_f32(%x: !x, %o: memref<4xf64>) {
  attn.kernel ins(%x : !x) outs(%o : memref<4xf64>) {
  ^bb0(%a: !t):
    %zero = arith.constant 0.0 : f64
    %empty = tensor.empty() : tensor<4xf64>
    %zeros = linalg.fill ins(%zero : f64) outs(%empty : tensor<4xf64>) -> tensor<4xf64>
    %r = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i)>],
        iterator_types = ["parallel", "reduction"]} ins(%a : !t) outs(%zeros : tensor<4xf64>)
        attrs = {attn.short_sums_in_f32} {
    ^bb0(%e: f32, %sum: f64):
      %wide = arith.extf %e : f32 to f64
      %next = arith.addf %sum, %wide : f64
      linalg.yield %next : f64
    } -> tensor<4xf64>
    attn.results %r : tensor<4xf64>
  }
  return
}

// -----

!x = memref<4x160xbf16>
!t = tensor<4x160xbf16>

// Two strips, then two vectors: the other two sums stay as they are.
// CHECK-LABEL: func.func @fewer_vectors
// CHECK-COUNT-4: arith.addf %{{.*}}, %cst{{.*}} : vector<16xf64>
// CHECK:         %[[FIRST:.*]] = arith.addf %{{.*}}, %{{.*}} : vector<16xf64>
// CHECK:         %[[SECOND:.*]] = arith.addf %{{.*}}, %{{.*}} : vector<16xf64>
// CHECK-NEXT:    %[[HALF:.*]] = arith.addf %[[FIRST]], %{{.*}} : vector<16xf64>
// CHECK-NEXT:    %[[OTHER:.*]] = arith.addf %[[SECOND]], %{{.*}} : vector<16xf64>
// CHECK-NEXT:    arith.addf %[[HALF]], %[[OTHER]] : vector<16xf64>
func.func @fewer_vectors(%x: !x, %o: memref<4xf64>) {
  attn.kernel ins(%x : !x) outs(%o : memref<4xf64>) {
  ^bb0(%a: !t):
    %zero = arith.constant 0.0 : f64
    %empty = tensor.empty() : tensor<4xf64>
    %zeros = linalg.fill ins(%zero : f64) outs(%empty : tensor<4xf64>) -> tensor<4xf64>
    %r = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i)>],
        iterator_types = ["parallel", "reduction"]} ins(%a : !t) outs(%zeros : tensor<4xf64>)
        attrs = {attn.short_sums_in_f32} {
    ^bb0(%e: bf16, %sum: f64):
      %number = arith.extf %e : bf16 to f32
      %wide = arith.extf %number : f32 to f64
      %next = arith.addf %sum, %wide : f64
      linalg.yield %next : f64
    } -> tensor<4xf64>
    attn.results %r : tensor<4xf64>
  }
  return
}
