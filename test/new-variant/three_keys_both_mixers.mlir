// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %python %mixattn_src_root/test/numeric/run_variant.py three_keys_both_mixers --also=%S/formulas.py
//
// Three Gaussian keys per position, mixed over heads before the softmax and by
// each query after it, with heads of every number and a padded batch.
func.func @three_keys_both_mixers(
    %q: tensor<?x4x?x40xf32> {attn.name = "q", attn.dims = ["B", "N"]},
    %keys: tensor<?x2x3x?x40xf32> {attn.name = "keys", attn.dims = ["B", "S"]},
    %v: tensor<?x3x?x24xf32> {attn.name = "v", attn.dims = ["B", "S"]},
    %log_prior: tensor<4x3xf32> {attn.name = "log_prior"},
    %mixer_pre: tensor<4x6xf32> {attn.name = "mixer_pre"},
    %bias: tensor<6x1x?xf32> {attn.name = "bias", attn.dims = ["S"]},
    %lengths: tensor<?xi64> {attn.name = "lengths", attn.dims = ["B"], attn.range = [0, "S"]},
    %source: tensor<?x6x?x16xf32> {attn.name = "source", attn.dims = ["B", "N"]},
    %w: tensor<16x6xf32> {attn.name = "w"},
    %b: tensor<6x6xf32> {attn.name = "b"})
    -> (tensor<?x6x?x24xf32> {attn.name = "o", attn.dims = ["B", "N"]}) {
  %o = attn.generic
      scores(%q, %keys : tensor<?x4x?x40xf32>, tensor<?x2x3x?x40xf32>)
      gaussian variances [5.0, 8.0, 24.0]
      prior(%log_prior : tensor<4x3xf32>)
      premix(%mixer_pre : tensor<4x6xf32>)
      bias(%bias : tensor<6x1x?xf32>)
      lengths(%lengths : tensor<?xi64>)
      postmix_by_row(%source, %w, %b : tensor<?x6x?x16xf32>, tensor<16x6xf32>, tensor<6x6xf32>)
      pool(%v : tensor<?x3x?x24xf32>)
      -> tensor<?x6x?x24xf32>
  return %o : tensor<?x6x?x24xf32>
}
