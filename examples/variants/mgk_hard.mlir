// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: mixattn-opt --verify-roundtrip %s -o /dev/null
//
// Two Gaussian keys per position, of which the nearer one counts.
//
//   o[b,h,i,:] = sum_j P[b,h,i,j] v[b,h,j,:]
//   P[b,h,i,:] = softmax_j(max_r s[b,h,r,i,j])
//   s[b,h,r,i,j] = -|q[b,h,i,:] - keys[b,h,r,j,:]|^2 / (2 * 8)
//
// A hard assignment knows no prior. "Improving Transformers with Probabilistic
// Attention Keys" (Nguyen et al. 2022), setting C (Hard-E) of section 2.3.
func.func @mgk_hard(
    %q: tensor<?x4x?x64xf32> {attn.name = "q", attn.dims = ["B", "N"]},
    %keys: tensor<?x4x2x?x64xf32> {attn.name = "keys", attn.dims = ["B", "S"]},
    %v: tensor<?x4x?x64xf32> {attn.name = "v", attn.dims = ["B", "S"]})
    -> (tensor<?x4x?x64xf32> {attn.name = "o", attn.dims = ["B", "N"]}) {
  %o = attn.mixture_of_keys %q, %keys, %v variances [8.0, 8.0] maximum
      : (tensor<?x4x?x64xf32>, tensor<?x4x2x?x64xf32>, tensor<?x4x?x64xf32>)
      -> tensor<?x4x?x64xf32>
  return %o : tensor<?x4x?x64xf32>
}
