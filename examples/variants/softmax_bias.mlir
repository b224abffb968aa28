// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: mixattn-opt --verify-roundtrip %s -o /dev/null
//
// A bias per head and position, for instance a relative position bias.
//
//   o[b,h,i,:] = sum_j A[b,h,i,j] v[b,h,j,:]
//   A[b,h,i,:] = softmax_j(q_i . k_j / sqrt(64) + bias[h,i,j])
//
// "Swin Transformer" (Liu et al. 2021), equation 4.
func.func @softmax_bias(
    %q: tensor<?x8x?x64xf32> {attn.name = "q", attn.dims = ["B", "N"]},
    %k: tensor<?x8x?x64xf32> {attn.name = "k", attn.dims = ["B", "S"]},
    %v: tensor<?x8x?x64xf32> {attn.name = "v", attn.dims = ["B", "S"]},
    %bias: tensor<8x?x?xf32> {attn.name = "bias", attn.dims = ["N", "S"]})
    -> (tensor<?x8x?x64xf32> {attn.name = "o", attn.dims = ["B", "N"]}) {
  %o = attn.softmax %q, %k, %v bias(%bias : tensor<8x?x?xf32>)
      : (tensor<?x8x?x64xf32>, tensor<?x8x?x64xf32>, tensor<?x8x?x64xf32>)
      -> tensor<?x8x?x64xf32>
  return %o : tensor<?x8x?x64xf32>
}
