// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Responsibilities of keys of components that heads share.
func.func @responsibilities_grouped(
    %q: tensor<?x4x?x64xf32> {attn.name = "q", attn.dims = ["B", "N"]},
    %keys: tensor<?x2x2x?x64xf32> {attn.name = "keys", attn.dims = ["B", "S"]},
    %log_prior: tensor<4x2xf32> {attn.name = "log_prior"})
    -> (tensor<?x4x2x?x?xf32> {attn.name = "gamma", attn.dims = ["B", "N", "S"]}) {
  %gamma = attn.responsibilities %q, %keys variances [8.0, 24.0]
      prior(%log_prior : tensor<4x2xf32>) causal
      : (tensor<?x4x?x64xf32>, tensor<?x2x2x?x64xf32>) -> tensor<?x4x2x?x?xf32>
  return %gamma : tensor<?x4x2x?x?xf32>
}
