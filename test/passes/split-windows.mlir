// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Windows side by side become a dim of their own.
//
// RUN: mixattn-opt --attn-split-windows --split-input-file %s | FileCheck %s

// A convolution whose kernel is its stride is a contraction then; what of the
// input is no whole window is left out.
// CHECK-DAG:   #[[X:.+]] = affine_map<(d0, d1, d2, d3, d4, d5, d6) -> (d0, d4, d2, d5, d3, d6)>
// CHECK-DAG:   #[[W:.+]] = affine_map<(d0, d1, d2, d3, d4, d5, d6) -> (d1, d4, d5, d6)>
// CHECK-LABEL: func.func @patches
// CHECK-SAME:    %[[IN:.+]]: tensor<2x3x8x11xf32>
// CHECK:         %[[ROWS:.+]] = tensor.expand_shape %[[IN]] {{.*}} : tensor<2x3x8x11xf32> into tensor<2x3x2x4x11xf32>
// CHECK:         %[[KEPT:.+]] = tensor.extract_slice %[[ROWS]][0, 0, 0, 0, 0] [2, 3, 2, 4, 9] [1, 1, 1, 1, 1]
// CHECK:         %[[ALL:.+]] = tensor.expand_shape %[[KEPT]] {{.*}} into tensor<2x3x2x4x3x3xf32>
// CHECK:         linalg.generic {indexing_maps = [#[[X]], #[[W]], #{{.+}}], iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction", "reduction", "reduction"]} ins(%[[ALL]],
func.func @patches(%x: tensor<2x3x8x11xf32>, %w: tensor<5x3x4x3xf32>, %e: tensor<2x5x2x3xf32>) -> tensor<2x5x2x3xf32> {
  %y = linalg.conv_2d_nchw_fchw {strides = dense<[4, 3]> : tensor<2xi64>}
      ins(%x, %w : tensor<2x3x8x11xf32>, tensor<5x3x4x3xf32>) outs(%e : tensor<2x5x2x3xf32>) -> tensor<2x5x2x3xf32>
  return %y : tensor<2x5x2x3xf32>
}

// -----

// Open sizes; and kernels of one element, whatever the step.
// CHECK-LABEL: func.func @open
// CHECK-SAME:    %{{.+}}: tensor<1x?x7x4xf32>, %{{.+}}: tensor<2x1x4x5xf32>, %[[OUT:.+]]: tensor<1x?x3x5xf32>
// CHECK:         %[[N:.+]] = tensor.dim %[[OUT]],
// CHECK:         %[[LENGTH:.+]] = arith.muli %[[N]], %{{.+}}
// CHECK:         tensor.extract_slice {{.*}} [1, %[[LENGTH]], 7, 4] [1, 1, 1, 1]
// CHECK:         tensor.expand_shape {{.*}} output_shape [1, %[[N]], 2, 7, 4]
// CHECK:         tensor.extract_slice {{.*}} [1, %{{.+}}, 2, 3, 4] [1, 1, 1, 3, 1]
// CHECK:         tensor.expand_shape {{.*}} into tensor<1x?x2x3x1x4xf32>
func.func @open(%x: tensor<1x?x7x4xf32>, %w: tensor<2x1x4x5xf32>, %e: tensor<1x?x3x5xf32>) -> tensor<1x?x3x5xf32> {
  %y = linalg.conv_2d_nhwc_hwcf {strides = dense<[2, 3]> : tensor<2xi64>}
      ins(%x, %w : tensor<1x?x7x4xf32>, tensor<2x1x4x5xf32>) outs(%e : tensor<1x?x3x5xf32>) -> tensor<1x?x3x5xf32>
  return %y : tensor<1x?x3x5xf32>
}

// -----

// Windows that overlap stay, and those with gaps inside.
// CHECK-LABEL: func.func @others
// CHECK-NOT:     tensor.expand_shape
// CHECK-COUNT-2: linalg.conv_1d_nwc_wcf
func.func @others(%x: tensor<1x9x4xf32>, %w: tensor<3x4x5xf32>, %e: tensor<1x7x5xf32>, %f: tensor<1x2x5xf32>) -> (tensor<1x7x5xf32>, tensor<1x2x5xf32>) {
  %y = linalg.conv_1d_nwc_wcf ins(%x, %w : tensor<1x9x4xf32>, tensor<3x4x5xf32>) outs(%e : tensor<1x7x5xf32>) -> tensor<1x7x5xf32>
  %z = linalg.conv_1d_nwc_wcf {strides = dense<3> : tensor<1xi64>, dilations = dense<2> : tensor<1xi64>}
      ins(%x, %w : tensor<1x9x4xf32>, tensor<3x4x5xf32>) outs(%f : tensor<1x2x5xf32>) -> tensor<1x2x5xf32>
  return %y, %z : tensor<1x7x5xf32>, tensor<1x2x5xf32>
}
