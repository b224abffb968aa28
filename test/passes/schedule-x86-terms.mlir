// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Gaussians and shifted keys: terms in front of the kernel, which reads them.
//
// RUN: mixattn-opt %s --split-input-file --attn-set-target='features=avx512f' --attn-stage-kernels --attn-schedule-kernels --canonicalize | FileCheck %s

!q = memref<?x4x?x64xf32>
!k = memref<?x4x2x?x64xf32>

// Two variances: no |q|^2 cancels. The prior becomes a part of the term per
// key; all threads make terms, and tails are not stored.
// CHECK-LABEL: func.func @gaussian
// CHECK-SAME:    %[[Q:[a-z0-9]+]]: memref<{{[^>]*}}>, %[[K:[a-z0-9]+]]: memref<{{[^>]*}}>, %[[P:[a-z0-9]+]]: memref<4x2xf32>
// CHECK:         %[[QUERY:.+]] = memref.alloc(%{{.+}}, %{{.+}}) {alignment = 64 : i64} : memref<?x4x2x?xf32>
// CHECK:         tile.grid
// CHECK:           tile.x86.square_rows %{{.+}}[%{{.+}}] last %{{.+}} factor -5.000000e-01 into %{{.+}} : memref<?x64xf32
// CHECK-NOT:       dot_rows
// CHECK:           arith.select
// CHECK:           vector.maskedstore %[[QUERY]][
// CHECK:         %[[KEY:.+]] = memref.alloc(%{{.+}}, %{{.+}}) {alignment = 64 : i64} : memref<?x4x2x?xf32>
// CHECK:         tile.grid
// CHECK:           tile.x86.square_rows
// CHECK:           memref.load %[[P]][
// CHECK:           vector.maskedstore %[[KEY]][
// CHECK:         tile.grid
// CHECK:           tile.x86.product %{{.+}} last
// CHECK-NOT:         memref.load %[[P]][
// CHECK:             memref.load %[[KEY]][
// CHECK:         memref.dealloc %[[KEY]]
// CHECK:         memref.dealloc %[[QUERY]]
func.func @gaussian(%q: !q, %k: !k, %p: memref<4x2xf32>, %o: !q) {
  attn.kernel ins(%q, %k, %p : !q, !k, memref<4x2xf32>) outs(%o : !q) {
  ^bb0(%a: tensor<?x4x?x64xf32>, %b: tensor<?x4x2x?x64xf32>, %c: tensor<4x2xf32>):
    %r = attn.generic scores(%a, %b : tensor<?x4x?x64xf32>, tensor<?x4x2x?x64xf32>)
        gaussian variances [8.0, 24.0] prior(%c : tensor<4x2xf32>) pool(%a : tensor<?x4x?x64xf32>)
        {attn.plan = #attn.plan<[else : online {width = 64, block = 64}]>} -> tensor<?x4x?x64xf32>
    attn.results %r : tensor<?x4x?x64xf32>
  }
  return
}

// -----

!q = memref<?x4x?x41xbf16>
!k = memref<?x2x?x41xbf16>
!s = memref<2x3x41xbf16>

// One variance: |q|^2 cancels and a product with each shift is left; four heads
// share the shifts of two. Squares are of shifted keys, one for a component. A
// prior is of a query head, so it stays.
// CHECK-LABEL: func.func @shifted
// CHECK-SAME:    %{{[a-z0-9]+}}: memref<{{[^>]*}}>, %{{[a-z0-9]+}}: memref<{{[^>]*}}>, %[[S:[a-z0-9]+]]: memref<{{[^>]*}}>, %[[P:[a-z0-9]+]]: memref<4x3xf32>
// CHECK:         memref.alloc(%{{.+}}, %{{.+}}) {alignment = 64 : i64} : memref<?x4x3x?xf32>
// CHECK:         tile.grid
// CHECK-NOT:       square_rows
// CHECK:           arith.divui %{{.+}}, %c2 : index
// CHECK-NOT:       square_rows
// CHECK:           tile.x86.dot_rows %{{.+}}[%{{.+}}] last %{{.+}}, %{{.+}}[%{{.+}}] into %{{.+}} : memref<?x41xbf16
// CHECK:         memref.alloc(%{{.+}}, %{{.+}}) {alignment = 64 : i64} : memref<?x2x3x?xf32>
// CHECK:         tile.grid
// CHECK:           tile.x86.square_rows %{{.+}}[%{{.+}}] last %{{.+}} and %{{.+}}[%{{.+}}] factor -5.000000e-01 into %{{.+}} : memref<?x41xbf16{{.*}}>, memref<3x41xbf16
// CHECK-NOT:       memref.load %[[P]][
// CHECK:         tile.grid
// CHECK:           memref.load %[[P]][
func.func @shifted(%q: !q, %k: !k, %s: !s, %p: memref<4x3xf32>, %o: !q) {
  attn.kernel ins(%q, %k, %s, %p : !q, !k, !s, memref<4x3xf32>) outs(%o : !q) {
  ^bb0(%a: tensor<?x4x?x41xbf16>, %b: tensor<?x2x?x41xbf16>, %c: tensor<2x3x41xbf16>, %d: tensor<4x3xf32>):
    %r = attn.generic scores(%a, %b : tensor<?x4x?x41xbf16>, tensor<?x2x?x41xbf16>)
        shifted_by(%c : tensor<2x3x41xbf16>) gaussian variances [8.0, 8.0, 8.0] prior(%d : tensor<4x3xf32>)
        pool(%b : tensor<?x2x?x41xbf16>)
        {attn.plan = #attn.plan<[else : online {width = 64, block = 64}]>} -> tensor<?x4x?x41xbf16>
    attn.results %r : tensor<?x4x?x41xbf16>
  }
  return
}
