// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Given scores whose heads are mixed after the softmax, by a mixer of each
// query; causal, with lengths, over values that heads share.
// Types written F32 stay 32-bit when values are 16-bit.
func.func @given_mixed(
    %scores: tensor<?x8x?x?xF32> {attn.name = "scores", attn.dims = ["B", "N", "S"]},
    %q: tensor<?x8x?x24xf32> {attn.name = "q", attn.dims = ["B", "N"]},
    %w: tensor<24x8xf32> {attn.name = "w"},
    %b: tensor<8x8xf32> {attn.name = "b"},
    %lengths: tensor<?xi64> {attn.name = "lengths", attn.dims = ["B"], attn.range = [0, "S"]},
    %v: tensor<?x4x?x40xf32> {attn.name = "v", attn.dims = ["B", "S"]})
    -> (tensor<?x8x?x40xf32> {attn.name = "o", attn.dims = ["B", "N"]}) {
  %o = attn.generic
      given(%scores : tensor<?x8x?x?xF32>)
      lengths(%lengths : tensor<?xi64>) causal
      postmix_by_row(%q, %w, %b : tensor<?x8x?x24xf32>, tensor<24x8xf32>, tensor<8x8xf32>)
      pool(%v : tensor<?x4x?x40xf32>)
      -> tensor<?x8x?x40xf32>
  return %o : tensor<?x8x?x40xf32>
}
