// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %python %mixattn_src_root/test/numeric/run_variant.py perceptron_over_mixtures --also=%S/formulas.py
//
// Two Gaussian keys of equal width per position under a perceptron over heads:
// the perceptron bends the norm of the query, which must stay.
func.func @perceptron_over_mixtures(
    %q: tensor<?x2x?x64xf32> {attn.name = "q", attn.dims = ["B", "N"]},
    %keys: tensor<?x2x2x?x64xf32> {attn.name = "keys", attn.dims = ["B", "S"]},
    %v: tensor<?x4x?x64xf32> {attn.name = "v", attn.dims = ["B", "S"]},
    %log_prior: tensor<2x2xf32> {attn.name = "log_prior"},
    %w1: tensor<2x8xf32> {attn.name = "w1"},
    %b1: tensor<8xf32> {attn.name = "b1"},
    %w2: tensor<8x4xf32> {attn.name = "w2"},
    %b2: tensor<4xf32> {attn.name = "b2"})
    -> (tensor<?x4x?x64xf32> {attn.name = "o", attn.dims = ["B", "N"]}) {
  %o = attn.generic
      scores(%q, %keys : tensor<?x2x?x64xf32>, tensor<?x2x2x?x64xf32>)
      gaussian variances [8.0, 8.0]
      prior(%log_prior : tensor<2x2xf32>)
      premix_mlp(%w1, %b1, %w2, %b2 : tensor<2x8xf32>, tensor<8xf32>, tensor<8x4xf32>, tensor<4xf32>)
      causal
      pool(%v : tensor<?x4x?x64xf32>)
      -> tensor<?x4x?x64xf32>
  return %o : tensor<?x4x?x64xf32>
}
