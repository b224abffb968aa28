// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: mixattn-opt --verify-roundtrip %s -o /dev/null
//
// Mixed heads over one key and value head.
//
//   o[b,a,i,:] = sum_j W[b,a,i,j] v[b,0,j,:]
//   W[b,a,i,j] = sum_c mixer[c,a] P[b,c,i,j]
//   P[b,c,i,:] = softmax_j(q[b,c,i,:] . k[b,0,j,:] / sqrt(64))
//
// "Mixhead" (Zhang et al. 2022), form A, equation 12, over the multi-query
// layout of "Fast Transformer Decoding" (Shazeer 2019).
func.func @mixhead_shared_values(
    %q: tensor<?x8x?x64xf32> {attn.name = "q", attn.dims = ["B", "N"]},
    %k: tensor<?x1x?x64xf32> {attn.name = "k", attn.dims = ["B", "S"]},
    %v: tensor<?x1x?x64xf32> {attn.name = "v", attn.dims = ["B", "S"]},
    %mixer: tensor<8x8xf32> {attn.name = "mixer", attn.parameter})
    -> (tensor<?x8x?x64xf32> {attn.name = "o", attn.dims = ["B", "N"]}) {
  %o = attn.mix_heads %q, %k, %v mixer(%mixer : tensor<8x8xf32>)
      : (tensor<?x8x?x64xf32>, tensor<?x1x?x64xf32>, tensor<?x1x?x64xf32>)
      -> tensor<?x8x?x64xf32>
  return %o : tensor<?x8x?x64xf32>
}
