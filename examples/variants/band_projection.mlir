// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: mixattn-opt --verify-roundtrip %s -o /dev/null
//
// Softmax attention whose weights outside a band are dropped.
//
//   o[b,h,i,:] = sum over abs(i + (S - N) - j) <= 3 of A[b,h,i,j] v[b,h,j,:]
//   A[b,h,i,:] = softmax_j(q[b,h,i,:] . k[b,h,j,:] / sqrt(64))
//
// The softmax is over all keys, and what is left is not normalised again: the
// nearest band matrix, in the entrywise-1 norm as in Frobenius's. "An
// Alternative Formulation of Attention Pooling Function in Translation" (Conti
// 2024), section 2.2, equation 5.
func.func @band_projection(
    %q: tensor<?x8x?x64xf32> {attn.name = "q", attn.dims = ["B", "N"]},
    %k: tensor<?x8x?x64xf32> {attn.name = "k", attn.dims = ["B", "S"]},
    %v: tensor<?x8x?x64xf32> {attn.name = "v", attn.dims = ["B", "S"]})
    -> (tensor<?x8x?x64xf32> {attn.name = "o", attn.dims = ["B", "N"]}) {
  %o = attn.softmax %q, %k, %v keep <3, 3>
      : (tensor<?x8x?x64xf32>, tensor<?x8x?x64xf32>, tensor<?x8x?x64xf32>)
      -> tensor<?x8x?x64xf32>
  return %o : tensor<?x8x?x64xf32>
}
