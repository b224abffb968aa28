// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Shifted keys of two heads for four queries, no prior, padded and causal.
func.func @smlk_causal(
    %q: tensor<?x4x?x64xf32> {attn.name = "q", attn.dims = ["B", "N"]},
    %k: tensor<?x2x?x64xf32> {attn.name = "k", attn.dims = ["B", "S"]},
    %shifts: tensor<2x2x64xf32> {attn.name = "shifts"},
    %v: tensor<?x2x?x64xf32> {attn.name = "v", attn.dims = ["B", "S"]},
    %lengths: tensor<?xi64> {attn.name = "lengths", attn.dims = ["B"], attn.range = [0, "S"]})
    -> (tensor<?x4x?x64xf32> {attn.name = "o", attn.dims = ["B", "N"]}) {
  %o = attn.linear_mixture_of_keys %q, %k, %v
      shifted_by(%shifts : tensor<2x2x64xf32>) feature_map <elu>
      lengths(%lengths : tensor<?xi64>) causal
      : (tensor<?x4x?x64xf32>, tensor<?x2x?x64xf32>, tensor<?x2x?x64xf32>)
      -> tensor<?x4x?x64xf32>
  return %o : tensor<?x4x?x64xf32>
}
