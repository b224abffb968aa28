// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Given scores without a mixer, with a bias of each key, a mask and lengths.
// Types written F32 stay 32-bit when values are 16-bit.
func.func @given_masked(
    %scores: tensor<?x4x?x?xF32> {attn.name = "scores", attn.dims = ["B", "N", "S"]},
    %bias: tensor<4x1x?xf32> {attn.name = "bias", attn.dims = ["S"]},
    %lengths: tensor<?xi64> {attn.name = "lengths", attn.dims = ["B"], attn.range = [0, "S"]},
    %mask: tensor<?x?xi1> {attn.name = "mask", attn.dims = ["N", "S"]},
    %v: tensor<?x2x?x40xf32> {attn.name = "v", attn.dims = ["B", "S"]})
    -> (tensor<?x4x?x40xf32> {attn.name = "o", attn.dims = ["B", "N"]}) {
  %o = attn.generic
      given(%scores : tensor<?x4x?x?xF32>)
      bias(%bias : tensor<4x1x?xf32>)
      mask(%mask : tensor<?x?xi1>) lengths(%lengths : tensor<?xi64>)
      pool(%v : tensor<?x2x?x40xf32>)
      -> tensor<?x4x?x40xf32>
  return %o : tensor<?x4x?x40xf32>
}
