// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Attention that linalg computes becomes one op.
//
// RUN: mixattn-opt --attn-raise-attention --canonicalize --split-input-file %s | FileCheck %s

#each = affine_map<(b, h, i, j) -> (b, h, i, j)>

// A quotient is a scale; hidden by -inf is not seen; keys that are turned back
// are as they were.
// CHECK-LABEL: func.func @causal
// CHECK-SAME:    %[[Q:.+]]: tensor<?x4x?x8xf32>, %[[K:.+]]: tensor<?x4x?x8xf32>, %[[V:.+]]: tensor<?x4x?x16xf32>
// CHECK-NEXT:    %[[O:.+]] = attn.generic scores(%[[Q]], %[[K]] : {{.*}}) scale 2.500000e-01 causal pool(%[[V]] : {{.*}}) -> tensor<?x4x?x16xf32>
// CHECK-NEXT:    return %[[O]]
func.func @causal(%q: tensor<?x4x?x8xf32>, %k: tensor<?x4x?x8xf32>, %v: tensor<?x4x?x16xf32>) -> tensor<?x4x?x16xf32> {
  %c0 = arith.constant 0 : index
  %c2 = arith.constant 2 : index
  %b = tensor.dim %q, %c0 : tensor<?x4x?x8xf32>
  %n = tensor.dim %q, %c2 : tensor<?x4x?x8xf32>
  %zero = arith.constant 0.0 : f32
  %turned = tensor.empty(%b, %n) : tensor<?x4x8x?xf32>
  %kt = linalg.transpose ins(%k : tensor<?x4x?x8xf32>) outs(%turned : tensor<?x4x8x?xf32>) permutation = [0, 1, 3, 2]
  %square = tensor.empty(%b, %n, %n) : tensor<?x4x?x?xf32>
  %zeros = linalg.fill ins(%zero : f32) outs(%square : tensor<?x4x?x?xf32>) -> tensor<?x4x?x?xf32>
  %products = linalg.contract
      indexing_maps = [affine_map<(b, h, i, j, d) -> (b, h, i, d)>, affine_map<(b, h, i, j, d) -> (b, h, d, j)>, affine_map<(b, h, i, j, d) -> (b, h, i, j)>]
      ins(%q, %kt : tensor<?x4x?x8xf32>, tensor<?x4x8x?xf32>) outs(%zeros : tensor<?x4x?x?xf32>) -> tensor<?x4x?x?xf32>
  %scores = linalg.generic {indexing_maps = [#each, #each], iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
      ins(%products : tensor<?x4x?x?xf32>) outs(%square : tensor<?x4x?x?xf32>) {
  ^bb0(%x: f32, %out: f32):
    %i = linalg.index 2 : index
    %j = linalg.index 3 : index
    %four = arith.constant 4.0 : f32
    %scaled = arith.divf %x, %four : f32
    %later = arith.cmpi sgt, %j, %i : index
    %none = arith.constant 0xFF800000 : f32
    %score = arith.select %later, %none, %scaled : f32
    linalg.yield %score : f32
  } -> tensor<?x4x?x?xf32>
  %weights = linalg.softmax dimension(3) ins(%scores : tensor<?x4x?x?xf32>) outs(%square : tensor<?x4x?x?xf32>) -> tensor<?x4x?x?xf32>
  %wide = tensor.empty(%b, %n) : tensor<?x4x?x16xf32>
  %start = linalg.fill ins(%zero : f32) outs(%wide : tensor<?x4x?x16xf32>) -> tensor<?x4x?x16xf32>
  %o = linalg.contract indexing_maps = [affine_map<(b, h, i, e, j) -> (b, h, i, j)>, affine_map<(b, h, i, e, j) -> (b, h, j, e)>, affine_map<(b, h, i, e, j) -> (b, h, i, e)>]
      ins(%weights, %v : tensor<?x4x?x?xf32>, tensor<?x4x?x16xf32>) outs(%start : tensor<?x4x?x16xf32>) -> tensor<?x4x?x16xf32>
  return %o : tensor<?x4x?x16xf32>
}

// -----

#all = affine_map<(b, h, i, j) -> (b, h, i, j)>

// Zeros in place of weights that are no numbers are those of rows that see no
// key.
// CHECK-LABEL: func.func @guarded
// CHECK-SAME:    %[[Q:.+]]: tensor<2x4x9x8xf32>, %[[K:.+]]: tensor<2x4x7x8xf32>, %[[V:.+]]: tensor<2x4x7x8xf32>
// CHECK-NEXT:    %[[O:.+]] = attn.generic scores(%[[Q]], %[[K]] : {{.*}}) scale 1.000000e+00 pool(%[[V]] :
// CHECK-NEXT:    return %[[O]]
func.func @guarded(%q: tensor<2x4x9x8xf32>, %k: tensor<2x4x7x8xf32>, %v: tensor<2x4x7x8xf32>) -> tensor<2x4x9x8xf32> {
  %zero = arith.constant 0.0 : f32
  %square = tensor.empty() : tensor<2x4x9x7xf32>
  %zeros = linalg.fill ins(%zero : f32) outs(%square : tensor<2x4x9x7xf32>) -> tensor<2x4x9x7xf32>
  %scores = linalg.contract indexing_maps = [affine_map<(b, h, i, j, d) -> (b, h, i, d)>, affine_map<(b, h, i, j, d) -> (b, h, j, d)>, affine_map<(b, h, i, j, d) -> (b, h, i, j)>]
      ins(%q, %k : tensor<2x4x9x8xf32>, tensor<2x4x7x8xf32>) outs(%zeros : tensor<2x4x9x7xf32>) -> tensor<2x4x9x7xf32>
  %weights = linalg.softmax dimension(3) ins(%scores : tensor<2x4x9x7xf32>) outs(%square : tensor<2x4x9x7xf32>) -> tensor<2x4x9x7xf32>
  %known = linalg.generic {indexing_maps = [#all, #all], iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
      ins(%weights : tensor<2x4x9x7xf32>) outs(%square : tensor<2x4x9x7xf32>) {
  ^bb0(%x: f32, %out: f32):
    %none = arith.cmpf uno, %x, %x : f32
    %number = arith.select %none, %zero, %x : f32
    linalg.yield %number : f32
  } -> tensor<2x4x9x7xf32>
  %long = tensor.empty() : tensor<2x4x9x8xf32>
  %start = linalg.fill ins(%zero : f32) outs(%long : tensor<2x4x9x8xf32>) -> tensor<2x4x9x8xf32>
  %o = linalg.contract indexing_maps = [affine_map<(b, h, i, e, j) -> (b, h, i, j)>, affine_map<(b, h, i, e, j) -> (b, h, j, e)>, affine_map<(b, h, i, e, j) -> (b, h, i, e)>]
      ins(%known, %v : tensor<2x4x9x7xf32>, tensor<2x4x7x8xf32>) outs(%start : tensor<2x4x9x8xf32>) -> tensor<2x4x9x8xf32>
  return %o : tensor<2x4x9x8xf32>
}

// -----

// Three dims are heads, queries and features; four are made of them.
// CHECK-LABEL: func.func @three
// CHECK-SAME:    %[[Q:.+]]: tensor<4x9x8xf32>, %[[K:.+]]: tensor<4x7x8xf32>, %[[V:.+]]: tensor<4x7x8xf32>
// CHECK-DAG:     %[[Q4:.+]] = tensor.expand_shape %[[Q]] {{.*}} into tensor<1x4x9x8xf32>
// CHECK-DAG:     %[[K4:.+]] = tensor.expand_shape %[[K]] {{.*}} into tensor<1x4x7x8xf32>
// CHECK-DAG:     %[[V4:.+]] = tensor.expand_shape %[[V]] {{.*}} into tensor<1x4x7x8xf32>
// CHECK:         %[[O:.+]] = attn.generic scores(%[[Q4]], %[[K4]] : {{.*}}) scale 1.000000e+00 pool(%[[V4]] :
// CHECK:         tensor.collapse_shape %[[O]] {{.*}} into tensor<4x9x8xf32>
func.func @three(%q: tensor<4x9x8xf32>, %k: tensor<4x7x8xf32>, %v: tensor<4x7x8xf32>) -> tensor<4x9x8xf32> {
  %zero = arith.constant 0.0 : f32
  %square = tensor.empty() : tensor<4x9x7xf32>
  %zeros = linalg.fill ins(%zero : f32) outs(%square : tensor<4x9x7xf32>) -> tensor<4x9x7xf32>
  %scores = linalg.contract
      indexing_maps = [affine_map<(h, i, j, d) -> (h, i, d)>, affine_map<(h, i, j, d) -> (h, j, d)>, affine_map<(h, i, j, d) -> (h, i, j)>]
      ins(%q, %k : tensor<4x9x8xf32>, tensor<4x7x8xf32>) outs(%zeros : tensor<4x9x7xf32>) -> tensor<4x9x7xf32>
  %weights = linalg.softmax dimension(2) ins(%scores : tensor<4x9x7xf32>) outs(%square : tensor<4x9x7xf32>) -> tensor<4x9x7xf32>
  %small = tensor.empty() : tensor<4x9x8xf32>
  %start = linalg.fill ins(%zero : f32) outs(%small : tensor<4x9x8xf32>) -> tensor<4x9x8xf32>
  %o = linalg.batch_matmul ins(%weights, %v : tensor<4x9x7xf32>, tensor<4x7x8xf32>) outs(%start : tensor<4x9x8xf32>) -> tensor<4x9x8xf32>
  return %o : tensor<4x9x8xf32>
}

// -----

// Places count from the first query and key. Causal masks count from the last,
// and so are not the same where there are more queries than keys.
// CHECK-LABEL: func.func @from_the_start
// CHECK:         %[[SEEN:.+]] = linalg.generic
// CHECK:           arith.cmpi sle
// CHECK:         } -> tensor<9x7xi1>
// CHECK:         %[[MASK:.+]] = tensor.expand_shape %[[SEEN]] {{.*}} into tensor<1x1x9x7xi1>
// CHECK:         attn.generic scores({{.*}}) scale 1.000000e+00 mask(%[[MASK]] : {{.*}}) pool(
// CHECK-NOT:     causal
#score = affine_map<(h, i, j) -> (h, i, j)>
func.func @from_the_start(%q: tensor<4x9x8xf32>, %k: tensor<4x7x8xf32>, %v: tensor<4x7x8xf32>) -> tensor<4x9x8xf32> {
  %zero = arith.constant 0.0 : f32
  %square = tensor.empty() : tensor<4x9x7xf32>
  %zeros = linalg.fill ins(%zero : f32) outs(%square : tensor<4x9x7xf32>) -> tensor<4x9x7xf32>
  %products = linalg.contract
      indexing_maps = [affine_map<(h, i, j, d) -> (h, i, d)>, affine_map<(h, i, j, d) -> (h, j, d)>, affine_map<(h, i, j, d) -> (h, i, j)>]
      ins(%q, %k : tensor<4x9x8xf32>, tensor<4x7x8xf32>) outs(%zeros : tensor<4x9x7xf32>) -> tensor<4x9x7xf32>
  %scores = linalg.generic {indexing_maps = [#score, #score], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%products : tensor<4x9x7xf32>) outs(%square : tensor<4x9x7xf32>) {
  ^bb0(%x: f32, %out: f32):
    %i = linalg.index 1 : index
    %j = linalg.index 2 : index
    %seen = arith.cmpi sle, %j, %i : index
    %none = arith.constant 0xFF800000 : f32
    %y = arith.select %seen, %x, %none : f32
    linalg.yield %y : f32
  } -> tensor<4x9x7xf32>
  %weights = linalg.softmax dimension(2) ins(%scores : tensor<4x9x7xf32>) outs(%square : tensor<4x9x7xf32>) -> tensor<4x9x7xf32>
  %small = tensor.empty() : tensor<4x9x8xf32>
  %start = linalg.fill ins(%zero : f32) outs(%small : tensor<4x9x8xf32>) -> tensor<4x9x8xf32>
  %o = linalg.batch_matmul ins(%weights, %v : tensor<4x9x7xf32>, tensor<4x7x8xf32>) outs(%start : tensor<4x9x8xf32>) -> tensor<4x9x8xf32>
  return %o : tensor<4x9x8xf32>
}

// -----

// One query has a dim of size 1, and is no head.
// CHECK-LABEL: func.func @one_query
// CHECK-SAME:    %[[Q:.+]]: tensor<?x4x1x8xf32>, %[[K:.+]]: tensor<?x4x?x8xf32>, %[[V:.+]]: tensor<?x4x?x16xf32>
// CHECK-NEXT:    %[[O:.+]] = attn.generic scores(%[[Q]], %[[K]] : {{.*}}) scale 1.000000e+00 pool(%[[V]] : {{.*}}) -> tensor<?x4x1x16xf32>
// CHECK-NEXT:    return %[[O]]
#qk = [affine_map<(b, h, i, j, d) -> (b, h, i, d)>, affine_map<(b, h, i, j, d) -> (b, h, j, d)>, affine_map<(b, h, i, j, d) -> (b, h, i, j)>]
#pv = [affine_map<(b, h, i, e, j) -> (b, h, i, j)>, affine_map<(b, h, i, e, j) -> (b, h, j, e)>, affine_map<(b, h, i, e, j) -> (b, h, i, e)>]
func.func @one_query(%q: tensor<?x4x1x8xf32>, %k: tensor<?x4x?x8xf32>, %v: tensor<?x4x?x16xf32>) -> tensor<?x4x1x16xf32> {
  %c0 = arith.constant 0 : index
  %c2 = arith.constant 2 : index
  %b = tensor.dim %k, %c0 : tensor<?x4x?x8xf32>
  %n = tensor.dim %k, %c2 : tensor<?x4x?x8xf32>
  %zero = arith.constant 0.0 : f32
  %row = tensor.empty(%b, %n) : tensor<?x4x1x?xf32>
  %zeros = linalg.fill ins(%zero : f32) outs(%row : tensor<?x4x1x?xf32>) -> tensor<?x4x1x?xf32>
  %scores = linalg.contract indexing_maps = #qk ins(%q, %k : tensor<?x4x1x8xf32>, tensor<?x4x?x8xf32>) outs(%zeros : tensor<?x4x1x?xf32>) -> tensor<?x4x1x?xf32>
  %weights = linalg.softmax dimension(3) ins(%scores : tensor<?x4x1x?xf32>) outs(%row : tensor<?x4x1x?xf32>) -> tensor<?x4x1x?xf32>
  %wide = tensor.empty(%b) : tensor<?x4x1x16xf32>
  %start = linalg.fill ins(%zero : f32) outs(%wide : tensor<?x4x1x16xf32>) -> tensor<?x4x1x16xf32>
  %o = linalg.contract indexing_maps = #pv ins(%weights, %v : tensor<?x4x1x?xf32>, tensor<?x4x?x16xf32>) outs(%start : tensor<?x4x1x16xf32>) -> tensor<?x4x1x16xf32>
  return %o : tensor<?x4x1x16xf32>
}

// -----

// The single query is joined with the heads where the softmax is.
// CHECK-LABEL: func.func @joined_query
// CHECK:         attn.generic scores({{.*}} : tensor<?x4x1x8xf32>, tensor<?x4x?x8xf32>) scale 1.000000e+00 pool(
#qk = [affine_map<(b, h, i, j, d) -> (b, h, i, d)>, affine_map<(b, h, i, j, d) -> (b, h, j, d)>, affine_map<(b, h, i, j, d) -> (b, h, i, j)>]
#pv = [affine_map<(b, h, i, e, j) -> (b, h, i, j)>, affine_map<(b, h, i, e, j) -> (b, h, j, e)>, affine_map<(b, h, i, e, j) -> (b, h, i, e)>]
func.func @joined_query(%q: tensor<?x4x1x8xf32>, %k: tensor<?x4x?x8xf32>, %v: tensor<?x4x?x16xf32>, %rows: index) -> tensor<?x4x1x16xf32> {
  %c0 = arith.constant 0 : index
  %c2 = arith.constant 2 : index
  %b = tensor.dim %k, %c0 : tensor<?x4x?x8xf32>
  %n = tensor.dim %k, %c2 : tensor<?x4x?x8xf32>
  %zero = arith.constant 0.0 : f32
  %row = tensor.empty(%b, %n) : tensor<?x4x1x?xf32>
  %zeros = linalg.fill ins(%zero : f32) outs(%row : tensor<?x4x1x?xf32>) -> tensor<?x4x1x?xf32>
  %scores = linalg.contract indexing_maps = #qk ins(%q, %k : tensor<?x4x1x8xf32>, tensor<?x4x?x8xf32>) outs(%zeros : tensor<?x4x1x?xf32>) -> tensor<?x4x1x?xf32>
  %joined = tensor.collapse_shape %scores [[0, 1, 2], [3]] : tensor<?x4x1x?xf32> into tensor<?x?xf32>
  %empty = tensor.empty(%rows, %n) : tensor<?x?xf32>
  %of_rows = linalg.softmax dimension(1) ins(%joined : tensor<?x?xf32>) outs(%empty : tensor<?x?xf32>) -> tensor<?x?xf32>
  %weights = tensor.expand_shape %of_rows [[0, 1, 2], [3]] output_shape [%b, 4, 1, %n] : tensor<?x?xf32> into tensor<?x4x1x?xf32>
  %wide = tensor.empty(%b) : tensor<?x4x1x16xf32>
  %start = linalg.fill ins(%zero : f32) outs(%wide : tensor<?x4x1x16xf32>) -> tensor<?x4x1x16xf32>
  %o = linalg.contract indexing_maps = #pv ins(%weights, %v : tensor<?x4x1x?xf32>, tensor<?x4x?x16xf32>) outs(%start : tensor<?x4x1x16xf32>) -> tensor<?x4x1x16xf32>
  return %o : tensor<?x4x1x16xf32>
}
