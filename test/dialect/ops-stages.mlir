// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// How attn.row_term, attn.row_factors and attn.project are written, and that every form parses
// again.
//
// RUN: mixattn-opt --verify-roundtrip %s | FileCheck %s

// CHECK-LABEL: func.func @terms
// CHECK-SAME:    %[[X:.+]]: tensor<?x4x?x8xf32>, %[[KEYS:.+]]: tensor<2x4x3x5x8xbf16>, %[[S:.+]]: tensor<2x3x8xf16>, %[[T3:.+]]: tensor<?x4x?xf32>, %[[T4:.+]]: tensor<?x4x3x?xbf16>, %[[P:.+]]: tensor<4x3xf16>
// CHECK-NEXT:    attn.row_term %[[X]] factors [1.000000e+00] has_square : tensor<?x4x?x8xf32> -> tensor<?x4x1x?xf32>
// CHECK-NEXT:    attn.row_term %[[X]] factors [5.000000e-01] of_keys has_square {author = "text"} : tensor<?x4x?x8xf32> -> tensor<?x4x1x?xf32>
// CHECK-NEXT:    attn.row_term %[[X]] shifts(%[[S]] : tensor<2x3x8xf16>) factors [1.000000e+00, 5.000000e-01, 2.500000e-01] : tensor<?x4x?x8xf32> -> tensor<?x4x3x?xf32>
// CHECK-NEXT:    attn.row_term %[[X]] shifts(%[[S]] : tensor<2x3x8xf16>) term(%[[T4]] : tensor<?x4x3x?xbf16>) prior(%[[P]] : tensor<4x3xf16>) factors [1.000000e+00, 5.000000e-01, 2.500000e-01] of_keys has_square : tensor<?x4x?x8xf32> -> tensor<?x4x3x?xf32>
// CHECK-NEXT:    attn.row_term %[[X]] term(%[[T3]] : tensor<?x4x?xf32>) factors [1.000000e+00, 2.000000e+00] has_square : tensor<?x4x?x8xf32> -> tensor<?x4x2x?xf32>
// CHECK-NEXT:    attn.row_term %[[KEYS]] factors [1.000000e+00, 5.000000e-01, 2.500000e-01] of_keys has_square : tensor<2x4x3x5x8xbf16> -> tensor<2x4x3x5xf32>
func.func @terms(%x: tensor<?x4x?x8xf32>, %keys: tensor<2x4x3x5x8xbf16>,
                 %s: tensor<2x3x8xf16>, %t3: tensor<?x4x?xf32>,
                 %t4: tensor<?x4x3x?xbf16>, %p: tensor<4x3xf16>) {
  %1 = attn.row_term %x factors [1.0] has_square
      : tensor<?x4x?x8xf32> -> tensor<?x4x1x?xf32>
  %2 = attn.row_term %x factors [0.5] of_keys has_square {author = "text"}
      : tensor<?x4x?x8xf32> -> tensor<?x4x1x?xf32>
  %3 = attn.row_term %x shifts(%s : tensor<2x3x8xf16>)
      factors [1.0, 0.5, 0.25] : tensor<?x4x?x8xf32> -> tensor<?x4x3x?xf32>
  %4 = attn.row_term %x shifts(%s : tensor<2x3x8xf16>)
      term(%t4 : tensor<?x4x3x?xbf16>) prior(%p : tensor<4x3xf16>)
      factors [1.0, 0.5, 0.25] of_keys has_square
      : tensor<?x4x?x8xf32> -> tensor<?x4x3x?xf32>
  %5 = attn.row_term %x term(%t3 : tensor<?x4x?xf32>) factors [1.0, 2.0]
      has_square : tensor<?x4x?x8xf32> -> tensor<?x4x2x?xf32>
  %6 = attn.row_term %keys factors [1.0, 0.5, 0.25] of_keys has_square
      : tensor<2x4x3x5x8xbf16> -> tensor<2x4x3x5xf32>
  return
}

// CHECK-LABEL: func.func @factors
// CHECK-NEXT:    attn.row_factors %{{.+}} headroom 0.000000e+00 : tensor<?x4x3x?xbf16> -> tensor<?x4x4x?xf32>
// CHECK-NEXT:    attn.row_factors %{{.+}} headroom 1.000000e+01 in_base_2 {author = "text"} : tensor<1x2x1x5xf32> -> tensor<1x2x2x5xf32>
func.func @factors(%x: tensor<?x4x3x?xbf16>, %y: tensor<1x2x1x5xf32>) {
  %0 = attn.row_factors %x headroom 0.0 : tensor<?x4x3x?xbf16> -> tensor<?x4x4x?xf32>
  %1 = attn.row_factors %y headroom 10.0 in_base_2 {author = "text"}
      : tensor<1x2x1x5xf32> -> tensor<1x2x2x5xf32>
  return
}

// CHECK-LABEL: func.func @projections
// CHECK-NEXT:    attn.project %{{.+}} by %{{.+}} : tensor<?x2x16x8xf16>, tensor<4x16xf32> -> tensor<?x2x4x8xf32>
// CHECK-NEXT:    attn.project %{{.+}} by %{{.+}} {author = "text"} : tensor<1x2x?x8xbf16>, tensor<4x?xbf16> -> tensor<1x2x4x8xf32>
func.func @projections(%x: tensor<?x2x16x8xf16>, %e: tensor<4x16xf32>,
                       %y: tensor<1x2x?x8xbf16>, %f: tensor<4x?xbf16>) {
  %0 = attn.project %x by %e : tensor<?x2x16x8xf16>, tensor<4x16xf32>
      -> tensor<?x2x4x8xf32>
  %1 = attn.project %y by %f {author = "text"}
      : tensor<1x2x?x8xbf16>, tensor<4x?xbf16> -> tensor<1x2x4x8xf32>
  return
}

// CHECK-LABEL: func.func @panels
// CHECK:         attn.panels %{{.+}} terms [0] lanes [1] width 64 : tensor<7x70xf16> -> tensor<2x7x64xf32>
// CHECK:         attn.panels %{{.+}} terms [2] lanes [0, 3] batches [1] width 16 pairs : tensor<2x3x5x9xbf16> -> tensor<6x3x32xbf16>
func.func @panels(%x: memref<7x70xf16>, %a: memref<2x7x64xf32>,
                  %y: memref<2x3x5x9xbf16>, %b: memref<6x3x32xbf16>) {
  attn.kernel ins(%x : memref<7x70xf16>) outs(%a : memref<2x7x64xf32>) {
  ^bb0(%w: tensor<7x70xf16>):
    %0 = attn.panels %w terms [0] lanes [1] width 64
        : tensor<7x70xf16> -> tensor<2x7x64xf32>
    attn.results %0 : tensor<2x7x64xf32>
  }
  attn.kernel ins(%y : memref<2x3x5x9xbf16>) outs(%b : memref<6x3x32xbf16>) {
  ^bb0(%w: tensor<2x3x5x9xbf16>):
    %0 = attn.panels %w terms [2] lanes [0, 3] batches [1] width 16 pairs
        : tensor<2x3x5x9xbf16> -> tensor<6x3x32xbf16>
    attn.results %0 : tensor<6x3x32xbf16>
  }
  return
}
