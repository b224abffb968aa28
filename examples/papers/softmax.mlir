// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: mixattn-opt --verify-roundtrip %s -o /dev/null
//
// Printed by `layers.py softmax`.
func.func @softmax(
    %x: tensor<1x?x128xf32> {attn.name = "x", attn.dims = ["N"]},
    %wq: tensor<128x8x16xf32> {attn.name = "wq", attn.parameter},
    %wk: tensor<128x8x16xf32> {attn.name = "wk", attn.parameter},
    %wv: tensor<128x8x16xf32> {attn.name = "wv", attn.parameter},
    %wo: tensor<8x16x128xf32> {attn.name = "wo", attn.parameter})
    -> (tensor<1x?x128xf32> {attn.name = "y", attn.dims = ["N"]}) {
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
  %10 = tensor.empty(%2) : tensor<1x8x?x16xf32>
  %11 = linalg.fill ins(%4 : f32) outs(%10 : tensor<1x8x?x16xf32>) -> tensor<1x8x?x16xf32>
  %12 = linalg.contract indexing_maps = [affine_map<(b, n, f, h, d) -> (b, n, f)>, affine_map<(b, n, f, h, d) -> (f, h, d)>, affine_map<(b, n, f, h, d) -> (b, h, n, d)>]
      ins(%x, %wv : tensor<1x?x128xf32>, tensor<128x8x16xf32>)
      outs(%11 : tensor<1x8x?x16xf32>) -> tensor<1x8x?x16xf32>
  %attended = attn.softmax %6, %9, %12
      : (tensor<1x8x?x16xf32>, tensor<1x8x?x16xf32>, tensor<1x8x?x16xf32>)
      -> tensor<1x8x?x16xf32>
  %13 = tensor.empty(%2) : tensor<1x?x128xf32>
  %14 = linalg.fill ins(%4 : f32) outs(%13 : tensor<1x?x128xf32>) -> tensor<1x?x128xf32>
  %15 = linalg.contract indexing_maps = [affine_map<(b, h, n, d, f) -> (b, h, n, d)>, affine_map<(b, h, n, d, f) -> (h, d, f)>, affine_map<(b, h, n, d, f) -> (b, n, f)>]
      ins(%attended, %wo : tensor<1x8x?x16xf32>, tensor<8x16x128xf32>)
      outs(%14 : tensor<1x?x128xf32>) -> tensor<1x?x128xf32>
  return %15 : tensor<1x?x128xf32>
}
