// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: mixattn-opt --verify-roundtrip %s -o /dev/null
//
// Noisy scores of two global heads turned into eight local ones by a
// perceptron.
//
//   o[b,a,i,:] = sum_j P[b,a,i,j] v[b,a,j,:]
//   P[b,a,i,:] = softmax_j(A[b,a,i,j] / sqrt(64))
//   A[b,a,i,j] = b2[a] + sum_l w2[l,a]
//                    relu(b1[l] + sum_k w1[k,l] N[b,k,i,j])
//   N[b,k,i,j] = q[b,k,i,:] . k[b,k,j,:] + sigma[k] noise[b,k,i,j]
//
// The perceptron acts over heads, on each pair of query and key alone.
// "Improving Transformer with an Admixture of Attention Heads" (Nguyen et al.
// 2022), GFiSH of section 2.4, as its released language model has it.
func.func @gfish(
    %q: tensor<?x2x?x64xf32> {attn.name = "q", attn.dims = ["B", "N"]},
    %k: tensor<?x2x?x64xf32> {attn.name = "k", attn.dims = ["B", "S"]},
    %v: tensor<?x8x?x64xf32> {attn.name = "v", attn.dims = ["B", "S"]},
    %w1: tensor<2x8xf32> {attn.name = "w1", attn.parameter},
    %b1: tensor<8xf32> {attn.name = "b1", attn.parameter},
    %w2: tensor<8x8xf32> {attn.name = "w2", attn.parameter},
    %b2: tensor<8xf32> {attn.name = "b2", attn.parameter},
    %sigma: tensor<2xf32> {attn.name = "sigma", attn.parameter},
    %noise: tensor<?x2x?x?xf32> {attn.name = "noise", attn.dims = ["B", "N", "S"]})
    -> (tensor<?x8x?x64xf32> {attn.name = "o", attn.dims = ["B", "N"]}) {
  %o = attn.admixture_heads %q, %k, %v
      mlp(%w1, %b1, %w2, %b2 : tensor<2x8xf32>, tensor<8xf32>, tensor<8x8xf32>, tensor<8xf32>)
      noise <global> sigma(%sigma : tensor<2xf32>) drawn(%noise : tensor<?x2x?x?xf32>)
      : (tensor<?x2x?x64xf32>, tensor<?x2x?x64xf32>, tensor<?x8x?x64xf32>)
      -> tensor<?x8x?x64xf32>
  return %o : tensor<?x8x?x64xf32>
}
