// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Two results that begin with one filled tensor: a = x + 1, b = 1 x.
#id = affine_map<(i) -> (i)>
func.func @two_results(%x: tensor<?xf32> {attn.name = "x", attn.dims = ["N"]})
    -> (tensor<?xf32> {attn.name = "a"}, tensor<?xf32> {attn.name = "b"}) {
  %zero = arith.constant 0 : index
  %one = arith.constant 1.0 : f32
  %n = tensor.dim %x, %zero : tensor<?xf32>
  %empty = tensor.empty(%n) : tensor<?xf32>
  %ones = linalg.fill ins(%one : f32) outs(%empty : tensor<?xf32>) -> tensor<?xf32>
  %a = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]}
      ins(%x : tensor<?xf32>) outs(%ones : tensor<?xf32>) {
  ^bb0(%s: f32, %t: f32):
    %sum = arith.addf %s, %t : f32
    linalg.yield %sum : f32
  } -> tensor<?xf32>
  %b = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]}
      ins(%x : tensor<?xf32>) outs(%ones : tensor<?xf32>) {
  ^bb0(%s: f32, %t: f32):
    %product = arith.mulf %s, %t : f32
    linalg.yield %product : f32
  } -> tensor<?xf32>
  return %a, %b : tensor<?xf32>, tensor<?xf32>
}
