// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: mixattn-opt --verify-roundtrip %s -o /dev/null
//
// Which of two keys explains a query: the expectation step of soft mixtures.
//
//   gamma[b,h,r,i,j] = exp(log_prior[h,r] + s[b,h,r,i,j])
//                      / sum over r of the same
//   s[b,h,r,i,j] = -|q[b,h,i,:] - keys[b,h,r,j,:]|^2 / (2 variance[r])
//
// The variances are sqrt(64) and 3 sqrt(64). "Improving Transformers with
// Probabilistic Attention Keys" (Nguyen et al. 2022), Soft-E of section 2.3,
// with the index of the key that it leaves out.
func.func @responsibilities(
    %q: tensor<?x4x?x64xf32> {attn.name = "q", attn.dims = ["B", "N"]},
    %keys: tensor<?x4x2x?x64xf32> {attn.name = "keys", attn.dims = ["B", "S"]},
    %log_prior: tensor<4x2xf32> {attn.name = "log_prior", attn.parameter})
    -> (tensor<?x4x2x?x?xf32> {attn.name = "gamma", attn.dims = ["B", "N", "S"]}) {
  %gamma = attn.responsibilities %q, %keys variances [8.0, 24.0]
      prior(%log_prior : tensor<4x2xf32>)
      : (tensor<?x4x?x64xf32>, tensor<?x4x2x?x64xf32>) -> tensor<?x4x2x?x?xf32>
  return %gamma : tensor<?x4x2x?x?xf32>
}
