// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// One query that no tensor has a dim for.
//
// RUN: mixattn-opt --attn-raise-attention --canonicalize --split-input-file %s | FileCheck %s

#qk = [affine_map<(b, h, j, d) -> (b, h, d)>, affine_map<(b, h, j, d) -> (b, h, j, d)>, affine_map<(b, h, j, d) -> (b, h, j)>]
#mix = [affine_map<(b, g, j, h) -> (b, h, j)>, affine_map<(b, g, j, h) -> (h, g)>, affine_map<(b, g, j, h) -> (b, g, j)>]
#pv = [affine_map<(b, h, e, j) -> (b, h, j)>, affine_map<(b, h, e, j) -> (b, h, j, e)>, affine_map<(b, h, e, j) -> (b, h, e)>]

// The query has a dim of size 1, and so has the result, next to features. What
// mixes heads is no query: it has no row of the batch and no head of the result
// in common with what it mixes.
// CHECK-LABEL: func.func @mixed
// CHECK-SAME:    %[[Q:.+]]: tensor<2x4x8xf32>, %[[K:.+]]: tensor<2x4x7x8xf32>, %[[V:.+]]: tensor<2x4x7x16xf32>, %[[M:.+]]: tensor<4x4xf32>
// CHECK-NEXT:    %[[Q4:.+]] = tensor.expand_shape %[[Q]] {{\[}}[0], [1], [2, 3]] {{.*}} into tensor<2x4x1x8xf32>
// CHECK-NEXT:    %[[O:.+]] = attn.generic scores(%[[Q4]], %[[K]] : {{.*}}) premix(%[[M]] : tensor<4x4xf32>) scale 1.000000e+00 pool(%[[V]] : tensor<2x4x7x16xf32>) -> tensor<2x4x1x16xf32>
// CHECK-NEXT:    %[[O3:.+]] = tensor.collapse_shape %[[O]] {{\[}}[0], [1], [2, 3]] : tensor<2x4x1x16xf32> into tensor<2x4x16xf32>
// CHECK-NEXT:    return %[[O3]]
func.func @mixed(%q: tensor<2x4x8xf32>, %k: tensor<2x4x7x8xf32>, %v: tensor<2x4x7x16xf32>, %m: tensor<4x4xf32>) -> tensor<2x4x16xf32> {
  %zero = arith.constant 0.0 : f32
  %row = tensor.empty() : tensor<2x4x7xf32>
  %zeros = linalg.fill ins(%zero : f32) outs(%row : tensor<2x4x7xf32>) -> tensor<2x4x7xf32>
  %products = linalg.contract indexing_maps = #qk ins(%q, %k : tensor<2x4x8xf32>, tensor<2x4x7x8xf32>) outs(%zeros : tensor<2x4x7xf32>) -> tensor<2x4x7xf32>
  %scores = linalg.contract indexing_maps = #mix ins(%products, %m : tensor<2x4x7xf32>, tensor<4x4xf32>) outs(%zeros : tensor<2x4x7xf32>) -> tensor<2x4x7xf32>
  %weights = linalg.softmax dimension(2) ins(%scores : tensor<2x4x7xf32>) outs(%row : tensor<2x4x7xf32>) -> tensor<2x4x7xf32>
  %small = tensor.empty() : tensor<2x4x16xf32>
  %start = linalg.fill ins(%zero : f32) outs(%small : tensor<2x4x16xf32>) -> tensor<2x4x16xf32>
  %o = linalg.contract indexing_maps = #pv ins(%weights, %v : tensor<2x4x7xf32>, tensor<2x4x7x16xf32>) outs(%start : tensor<2x4x16xf32>) -> tensor<2x4x16xf32>
  return %o : tensor<2x4x16xf32>
}
