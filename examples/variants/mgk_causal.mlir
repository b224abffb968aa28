// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: mixattn-opt --verify-roundtrip %s -o /dev/null
//
// Two Gaussian keys per position; no query looks ahead.
//
//   o[b,h,i,:] = sum_j P[b,h,i,j] v[b,h,j,:]
//   P[b,h,i,:] = softmax over j <= i + (S - N) of
//                    log sum_r exp(log_prior[h,r] + s[b,h,r,i,j])
//   s[b,h,r,i,j] = -|q[b,h,i,:] - keys[b,h,r,j,:]|^2 / (2 * 8)
//
// The variances are sqrt(64), equal, so the norm of the query cancels.
// "Improving Transformers with Probabilistic Attention Keys" (Nguyen et al.
// 2022), equation 7, as in its language models.
func.func @mgk_causal(
    %q: tensor<?x4x?x64xf32> {attn.name = "q", attn.dims = ["B", "N"]},
    %keys: tensor<?x4x2x?x64xf32> {attn.name = "keys", attn.dims = ["B", "S"]},
    %v: tensor<?x4x?x64xf32> {attn.name = "v", attn.dims = ["B", "S"]},
    %log_prior: tensor<4x2xf32> {attn.name = "log_prior", attn.parameter})
    -> (tensor<?x4x?x64xf32> {attn.name = "o", attn.dims = ["B", "N"]}) {
  %o = attn.mixture_of_keys %q, %keys, %v variances [8.0, 8.0]
      prior(%log_prior : tensor<4x2xf32>) causal
      : (tensor<?x4x?x64xf32>, tensor<?x4x2x?x64xf32>, tensor<?x4x?x64xf32>)
      -> tensor<?x4x?x64xf32>
  return %o : tensor<?x4x?x64xf32>
}
