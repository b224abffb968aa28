// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: mixattn-opt --verify-roundtrip %s -o /dev/null
//
// Batch row b holds lengths[b] keys, the rest is padding.
//
//   o[b,h,i,:] = sum_j A[b,h,i,j] v[b,h,j,:]
//   A[b,h,i,:] = softmax over j < lengths[b] of q_i . k_j / sqrt(64)
//
// A length of zero gives zeros. "Attention Is All You Need" (Vaswani et al.
// 2017), equation 1, over the keys that exist.
func.func @softmax_padded(
    %q: tensor<?x8x?x64xf32> {attn.name = "q", attn.dims = ["B", "N"]},
    %k: tensor<?x8x?x64xf32> {attn.name = "k", attn.dims = ["B", "S"]},
    %v: tensor<?x8x?x64xf32> {attn.name = "v", attn.dims = ["B", "S"]},
    %lengths: tensor<?xi64> {attn.name = "lengths", attn.dims = ["B"], attn.range = [0, "S"]})
    -> (tensor<?x8x?x64xf32> {attn.name = "o", attn.dims = ["B", "N"]}) {
  %o = attn.softmax %q, %k, %v lengths(%lengths : tensor<?xi64>)
      : (tensor<?x8x?x64xf32>, tensor<?x8x?x64xf32>, tensor<?x8x?x64xf32>)
      -> tensor<?x8x?x64xf32>
  return %o : tensor<?x8x?x64xf32>
}
