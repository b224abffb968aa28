// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Keys with components, lengths, and a start.
func.func @mgk_from(
    %q: tensor<?x4x?x64xf32> {attn.name = "q", attn.dims = ["B", "N"]},
    %keys: tensor<?x4x2x?x64xf32> {attn.name = "keys", attn.dims = ["B", "S"]},
    %v: tensor<?x4x?x64xf32> {attn.name = "v", attn.dims = ["B", "S"]},
    %log_prior: tensor<4x2xf32> {attn.name = "log_prior"},
    %lengths: tensor<?xi64> {attn.name = "lengths", attn.dims = ["B"]},
    %start: tensor<?xi64> {attn.name = "start", attn.dims = ["B"]})
    -> (tensor<?x4x?x64xf32> {attn.name = "o", attn.dims = ["B", "N"]}) {
  %o = attn.mixture_of_keys %q, %keys, %v variances [8.0, 8.0]
      prior(%log_prior : tensor<4x2xf32>) lengths(%lengths : tensor<?xi64>)
      causal from(%start : tensor<?xi64>)
      : (tensor<?x4x?x64xf32>, tensor<?x4x2x?x64xf32>, tensor<?x4x?x64xf32>)
      -> tensor<?x4x?x64xf32>
  return %o : tensor<?x4x?x64xf32>
}
