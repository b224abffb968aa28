// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: mixattn-opt --verify-roundtrip %s -o /dev/null
//
// Scores of two global heads mixed into eight local ones, each with noise of
// its own.
//
//   o[b,a,i,:] = sum_j P[b,a,i,j] v[b,a,j,:]
//   P[b,a,i,:] = softmax_j(A[b,a,i,j] / sqrt(64))
//   A[b,a,i,j] = sum_k mixer[k,a] (G[b,k,i,j] + sigma[k] noise[b,a,i,j])
//   G[b,k,i,j] = q[b,k,i,:] . k[b,k,j,:]
//
// The noise is standard normal, and given; sigma counts as it is. "Improving
// Transformer with an Admixture of Attention Heads" (Nguyen et al. 2022), FiSH,
// equation 8.
func.func @fish_noise_local(
    %q: tensor<?x2x?x64xf32> {attn.name = "q", attn.dims = ["B", "N"]},
    %k: tensor<?x2x?x64xf32> {attn.name = "k", attn.dims = ["B", "S"]},
    %v: tensor<?x8x?x64xf32> {attn.name = "v", attn.dims = ["B", "S"]},
    %mixer: tensor<2x8xf32> {attn.name = "mixer", attn.parameter},
    %sigma: tensor<2xf32> {attn.name = "sigma", attn.parameter},
    %noise: tensor<?x8x?x?xf32> {attn.name = "noise", attn.dims = ["B", "N", "S"]})
    -> (tensor<?x8x?x64xf32> {attn.name = "o", attn.dims = ["B", "N"]}) {
  %o = attn.admixture_heads %q, %k, %v mixer(%mixer : tensor<2x8xf32>)
      noise <local> sigma(%sigma : tensor<2xf32>) drawn(%noise : tensor<?x8x?x?xf32>)
      : (tensor<?x2x?x64xf32>, tensor<?x2x?x64xf32>, tensor<?x8x?x64xf32>)
      -> tensor<?x8x?x64xf32>
  return %o : tensor<?x8x?x64xf32>
}
