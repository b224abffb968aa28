// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Factors of components' terms, which GPUs make in front of an attention where
// one power of 2 serves the weights of all components.
//
// RUN: mixattn-opt %s --attn-set-target='family=mma chip=sm_80' --attn-stage-kernels --split-input-file --canonicalize | FileCheck %s

!b = memref<?x4x?x64xbf16>
!t = tensor<?x4x?x64xbf16>

// Sums of f32, weights of bf16: no headroom.
// CHECK-LABEL: func.func @shifted
// CHECK:         attn.kernel {{.*}} outs(%[[OF_QUERY:.+]] : memref<?x4x2x?xf32>)
// CHECK:           attn.row_term %{{.+}} shifts(
// CHECK:         attn.kernel {{.*}} outs(%[[OF_KEY:.+]] : memref<?x4x2x?xf32>)
// CHECK:           attn.row_term %{{.+}} shifts({{.*}}) prior(
// CHECK:         attn.kernel ins(%[[OF_QUERY]] : {{.*}}) outs(%[[A:.+]] : memref<?x4x3x?xf32>)
// CHECK:           attn.row_factors %{{.+}} headroom 0.000000e+00 : tensor<?x4x2x?xf32> -> tensor<?x4x3x?xf32>
// CHECK:         attn.kernel ins(%[[OF_KEY]] : {{.*}}) outs(%[[B:.+]] : memref<?x4x3x?xf32>)
// CHECK:           attn.row_factors %{{.+}} headroom 0.000000e+00 :
// CHECK:         attn.kernel {{.*}}%[[A]], %[[B]]
// CHECK:           attn.generic {{.*}} factors(
func.func @shifted(%q: !b, %o: !b, %s: memref<4x2x64xbf16>, %p: memref<4x2xf32>) {
  attn.kernel ins(%q, %s, %p : !b, memref<4x2x64xbf16>, memref<4x2xf32>) outs(%o : !b) {
  ^bb0(%x: !t, %shifts: tensor<4x2x64xbf16>, %prior: tensor<4x2xf32>):
    %r = attn.generic scores(%x, %x : !t, !t) shifted_by(%shifts : tensor<4x2x64xbf16>)
        gaussian variances [8.0, 8.0] prior(%prior : tensor<4x2xf32>) pool(%x : !t) -> !t
    attn.results %r : !t
  }
  return
}

// -----

!b = memref<?x4x?x64xf16>
!t = tensor<?x4x?x64xf16>
!r = tensor<?x4x2x?xf32>
!m = memref<?x4x2x?xf32>

// Terms that are given, logarithms to base 2; f16 takes headroom of queries.
// CHECK-LABEL: func.func @halves
// CHECK:           attn.row_factors %{{.+}} headroom 1.000000e+01 in_base_2 :
// CHECK:           attn.row_factors %{{.+}} headroom 0.000000e+00 in_base_2 :
func.func @halves(%q: !b, %o: !b, %term: !m) {
  attn.kernel ins(%q, %term : !b, !m) outs(%o : !b) {
  ^bb0(%x: !t, %t: !r):
    %r = attn.generic scores(%x, %x : !t, !t) query_term(%t : !r) key_term(%t : !r)
        scale 1.0 base2 pool(%x : !t) -> !t
    attn.results %r : !t
  }
  return
}

// -----

!b = memref<?x4x?x64xf16>
!t = tensor<?x4x?x64xf16>
!r = tensor<?x4x8x?xf32>
!m = memref<?x4x8x?xf32>

// Eight components are too many for f16.
// CHECK-LABEL: func.func @many
// CHECK-NOT:     attn.row_factors
func.func @many(%q: !b, %o: !b, %term: !m) {
  attn.kernel ins(%q, %term : !b, !m) outs(%o : !b) {
  ^bb0(%x: !t, %t: !r):
    %r = attn.generic scores(%x, %x : !t, !t) query_term(%t : !r) key_term(%t : !r)
        scale 1.0 pool(%x : !t) -> !t
    attn.results %r : !t
  }
  return
}

// -----

!b = memref<?x4x?x64xbf16>
!t = tensor<?x4x?x64xbf16>

// The product's factors differ by component.
// CHECK-LABEL: func.func @unequal
// CHECK-NOT:     attn.row_factors
func.func @unequal(%q: !b, %o: !b, %s: memref<4x2x64xbf16>) {
  attn.kernel ins(%q, %s : !b, memref<4x2x64xbf16>) outs(%o : !b) {
  ^bb0(%x: !t, %shifts: tensor<4x2x64xbf16>):
    %r = attn.generic scores(%x, %x : !t, !t) shifted_by(%shifts : tensor<4x2x64xbf16>)
        gaussian variances [8.0, 24.0] pool(%x : !t) -> !t
    attn.results %r : !t
  }
  return
}
