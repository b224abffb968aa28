// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: mixattn-opt --verify-roundtrip %s -o /dev/null
//
// A boolean mask, the same for all heads, says who may see whom.
//
//   o[b,h,i,:] = sum_j A[b,h,i,j] v[b,h,j,:]
//   A[b,h,i,:] = softmax over the j with mask[b,0,i,j] of q_i . k_j / sqrt(64)
//
// A row of the mask that is all false gives zeros. "Attention Is All You Need"
// (Vaswani et al. 2017), section 3.2.3.
func.func @softmax_masked(
    %q: tensor<?x8x?x64xf32> {attn.name = "q", attn.dims = ["B", "N"]},
    %k: tensor<?x8x?x64xf32> {attn.name = "k", attn.dims = ["B", "S"]},
    %v: tensor<?x8x?x64xf32> {attn.name = "v", attn.dims = ["B", "S"]},
    %mask: tensor<?x1x?x?xi1> {attn.name = "mask", attn.dims = ["B", "N", "S"]})
    -> (tensor<?x8x?x64xf32> {attn.name = "o", attn.dims = ["B", "N"]}) {
  %o = attn.softmax %q, %k, %v mask(%mask : tensor<?x1x?x?xi1>)
      : (tensor<?x8x?x64xf32>, tensor<?x8x?x64xf32>, tensor<?x8x?x64xf32>)
      -> tensor<?x8x?x64xf32>
  return %o : tensor<?x8x?x64xf32>
}
