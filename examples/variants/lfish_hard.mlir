// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: mixattn-opt --verify-roundtrip %s -o /dev/null
//
// Linear attention whose eight local heads read mixed sums of two global ones.
//
//   o[b,a,i,:] = phi(q[b,a,i,:]) S'[b,a] / (phi(q[b,a,i,:]) . z'[b,a])
//   S'[b,a] = sum_k mixer[k,a] S[b,k]
//   z'[b,a] = sum_k mixer[k,a] z[b,k]
//   S[b,k] = sum_j phi(k[b,k,j,:])^T v[b,k,j,:]
//   z[b,k] = sum_j phi(k[b,k,j,:])
//   phi(x) = x + 1 where x > 0, else exp(x)
//
// Queries are local, keys and values global. A mixer of both signs can make the
// denominator vanish. "Improving Transformer with an Admixture of Attention
// Heads" (Nguyen et al. 2022), Hard LFiSH of appendix A.6.
func.func @lfish_hard(
    %q: tensor<?x8x?x64xf32> {attn.name = "q", attn.dims = ["B", "N"]},
    %k: tensor<?x2x?x64xf32> {attn.name = "k", attn.dims = ["B", "S"]},
    %v: tensor<?x2x?x64xf32> {attn.name = "v", attn.dims = ["B", "S"]},
    %mixer: tensor<2x8xf32> {attn.name = "mixer", attn.parameter})
    -> (tensor<?x8x?x64xf32> {attn.name = "o", attn.dims = ["B", "N"]}) {
  %o = attn.linear_admixture_heads %q, %k, %v
      mixer(%mixer : tensor<2x8xf32>) feature_map <elu>
      : (tensor<?x8x?x64xf32>, tensor<?x2x?x64xf32>, tensor<?x2x?x64xf32>)
      -> tensor<?x8x?x64xf32>
  return %o : tensor<?x8x?x64xf32>
}
