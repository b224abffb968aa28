// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Logarithms of sums over Gaussian scores of one variance: they keep the norm
// of the query, which the weights lose. Types written F32 stay 32-bit when the
// others are 16-bit.
func.func @mgk_results(
    %q: tensor<?x4x?x64xf32> {attn.name = "q", attn.dims = ["B", "N"]},
    %keys: tensor<?x4x2x?x64xf32> {attn.name = "keys", attn.dims = ["B", "S"]},
    %v: tensor<?x4x?x64xf32> {attn.name = "v", attn.dims = ["B", "S"]},
    %log_prior: tensor<4x2xF32> {attn.name = "log_prior"})
    -> (tensor<?x4x?x64xf32> {attn.name = "o", attn.dims = ["B", "N"]},
        tensor<?x4x?x?xF32> {attn.name = "weights", attn.dims = ["B", "N", "S"]},
        tensor<?x4x?xF32> {attn.name = "lse", attn.dims = ["B", "N"]}) {
  %o, %weights, %lse = attn.mixture_of_keys %q, %keys, %v variances [8.0, 8.0]
      prior(%log_prior : tensor<4x2xF32>) causal
      : (tensor<?x4x?x64xf32>, tensor<?x4x2x?x64xf32>, tensor<?x4x?x64xf32>)
      -> tensor<?x4x?x64xf32> weights tensor<?x4x?x?xF32> lse tensor<?x4x?xF32>
  return %o, %weights, %lse : tensor<?x4x?x64xf32>, tensor<?x4x?x?xF32>, tensor<?x4x?xF32>
}
