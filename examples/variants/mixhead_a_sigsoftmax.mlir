// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: mixattn-opt --verify-roundtrip %s -o /dev/null
//
// Heads mixed after a sigsoftmax: the two remedies that its paper compares, at
// once.
//
//   o[b,a,i,:] = sum_j W[b,a,i,j] v[b,a,j,:]
//   W[b,a,i,j] = sum_c mixer[c,a] P[b,c,i,j]
//   P[b,c,i,j] = exp(s[b,c,i,j]) sig(s[b,c,i,j]) / sum over j of the same
//   s[b,c,i,j] = q[b,c,i,:] . k[b,c,j,:] / sqrt(64)
//
// "Mixhead" (Zhang et al. 2022), form A, equations 12 and 21.
func.func @mixhead_a_sigsoftmax(
    %q: tensor<?x8x?x64xf32> {attn.name = "q", attn.dims = ["B", "N"]},
    %k: tensor<?x8x?x64xf32> {attn.name = "k", attn.dims = ["B", "S"]},
    %v: tensor<?x8x?x64xf32> {attn.name = "v", attn.dims = ["B", "S"]},
    %mixer: tensor<8x8xf32> {attn.name = "mixer", attn.parameter})
    -> (tensor<?x8x?x64xf32> {attn.name = "o", attn.dims = ["B", "N"]}) {
  %o = attn.mix_heads %q, %k, %v mixer(%mixer : tensor<8x8xf32>) sigsoftmax
      : (tensor<?x8x?x64xf32>, tensor<?x8x?x64xf32>, tensor<?x8x?x64xf32>)
      -> tensor<?x8x?x64xf32>
  return %o : tensor<?x8x?x64xf32>
}
