// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Components of unequal variances, an MLP over channels before the softmax, and a
// mixer after it.
func.func @composed_mlp(
    %q: tensor<?x2x?x64xf32> {attn.name = "q", attn.dims = ["B", "N"]},
    %keys: tensor<?x2x2x?x64xf32> {attn.name = "keys", attn.dims = ["B", "S"]},
    %log_prior: tensor<2x2xf32> {attn.name = "log_prior"},
    %w1: tensor<2x3xf32> {attn.name = "w1"},
    %b1: tensor<3xf32> {attn.name = "b1"},
    %w2: tensor<3x4xf32> {attn.name = "w2"},
    %b2: tensor<4xf32> {attn.name = "b2"},
    %mixer_post: tensor<4x4xf32> {attn.name = "mixer_post"},
    %v: tensor<?x4x?x48xf32> {attn.name = "v", attn.dims = ["B", "S"]})
    -> (tensor<?x4x?x48xf32> {attn.name = "o", attn.dims = ["B", "N"]},
        tensor<?x4x?xF32> {attn.name = "lse", attn.dims = ["B", "N"]}) {
  %o, %lse = attn.generic
      scores(%q, %keys : tensor<?x2x?x64xf32>, tensor<?x2x2x?x64xf32>)
      gaussian variances [8.0, 24.0]
      prior(%log_prior : tensor<2x2xf32>)
      premix_mlp(%w1, %b1, %w2, %b2 : tensor<2x3xf32>, tensor<3xf32>, tensor<3x4xf32>, tensor<4xf32>)
      causal
      postmix(%mixer_post : tensor<4x4xf32>)
      pool(%v : tensor<?x4x?x48xf32>)
      -> tensor<?x4x?x48xf32> lse tensor<?x4x?xF32>
  return %o, %lse : tensor<?x4x?x48xf32>, tensor<?x4x?xF32>
}
