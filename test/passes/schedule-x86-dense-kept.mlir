// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Where all panels are there and stay in the second cache with AMX's squares,
// tiles have few rows, whose sums stay in the first cache.
//
// RUN: mixattn-opt %s --attn-pack-parameters --attn-schedule-kernels --canonicalize --cse | FileCheck %s

// CHECK-LABEL: func.func @small(
// CHECK:         } else {
// CHECK:           %[[ARE:.+]] = arith.cmpi sgt, %{{.+}}, %c0
// CHECK:           arith.select %[[ARE]], %c64, %c384
!x = memref<?x128xbf16>
!w = memref<128x512xbf16, strided<[?, 1]>>
!y = memref<?x512xbf16>
module attributes {attn.target = #attn.target<x86, chip = "graniterapids", features = ["amx-bf16", "amx-tile", "avx512f", "fma"]>,
    attn.manifest = "{\22entries\22:[{\22name\22:\22small\22}]}"} {
  func.func @small(%x: !x, %w: !w {attn.parameter}, %n: index, %y: !y) {
    attn.kernel ins(%x, %w, %n : !x, !w, index) outs(%y : !y) {
    ^bb0(%a: tensor<?x128xbf16>, %b: tensor<128x512xbf16>, %m: index):
      %zero = arith.constant 0.0 : bf16
      %e = tensor.empty(%m) : tensor<?x512xbf16>
      %f = linalg.fill ins(%zero : bf16) outs(%e : tensor<?x512xbf16>) -> tensor<?x512xbf16>
      %r = linalg.matmul ins(%a, %b : tensor<?x128xbf16>, tensor<128x512xbf16>)
          outs(%f : tensor<?x512xbf16>) -> tensor<?x512xbf16>
      attn.results %r : tensor<?x512xbf16>
    }
    return
  }
}
