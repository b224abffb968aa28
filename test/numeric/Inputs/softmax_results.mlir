// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Weights and logarithms of sums as well as values; grouped heads; some queries
// see nothing. Types written F32 stay 32-bit when the others are 16-bit.
func.func @softmax_results(
    %q: tensor<?x8x?x64xf32> {attn.name = "q", attn.dims = ["B", "N"]},
    %k: tensor<?x2x?x64xf32> {attn.name = "k", attn.dims = ["B", "S"]},
    %v: tensor<?x2x?x96xf32> {attn.name = "v", attn.dims = ["B", "S"]},
    %lengths: tensor<?xi64> {attn.name = "lengths", attn.dims = ["B"], attn.range = [0, "S"]})
    -> (tensor<?x8x?x96xf32> {attn.name = "o", attn.dims = ["B", "N"]},
        tensor<?x8x?x?xF32> {attn.name = "weights", attn.dims = ["B", "N", "S"]},
        tensor<?x8x?xF32> {attn.name = "lse", attn.dims = ["B", "N"]}) {
  %o, %weights, %lse = attn.softmax %q, %k, %v
      lengths(%lengths : tensor<?xi64>) causal
      : (tensor<?x8x?x64xf32>, tensor<?x2x?x64xf32>, tensor<?x2x?x96xf32>)
      -> tensor<?x8x?x96xf32> weights tensor<?x8x?x?xF32> lse tensor<?x8x?xF32>
  return %o, %weights, %lse : tensor<?x8x?x96xf32>, tensor<?x8x?x?xF32>, tensor<?x8x?xF32>
}
