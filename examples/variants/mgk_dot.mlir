// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: mixattn-opt --verify-roundtrip %s -o /dev/null
//
// Two keys per position, compared by their product.
//
//   o[b,h,i,:] = sum_j P[b,h,i,j] v[b,h,j,:]
//   P[b,h,i,:] = softmax_j(log sum_r exp(log_prior[h,r] + s[b,h,r,i,j]))
//   s[b,h,r,i,j] = q[b,h,i,:] . keys[b,h,r,j,:] / 8
//
// The variances are sqrt(64), and no other scale acts. "Improving Transformers
// with Probabilistic Attention Keys" (Nguyen et al. 2022), equation 6.
func.func @mgk_dot(
    %q: tensor<?x4x?x64xf32> {attn.name = "q", attn.dims = ["B", "N"]},
    %keys: tensor<?x4x2x?x64xf32> {attn.name = "keys", attn.dims = ["B", "S"]},
    %v: tensor<?x4x?x64xf32> {attn.name = "v", attn.dims = ["B", "S"]},
    %log_prior: tensor<4x2xf32> {attn.name = "log_prior", attn.parameter})
    -> (tensor<?x4x?x64xf32> {attn.name = "o", attn.dims = ["B", "N"]}) {
  %o = attn.mixture_of_keys %q, %keys, %v dot variances [8.0, 8.0]
      prior(%log_prior : tensor<4x2xf32>)
      : (tensor<?x4x?x64xf32>, tensor<?x4x2x?x64xf32>, tensor<?x4x?x64xf32>)
      -> tensor<?x4x?x64xf32>
  return %o : tensor<?x4x?x64xf32>
}
