// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: mixattn-opt --verify-roundtrip %s -o /dev/null
//
// How far a mixer of heads is from keeping them apart.
//
//   penalty = sum over a, c of (sum_k mixer[k,a] mixer[k,c] - [a = c])^2
//
// "Mixhead" (Zhang et al. 2022), equation 16.
func.func @orthogonal_penalty(
    %mixer: tensor<8x8xf32> {attn.name = "mixer", attn.parameter})
    -> (tensor<f32> {attn.name = "penalty"}) {
  %penalty = attn.orthogonal_penalty %mixer
      : tensor<8x8xf32> -> tensor<f32>
  return %penalty : tensor<f32>
}
