// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Given scores of a single key, whose heads are mixed after the softmax.
func.func @given_single(
    %scores: tensor<?x8x?x1xf32> {attn.name = "scores", attn.dims = ["B", "N"]},
    %mixer: tensor<8x8xf32> {attn.name = "mixer"},
    %v: tensor<?x8x1x40xf32> {attn.name = "v", attn.dims = ["B"]})
    -> (tensor<?x8x?x40xf32> {attn.name = "o", attn.dims = ["B", "N"]}) {
  %o = attn.generic
      given(%scores : tensor<?x8x?x1xf32>)
      postmix(%mixer : tensor<8x8xf32>)
      pool(%v : tensor<?x8x1x40xf32>)
      -> tensor<?x8x?x40xf32>
  return %o : tensor<?x8x?x40xf32>
}
