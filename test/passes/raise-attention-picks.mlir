// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Biases that are picked from a table at computed places, as by buckets of distances.
//
// RUN: mixattn-opt --attn-raise-attention --canonicalize --split-input-file --mlir-print-local-scope %s | FileCheck %s

#each = affine_map<(b, h, i, j) -> (b, h, i, j)>
#qk = [affine_map<(b, h, i, j, d) -> (b, h, i, d)>, affine_map<(b, h, i, j, d) -> (b, h, j, d)>, affine_map<(b, h, i, j, d) -> (b, h, i, j)>]
#pv = [affine_map<(b, h, i, d, j) -> (b, h, i, j)>, affine_map<(b, h, i, d, j) -> (b, h, j, d)>, affine_map<(b, h, i, d, j) -> (b, h, i, d)>]

// The bias has the dims that its place depends on, and no batch: row (i - j) mod 8
// of the table, the column of the head.
// CHECK-LABEL: func.func @of_positions
// CHECK-SAME:    %[[Q:.+]]: tensor<2x4x?x8xf32>, %[[K:.+]]: tensor<2x4x?x8xf32>, %[[V:.+]]: tensor<2x4x?x8xf32>, %[[TABLE:.+]]: tensor<8x4xf32>)
// CHECK:         %[[PICKED:.+]] = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1, d2)>], {{.*}}} outs(%{{.+}} : tensor<4x?x?xf32>)
// CHECK-DAG:       %[[HEAD:.+]] = linalg.index 0
// CHECK-DAG:       %[[I:.+]] = linalg.index 1
// CHECK-DAG:       %[[J:.+]] = linalg.index 2
// CHECK:           %[[DISTANCE:.+]] = arith.subi %[[I]], %[[J]]
// CHECK:           %[[ROW:.+]] = arith.andi %[[DISTANCE]], %c7
// CHECK:           tensor.extract %[[TABLE]][%[[ROW]], %[[HEAD]]]
// CHECK:         %[[BIAS:.+]] = tensor.expand_shape %[[PICKED]] {{.*}} into tensor<1x4x?x?xf32>
// CHECK:         attn.generic scores(%[[Q]], %[[K]] : {{.*}}) scale 1.0{{.*}} bias(%[[BIAS]] : tensor<1x4x?x?xf32>) pool(%[[V]] : {{.*}})
func.func @of_positions(%q: tensor<2x4x?x8xf32>, %k: tensor<2x4x?x8xf32>, %v: tensor<2x4x?x8xf32>, %table: tensor<8x4xf32>) -> tensor<2x4x?x8xf32> {
  %zero = arith.constant 0.0 : f32
  %two = arith.constant 2 : index
  %n = tensor.dim %q, %two : tensor<2x4x?x8xf32>
  %s = tensor.dim %k, %two : tensor<2x4x?x8xf32>
  %square = tensor.empty(%n, %s) : tensor<2x4x?x?xf32>
  %zeros = linalg.fill ins(%zero : f32) outs(%square : tensor<2x4x?x?xf32>) -> tensor<2x4x?x?xf32>
  %products = linalg.contract indexing_maps = #qk ins(%q, %k : tensor<2x4x?x8xf32>, tensor<2x4x?x8xf32>) outs(%zeros : tensor<2x4x?x?xf32>) -> tensor<2x4x?x?xf32>
  %scores = linalg.generic {indexing_maps = [#each, #each], iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
      ins(%products : tensor<2x4x?x?xf32>) outs(%square : tensor<2x4x?x?xf32>) {
  ^bb0(%x: f32, %out: f32):
    %seven = arith.constant 7 : index
    %h = linalg.index 1 : index
    %i = linalg.index 2 : index
    %j = linalg.index 3 : index
    %distance = arith.subi %i, %j : index
    %row = arith.andi %distance, %seven : index
    %bias = tensor.extract %table[%row, %h] : tensor<8x4xf32>
    %sum = arith.addf %x, %bias : f32
    linalg.yield %sum : f32
  } -> tensor<2x4x?x?xf32>
  %weights = linalg.softmax dimension(3) ins(%scores : tensor<2x4x?x?xf32>) outs(%square : tensor<2x4x?x?xf32>) -> tensor<2x4x?x?xf32>
  %rows = tensor.empty(%n) : tensor<2x4x?x8xf32>
  %start = linalg.fill ins(%zero : f32) outs(%rows : tensor<2x4x?x8xf32>) -> tensor<2x4x?x8xf32>
  %o = linalg.contract indexing_maps = #pv ins(%weights, %v : tensor<2x4x?x?xf32>, tensor<2x4x?x8xf32>) outs(%start : tensor<2x4x?x8xf32>) -> tensor<2x4x?x8xf32>
  return %o : tensor<2x4x?x8xf32>
}

// -----

#each = affine_map<(b, h, i, j) -> (b, h, i, j)>
#of_pair = affine_map<(b, h, i, j) -> (i, j)>
#qk = [affine_map<(b, h, i, j, d) -> (b, h, i, d)>, affine_map<(b, h, i, j, d) -> (b, h, j, d)>, affine_map<(b, h, i, j, d) -> (b, h, i, j)>]
#pv = [affine_map<(b, h, i, d, j) -> (b, h, i, j)>, affine_map<(b, h, i, d, j) -> (b, h, j, d)>, affine_map<(b, h, i, d, j) -> (b, h, i, d)>]

// The places may be integers of a tensor: those of a pair of positions.
// CHECK-LABEL: func.func @of_integers
// CHECK-SAME:    %[[PLACES:[^ ]+]]: tensor<9x9xi64>
// CHECK:         %[[PICKED:.+]] = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>], {{.*}}} ins(%[[PLACES]] : tensor<9x9xi64>) outs(%{{.+}} : tensor<4x9x9xf32>)
// CHECK:           tensor.extract
// CHECK:         %[[BIAS:.+]] = tensor.expand_shape %[[PICKED]]
// CHECK:         attn.generic scores({{.*}}) scale 1.0{{.*}} bias(%[[BIAS]] : tensor<1x4x9x9xf32>)
func.func @of_integers(%places: tensor<9x9xi64>, %q: tensor<2x4x9x8xf32>, %k: tensor<2x4x9x8xf32>, %v: tensor<2x4x9x8xf32>, %table: tensor<8x4xf32>) -> tensor<2x4x9x8xf32> {
  %zero = arith.constant 0.0 : f32
  %square = tensor.empty() : tensor<2x4x9x9xf32>
  %zeros = linalg.fill ins(%zero : f32) outs(%square : tensor<2x4x9x9xf32>) -> tensor<2x4x9x9xf32>
  %products = linalg.contract indexing_maps = #qk ins(%q, %k : tensor<2x4x9x8xf32>, tensor<2x4x9x8xf32>) outs(%zeros : tensor<2x4x9x9xf32>) -> tensor<2x4x9x9xf32>
  %scores = linalg.generic {indexing_maps = [#each, #of_pair, #each], iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
      ins(%products, %places : tensor<2x4x9x9xf32>, tensor<9x9xi64>) outs(%square : tensor<2x4x9x9xf32>) {
  ^bb0(%x: f32, %place: i64, %out: f32):
    %h = linalg.index 1 : index
    %row = arith.index_cast %place : i64 to index
    %bias = tensor.extract %table[%row, %h] : tensor<8x4xf32>
    %sum = arith.addf %x, %bias : f32
    linalg.yield %sum : f32
  } -> tensor<2x4x9x9xf32>
  %weights = linalg.softmax dimension(3) ins(%scores : tensor<2x4x9x9xf32>) outs(%square : tensor<2x4x9x9xf32>) -> tensor<2x4x9x9xf32>
  %rows = tensor.empty() : tensor<2x4x9x8xf32>
  %start = linalg.fill ins(%zero : f32) outs(%rows : tensor<2x4x9x8xf32>) -> tensor<2x4x9x8xf32>
  %o = linalg.contract indexing_maps = #pv ins(%weights, %v : tensor<2x4x9x9xf32>, tensor<2x4x9x8xf32>) outs(%start : tensor<2x4x9x8xf32>) -> tensor<2x4x9x8xf32>
  return %o : tensor<2x4x9x8xf32>
}

// -----

#each = affine_map<(b, h, i, j) -> (b, h, i, j)>
#qk = [affine_map<(b, h, i, j, d) -> (b, h, i, d)>, affine_map<(b, h, i, j, d) -> (b, h, j, d)>, affine_map<(b, h, i, j, d) -> (b, h, i, j)>]
#pv = [affine_map<(b, h, i, d, j) -> (b, h, i, j)>, affine_map<(b, h, i, d, j) -> (b, h, j, d)>, affine_map<(b, h, i, d, j) -> (b, h, i, d)>]

// A place that the op itself computes of a score is none of positions: such scores
// are given.
// CHECK-LABEL: func.func @of_scores
// CHECK:         %[[SCORES:.+]] = linalg.generic
// CHECK:           tensor.extract
// CHECK:         attn.generic given(%[[SCORES]] :
func.func @of_scores(%q: tensor<2x4x9x8xf32>, %k: tensor<2x4x9x8xf32>, %v: tensor<2x4x9x8xf32>, %table: tensor<8xf32>) -> tensor<2x4x9x8xf32> {
  %zero = arith.constant 0.0 : f32
  %square = tensor.empty() : tensor<2x4x9x9xf32>
  %zeros = linalg.fill ins(%zero : f32) outs(%square : tensor<2x4x9x9xf32>) -> tensor<2x4x9x9xf32>
  %products = linalg.contract indexing_maps = #qk ins(%q, %k : tensor<2x4x9x8xf32>, tensor<2x4x9x8xf32>) outs(%zeros : tensor<2x4x9x9xf32>) -> tensor<2x4x9x9xf32>
  %scores = linalg.generic {indexing_maps = [#each, #each], iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
      ins(%products : tensor<2x4x9x9xf32>) outs(%square : tensor<2x4x9x9xf32>) {
  ^bb0(%x: f32, %out: f32):
    %number = arith.fptosi %x : f32 to i64
    %seven = arith.constant 7 : i64
    %place = arith.andi %number, %seven : i64
    %row = arith.index_cast %place : i64 to index
    %bias = tensor.extract %table[%row] : tensor<8xf32>
    %sum = arith.addf %x, %bias : f32
    linalg.yield %sum : f32
  } -> tensor<2x4x9x9xf32>
  %weights = linalg.softmax dimension(3) ins(%scores : tensor<2x4x9x9xf32>) outs(%square : tensor<2x4x9x9xf32>) -> tensor<2x4x9x9xf32>
  %rows = tensor.empty() : tensor<2x4x9x8xf32>
  %start = linalg.fill ins(%zero : f32) outs(%rows : tensor<2x4x9x8xf32>) -> tensor<2x4x9x8xf32>
  %o = linalg.contract indexing_maps = #pv ins(%weights, %v : tensor<2x4x9x9xf32>, tensor<2x4x9x8xf32>) outs(%start : tensor<2x4x9x8xf32>) -> tensor<2x4x9x8xf32>
  return %o : tensor<2x4x9x8xf32>
}
