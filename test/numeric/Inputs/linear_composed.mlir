// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Shifted keys, a prior and mixed sums at once, of positive random features.
func.func @linear_composed(
    %q: tensor<?x6x?x16xf32> {attn.name = "q", attn.dims = ["B", "N"]},
    %k: tensor<?x2x?x16xf32> {attn.name = "k", attn.dims = ["B", "S"]},
    %shifts: tensor<2x3x16xf32> {attn.name = "shifts"},
    %prior: tensor<2x3xf32> {attn.name = "prior"},
    %mixer: tensor<2x6xf32> {attn.name = "mixer"},
    %directions: tensor<16x12xf32> {attn.name = "directions"},
    %lengths: tensor<?xi64> {attn.name = "lengths", attn.dims = ["B"], attn.range = [0, "S"]},
    %v: tensor<?x2x?x24xf32> {attn.name = "v", attn.dims = ["B", "S"]})
    -> (tensor<?x6x?x24xf32> {attn.name = "o", attn.dims = ["B", "N"]}) {
  %o = attn.linear_generic
      features(%q, %k : tensor<?x6x?x16xf32>, tensor<?x2x?x16xf32>)
      shifted_by(%shifts : tensor<2x3x16xf32>)
      feature_map <favor> favor(%directions : tensor<16x12xf32>)
      prior(%prior : tensor<2x3xf32>) premix(%mixer : tensor<2x6xf32>)
      lengths(%lengths : tensor<?xi64>) causal
      pool(%v : tensor<?x2x?x24xf32>)
      -> tensor<?x6x?x24xf32>
  return %o : tensor<?x6x?x24xf32>
}
