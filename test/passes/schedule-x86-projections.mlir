// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Projected lengths: two products in front of the kernel, which reads them.
//
// RUN: mixattn-opt %s --attn-set-target='features=avx512f' --attn-stage-kernels --attn-schedule-kernels --canonicalize | FileCheck %s

!q = memref<?x4x?x32xbf16>
!k = memref<?x2x?x32xbf16>
!e = memref<24x?xbf16>

// 24 rows make a tile of 32 lanes; tails of lanes are not stored.
// CHECK-LABEL: func.func @projected
// CHECK-SAME:    %[[Q:[a-z0-9]+]]: memref<{{[^>]*}}>, %[[K:[a-z0-9]+]]: memref<{{[^>]*}}>, %[[E:[a-z0-9]+]]: memref<24x?xbf16>
// CHECK:         %[[KEYS:.+]] = memref.alloc(%{{.+}}) {alignment = 64 : i64} : memref<?x2x24x32xf32>
// CHECK:         tile.grid
// CHECK:           scf.for
// CHECK:             tile.x86.pack %[[E]][%{{.+}}, %{{.+}}] sizes[%c24, %{{.+}}] factor 1.000000e+00 into %{{.+}} : memref<24x?xbf16>, memref<64x32xf32>
// CHECK:             tile.x86.product transposed %{{.+}}[%{{.+}}], %{{.+}} count %{{.+}} onto %{{.+}} : memref<?x32xbf16
// CHECK:           tile.x86.unpack {{.*}} rows %c24
// CHECK:         %[[VALUES:.+]] = memref.alloc(%{{.+}}) {alignment = 64 : i64} : memref<?x2x24x32xf32>
// CHECK:         tile.grid
// CHECK:         tile.grid
// CHECK:           tile.x86.product %{{.+}} last
// CHECK:           tile.x86.product transposed
// CHECK:         memref.dealloc %[[VALUES]]
// CHECK:         memref.dealloc %[[KEYS]]
func.func @projected(%q: !q, %k: !k, %e: !e, %o: !q) {
  attn.kernel ins(%q, %k, %e : !q, !k, !e) outs(%o : !q) {
  ^bb0(%a: tensor<?x4x?x32xbf16>, %b: tensor<?x2x?x32xbf16>, %c: tensor<24x?xbf16>):
    %r = attn.generic scores(%a, %b : tensor<?x4x?x32xbf16>, tensor<?x2x?x32xbf16>)
        projected_by(%c, %c : tensor<24x?xbf16>, tensor<24x?xbf16>)
        pool(%b : tensor<?x2x?x32xbf16>)
        {attn.plan = #attn.plan<[else : online {width = 64, block = 64}]>} -> tensor<?x4x?x32xbf16>
    attn.results %r : tensor<?x4x?x32xbf16>
  }
  return
}
