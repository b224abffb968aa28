// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: mixattn-opt --verify-roundtrip %s -o /dev/null
//
// Windows of 7 x 7 positions: six global heads, twelve local ones, and a bias
// by relative position.
//
//   o[b,a,i,:] = sum_j P[b,a,i,j] v[b,a,j,:]
//   P[b,a,i,:] = softmax_j(A[b,a,i,j] + bias[a,i,j])
//   A[b,a,i,j] = b2[a] + sum_l w2[l,a]
//                    relu(b1[l] + sum_k w1[k,l] G[b,k,i,j])
//   G[b,k,i,j] = q[b,k,i,:] . k[b,k,j,:] / sqrt(32)
//
// The scale comes before the perceptron, the bias after it; windows lie in the
// batch. "Improving Transformer with an Admixture of Attention Heads" (Nguyen
// et al. 2022), Hard GFiSH in the Swin transformers of table 5, as in its
// released code.
func.func @swin_gfish(
    %q: tensor<?x6x49x32xf32> {attn.name = "q", attn.dims = ["B"]},
    %k: tensor<?x6x49x32xf32> {attn.name = "k", attn.dims = ["B"]},
    %v: tensor<?x12x49x32xf32> {attn.name = "v", attn.dims = ["B"]},
    %w1: tensor<6x12xf32> {attn.name = "w1", attn.parameter},
    %b1: tensor<12xf32> {attn.name = "b1", attn.parameter},
    %w2: tensor<12x12xf32> {attn.name = "w2", attn.parameter},
    %b2: tensor<12xf32> {attn.name = "b2", attn.parameter},
    %bias: tensor<12x49x49xf32> {attn.name = "bias"})
    -> (tensor<?x12x49x32xf32> {attn.name = "o", attn.dims = ["B"]}) {
  %o = attn.admixture_heads %q, %k, %v
      mlp(%w1, %b1, %w2, %b2 : tensor<6x12xf32>, tensor<12xf32>, tensor<12x12xf32>, tensor<12xf32>)
      scale_before bias(%bias : tensor<12x49x49xf32>)
      : (tensor<?x6x49x32xf32>, tensor<?x6x49x32xf32>, tensor<?x12x49x32xf32>)
      -> tensor<?x12x49x32xf32>
  return %o : tensor<?x12x49x32xf32>
}
