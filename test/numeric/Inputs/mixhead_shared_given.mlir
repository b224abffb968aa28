// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Given scores whose heads are mixed after the softmax, over one value head,
// and weights that are dropped.
// Types written F32 stay 32-bit when values are 16-bit.
func.func @mixhead_shared_given(
    %scores: tensor<?x8x?x?xF32> {attn.name = "scores", attn.dims = ["B", "N", "S"]},
    %mixer: tensor<8x8xF32> {attn.name = "mixer"},
    %lengths: tensor<?xi64> {attn.name = "lengths", attn.dims = ["B"], attn.range = [0, "S"]},
    %v: tensor<?x1x?x64xf32> {attn.name = "v", attn.dims = ["B", "S"]})
    -> (tensor<?x8x?x64xf32> {attn.name = "o", attn.dims = ["B", "N"]}) {
  %o = attn.generic
      given(%scores : tensor<?x8x?x?xF32>)
      lengths(%lengths : tensor<?xi64>)
      keep <40, 7>
      postmix(%mixer : tensor<8x8xF32>)
      pool(%v : tensor<?x1x?x64xf32>)
      -> tensor<?x8x?x64xf32>
  return %o : tensor<?x8x?x64xf32>
}
