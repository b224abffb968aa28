// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Two entries: one with sums, a range and a computed size, one with a choice.
func.func @mean(
    %x: tensor<?x4xf32> {attn.name = "x", attn.dims = ["N"]},
    %bias: tensor<4xf32> {attn.name = "bias", attn.parameter})
    -> (tensor<?x4xf32> {attn.name = "o", attn.dims = ["N"]}) {
  %zero = arith.constant 0 : index
  %n = tensor.dim %x, %zero : tensor<?x4xf32>
  %empty = tensor.empty(%n) : tensor<?x4xf32>
  %o = linalg.generic {
      indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (j)>, affine_map<(i, j) -> (i, j)>],
      iterator_types = ["parallel", "parallel"]}
      ins(%x, %bias : tensor<?x4xf32>, tensor<4xf32>) outs(%empty : tensor<?x4xf32>) {
    ^bb0(%a: f32, %b: f32, %old: f32):
      %sum = arith.addf %a, %b : f32
      linalg.yield %sum : f32
  } -> tensor<?x4xf32>
  return %o : tensor<?x4xf32>
}

func.func @choose(
    %which: tensor<?xi1> {attn.name = "which", attn.dims = ["N"]},
    %x: tensor<?xi64> {attn.name = "x", attn.dims = ["N"]})
    -> (tensor<?xi64> {attn.name = "o", attn.dims = ["N"]}) {
  %zero = arith.constant 0 : index
  %n = tensor.dim %x, %zero : tensor<?xi64>
  %empty = tensor.empty(%n) : tensor<?xi64>
  %o = linalg.generic {
      indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>, affine_map<(i) -> (i)>],
      iterator_types = ["parallel"]}
      ins(%which, %x : tensor<?xi1>, tensor<?xi64>) outs(%empty : tensor<?xi64>) {
    ^bb0(%a: i1, %b: i64, %old: i64):
      %none = arith.constant -1 : i64
      %chosen = arith.select %a, %b, %none : i64
      linalg.yield %chosen : i64
  } -> tensor<?xi64>
  return %o : tensor<?xi64>
}
