// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %python %mixattn_src_root/test/numeric/run_variant.py softcap_of_distance --also=%S/formulas.py
//
// A soft cap of a Gaussian score, 30 tanh(s / 30): the norm of the query is no
// longer the same for all keys once the cap has bent it, and must stay.
func.func @softcap_of_distance(
    %q: tensor<?x8x?x64xf32> {attn.name = "q", attn.dims = ["B", "N"]},
    %k: tensor<?x8x?x64xf32> {attn.name = "k", attn.dims = ["B", "S"]},
    %v: tensor<?x8x?x64xf32> {attn.name = "v", attn.dims = ["B", "S"]})
    -> (tensor<?x8x?x64xf32> {attn.name = "o", attn.dims = ["B", "N"]}) {
  %o = attn.softmax %q, %k, %v gaussian score_mod {
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
