// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: mixattn-opt --verify-roundtrip %s -o /dev/null
//
// Two Gaussian keys per position, shifted from one, of different widths.
//
//   o[b,h,i,:] = sum_j P[b,h,i,j] v[b,h,j,:]
//   P[b,h,i,:] = softmax_j(log sum_r exp(log_prior[h,r] + s[b,h,r,i,j]))
//   s[b,h,r,i,j] = -|q[b,h,i,:] - (k[b,h,j,:] + shifts[h,r,:])|^2
//                  / (2 variance[r])
//
// The variances are sqrt(64) and 3 sqrt(64). "Improving Transformers with
// Probabilistic Attention Keys" (Nguyen et al. 2022), option B (sMGK) of
// section 2.3.
func.func @smgk_unequal(
    %q: tensor<?x4x?x64xf32> {attn.name = "q", attn.dims = ["B", "N"]},
    %k: tensor<?x4x?x64xf32> {attn.name = "k", attn.dims = ["B", "S"]},
    %shifts: tensor<4x2x64xf32> {attn.name = "shifts", attn.parameter},
    %v: tensor<?x4x?x64xf32> {attn.name = "v", attn.dims = ["B", "S"]},
    %log_prior: tensor<4x2xf32> {attn.name = "log_prior", attn.parameter})
    -> (tensor<?x4x?x64xf32> {attn.name = "o", attn.dims = ["B", "N"]}) {
  %o = attn.mixture_of_keys %q, %k, %v
      shifted_by(%shifts : tensor<4x2x64xf32>) variances [8.0, 24.0]
      prior(%log_prior : tensor<4x2xf32>)
      : (tensor<?x4x?x64xf32>, tensor<?x4x?x64xf32>, tensor<?x4x?x64xf32>)
      -> tensor<?x4x?x64xf32>
  return %o : tensor<?x4x?x64xf32>
}
