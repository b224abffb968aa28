// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: mixattn-opt --verify-roundtrip %s -o /dev/null
//
// Heads mixed after the softmax of scores that no query and key made.
//
//   o[b,a,i,:] = sum_j W[b,a,i,j] v[b,a,j,:]
//   W[b,a,i,j] = sum_c mixer[c,a] P[b,c,i,j]
//   P[b,c,i,:] = softmax_j(scores[b,c,i,j])
//
// Scores come from a network or are parameters, and are not scaled. "Mixhead"
// (Zhang et al. 2022), form A on a Synthesizer (Tay et al. 2021).
func.func @mixhead_synthesizer(
    %scores: tensor<?x8x?x?xf32> {attn.name = "scores", attn.dims = ["B", "N", "S"]},
    %v: tensor<?x8x?x64xf32> {attn.name = "v", attn.dims = ["B", "S"]},
    %mixer: tensor<8x8xf32> {attn.name = "mixer", attn.parameter})
    -> (tensor<?x8x?x64xf32> {attn.name = "o", attn.dims = ["B", "N"]}) {
  %o = attn.generic
      given(%scores : tensor<?x8x?x?xf32>)
      postmix(%mixer : tensor<8x8xf32>)
      pool(%v : tensor<?x8x?x64xf32>)
      -> tensor<?x8x?x64xf32>
  return %o : tensor<?x8x?x64xf32>
}
