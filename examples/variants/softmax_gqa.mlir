// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: mixattn-opt --verify-roundtrip %s -o /dev/null
//
// Eight query heads read two key and value heads.
//
//   o[b,h,i,:] = sum_j A[b,h,i,j] v[b,h div 4,j,:]
//   A[b,h,i,:] = softmax_j(q[b,h,i,:] . k[b,h div 4,j,:] / sqrt(64))
//
// "GQA: Training Generalized Multi-Query Transformer Models from Multi-Head
// Checkpoints" (Ainslie et al. 2023), section 2.2.
func.func @softmax_gqa(
    %q: tensor<?x8x?x64xf32> {attn.name = "q", attn.dims = ["B", "N"]},
    %k: tensor<?x2x?x64xf32> {attn.name = "k", attn.dims = ["B", "S"]},
    %v: tensor<?x2x?x64xf32> {attn.name = "v", attn.dims = ["B", "S"]})
    -> (tensor<?x8x?x64xf32> {attn.name = "o", attn.dims = ["B", "N"]}) {
  %o = attn.softmax %q, %k, %v
      : (tensor<?x8x?x64xf32>, tensor<?x2x?x64xf32>, tensor<?x2x?x64xf32>)
      -> tensor<?x8x?x64xf32>
  return %o : tensor<?x8x?x64xf32>
}
