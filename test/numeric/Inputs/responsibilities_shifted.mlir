// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Responsibilities of shifted keys of grouped heads: products, priors by
// position, all masks.
func.func @responsibilities_shifted(
    %q: tensor<?x4x?x64xf32> {attn.name = "q", attn.dims = ["B", "N"]},
    %k: tensor<?x2x?x64xf32> {attn.name = "k", attn.dims = ["B", "S"]},
    %shifts: tensor<2x3x64xf32> {attn.name = "shifts"},
    %log_prior: tensor<4x3x?xf32> {attn.name = "log_prior", attn.dims = ["S"]},
    %mask: tensor<?x1x?x?xi1> {attn.name = "mask", attn.dims = ["B", "N", "S"]},
    %lengths: tensor<?xi64> {attn.name = "lengths", attn.dims = ["B"], attn.range = [0, "S"]})
    -> (tensor<?x4x3x?x?xf32> {attn.name = "gamma", attn.dims = ["B", "N", "S"]}) {
  %gamma = attn.responsibilities %q, %k
      shifted_by(%shifts : tensor<2x3x64xf32>) dot variances [8.0, 24.0, 8.0]
      prior(%log_prior : tensor<4x3x?xf32>) mask(%mask : tensor<?x1x?x?xi1>)
      lengths(%lengths : tensor<?xi64>) causal band <9, 2>
      : (tensor<?x4x?x64xf32>, tensor<?x2x?x64xf32>) -> tensor<?x4x3x?x?xf32>
  return %gamma : tensor<?x4x3x?x?xf32>
}
