// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: mixattn-opt --verify-roundtrip %s -o /dev/null
//
// Printed by `layers.py softmax --only-weights`.
func.func @softmax(
    %x: tensor<1x?x128xf32> {attn.name = "x", attn.dims = ["N"]},
    %wq: tensor<128x8x16xf32> {attn.name = "wq", attn.parameter},
    %wk: tensor<128x8x16xf32> {attn.name = "wk", attn.parameter},
    %v: tensor<1x8x?x16xf32> {attn.name = "v", attn.dims = ["N"]})
    -> (tensor<1x8x?x?xf32> {attn.name = "weights", attn.dims = ["N", "N"]}) {
  %1 = arith.constant 1 : index
  %2 = tensor.dim %x, %1 : tensor<1x?x128xf32>
  %3 = tensor.empty(%2) : tensor<1x8x?x16xf32>
  %4 = arith.constant 0.0 : f32
  %5 = linalg.fill ins(%4 : f32) outs(%3 : tensor<1x8x?x16xf32>) -> tensor<1x8x?x16xf32>
  %6 = linalg.contract indexing_maps = [affine_map<(b, n, f, h, d) -> (b, n, f)>, affine_map<(b, n, f, h, d) -> (f, h, d)>, affine_map<(b, n, f, h, d) -> (b, h, n, d)>]
      ins(%x, %wq : tensor<1x?x128xf32>, tensor<128x8x16xf32>)
      outs(%5 : tensor<1x8x?x16xf32>) -> tensor<1x8x?x16xf32>
  %7 = tensor.empty(%2) : tensor<1x8x?x16xf32>
  %8 = linalg.fill ins(%4 : f32) outs(%7 : tensor<1x8x?x16xf32>) -> tensor<1x8x?x16xf32>
  %9 = linalg.contract indexing_maps = [affine_map<(b, n, f, h, d) -> (b, n, f)>, affine_map<(b, n, f, h, d) -> (f, h, d)>, affine_map<(b, n, f, h, d) -> (b, h, n, d)>]
      ins(%x, %wk : tensor<1x?x128xf32>, tensor<128x8x16xf32>)
      outs(%8 : tensor<1x8x?x16xf32>) -> tensor<1x8x?x16xf32>
  %attended, %weights = attn.softmax %6, %9, %v
      : (tensor<1x8x?x16xf32>, tensor<1x8x?x16xf32>, tensor<1x8x?x16xf32>)
      -> tensor<1x8x?x16xf32> weights tensor<1x8x?x?xf32>
  return %weights : tensor<1x8x?x?xf32>
}
