// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Scores that are sums of products or given, and mixers that follow each other.
//
// RUN: mixattn-opt --attn-raise-attention --canonicalize --split-input-file %s | FileCheck %s

// The sum of two products is that of features side by side; the second one's
// keys are of no head, and half of it is its query's.
// CHECK-LABEL: func.func @two_products
// CHECK-SAME:    %[[Q:.+]]: tensor<2x4x9x8xf32>, %[[K:.+]]: tensor<2x4x7x8xf32>, %[[R:.+]]: tensor<2x4x9x3xf32>, %[[L:.+]]: tensor<2x7x3xf32>, %[[V:.+]]: tensor<2x4x7x8xf32>
// CHECK:         %[[NUMBER:.+]] = arith.constant 5.000000e-01 : f32
// CHECK:         %[[HALF:.+]] = linalg.generic {{.*}} ins(%[[R]] : tensor<2x4x9x3xf32>)
// CHECK:           arith.mulf %{{.+}}, %[[NUMBER]]
// CHECK:         %[[QR:.+]] = tensor.concat dim(3) %[[Q]], %[[HALF]] : {{.*}} -> tensor<2x4x9x11xf32>
// CHECK:         %[[EACH:.+]] = linalg.generic {{.*}} ins(%[[L]] : tensor<2x7x3xf32>)
// CHECK:         %[[KL:.+]] = tensor.concat dim(3) %[[K]], %[[EACH]] : {{.*}} -> tensor<2x4x7x11xf32>
// CHECK:         attn.generic scores(%[[QR]], %[[KL]] : {{.*}}) scale 1.000000e+00 pool(%[[V]] :
#qk = [affine_map<(b, h, i, j, d) -> (b, h, i, d)>, affine_map<(b, h, i, j, d) -> (b, h, j, d)>, affine_map<(b, h, i, j, d) -> (b, h, i, j)>]
#rl = [affine_map<(b, h, i, j, d) -> (b, h, i, d)>, affine_map<(b, h, i, j, d) -> (b, j, d)>, affine_map<(b, h, i, j, d) -> (b, h, i, j)>]
#pv = [affine_map<(b, h, i, e, j) -> (b, h, i, j)>, affine_map<(b, h, i, e, j) -> (b, h, j, e)>, affine_map<(b, h, i, e, j) -> (b, h, i, e)>]
#each = affine_map<(b, h, i, j) -> (b, h, i, j)>
func.func @two_products(%q: tensor<2x4x9x8xf32>, %k: tensor<2x4x7x8xf32>, %r: tensor<2x4x9x3xf32>, %l: tensor<2x7x3xf32>, %v: tensor<2x4x7x8xf32>) -> tensor<2x4x9x8xf32> {
  %zero = arith.constant 0.0 : f32
  %half = arith.constant 0.5 : f32
  %square = tensor.empty() : tensor<2x4x9x7xf32>
  %zeros = linalg.fill ins(%zero : f32) outs(%square : tensor<2x4x9x7xf32>) -> tensor<2x4x9x7xf32>
  %first = linalg.contract indexing_maps = #qk ins(%q, %k : tensor<2x4x9x8xf32>, tensor<2x4x7x8xf32>) outs(%zeros : tensor<2x4x9x7xf32>) -> tensor<2x4x9x7xf32>
  %second = linalg.contract indexing_maps = #rl ins(%r, %l : tensor<2x4x9x3xf32>, tensor<2x7x3xf32>) outs(%zeros : tensor<2x4x9x7xf32>) -> tensor<2x4x9x7xf32>
  %scores = linalg.generic {indexing_maps = [#each, #each, #each], iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
      ins(%first, %second : tensor<2x4x9x7xf32>, tensor<2x4x9x7xf32>) outs(%square : tensor<2x4x9x7xf32>) {
  ^bb0(%x: f32, %y: f32, %out: f32):
    %halved = arith.mulf %y, %half : f32
    %s = arith.addf %x, %halved : f32
    linalg.yield %s : f32
  } -> tensor<2x4x9x7xf32>
  %weights = linalg.softmax dimension(3) ins(%scores : tensor<2x4x9x7xf32>) outs(%square : tensor<2x4x9x7xf32>) -> tensor<2x4x9x7xf32>
  %small = tensor.empty() : tensor<2x4x9x8xf32>
  %start = linalg.fill ins(%zero : f32) outs(%small : tensor<2x4x9x8xf32>) -> tensor<2x4x9x8xf32>
  %o = linalg.contract indexing_maps = #pv ins(%weights, %v : tensor<2x4x9x7xf32>, tensor<2x4x7x8xf32>) outs(%start : tensor<2x4x9x8xf32>) -> tensor<2x4x9x8xf32>
  return %o : tensor<2x4x9x8xf32>
}


// -----

// Two mixers of weights in a row are their product.
// CHECK-LABEL: func.func @two_mixers
// CHECK-SAME:    %[[Q:.+]]: tensor<2x4x9x8xf32>, %[[K:.+]]: tensor<2x4x7x8xf32>, %[[V:.+]]: tensor<2x4x7x8xf32>, %[[A:.+]]: tensor<4x3xf32>, %[[B:.+]]: tensor<3x4xf32>
// CHECK:         %[[BOTH:.+]] = linalg.generic {{.*}}"reduction"{{.*}} ins(%[[A]], %[[B]] : tensor<4x3xf32>, tensor<3x4xf32>)
// CHECK:         attn.generic scores(%[[Q]], %[[K]] : {{.*}}) scale 1.000000e+00 postmix(%[[BOTH]] : tensor<4x4xf32>) pool(%[[V]] :
#qk = [affine_map<(b, h, i, j, d) -> (b, h, i, d)>, affine_map<(b, h, i, j, d) -> (b, h, j, d)>, affine_map<(b, h, i, j, d) -> (b, h, i, j)>]
#mix = [affine_map<(b, g, i, j, h) -> (b, h, i, j)>, affine_map<(b, g, i, j, h) -> (h, g)>, affine_map<(b, g, i, j, h) -> (b, g, i, j)>]
#pv = [affine_map<(b, h, i, e, j) -> (b, h, i, j)>, affine_map<(b, h, i, e, j) -> (b, h, j, e)>, affine_map<(b, h, i, e, j) -> (b, h, i, e)>]
func.func @two_mixers(%q: tensor<2x4x9x8xf32>, %k: tensor<2x4x7x8xf32>, %v: tensor<2x4x7x8xf32>, %a: tensor<4x3xf32>, %b: tensor<3x4xf32>) -> tensor<2x4x9x8xf32> {
  %zero = arith.constant 0.0 : f32
  %square = tensor.empty() : tensor<2x4x9x7xf32>
  %zeros = linalg.fill ins(%zero : f32) outs(%square : tensor<2x4x9x7xf32>) -> tensor<2x4x9x7xf32>
  %scores = linalg.contract indexing_maps = #qk ins(%q, %k : tensor<2x4x9x8xf32>, tensor<2x4x7x8xf32>) outs(%zeros : tensor<2x4x9x7xf32>) -> tensor<2x4x9x7xf32>
  %weights = linalg.softmax dimension(3) ins(%scores : tensor<2x4x9x7xf32>) outs(%square : tensor<2x4x9x7xf32>) -> tensor<2x4x9x7xf32>
  %fewer = tensor.empty() : tensor<2x3x9x7xf32>
  %none = linalg.fill ins(%zero : f32) outs(%fewer : tensor<2x3x9x7xf32>) -> tensor<2x3x9x7xf32>
  %mixed = linalg.contract indexing_maps = #mix ins(%weights, %a : tensor<2x4x9x7xf32>, tensor<4x3xf32>) outs(%none : tensor<2x3x9x7xf32>) -> tensor<2x3x9x7xf32>
  %again = linalg.contract indexing_maps = #mix ins(%mixed, %b : tensor<2x3x9x7xf32>, tensor<3x4xf32>) outs(%zeros : tensor<2x4x9x7xf32>) -> tensor<2x4x9x7xf32>
  %small = tensor.empty() : tensor<2x4x9x8xf32>
  %start = linalg.fill ins(%zero : f32) outs(%small : tensor<2x4x9x8xf32>) -> tensor<2x4x9x8xf32>
  %o = linalg.contract indexing_maps = #pv ins(%again, %v : tensor<2x4x9x7xf32>, tensor<2x4x7x8xf32>) outs(%start : tensor<2x4x9x8xf32>) -> tensor<2x4x9x8xf32>
  return %o : tensor<2x4x9x8xf32>
}

// -----

// Scores may be an argument.
// CHECK-LABEL: func.func @given
// CHECK-SAME:    %[[S:.+]]: tensor<2x4x9x7xf32>, %[[V:.+]]: tensor<2x4x7x8xf32>
// CHECK:         attn.generic given(%[[S]] : tensor<2x4x9x7xf32>) scale 1.000000e+00 pool(%[[V]] :
#pv = [affine_map<(b, h, i, e, j) -> (b, h, i, j)>, affine_map<(b, h, i, e, j) -> (b, h, j, e)>, affine_map<(b, h, i, e, j) -> (b, h, i, e)>]
func.func @given(%s: tensor<2x4x9x7xf32>, %v: tensor<2x4x7x8xf32>) -> tensor<2x4x9x8xf32> {
  %zero = arith.constant 0.0 : f32
  %square = tensor.empty() : tensor<2x4x9x7xf32>
  %weights = linalg.softmax dimension(3) ins(%s : tensor<2x4x9x7xf32>) outs(%square : tensor<2x4x9x7xf32>) -> tensor<2x4x9x7xf32>
  %small = tensor.empty() : tensor<2x4x9x8xf32>
  %start = linalg.fill ins(%zero : f32) outs(%small : tensor<2x4x9x8xf32>) -> tensor<2x4x9x8xf32>
  %o = linalg.contract indexing_maps = #pv ins(%weights, %v : tensor<2x4x9x7xf32>, tensor<2x4x7x8xf32>) outs(%start : tensor<2x4x9x8xf32>) -> tensor<2x4x9x8xf32>
  return %o : tensor<2x4x9x8xf32>
}

// -----

// The same scores for all batch rows would be copied for each: they stay as
// they are.
// CHECK-LABEL: func.func @given_once
// CHECK:         linalg.softmax
// CHECK-NOT:     attn.generic
#pv = [affine_map<(b, h, i, e, j) -> (b, h, i, j)>, affine_map<(b, h, i, e, j) -> (b, h, j, e)>, affine_map<(b, h, i, e, j) -> (b, h, i, e)>]
func.func @given_once(%s: tensor<4x9x7xf32>, %v: tensor<2x4x7x8xf32>) -> tensor<2x4x9x8xf32> {
  %zero = arith.constant 0.0 : f32
  %square = tensor.empty() : tensor<2x4x9x7xf32>
  %scores = linalg.broadcast ins(%s : tensor<4x9x7xf32>) outs(%square : tensor<2x4x9x7xf32>) dimensions = [0]
  %weights = linalg.softmax dimension(3) ins(%scores : tensor<2x4x9x7xf32>) outs(%square : tensor<2x4x9x7xf32>) -> tensor<2x4x9x7xf32>
  %small = tensor.empty() : tensor<2x4x9x8xf32>
  %start = linalg.fill ins(%zero : f32) outs(%small : tensor<2x4x9x8xf32>) -> tensor<2x4x9x8xf32>
  %o = linalg.contract indexing_maps = #pv ins(%weights, %v : tensor<2x4x9x7xf32>, tensor<2x4x7x8xf32>) outs(%start : tensor<2x4x9x8xf32>) -> tensor<2x4x9x8xf32>
  return %o : tensor<2x4x9x8xf32>
}
