// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: mixattn-opt --verify-roundtrip %s -o /dev/null
//
// As fish_noise_local, the noise made where it is used.
//
//   o[b,a,i,:] = sum_j P[b,a,i,j] v[b,a,j,:]
//   P[b,a,i,:] = softmax_j(A[b,a,i,j] / sqrt(64))
//   A[b,a,i,j] = sum_k mixer[k,a] (G[b,k,i,j] + sigma[k] noise[b,a,i,j])
//   G[b,k,i,j] = q[b,k,i,:] . k[b,k,j,:]
//   noise[b,a,i,j] = normal number j mod 4 of Philox4x32-10 at the counter
//                    (j div 4, i, b 8 + a, offset mod 2^32), its key being the
//                    low and the high word of the seed
//
// Seed and offset give the same noise on any machine. "Improving Transformer
// with an Admixture of Attention Heads" (Nguyen et al. 2022), FiSH, equation 8;
// "Parallel Random Numbers: As Easy as 1, 2, 3" (Salmon et al. 2011).
func.func @fish_philox(
    %q: tensor<?x2x?x64xf32> {attn.name = "q", attn.dims = ["B", "N"]},
    %k: tensor<?x2x?x64xf32> {attn.name = "k", attn.dims = ["B", "S"]},
    %v: tensor<?x8x?x64xf32> {attn.name = "v", attn.dims = ["B", "S"]},
    %mixer: tensor<2x8xf32> {attn.name = "mixer", attn.parameter},
    %sigma: tensor<2xf32> {attn.name = "sigma", attn.parameter},
    %seed: tensor<i64> {attn.name = "seed"},
    %offset: tensor<i64> {attn.name = "offset"})
    -> (tensor<?x8x?x64xf32> {attn.name = "o", attn.dims = ["B", "N"]}) {
  %o = attn.admixture_heads %q, %k, %v mixer(%mixer : tensor<2x8xf32>)
      noise <local> sigma(%sigma : tensor<2xf32>)
      philox(%seed, %offset : tensor<i64>, tensor<i64>)
      : (tensor<?x2x?x64xf32>, tensor<?x2x?x64xf32>, tensor<?x8x?x64xf32>)
      -> tensor<?x8x?x64xf32>
  return %o : tensor<?x8x?x64xf32>
}
