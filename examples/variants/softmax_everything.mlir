// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: mixattn-opt --verify-roundtrip %s -o /dev/null
//
// Every clause at once, on grouped heads and wider values.
//
//   o[b,h,i,:] = sum_j A[b,h,i,j] v[b,h div 4,j,:]
//   A[b,h,i,:] = softmax over the visible j of
//                q[b,h,i,:] . k[b,h div 4,j,:] / sqrt(64) + bias[h,i,j]
//   visible:     mask[b,0,i,j] and j < lengths[b] and j <= i + (S - N)
//
// A combination of softmax_gqa, softmax_bias, softmax_masked, softmax_padded
// and softmax_causal; no paper of its own.
func.func @softmax_everything(
    %q: tensor<?x8x?x64xf32> {attn.name = "q", attn.dims = ["B", "N"]},
    %k: tensor<?x2x?x64xf32> {attn.name = "k", attn.dims = ["B", "S"]},
    %v: tensor<?x2x?x96xf32> {attn.name = "v", attn.dims = ["B", "S"]},
    %bias: tensor<8x?x?xf32> {attn.name = "bias", attn.dims = ["N", "S"]},
    %lengths: tensor<?xi64> {attn.name = "lengths", attn.dims = ["B"], attn.range = [0, "S"]},
    %mask: tensor<?x1x?x?xi1> {attn.name = "mask", attn.dims = ["B", "N", "S"]})
    -> (tensor<?x8x?x96xf32> {attn.name = "o", attn.dims = ["B", "N"]}) {
  %o = attn.softmax %q, %k, %v
      bias(%bias : tensor<8x?x?xf32>) mask(%mask : tensor<?x1x?x?xi1>)
      lengths(%lengths : tensor<?xi64>) causal
      : (tensor<?x8x?x64xf32>, tensor<?x2x?x64xf32>, tensor<?x2x?x96xf32>)
      -> tensor<?x8x?x96xf32>
  return %o : tensor<?x8x?x96xf32>
}
