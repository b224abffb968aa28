// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Noise of global heads, made where a perceptron reads it; causal.
func.func @noise_philox(
    %q: tensor<?x3x?x64xf32> {attn.name = "q", attn.dims = ["B", "N"]},
    %k: tensor<?x3x?x64xf32> {attn.name = "k", attn.dims = ["B", "S"]},
    %v: tensor<?x6x?x40xf32> {attn.name = "v", attn.dims = ["B", "S"]},
    %w1: tensor<3x5xf32> {attn.name = "w1"},
    %b1: tensor<5xf32> {attn.name = "b1"},
    %w2: tensor<5x6xf32> {attn.name = "w2"},
    %b2: tensor<6xf32> {attn.name = "b2"},
    %sigma: tensor<3xf32> {attn.name = "sigma"},
    %seed: tensor<i64> {attn.name = "seed"},
    %offset: tensor<i64> {attn.name = "offset"})
    -> (tensor<?x6x?x40xf32> {attn.name = "o", attn.dims = ["B", "N"]}) {
  %o = attn.admixture_heads %q, %k, %v
      mlp(%w1, %b1, %w2, %b2 : tensor<3x5xf32>, tensor<5xf32>, tensor<5x6xf32>, tensor<6xf32>)
      noise <global> sigma(%sigma : tensor<3xf32>)
      philox(%seed, %offset : tensor<i64>, tensor<i64>) causal
      : (tensor<?x3x?x64xf32>, tensor<?x3x?x64xf32>, tensor<?x6x?x40xf32>)
      -> tensor<?x6x?x40xf32>
  return %o : tensor<?x6x?x40xf32>
}
