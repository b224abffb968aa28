// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: mixattn-opt --verify-roundtrip %s -o /dev/null
//
// Heads mixed after the causal softmax, each query choosing its mixer.
//
//   o[b,a,i,:] = sum_j W[b,a,i,j] v[b,a,j,:]
//   W[b,a,i,j] = sum_c M[b,i,c,a] P[b,c,i,j]
//   P[b,c,i,:] = softmax over j <= i + (S - N) of
//                q[b,c,i,:] . k[b,c,j,:] / sqrt(64)
//   M[b,i,c,a] = b[c,a] + sum_d q[b,c,i,d] w[d,a]
//
// The mixer is made from the unscaled query. "Mixhead" (Zhang et al. 2022),
// form B, equation 12 and the linear model below it, with the mask of equation
// 6 taken as additive.
func.func @mixhead_b_causal(
    %q: tensor<?x8x?x64xf32> {attn.name = "q", attn.dims = ["B", "N"]},
    %k: tensor<?x8x?x64xf32> {attn.name = "k", attn.dims = ["B", "S"]},
    %v: tensor<?x8x?x64xf32> {attn.name = "v", attn.dims = ["B", "S"]},
    %w: tensor<64x8xf32> {attn.name = "w", attn.parameter},
    %b: tensor<8x8xf32> {attn.name = "b", attn.parameter})
    -> (tensor<?x8x?x64xf32> {attn.name = "o", attn.dims = ["B", "N"]}) {
  %o = attn.mix_heads %q, %k, %v
      mixer_by_row(%q, %w, %b : tensor<?x8x?x64xf32>, tensor<64x8xf32>, tensor<8x8xf32>) causal
      : (tensor<?x8x?x64xf32>, tensor<?x8x?x64xf32>, tensor<?x8x?x64xf32>)
      -> tensor<?x8x?x64xf32>
  return %o : tensor<?x8x?x64xf32>
}
