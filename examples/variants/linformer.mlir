// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: mixattn-opt --verify-roundtrip %s -o /dev/null
//
// Softmax attention to 64 sums of keys, whatever their number.
//
//   o[b,h,i,:] = sum_c A[b,h,i,c] v'[b,h,c,:]
//   A[b,h,i,:] = softmax_c(q[b,h,i,:] . k'[b,h,c,:] / sqrt(64))
//   k'[b,h,c,:] = sum_j e[c,j] k[b,h,j,:]
//   v'[b,h,c,:] = sum_j f[c,j] v[b,h,j,:]
//
// "Linformer: Self-Attention with Linear Complexity" (Wang et al. 2020),
// equation 7, projections shared by the heads.
func.func @linformer(
    %q: tensor<?x8x?x64xf32> {attn.name = "q", attn.dims = ["B", "N"]},
    %k: tensor<?x8x?x64xf32> {attn.name = "k", attn.dims = ["B", "S"]},
    %v: tensor<?x8x?x64xf32> {attn.name = "v", attn.dims = ["B", "S"]},
    %e: tensor<64x?xf32> {attn.name = "e", attn.dims = ["S"], attn.parameter},
    %f: tensor<64x?xf32> {attn.name = "f", attn.dims = ["S"], attn.parameter})
    -> (tensor<?x8x?x64xf32> {attn.name = "o", attn.dims = ["B", "N"]}) {
  %o = attn.softmax %q, %k, %v
      projected_by(%e, %f : tensor<64x?xf32>, tensor<64x?xf32>)
      : (tensor<?x8x?x64xf32>, tensor<?x8x?x64xf32>, tensor<?x8x?x64xf32>)
      -> tensor<?x8x?x64xf32>
  return %o : tensor<?x8x?x64xf32>
}
