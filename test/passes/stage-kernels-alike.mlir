// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Cases of a plan that are computed alike are one kernel, under a test of all of
// them. A case that an earlier one holds before is taken by none of its sizes.
//
// RUN: mixattn-opt %s --attn-set-target=features=avx512f --attn-stage-kernels | FileCheck %s

!t = memref<?x4x?x16xf32>

// CHECK-LABEL: func.func @alike
// CHECK:         %[[LARGE:.+]] = arith.cmpi sgt, %{{.+}}, %c16
// CHECK:         %[[FEW:.+]] = arith.cmpi sle, %{{.+}}, %c4
// CHECK:         %[[BOTH:.+]] = arith.andi %[[LARGE]], %[[FEW]]
// CHECK:         %[[SOME:.+]] = arith.cmpi sgt, %{{.+}}, %c8
// CHECK:         %[[NOT:.+]] = arith.xori %[[SOME]], %true
// CHECK:         %[[LATER:.+]] = arith.andi %[[NOT]], %[[BOTH]]
// CHECK:         %[[MANY:.+]] = arith.cmpi sgt, %{{.+}}, %c64
// CHECK:         %[[TAKES:.+]] = arith.ori %[[MANY]], %[[LATER]]
// CHECK:         scf.if %[[TAKES]] {
// CHECK:           attn.generic {{.*}} {attn.plan = #attn.plan<[else : online {width = 16}]>}
// CHECK-NOT:     scf.if
// CHECK:         } else {
// CHECK:           attn.generic {{.*}} {attn.plan = #attn.plan<[else : online {width = 64}]>}
// CHECK-NOT:     attn.kernel
// CHECK:         return
func.func @alike(%q: !t, %k: !t, %o: !t) {
  attn.kernel ins(%q, %k : !t, !t) outs(%o : !t) {
  ^bb0(%a: tensor<?x4x?x16xf32>, %b: tensor<?x4x?x16xf32>):
    %r = attn.generic scores(%a, %b : tensor<?x4x?x16xf32>, tensor<?x4x?x16xf32>) pool(%b : tensor<?x4x?x16xf32>)
        {attn.plan = #attn.plan<[
            keys above 64 : online {width = 16},
            queries above 8 : online {width = 64},
            batch above 16 and queries at_most 4 : online {width = 16},
            else : online {width = 64}]>}
        -> tensor<?x4x?x16xf32>
    attn.results %r : tensor<?x4x?x16xf32>
  }
  return
}

// Two ways before the last: the first is tested in all of its cases, less those
// that the second holds before; the second needs no test of the first.
// CHECK-LABEL: func.func @three
// CHECK:         %[[SOME:.+]] = arith.cmpi sle, %{{.+}}, %c32
// CHECK:         %[[FEW:.+]] = arith.cmpi sle, %{{.+}}, %c8
// CHECK:         %[[NOT:.+]] = arith.xori %[[FEW]], %true
// CHECK:         %[[LATER:.+]] = arith.andi %[[NOT]], %[[SOME]]
// CHECK:         %[[MANY:.+]] = arith.cmpi sgt, %{{.+}}, %c64
// CHECK:         %[[TAKES:.+]] = arith.ori %[[MANY]], %[[LATER]]
// CHECK:         scf.if %[[TAKES]] {
// CHECK:           attn.generic {{.*}} {attn.plan = #attn.plan<[else : online {width = 16}]>}
// CHECK:         } else {
// CHECK:           %[[AGAIN:.+]] = arith.cmpi sle, %{{.+}}, %c8
// CHECK-NEXT:      scf.if %[[AGAIN]] {
// CHECK:             attn.generic {{.*}} {attn.plan = #attn.plan<[else : online {width = 32}]>}
// CHECK:           } else {
// CHECK:             attn.generic {{.*}} {attn.plan = #attn.plan<[else : online {width = 64}]>}
// CHECK-NOT:     attn.kernel
// CHECK:         return
func.func @three(%q: !t, %k: !t, %o: !t) {
  attn.kernel ins(%q, %k : !t, !t) outs(%o : !t) {
  ^bb0(%a: tensor<?x4x?x16xf32>, %b: tensor<?x4x?x16xf32>):
    %r = attn.generic scores(%a, %b : tensor<?x4x?x16xf32>, tensor<?x4x?x16xf32>) pool(%b : tensor<?x4x?x16xf32>)
        {attn.plan = #attn.plan<[
            keys above 64 : online {width = 16},
            queries at_most 8 : online {width = 32},
            keys at_most 32 : online {width = 16},
            else : online {width = 64}]>}
        -> tensor<?x4x?x16xf32>
    attn.results %r : tensor<?x4x?x16xf32>
  }
  return
}
