// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A product's kernel takes the ops that make the rows of its left side for it
// alone, where its plan says so.
//
// RUN: mixattn-opt %s --split-input-file --attn-set-target="chip=znver4 features=avx2,avx512f,fma threads=2" --attn-plan="force=rows_dense" --attn-form-kernels --canonicalize --cse | FileCheck %s
// RUN: mixattn-opt %s --split-input-file --attn-set-target="chip=znver4 features=avx2,avx512f,fma threads=2" --attn-plan="force=dense" --attn-form-kernels --canonicalize --cse | FileCheck %s --check-prefix=APART

#all = affine_map<(i, j) -> (i, j)>
#row = affine_map<(i, j) -> (i)>
!x = tensor<?x8xf32>
!s = tensor<?xf32>
!y = tensor<?x4xf32>

// A row of sums, and what it makes of the row; then the product, and relu. The
// size of what is no longer there is that of what it was made from.
// CHECK-LABEL: func.func @norm(
// CHECK-SAME:    %[[X:[a-z0-9]+]]: tensor<?x8xf32>
// CHECK:         %[[N:.+]] = tensor.dim %[[X]]
// CHECK:         %[[Y:.+]] = tensor.empty(%[[N]]) : tensor<?x4xf32>
// CHECK:         %[[K:.+]] = attn.kernel ins(%[[X]], {{.*}} outs(%[[Y]] :
// CHECK:           %[[SUM:.+]] = linalg.generic {{.*}} ["parallel", "reduction"]
// CHECK:           %[[Z:.+]] = linalg.generic {{.*}} ins(%{{.+}}, %[[SUM]] :
// CHECK:           %[[P:.+]] = linalg.matmul {attn.plan = #attn.plan<[else : rows_dense]>} ins(%[[Z]],
// CHECK:           %[[R:.+]] = linalg.generic {{.*}} ins(%[[P]] :
// CHECK:           attn.results %[[R]]
// CHECK-NOT:     attn.kernel
// CHECK:         return %[[K]]

// APART-LABEL: func.func @norm(
// APART:         attn.kernel
// APART:         attn.kernel
// APART:           linalg.matmul {attn.plan = #attn.plan<[else : dense]>}
func.func @norm(%x: !x, %w: tensor<8x4xf32>) -> !y {
  %zero = arith.constant 0.0 : f32
  %c0 = arith.constant 0 : index
  %n = tensor.dim %x, %c0 : !x
  %s = tensor.empty(%n) : !s
  %zeros = linalg.fill ins(%zero : f32) outs(%s : !s) -> !s
  %sum = linalg.generic {indexing_maps = [#all, #row], iterator_types = ["parallel", "reduction"]}
      ins(%x : !x) outs(%zeros : !s) {
  ^bb0(%in: f32, %out: f32):
    %0 = arith.addf %out, %in : f32
    linalg.yield %0 : f32
  } -> !s
  %e = tensor.empty(%n) : !x
  %z = linalg.generic {indexing_maps = [#all, #row, #all], iterator_types = ["parallel", "parallel"]}
      ins(%x, %sum : !x, !s) outs(%e : !x) {
  ^bb0(%in: f32, %part: f32, %out: f32):
    %0 = arith.subf %in, %part : f32
    linalg.yield %0 : f32
  } -> !x
  %m = tensor.dim %z, %c0 : !x
  %empty = tensor.empty(%m) : !y
  %init = linalg.fill ins(%zero : f32) outs(%empty : !y) -> !y
  %p = linalg.matmul ins(%z, %w : !x, tensor<8x4xf32>) outs(%init : !y) -> !y
  %r = linalg.generic {indexing_maps = [#all, #all], iterator_types = ["parallel", "parallel"]}
      ins(%p : !y) outs(%empty : !y) {
  ^bb0(%in: f32, %out: f32):
    %0 = arith.maximumf %in, %zero : f32
    linalg.yield %0 : f32
  } -> !y
  return %r : !y
}

// -----

#all = affine_map<(i, j) -> (i, j)>
!x = tensor<8x8xf32>

// Whoever else reads the rows reads them from memory: the other side of the
// product, another product, another op.
// CHECK-LABEL: func.func @read_twice(
// CHECK:         attn.kernel
// CHECK:           linalg.exp
// CHECK-NEXT:      attn.results
// CHECK:         attn.kernel
// CHECK-NOT:       linalg.exp
// CHECK:           linalg.matmul {attn.plan = #attn.plan<[else : dense]>}
func.func @read_twice(%x: !x) -> !x {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : !x
  %z = linalg.exp ins(%x : !x) outs(%e : !x) -> !x
  %init = linalg.fill ins(%zero : f32) outs(%e : !x) -> !x
  %p = linalg.matmul ins(%z, %z : !x, !x) outs(%init : !x) -> !x
  return %p : !x
}

// -----

!x = tensor<8x8xf32>

// CHECK-LABEL: func.func @returned(
// CHECK:         %[[Z:.+]] = attn.kernel
// CHECK:           linalg.exp
// CHECK-NEXT:      attn.results
// CHECK:         %[[P:.+]] = attn.kernel ins(%[[Z]],
// CHECK:           linalg.matmul
// CHECK:         return %[[P]], %[[Z]]
func.func @returned(%x: !x, %w: !x) -> (!x, !x) {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : !x
  %z = linalg.exp ins(%x : !x) outs(%e : !x) -> !x
  %init = linalg.fill ins(%zero : f32) outs(%e : !x) -> !x
  %p = linalg.matmul ins(%z, %w : !x, !x) outs(%init : !x) -> !x
  return %p, %z : !x, !x
}

// -----

!x = tensor<8x8xf32>

// Ops after a product are in its kernel, not in the next one's.
// CHECK-LABEL: func.func @between(
// CHECK:         %[[Z:.+]] = attn.kernel
// CHECK:           linalg.matmul
// CHECK-NEXT:      linalg.generic
// CHECK:         attn.kernel ins(%[[Z]],
// CHECK-NOT:       linalg.generic
// CHECK:           linalg.matmul
#all = affine_map<(i, j) -> (i, j)>
func.func @between(%x: !x, %w: !x) -> !x {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : !x
  %init = linalg.fill ins(%zero : f32) outs(%e : !x) -> !x
  %p = linalg.matmul ins(%x, %w : !x, !x) outs(%init : !x) -> !x
  %r = linalg.generic {indexing_maps = [#all, #all], iterator_types = ["parallel", "parallel"]}
      ins(%p : !x) outs(%e : !x) {
  ^bb0(%in: f32, %out: f32):
    %0 = arith.maximumf %in, %zero : f32
    linalg.yield %0 : f32
  } -> !x
  %q = linalg.matmul ins(%r, %w : !x, !x) outs(%init : !x) -> !x
  return %q : !x
}

// -----

#all = affine_map<(i, j) -> (i, j)>
#turned = affine_map<(i, j) -> (j, i)>
!x = tensor<8x8xf32>

// Rows that are columns: a kernel of their own transposes squares of them. Sums
// over rows that the left side's first dim is: its rows are no rows of the ops.
// CHECK-LABEL: func.func @columns(
// CHECK:         attn.kernel
// CHECK-NEXT:    ^bb0
// CHECK-NOT:       linalg.matmul
// CHECK:         attn.kernel
// CHECK:           linalg.matmul
// CHECK:         attn.kernel
// CHECK:           linalg.exp
// CHECK-NEXT:      attn.results
// CHECK:         attn.kernel
// CHECK-NOT:       linalg.exp
// CHECK:           linalg.generic {{.*}} attrs = {attn.plan = #attn.plan<[else : dense]>}
func.func @columns(%x: !x, %w: !x) -> (!x, !x) {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : !x
  %z = linalg.generic {indexing_maps = [#turned, #all], iterator_types = ["parallel", "parallel"]}
      ins(%x : !x) outs(%e : !x) {
  ^bb0(%in: f32, %out: f32):
    %0 = arith.addf %in, %in : f32
    linalg.yield %0 : f32
  } -> !x
  %init = linalg.fill ins(%zero : f32) outs(%e : !x) -> !x
  %p = linalg.matmul ins(%z, %w : !x, !x) outs(%init : !x) -> !x
  %y = linalg.exp ins(%x : !x) outs(%e : !x) -> !x
  %q = linalg.generic {indexing_maps = [affine_map<(i, j, k) -> (k, i)>, affine_map<(i, j, k) -> (k, j)>, affine_map<(i, j, k) -> (i, j)>],
                       iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%y, %w : !x, !x) outs(%init : !x) {
  ^bb0(%l: f32, %r: f32, %out: f32):
    %0 = arith.mulf %l, %r : f32
    %1 = arith.addf %out, %0 : f32
    linalg.yield %1 : f32
  } -> !x
  return %p, %q : !x, !x
}
