// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Ops that rows go through as one kernel on a GPU: a warp a row where there are sums, a
// thread an element where there are none.
//
// RUN: mixattn-opt %s --attn-set-target='family=mma chip=sm_80' --attn-schedule-kernels --canonicalize --cse | FileCheck %s --implicit-check-not=linalg.generic

#e = affine_map<(i, j) -> (i, j)>
#r = affine_map<(i, j) -> (i)>
!t = tensor<?x100xbf16>
!n = tensor<?xbf16>

// Lanes sum up in f32, and put their sums together; what is summed up is made again by the
// loop that writes.
// CHECK-LABEL: func.func @divided(
// CHECK-SAME:    %[[X:[a-z0-9]+]]: memref<?x100xbf16>, %[[Y:[a-z0-9]+]]: memref<?x100xbf16>
// CHECK:         tile.grid %{{.+}} threads 128 {
// CHECK:         scf.if
// CHECK:           %[[PART:.+]] = scf.for %{{.+}} to %c100 step %c32 iter_args(%[[SUM:.+]] = %{{.+}}) -> (f32) {
// CHECK:             memref.load %[[X]]
// CHECK:             %[[E:.+]] = math.exp
// CHECK:             %[[WIDE:.+]] = arith.extf %[[E]]
// CHECK:             arith.addf %[[SUM]], %[[WIDE]] : f32
// CHECK-COUNT-5:   gpu.shuffle xor
// CHECK:           arith.truncf
// CHECK:           scf.for %{{.+}} to %c100 step %c32 {
// CHECK:             memref.load %[[X]]
// CHECK:             math.exp
// CHECK:             %[[Q:.+]] = arith.divf
// CHECK:             memref.store %[[Q]], %[[Y]]
func.func @divided(%x: memref<?x100xbf16>, %y: memref<?x100xbf16>, %n: index) {
  attn.kernel ins(%x, %n : memref<?x100xbf16>, index) outs(%y : memref<?x100xbf16>) {
  ^bb0(%a: !t, %s: index):
    %zero = arith.constant 0.0 : bf16
    %rows = tensor.empty(%s) : !t
    %e = linalg.generic {indexing_maps = [#e, #e], iterator_types = ["parallel", "parallel"]}
        ins(%a : !t) outs(%rows : !t) {
    ^bb0(%v: bf16, %o: bf16):
      %p = math.exp %v : bf16
      linalg.yield %p : bf16
    } -> !t
    %numbers = tensor.empty(%s) : !n
    %none = linalg.fill ins(%zero : bf16) outs(%numbers : !n) -> !n
    %sum = linalg.generic {indexing_maps = [#e, #r], iterator_types = ["parallel", "reduction"]}
        ins(%e : !t) outs(%none : !n) {
    ^bb0(%v: bf16, %o: bf16):
      %p = arith.addf %v, %o : bf16
      linalg.yield %p : bf16
    } -> !n
    %q = linalg.generic {indexing_maps = [#e, #r, #e], iterator_types = ["parallel", "parallel"]}
        ins(%e, %sum : !t, !n) outs(%rows : !t) {
    ^bb0(%v: bf16, %d: bf16, %o: bf16):
      %p = arith.divf %v, %d : bf16
      linalg.yield %p : bf16
    } -> !t
    attn.results %q : !t
  }
  return
}

// CHECK-LABEL: func.func @negated(
// CHECK:         tile.grid %{{.+}}, %c1 threads 128 {
// CHECK-NOT:     gpu.shuffle
// CHECK:         scf.for %{{.+}} = %{{.+}} to %{{.+}} step %c128
func.func @negated(%x: memref<?x100xbf16>, %y: memref<?x100xbf16>, %n: index) {
  attn.kernel ins(%x, %n : memref<?x100xbf16>, index) outs(%y : memref<?x100xbf16>) {
  ^bb0(%a: !t, %s: index):
    %rows = tensor.empty(%s) : !t
    %e = linalg.generic {indexing_maps = [#e, #e], iterator_types = ["parallel", "parallel"]}
        ins(%a : !t) outs(%rows : !t) {
    ^bb0(%v: bf16, %o: bf16):
      %p = arith.negf %v : bf16
      linalg.yield %p : bf16
    } -> !t
    attn.results %e : !t
  }
  return
}
