// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: mixattn-opt --verify-roundtrip %s -o /dev/null
//
// Scores of two global heads mixed into eight local ones.
//
//   o[b,a,i,:] = sum_j P[b,a,i,j] v[b,a,j,:]
//   P[b,a,i,:] = softmax_j(sum_k mixer[k,a] G[b,k,i,j] / sqrt(64))
//   G[b,k,i,j] = q[b,k,i,:] . k[b,k,j,:]
//
// "Improving Transformer with an Admixture of Attention Heads" (Nguyen et al.
// 2022), Hard FiSH, equation 9.
func.func @fish_hard(
    %q: tensor<?x2x?x64xf32> {attn.name = "q", attn.dims = ["B", "N"]},
    %k: tensor<?x2x?x64xf32> {attn.name = "k", attn.dims = ["B", "S"]},
    %v: tensor<?x8x?x64xf32> {attn.name = "v", attn.dims = ["B", "S"]},
    %mixer: tensor<2x8xf32> {attn.name = "mixer", attn.parameter})
    -> (tensor<?x8x?x64xf32> {attn.name = "o", attn.dims = ["B", "N"]}) {
  %o = attn.admixture_heads %q, %k, %v mixer(%mixer : tensor<2x8xf32>)
      : (tensor<?x2x?x64xf32>, tensor<?x2x?x64xf32>, tensor<?x8x?x64xf32>)
      -> tensor<?x8x?x64xf32>
  return %o : tensor<?x8x?x64xf32>
}
