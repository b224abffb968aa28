// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: mixattn-opt --verify-roundtrip %s -o /dev/null
//
// Linear attention to two keys per position, their features weighed by a prior.
//
//   o[b,h,i,:] = phi(q[b,h,i,:]) S[b,h] / (phi(q[b,h,i,:]) . z[b,h])
//   S[b,h] = sum_j f[b,h,j,:]^T v[b,h,j,:]
//   z[b,h] = sum_j f[b,h,j,:]
//   f[b,h,j,:] = sum_r prior[h,r] phi(keys[b,h,r,j,:])
//   phi(x) = x + 1 where x > 0, else exp(x)
//
// The prior need not be normalised; no component may be negative, and no head
// without one. "Improving Transformers with Probabilistic Attention Keys"
// (Nguyen et al. 2022), MLK of section 2.4.
func.func @mlk(
    %q: tensor<?x4x?x64xf32> {attn.name = "q", attn.dims = ["B", "N"]},
    %keys: tensor<?x4x2x?x64xf32> {attn.name = "keys", attn.dims = ["B", "S"]},
    %v: tensor<?x4x?x64xf32> {attn.name = "v", attn.dims = ["B", "S"]},
    %prior: tensor<4x2xf32> {attn.name = "prior", attn.parameter})
    -> (tensor<?x4x?x64xf32> {attn.name = "o", attn.dims = ["B", "N"]}) {
  %o = attn.linear_mixture_of_keys %q, %keys, %v
      prior(%prior : tensor<4x2xf32>) feature_map <elu>
      : (tensor<?x4x?x64xf32>, tensor<?x4x2x?x64xf32>, tensor<?x4x?x64xf32>)
      -> tensor<?x4x?x64xf32>
  return %o : tensor<?x4x?x64xf32>
}
