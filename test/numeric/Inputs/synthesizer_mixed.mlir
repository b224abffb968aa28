// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Given scores mixed before the softmax, biased, scaled, padded and causal.
func.func @synthesizer_mixed(
    %scores: tensor<?x4x?x?xf32> {attn.name = "scores", attn.dims = ["B", "N", "S"]},
    %mixer: tensor<4x8xf32> {attn.name = "mixer"},
    %bias: tensor<8x?x?xf32> {attn.name = "bias", attn.dims = ["N", "S"]},
    %lengths: tensor<?xi64> {attn.name = "lengths", attn.dims = ["B"], attn.range = [0, "S"]},
    %v: tensor<?x2x?x40xf32> {attn.name = "v", attn.dims = ["B", "S"]})
    -> (tensor<?x8x?x40xf32> {attn.name = "o", attn.dims = ["B", "N"]}) {
  %o = attn.generic
      given(%scores : tensor<?x4x?x?xf32>)
      premix(%mixer : tensor<4x8xf32>) scale 0.5
      bias(%bias : tensor<8x?x?xf32>) lengths(%lengths : tensor<?xi64>) causal
      pool(%v : tensor<?x2x?x40xf32>)
      -> tensor<?x8x?x40xf32>
  return %o : tensor<?x8x?x40xf32>
}
