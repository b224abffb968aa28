// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: mixattn-opt --verify-roundtrip %s -o /dev/null
//
// Scores of two global heads, each rectified in its share of eight local ones.
//
//   o[b,a,i,:] = sum_j P[b,a,i,j] v[b,a,j,:]
//   P[b,a,i,:] = softmax_j(sum_k relu(mixer[k,a] G[b,k,i,j]) / sqrt(64))
//   G[b,k,i,j] = q[b,k,i,:] . k[b,k,j,:]
//
// The rectifier stands inside the sum, as the formula has it; what was trained
// is gfish_hard. "Improving Transformer with an Admixture of Attention Heads"
// (Nguyen et al. 2022), section 2.4.
func.func @gfish_paper(
    %q: tensor<?x2x?x64xf32> {attn.name = "q", attn.dims = ["B", "N"]},
    %k: tensor<?x2x?x64xf32> {attn.name = "k", attn.dims = ["B", "S"]},
    %v: tensor<?x8x?x64xf32> {attn.name = "v", attn.dims = ["B", "S"]},
    %mixer: tensor<2x8xf32> {attn.name = "mixer", attn.parameter})
    -> (tensor<?x8x?x64xf32> {attn.name = "o", attn.dims = ["B", "N"]}) {
  %o = attn.admixture_heads %q, %k, %v mixer(%mixer : tensor<2x8xf32>) relu_per_key
      : (tensor<?x2x?x64xf32>, tensor<?x2x?x64xf32>, tensor<?x8x?x64xf32>)
      -> tensor<?x8x?x64xf32>
  return %o : tensor<?x8x?x64xf32>
}
