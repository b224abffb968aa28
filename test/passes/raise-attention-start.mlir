// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Positions of queries that begin at a number which a tensor holds: `from`.
//
// RUN: mixattn-opt --attn-raise-attention --canonicalize --split-input-file %s | FileCheck %s

#each = affine_map<(b, h, i, j) -> (b, h, i, j)>
#of_batch = affine_map<(b, h, i, j) -> (b)>
#of_head = affine_map<(b, h, i, j) -> (h)>

// j <= start[b] + i, and i + start[b] - j <= 5: the start is that of the batch row.
// j <= other[b] + i and j <= of_head[h] + i are masks.
// CHECK-LABEL: func.func @of_batch
// CHECK-SAME:    %[[Q:.+]]: tensor<2x4x3x8xf32>, %[[K:.+]]: tensor<2x4x7x8xf32>, %[[V:.+]]: tensor<2x4x7x8xf32>, %[[START:[a-z0-9]+]]: tensor<2xi64>
// CHECK:         %[[MASK:.+]] = linalg.generic {{.*}} outs({{.+}} : tensor<2x4x3x7xi1>)
// CHECK:         attn.generic scores(%[[Q]], %[[K]] : {{.*}}) scale 1.000000e+00 mask(%[[MASK]] : {{.*}}) causal band <5, 0> from(%[[START]] : tensor<2xi64>) pool(%[[V]] :
func.func @of_batch(%q: tensor<2x4x3x8xf32>, %k: tensor<2x4x7x8xf32>, %v: tensor<2x4x7x8xf32>, %start: tensor<2xi64>, %others: tensor<2xi64>, %of_head: tensor<4xi64>) -> tensor<2x4x3x8xf32> {
  %zero = arith.constant 0.0 : f32
  %none = arith.constant 0xFF800000 : f32
  %square = tensor.empty() : tensor<2x4x3x7xf32>
  %zeros = linalg.fill ins(%zero : f32) outs(%square : tensor<2x4x3x7xf32>) -> tensor<2x4x3x7xf32>
  %products = linalg.contract indexing_maps = [affine_map<(b, h, i, j, d) -> (b, h, i, d)>, affine_map<(b, h, i, j, d) -> (b, h, j, d)>, affine_map<(b, h, i, j, d) -> (b, h, i, j)>]
      ins(%q, %k : tensor<2x4x3x8xf32>, tensor<2x4x7x8xf32>) outs(%zeros : tensor<2x4x3x7xf32>) -> tensor<2x4x3x7xf32>
  %scores = linalg.generic {indexing_maps = [#each, #of_head, #of_batch, #of_batch, #each], iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
      ins(%products, %of_head, %start, %others : tensor<2x4x3x7xf32>, tensor<4xi64>, tensor<2xi64>, tensor<2xi64>) outs(%square : tensor<2x4x3x7xf32>) {
  ^bb0(%x: f32, %head: i64, %first: i64, %other: i64, %out: f32):
    %i = linalg.index 2 : index
    %j = linalg.index 3 : index
    %query = arith.index_cast %i : index to i64
    %key = arith.index_cast %j : index to i64
    %own = arith.addi %first, %query : i64
    %of_other = arith.addi %other, %query : i64
    %up_to_other = arith.cmpi sle, %key, %of_other : i64
    %other_score = arith.select %up_to_other, %x, %none : f32
    %way = arith.subi %own, %key : i64
    %most = arith.constant 5 : i64
    %near = arith.cmpi sle, %way, %most : i64
    %near_score = arith.select %near, %other_score, %none : f32
    %later = arith.cmpi sgt, %key, %own : i64
    %own_score = arith.select %later, %none, %near_score : f32
    %of_heads = arith.addi %head, %query : i64
    %up_to_head = arith.cmpi sle, %key, %of_heads : i64
    %score = arith.select %up_to_head, %own_score, %none : f32
    linalg.yield %score : f32
  } -> tensor<2x4x3x7xf32>
  %weights = linalg.softmax dimension(3) ins(%scores : tensor<2x4x3x7xf32>) outs(%square : tensor<2x4x3x7xf32>) -> tensor<2x4x3x7xf32>
  %wide = tensor.empty() : tensor<2x4x3x8xf32>
  %begin = linalg.fill ins(%zero : f32) outs(%wide : tensor<2x4x3x8xf32>) -> tensor<2x4x3x8xf32>
  %o = linalg.contract indexing_maps = [affine_map<(b, h, i, e, j) -> (b, h, i, j)>, affine_map<(b, h, i, e, j) -> (b, h, j, e)>, affine_map<(b, h, i, e, j) -> (b, h, i, e)>]
      ins(%weights, %v : tensor<2x4x3x7xf32>, tensor<2x4x7x8xf32>) outs(%begin : tensor<2x4x3x8xf32>) -> tensor<2x4x3x8xf32>
  return %o : tensor<2x4x3x8xf32>
}

// -----

#each = affine_map<(b, h, i, j) -> (b, h, i, j)>
#of_none = affine_map<(b, h, i, j) -> ()>

// One start for all, and one query, whose position has no index: j <= 2 start
// is none of the forms, j <= start is.
// CHECK-LABEL: func.func @of_all
// CHECK-SAME:    %[[START:[a-z0-9]+]]: tensor<i64>
// CHECK:         %[[ALL:.+]] = linalg.generic
// CHECK:         -> tensor<2xi64>
// CHECK:         attn.generic {{.*}} causal from(%[[ALL]] : tensor<2xi64>) pool(
// CHECK:         attn.generic {{.*}} mask({{.+}}) pool(
func.func @of_all(%q: tensor<2x4x1x8xf32>, %k: tensor<2x4x7x8xf32>, %v: tensor<2x4x7x8xf32>, %start: tensor<i64>) -> (tensor<2x4x1x8xf32>, tensor<2x4x1x8xf32>) {
  %zero = arith.constant 0.0 : f32
  %none = arith.constant 0xFF800000 : f32
  %square = tensor.empty() : tensor<2x4x1x7xf32>
  %zeros = linalg.fill ins(%zero : f32) outs(%square : tensor<2x4x1x7xf32>) -> tensor<2x4x1x7xf32>
  %products = linalg.contract indexing_maps = [affine_map<(b, h, i, j, d) -> (b, h, i, d)>, affine_map<(b, h, i, j, d) -> (b, h, j, d)>, affine_map<(b, h, i, j, d) -> (b, h, i, j)>]
      ins(%q, %k : tensor<2x4x1x8xf32>, tensor<2x4x7x8xf32>) outs(%zeros : tensor<2x4x1x7xf32>) -> tensor<2x4x1x7xf32>
  %scores = linalg.generic {indexing_maps = [#each, #of_none, #each], iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
      ins(%products, %start : tensor<2x4x1x7xf32>, tensor<i64>) outs(%square : tensor<2x4x1x7xf32>) {
  ^bb0(%x: f32, %first: i64, %out: f32):
    %j = linalg.index 3 : index
    %key = arith.index_cast %j : index to i64
    %seen = arith.cmpi sge, %first, %key : i64
    %score = arith.select %seen, %x, %none : f32
    linalg.yield %score : f32
  } -> tensor<2x4x1x7xf32>
  %doubled = linalg.generic {indexing_maps = [#each, #of_none, #each], iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
      ins(%products, %start : tensor<2x4x1x7xf32>, tensor<i64>) outs(%square : tensor<2x4x1x7xf32>) {
  ^bb0(%x: f32, %first: i64, %out: f32):
    %j = linalg.index 3 : index
    %key = arith.index_cast %j : index to i64
    %twice = arith.addi %first, %first : i64
    %seen = arith.cmpi sge, %twice, %key : i64
    %score = arith.select %seen, %x, %none : f32
    linalg.yield %score : f32
  } -> tensor<2x4x1x7xf32>
  %wide = tensor.empty() : tensor<2x4x1x8xf32>
  %begin = linalg.fill ins(%zero : f32) outs(%wide : tensor<2x4x1x8xf32>) -> tensor<2x4x1x8xf32>
  %w = linalg.softmax dimension(3) ins(%scores : tensor<2x4x1x7xf32>) outs(%square : tensor<2x4x1x7xf32>) -> tensor<2x4x1x7xf32>
  %o = linalg.contract indexing_maps = [affine_map<(b, h, i, e, j) -> (b, h, i, j)>, affine_map<(b, h, i, e, j) -> (b, h, j, e)>, affine_map<(b, h, i, e, j) -> (b, h, i, e)>]
      ins(%w, %v : tensor<2x4x1x7xf32>, tensor<2x4x7x8xf32>) outs(%begin : tensor<2x4x1x8xf32>) -> tensor<2x4x1x8xf32>
  %u = linalg.softmax dimension(3) ins(%doubled : tensor<2x4x1x7xf32>) outs(%square : tensor<2x4x1x7xf32>) -> tensor<2x4x1x7xf32>
  %p = linalg.contract indexing_maps = [affine_map<(b, h, i, e, j) -> (b, h, i, j)>, affine_map<(b, h, i, e, j) -> (b, h, j, e)>, affine_map<(b, h, i, e, j) -> (b, h, i, e)>]
      ins(%u, %v : tensor<2x4x1x7xf32>, tensor<2x4x7x8xf32>) outs(%begin : tensor<2x4x1x8xf32>) -> tensor<2x4x1x8xf32>
  return %o, %p : tensor<2x4x1x8xf32>, tensor<2x4x1x8xf32>
}
