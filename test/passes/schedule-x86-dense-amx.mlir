// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Contractions by AMX, whose squares come from the first cache or the second:
// which rows and panels stay where. A second cache has 2 MiB here.
//
// RUN: mixattn-opt %s --attn-set-target='family=x86 chip=graniterapids features=amx-bf16,amx-tile,avx512f,fma threads=1' --attn-plan --attn-form-kernels --attn-bufferize --attn-stage-kernels --attn-schedule-kernels --canonicalize --cse | FileCheck %s

// Panels of two squares side by side, two of them a tile. Rows that take more
// than three quarters of it are divided into blocks that all panels read.
// CHECK-LABEL: func.func @wide(
// CHECK:         } else {
// CHECK:           arith.divui %{{.+}}, %c384
// CHECK:           tile.grid
// CHECK:             %[[TERMS:.+]] = arith.muli %[[ROWS:.+]], %c768
// CHECK:             %[[LEAVE:.+]] = arith.cmpi sgt, %[[TERMS]], %c786432
// CHECK:             %[[MANY:.+]] = arith.ori %{{.+}}, %[[LEAVE]]
// CHECK:             arith.select %[[MANY]], %c48,
// The first terms begin sums; the last rows take one square where they fit.
// CHECK:             tile.x86.product %[[LEFT:[^,]+]], %[[A:.+]] count %c128 amx into %{{.+}} : {{.*}}, memref<128x64xbf16>, memref<32x32xf32,
// CHECK:             tile.x86.product %[[LEFT]], %[[B:.+]] count %c128 amx into %{{.+}} : {{.*}}, memref<128x64xbf16>, memref<32x32xf32,
// CHECK:             tile.x86.product %{{.+}}, %[[A]] count %c128 amx into %{{.+}} : {{.*}}, memref<128x64xbf16>, memref<16x32xf32,
// CHECK:             tile.x86.product %{{.+}}, %[[B]] count %c128 amx into %{{.+}} : {{.*}}, memref<128x64xbf16>, memref<16x32xf32,
// CHECK:             tile.x86.product %{{.+}} amx into %{{.+}} : {{.*}}, memref<32x32xf32,
// The others are added to these.
// CHECK:             tile.x86.product %{{.+}} amx onto %{{.+}} : {{.*}}, memref<128x64xbf16>, memref<32x32xf32,
// Both lines of the result are stored one after the other, in halves.
// CHECK:             arith.truncf %{{.+}} : vector<16xf32> to vector<16xbf16>
// CHECK-COUNT-3:     vector.store %{{.+}}, vector<16xbf16>
// CHECK-NOT:         scf.
// CHECK:             vector.store %{{.+}}, vector<16xbf16>
func.func @wide(%x: tensor<?x768xbf16>, %w: tensor<768x3072xbf16>) -> tensor<?x3072xbf16> {
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0.0 : bf16
  %n = tensor.dim %x, %c0 : tensor<?x768xbf16>
  %empty = tensor.empty(%n) : tensor<?x3072xbf16>
  %init = linalg.fill ins(%zero : bf16) outs(%empty : tensor<?x3072xbf16>) -> tensor<?x3072xbf16>
  %p = linalg.matmul ins(%x, %w : tensor<?x768xbf16>, tensor<768x3072xbf16>) outs(%init : tensor<?x3072xbf16>) -> tensor<?x3072xbf16>
  return %p : tensor<?x3072xbf16>
}

// Blocks of rows take three eighths of it. Pieces of two panels would be read too
// often: a tile has one.
// CHECK-LABEL: func.func @deep(
// CHECK:         } else {
// CHECK:           arith.divui %{{.+}}, %c128
// CHECK:           tile.grid
// CHECK:             tile.x86.product %{{.+}} amx into %{{.+}} : {{.*}}, memref<32x32xf32, strided<[32, 1],
func.func @deep(%x: tensor<?x3072xbf16>, %w: tensor<3072x768xbf16>) -> tensor<?x768xbf16> {
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0.0 : bf16
  %n = tensor.dim %x, %c0 : tensor<?x3072xbf16>
  %empty = tensor.empty(%n) : tensor<?x768xbf16>
  %init = linalg.fill ins(%zero : bf16) outs(%empty : tensor<?x768xbf16>) -> tensor<?x768xbf16>
  %p = linalg.matmul ins(%x, %w : tensor<?x3072xbf16>, tensor<3072x768xbf16>) outs(%init : tensor<?x768xbf16>) -> tensor<?x768xbf16>
  return %p : tensor<?x768xbf16>
}

// Few terms leave room for four squares.
// CHECK-LABEL: func.func @small(
// CHECK:         } else {
// CHECK:           arith.divui %{{.+}}, %c384
// CHECK:             tile.x86.product %{{.+}} amx into %{{.+}} : {{.*}}, memref<128x128xbf16>, memref<32x64xf32,
func.func @small(%x: tensor<?x128xbf16>, %w: tensor<128x512xbf16>) -> tensor<?x512xbf16> {
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0.0 : bf16
  %n = tensor.dim %x, %c0 : tensor<?x128xbf16>
  %empty = tensor.empty(%n) : tensor<?x512xbf16>
  %init = linalg.fill ins(%zero : bf16) outs(%empty : tensor<?x512xbf16>) -> tensor<?x512xbf16>
  %p = linalg.matmul ins(%x, %w : tensor<?x128xbf16>, tensor<128x512xbf16>) outs(%init : tensor<?x512xbf16>) -> tensor<?x512xbf16>
  return %p : tensor<?x512xbf16>
}

// Rows of no whole steps are copied once for all panels of an item, where there
// is no term 0.
// CHECK-LABEL: func.func @odd(
// CHECK:         } else {
// CHECK:           tile.grid
// CHECK:             %[[HELD:.+]] = memref.view %{{.+}} : memref<?xi8{{.*}}> to memref<?x1056xbf16{{.*}}>
// CHECK:             scf.for
// CHECK:               scf.for %{{.+}} = %c0 to %c1024 step %c16
// CHECK:                 vector.store %{{.+}}, %[[HELD]]
// CHECK:             scf.for
// CHECK:               memref.subview %[[HELD]][0, 0]
// CHECK:               tile.x86.product {{.*}} amx into
func.func @odd(%x: tensor<?x1000xbf16>, %w: tensor<1000x1024xbf16>) -> tensor<?x1024xbf16> {
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0.0 : bf16
  %n = tensor.dim %x, %c0 : tensor<?x1000xbf16>
  %empty = tensor.empty(%n) : tensor<?x1024xbf16>
  %init = linalg.fill ins(%zero : bf16) outs(%empty : tensor<?x1024xbf16>) -> tensor<?x1024xbf16>
  %p = linalg.matmul ins(%x, %w : tensor<?x1000xbf16>, tensor<1000x1024xbf16>) outs(%init : tensor<?x1024xbf16>) -> tensor<?x1024xbf16>
  return %p : tensor<?x1024xbf16>
}
