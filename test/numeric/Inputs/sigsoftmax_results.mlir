// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// All clauses at once on a sigsoftmax, its weights and logarithms of sums.
// Types written F32 stay 32-bit when the others are 16-bit.
func.func @sigsoftmax_results(
    %q: tensor<?x8x?x64xf32> {attn.name = "q", attn.dims = ["B", "N"]},
    %k: tensor<?x2x?x64xf32> {attn.name = "k", attn.dims = ["B", "S"]},
    %v: tensor<?x2x?x96xf32> {attn.name = "v", attn.dims = ["B", "S"]},
    %bias: tensor<8x?x?xf32> {attn.name = "bias", attn.dims = ["N", "S"]},
    %lengths: tensor<?xi64> {attn.name = "lengths", attn.dims = ["B"], attn.range = [0, "S"]},
    %mask: tensor<?x1x?x?xi1> {attn.name = "mask", attn.dims = ["B", "N", "S"]})
    -> (tensor<?x8x?x96xf32> {attn.name = "o", attn.dims = ["B", "N"]},
        tensor<?x8x?x?xF32> {attn.name = "weights", attn.dims = ["B", "N", "S"]},
        tensor<?x8x?xF32> {attn.name = "lse", attn.dims = ["B", "N"]}) {
  %o, %weights, %lse = attn.softmax %q, %k, %v
      bias(%bias : tensor<8x?x?xf32>) mask(%mask : tensor<?x1x?x?xi1>)
      lengths(%lengths : tensor<?xi64>) causal sigsoftmax
      : (tensor<?x8x?x64xf32>, tensor<?x2x?x64xf32>, tensor<?x2x?x96xf32>)
      -> tensor<?x8x?x96xf32> weights tensor<?x8x?x?xF32> lse tensor<?x8x?xF32>
  return %o, %weights, %lse : tensor<?x8x?x96xf32>, tensor<?x8x?x?xF32>, tensor<?x8x?xF32>
}
