// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: mixattn-opt --verify-roundtrip %s -o /dev/null
//
// Scores are bent so that none exceeds 30 in size.
//
//   o[b,h,i,:] = sum_j A[b,h,i,j] v[b,h,j,:]
//   A[b,h,i,:] = softmax_j(30 tanh(s_ij / 30)),  s_ij = q_i . k_j / sqrt(64)
//
// "Gemma 2: Improving Open Language Models at a Practical Size" (2024), section
// 2, logit soft-capping.
func.func @softmax_softcap(
    %q: tensor<?x8x?x64xf32> {attn.name = "q", attn.dims = ["B", "N"]},
    %k: tensor<?x8x?x64xf32> {attn.name = "k", attn.dims = ["B", "S"]},
    %v: tensor<?x8x?x64xf32> {attn.name = "v", attn.dims = ["B", "S"]})
    -> (tensor<?x8x?x64xf32> {attn.name = "o", attn.dims = ["B", "N"]}) {
  %o = attn.softmax %q, %k, %v score_mod {
  ^bb0(%s: f32, %b: index, %h: index, %i: index, %j: index):
    %cap = arith.constant 30.0 : f32
    %ratio = arith.divf %s, %cap : f32
    %bent = math.tanh %ratio : f32
    %capped = arith.mulf %cap, %bent : f32
    attn.yield %capped : f32
  } : (tensor<?x8x?x64xf32>, tensor<?x8x?x64xf32>, tensor<?x8x?x64xf32>)
      -> tensor<?x8x?x64xf32>
  return %o : tensor<?x8x?x64xf32>
}
