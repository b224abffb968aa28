// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Responsibilities of shifted keys of grouped heads by distances, whose variances
// differ.
func.func @responsibilities_gaussian(
    %q: tensor<?x4x?x64xf32> {attn.name = "q", attn.dims = ["B", "N"]},
    %k: tensor<?x2x?x64xf32> {attn.name = "k", attn.dims = ["B", "S"]},
    %shifts: tensor<2x3x64xf32> {attn.name = "shifts"},
    %log_prior: tensor<4x3xf32> {attn.name = "log_prior"})
    -> (tensor<?x4x3x?x?xf32> {attn.name = "gamma", attn.dims = ["B", "N", "S"]}) {
  %gamma = attn.responsibilities %q, %k
      shifted_by(%shifts : tensor<2x3x64xf32>) variances [8.0, 24.0, 8.0]
      prior(%log_prior : tensor<4x3xf32>)
      : (tensor<?x4x?x64xf32>, tensor<?x2x?x64xf32>) -> tensor<?x4x3x?x?xf32>
  return %gamma : tensor<?x4x3x?x?xf32>
}
