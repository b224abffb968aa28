// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The tiles of one row: how wide they are, and what they ask for ahead.
//
// RUN: mixattn-opt %s --attn-set-target='family=x86 chip=znver4 features=avx512f,fma,avx512bf16 threads=2' --attn-plan --attn-form-kernels --attn-bufferize --attn-stage-kernels --attn-schedule-kernels --canonicalize --int-range-optimizations --canonicalize --cse | FileCheck %s
// RUN: mixattn-opt %s --attn-set-target='family=x86 chip=emeraldrapids features=avx512f,fma threads=2' --attn-plan --attn-form-kernels --attn-bufferize --attn-stage-kernels --attn-schedule-kernels --canonicalize --int-range-optimizations --canonicalize --cse | FileCheck %s --check-prefix=SLOW

// Rows of 3 KiB, more than the second caches hold: narrow tiles that ask ahead.
// Where reading shows, they are narrower and ask further ahead, in whole pages,
// too.
// SLOW-LABEL: func.func @ahead(
// SLOW:         tile.x86.product {{.*}} ahead 16 : {{.*}}, memref<1x64xf32
// SLOW-LABEL: func.func @pages(
// SLOW:         tile.x86.product {{.*}} ahead 16 : {{.*}}, memref<1x64xf32
// SLOW-LABEL: func.func @widened(
// SLOW:         tile.x86.product %{{.+}} onto %{{[a-z0-9_]+}} : {{.*}}memref<1x192xf32
// CHECK-LABEL: func.func @ahead(
// CHECK:         tile.grid %c6 {{.*}} {
// CHECK:           tile.x86.product {{.*}} ahead 8 : {{.*}}, memref<1x128xf32
func.func @ahead(%x: tensor<1x3072xf32>, %w: tensor<3072x768xf32>) -> tensor<1x768xf32> {
  %zero = arith.constant 0.0 : f32
  %empty = tensor.empty() : tensor<1x768xf32>
  %init = linalg.fill ins(%zero : f32) outs(%empty : tensor<1x768xf32>) -> tensor<1x768xf32>
  %y = linalg.matmul ins(%x, %w : tensor<1x3072xf32>, tensor<3072x768xf32>) outs(%init : tensor<1x768xf32>) -> tensor<1x768xf32>
  return %y : tensor<1x768xf32>
}

// Rows of whole pages, and numbers that are widened, ask for nothing.
// CHECK-LABEL: func.func @pages(
// CHECK:         tile.x86.product %{{.+}} onto %{{[a-z0-9_]+}} : {{.*}}memref<1x128xf32
func.func @pages(%x: tensor<1x768xf32>, %w: tensor<768x3072xf32>) -> tensor<1x3072xf32> {
  %zero = arith.constant 0.0 : f32
  %empty = tensor.empty() : tensor<1x3072xf32>
  %init = linalg.fill ins(%zero : f32) outs(%empty : tensor<1x3072xf32>) -> tensor<1x3072xf32>
  %y = linalg.matmul ins(%x, %w : tensor<1x768xf32>, tensor<768x3072xf32>) outs(%init : tensor<1x3072xf32>) -> tensor<1x3072xf32>
  return %y : tensor<1x3072xf32>
}

// CHECK-LABEL: func.func @widened(
// CHECK:         tile.x86.product %{{.+}} onto %{{[a-z0-9_]+}} : {{.*}}memref<1x192xf32
func.func @widened(%x: tensor<1x3072xbf16>, %w: tensor<3072x768xbf16>) -> tensor<1x768xbf16> {
  %zero = arith.constant 0.0 : bf16
  %empty = tensor.empty() : tensor<1x768xbf16>
  %init = linalg.fill ins(%zero : bf16) outs(%empty : tensor<1x768xbf16>) -> tensor<1x768xbf16>
  %y = linalg.matmul ins(%x, %w : tensor<1x3072xbf16>, tensor<3072x768xbf16>) outs(%init : tensor<1x768xbf16>) -> tensor<1x768xbf16>
  return %y : tensor<1x768xbf16>
}

// A right side that the second caches hold is read in tiles as wide as registers
// allow.
// CHECK-LABEL: func.func @small(
// CHECK:         tile.x86.product %{{.+}} into %{{[a-z0-9_]+}} : {{.*}}memref<1x256xf32
func.func @small(%x: tensor<1x128xf32>, %w: tensor<128x512xf32>) -> tensor<1x512xf32> {
  %zero = arith.constant 0.0 : f32
  %empty = tensor.empty() : tensor<1x512xf32>
  %init = linalg.fill ins(%zero : f32) outs(%empty : tensor<1x512xf32>) -> tensor<1x512xf32>
  %y = linalg.matmul ins(%x, %w : tensor<1x128xf32>, tensor<128x512xf32>) outs(%init : tensor<1x512xf32>) -> tensor<1x512xf32>
  return %y : tensor<1x512xf32>
}
