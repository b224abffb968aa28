// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The cases of a plan become tests of sizes, each with the code of its
// algorithm; a kernel without a plan takes the first schedule that is for it.
// schedule-x86*.mlir and schedule-mma.mlir have the code.
//
// RUN: mixattn-opt %s --attn-set-target=features=avx512f --attn-stage-kernels --attn-schedule-kernels --canonicalize | FileCheck %s --implicit-check-not=attn.kernel

!t = tensor<?x2x?x4xf32>
!m = memref<?x2x?x4xf32>

// CHECK-LABEL: func.func @cases
// CHECK-SAME:    %[[Q:[a-z0-9]+]]: memref<?x2x?x4xf32>, %[[K:[a-z0-9]+]]: memref<?x2x?x4xf32>, %
// CHECK:         %[[QUERIES:.+]] = memref.dim %[[Q]], %c2
// CHECK:         %[[FEW:.+]] = arith.cmpi sle, %[[QUERIES]], %c8
// CHECK:         %[[KEYS:.+]] = memref.dim %[[K]], %c2
// CHECK:         %[[MANY:.+]] = arith.cmpi sgt, %[[KEYS]], %c512
// CHECK:         %[[BOTH:.+]] = arith.andi %[[FEW]], %[[MANY]]
// CHECK:         scf.if %[[BOTH]] {
// CHECK-COUNT-4:   tile.x86.dot_rows
// CHECK-NOT:       tile.x86.product %{{.+}} last
// CHECK:         } else {
// CHECK-NOT:       tile.x86.dot_rows
// CHECK:           tile.x86.product %{{.+}} last
func.func @cases(%q: !m, %k: !m, %o: !m) {
  attn.kernel ins(%q, %k : !m, !m) outs(%o : !m) {
  ^bb0(%a: !t, %b: !t):
    %r = attn.generic scores(%a, %b : !t, !t) pool(%b : !t)
        {attn.plan = #attn.plan<[queries at_most 8 and keys above 512 : decode {block = 64, split = 256}, else : online]>} -> !t
    attn.results %r : !t
  }
  return
}

// CHECK-LABEL: func.func @unplanned
// CHECK:         tile.x86.product %
func.func @unplanned(%q: !m, %o: !m) {
  attn.kernel ins(%q : !m) outs(%o : !m) {
  ^bb0(%a: !t):
    %r = attn.linear_generic features(%a, %a : !t, !t) feature_map <elu> pool(%a : !t) -> !t
    attn.results %r : !t
  }
  return
}
