// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: mixattn-opt --verify-roundtrip %s -o /dev/null
//
// The three families at once: two keys per position, two heads mixed into
// eight before the softmax, and eight into eight after it.
//
//   o[b,a,i,:] = sum_j W[b,a,i,j] v[b,a,j,:]
//   W[b,a,i,j] = sum_c mixer_post[c,a] P[b,c,i,j]
//   P[b,c,i,:] = softmax over j <= i + (S - N) of
//                    sum_k mixer_pre[k,c] L[b,k,i,j]
//   L[b,k,i,j] = log sum_r exp(log_prior[k,r] + s[b,k,r,i,j])
//   s[b,k,r,i,j] = -|q[b,k,i,:] - keys[b,k,r,j,:]|^2 / (2 * 8)
//
// No paper has it; it states the normal form stage by stage.
func.func @composed(
    %q: tensor<?x2x?x64xf32> {attn.name = "q", attn.dims = ["B", "N"]},
    %keys: tensor<?x2x2x?x64xf32> {attn.name = "keys", attn.dims = ["B", "S"]},
    %log_prior: tensor<2x2xf32> {attn.name = "log_prior", attn.parameter},
    %mixer_pre: tensor<2x8xf32> {attn.name = "mixer_pre", attn.parameter},
    %mixer_post: tensor<8x8xf32> {attn.name = "mixer_post", attn.parameter},
    %v: tensor<?x8x?x64xf32> {attn.name = "v", attn.dims = ["B", "S"]})
    -> (tensor<?x8x?x64xf32> {attn.name = "o", attn.dims = ["B", "N"]}) {
  %o = attn.generic
      scores(%q, %keys : tensor<?x2x?x64xf32>, tensor<?x2x2x?x64xf32>)
      gaussian variances [8.0, 8.0]
      prior(%log_prior : tensor<2x2xf32>)
      premix(%mixer_pre : tensor<2x8xf32>)
      causal
      postmix(%mixer_post : tensor<8x8xf32>)
      pool(%v : tensor<?x8x?x64xf32>)
      -> tensor<?x8x?x64xf32>
  return %o : tensor<?x8x?x64xf32>
}
