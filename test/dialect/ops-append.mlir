// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// attn.append: rows written into a cache, on tensors and on buffers.
//
// RUN: mixattn-opt %s --verify-roundtrip | FileCheck %s

// CHECK-LABEL: func.func @tensors
// CHECK:         attn.append %{{.*}} into %{{.*}} at(%{{.*}}) : tensor<?x8x?x64xbf16>, tensor<?xi64> into tensor<?x8x128x64xbf16> -> tensor<?x8x128x64xbf16>
func.func @tensors(%rows: tensor<?x8x?x64xbf16>, %cache: tensor<?x8x128x64xbf16>,
                   %start: tensor<?xi64>) -> tensor<?x8x128x64xbf16> {
  %r = attn.append %rows into %cache at(%start)
      : tensor<?x8x?x64xbf16>, tensor<?xi64> into tensor<?x8x128x64xbf16>
      -> tensor<?x8x128x64xbf16>
  return %r : tensor<?x8x128x64xbf16>
}

// CHECK-LABEL: func.func @buffers
// CHECK:         attn.append %{{.*}} into %{{.*}} at(%{{.*}}) along 1 ring : memref<2x3x4x5xi8>, memref<2xi32> into memref<2x9x4x5xi8>
func.func @buffers(%rows: memref<2x3x4x5xi8>, %cache: memref<2x9x4x5xi8>,
                   %start: memref<2xi32>) {
  attn.append %rows into %cache at(%start) along 1 ring
      : memref<2x3x4x5xi8>, memref<2xi32> into memref<2x9x4x5xi8>
  return
}
