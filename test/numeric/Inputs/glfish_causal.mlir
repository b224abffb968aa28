// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A perceptron over running sums, with five hidden heads: its biases alone make
// no result where nothing is seen.
func.func @glfish_causal(
    %q: tensor<?x8x?x16xf32> {attn.name = "q", attn.dims = ["B", "N"]},
    %k: tensor<?x2x?x16xf32> {attn.name = "k", attn.dims = ["B", "S"]},
    %v: tensor<?x2x?x24xf32> {attn.name = "v", attn.dims = ["B", "S"]},
    %w1: tensor<2x5xf32> {attn.name = "w1"},
    %b1: tensor<5xf32> {attn.name = "b1"},
    %w2: tensor<5x8xf32> {attn.name = "w2"},
    %b2: tensor<8xf32> {attn.name = "b2"},
    %normaliser: tensor<2x8xf32> {attn.name = "normaliser"},
    %lengths: tensor<?xi64> {attn.name = "lengths", attn.dims = ["B"], attn.range = [0, "S"]})
    -> (tensor<?x8x?x24xf32> {attn.name = "o", attn.dims = ["B", "N"]}) {
  %o = attn.linear_admixture_heads %q, %k, %v
      mlp(%w1, %b1, %w2, %b2 : tensor<2x5xf32>, tensor<5xf32>, tensor<5x8xf32>, tensor<8xf32>)
      normaliser(%normaliser : tensor<2x8xf32>) feature_map <elu>
      lengths(%lengths : tensor<?xi64>) causal eps 0.5 output_scale 2.0
      : (tensor<?x8x?x16xf32>, tensor<?x2x?x16xf32>, tensor<?x2x?x24xf32>)
      -> tensor<?x8x?x24xf32>
  return %o : tensor<?x8x?x24xf32>
}
