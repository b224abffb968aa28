// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: mixattn-opt --verify-roundtrip %s -o /dev/null
//
// Attention by distance: one Gaussian key per position.
//
//   o[b,h,i,:] = sum_j P[b,h,i,j] v[b,h,j,:]
//   P[b,h,i,:] = softmax_j(-|q[b,h,i,:] - k[b,h,j,:]|^2 / (2 * 8))
//
// The variance is sqrt(64). It differs from the product by a term of the key's
// norm; the query's cancels in the softmax. "Improving Transformers with
// Probabilistic Attention Keys" (Nguyen et al. 2022), the Gaussian head of
// table 6.
func.func @gaussian(
    %q: tensor<?x8x?x64xf32> {attn.name = "q", attn.dims = ["B", "N"]},
    %k: tensor<?x8x?x64xf32> {attn.name = "k", attn.dims = ["B", "S"]},
    %v: tensor<?x8x?x64xf32> {attn.name = "v", attn.dims = ["B", "S"]})
    -> (tensor<?x8x?x64xf32> {attn.name = "o", attn.dims = ["B", "N"]}) {
  %o = attn.softmax %q, %k, %v gaussian
      : (tensor<?x8x?x64xf32>, tensor<?x8x?x64xf32>, tensor<?x8x?x64xf32>)
      -> tensor<?x8x?x64xf32>
  return %o : tensor<?x8x?x64xf32>
}
