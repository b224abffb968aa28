// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// How attn.structured_pool is written: every clause alone, then those that go
// together, then what its result's type may leave open.
//
// RUN: mixattn-opt --verify-roundtrip %s | FileCheck %s

!v = tensor<?x4x?x16xf32>
!band = tensor<8x?x7xf32>

// The identity: rows as they are.
// CHECK-LABEL: func.func @identity
// CHECK-SAME:    %[[V:.+]]: tensor<?x4x?x16xf32>
// CHECK:         attn.structured_pool %[[V]] : tensor<?x4x?x16xf32> -> tensor<?x4x?x16xf32>
func.func @identity(%v: !v) -> !v {
  %o = attn.structured_pool %v : !v -> !v
  return %o : !v
}

// A band; two of its heads read one value head.
// CHECK-LABEL: func.func @band
// CHECK:         attn.structured_pool %{{.+}} band(%{{.+}} : tensor<8x?x7xf32>) : tensor<?x4x?x16xf32> -> tensor<?x8x?x16xf32>
func.func @band(%v: !v, %band: !band) -> tensor<?x8x?x16xf32> {
  %o = attn.structured_pool %v band(%band : !band) : !v -> tensor<?x8x?x16xf32>
  return %o : tensor<?x8x?x16xf32>
}

// Windows, of either integer.
// CHECK-LABEL: func.func @windows
// CHECK:         attn.structured_pool %{{.+}} windows(%{{.+}} : tensor<?x3xi64>) :
// CHECK:         attn.structured_pool %{{.+}} windows(%{{.+}} : tensor<2x3xi32>) :
func.func @windows(%v: !v, %t: tensor<?x3xi64>, %u: tensor<2x3xi32>) -> (!v, !v) {
  %0 = attn.structured_pool %v windows(%t : tensor<?x3xi64>) : !v -> !v
  %1 = attn.structured_pool %v windows(%u : tensor<2x3xi32>) : !v -> !v
  return %0, %1 : !v, !v
}

// A sparse error on the identity, on windows, and on a band whose rows are
// normalised; operands have element types of their own.
// CHECK-LABEL: func.func @error
// CHECK:         attn.structured_pool %{{.+}} error(%{{.+}}, %{{.+}} : tensor<?x3xi64>, tensor<?xf16>) :
// CHECK:         attn.structured_pool %{{.+}} windows(%{{.+}} : tensor<?x3xi64>) error(%{{.+}}, %{{.+}} : tensor<?x3xi64>, tensor<?xf16>) row_normalise :
// CHECK:         attn.structured_pool %{{.+}} band(%{{.+}} : tensor<4x?x1xbf16>) error(%{{.+}}, %{{.+}} : tensor<?x3xi64>, tensor<?xf16>) row_normalise {author = "text"} :
func.func @error(%v: !v, %t: tensor<?x3xi64>, %x: tensor<?xf16>,
                 %band: tensor<4x?x1xbf16>) -> (!v, !v, !v) {
  %0 = attn.structured_pool %v error(%t, %x : tensor<?x3xi64>, tensor<?xf16>)
      : !v -> !v
  %1 = attn.structured_pool %v windows(%t : tensor<?x3xi64>)
      error(%t, %x : tensor<?x3xi64>, tensor<?xf16>) row_normalise : !v -> !v
  %2 = attn.structured_pool %v band(%band : tensor<4x?x1xbf16>)
      error(%t, %x : tensor<?x3xi64>, tensor<?xf16>) row_normalise
      {author = "text"} : !v -> !v
  return %0, %1, %2 : !v, !v, !v
}

// A result's type may say less or more than the operands.
// CHECK-LABEL: func.func @less_and_more
// CHECK:         -> tensor<?x?x?x?xf32>
// CHECK:         -> tensor<2x4x3x16xf32>
func.func @less_and_more(%v: !v) -> (tensor<?x?x?x?xf32>, tensor<2x4x3x16xf32>) {
  %less = attn.structured_pool %v : !v -> tensor<?x?x?x?xf32>
  %more = attn.structured_pool %v : !v -> tensor<2x4x3x16xf32>
  return %less, %more : tensor<?x?x?x?xf32>, tensor<2x4x3x16xf32>
}
