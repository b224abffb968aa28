// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: mixattn-opt --verify-roundtrip %s -o /dev/null
//
// Linear attention to two keys per position, shifted from one.
//
//   o[b,h,i,:] = phi(q[b,h,i,:]) S[b,h] / (phi(q[b,h,i,:]) . z[b,h])
//   S[b,h] = sum_j f[b,h,j,:]^T v[b,h,j,:]
//   z[b,h] = sum_j f[b,h,j,:]
//   f[b,h,j,:] = sum_r prior[h,r] phi(k[b,h,j,:] + shifts[h,r,:])
//   phi(x) = x + 1 where x > 0, else exp(x)
//
// "Improving Transformers with Probabilistic Attention Keys" (Nguyen et al.
// 2022), option B of section 2.3 with the linear attention of section 2.4.
func.func @smlk(
    %q: tensor<?x4x?x64xf32> {attn.name = "q", attn.dims = ["B", "N"]},
    %k: tensor<?x4x?x64xf32> {attn.name = "k", attn.dims = ["B", "S"]},
    %shifts: tensor<4x2x64xf32> {attn.name = "shifts", attn.parameter},
    %v: tensor<?x4x?x64xf32> {attn.name = "v", attn.dims = ["B", "S"]},
    %prior: tensor<4x2xf32> {attn.name = "prior", attn.parameter})
    -> (tensor<?x4x?x64xf32> {attn.name = "o", attn.dims = ["B", "N"]}) {
  %o = attn.linear_mixture_of_keys %q, %k, %v
      shifted_by(%shifts : tensor<4x2x64xf32>)
      prior(%prior : tensor<4x2xf32>) feature_map <elu>
      : (tensor<?x4x?x64xf32>, tensor<?x4x?x64xf32>, tensor<?x4x?x64xf32>)
      -> tensor<?x4x?x64xf32>
  return %o : tensor<?x4x?x64xf32>
}
