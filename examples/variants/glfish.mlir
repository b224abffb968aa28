// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: mixattn-opt --verify-roundtrip %s -o /dev/null
//
// As lfish_hard, a perceptron over heads making the sums of the local ones.
//
//   o[b,a,i,:] = phi(q[b,a,i,:]) S'[b,a] / (phi(q[b,a,i,:]) . z'[b,a])
//   S'[b,a] = b2[a] + sum_l w2[l,a] relu(b1[l] + sum_k w1[k,l] S[b,k])
//   z'[b,a] = sum_k normaliser[k,a] z[b,k]
//   S[b,k] = sum_j phi(k[b,k,j,:])^T v[b,k,j,:]
//   z[b,k] = sum_j phi(k[b,k,j,:])
//   phi(x) = x + 1 where x > 0, else exp(x)
//
// The perceptron acts entry by entry. The paper leaves the normaliser open;
// here it is a mixer of its own, which can make the denominator vanish where
// its signs differ. "Improving Transformer with an Admixture of Attention
// Heads" (Nguyen et al. 2022), Hard GLFiSH of appendix A.6.
func.func @glfish(
    %q: tensor<?x8x?x64xf32> {attn.name = "q", attn.dims = ["B", "N"]},
    %k: tensor<?x2x?x64xf32> {attn.name = "k", attn.dims = ["B", "S"]},
    %v: tensor<?x2x?x64xf32> {attn.name = "v", attn.dims = ["B", "S"]},
    %w1: tensor<2x8xf32> {attn.name = "w1", attn.parameter},
    %b1: tensor<8xf32> {attn.name = "b1", attn.parameter},
    %w2: tensor<8x8xf32> {attn.name = "w2", attn.parameter},
    %b2: tensor<8xf32> {attn.name = "b2", attn.parameter},
    %normaliser: tensor<2x8xf32> {attn.name = "normaliser", attn.parameter})
    -> (tensor<?x8x?x64xf32> {attn.name = "o", attn.dims = ["B", "N"]}) {
  %o = attn.linear_admixture_heads %q, %k, %v
      mlp(%w1, %b1, %w2, %b2 : tensor<2x8xf32>, tensor<8xf32>, tensor<8x8xf32>, tensor<8xf32>)
      normaliser(%normaliser : tensor<2x8xf32>) feature_map <elu>
      : (tensor<?x8x?x64xf32>, tensor<?x2x?x64xf32>, tensor<?x2x?x64xf32>)
      -> tensor<?x8x?x64xf32>
  return %o : tensor<?x8x?x64xf32>
}
