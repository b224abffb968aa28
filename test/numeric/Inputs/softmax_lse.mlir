// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Logarithms of sums as well as values; some queries see nothing. Types written
// F32 stay 32-bit when the others are 16-bit.
func.func @softmax_lse(
    %q: tensor<?x4x?x64xf32> {attn.name = "q", attn.dims = ["B", "N"]},
    %k: tensor<?x4x?x64xf32> {attn.name = "k", attn.dims = ["B", "S"]},
    %v: tensor<?x4x?x64xf32> {attn.name = "v", attn.dims = ["B", "S"]},
    %lengths: tensor<?xi64> {attn.name = "lengths", attn.dims = ["B"], attn.range = [0, "S"]})
    -> (tensor<?x4x?x64xf32> {attn.name = "o", attn.dims = ["B", "N"]},
        tensor<?x4x?xF32> {attn.name = "lse", attn.dims = ["B", "N"]}) {
  %o, %lse = attn.softmax %q, %k, %v
      lengths(%lengths : tensor<?xi64>) causal
      : (tensor<?x4x?x64xf32>, tensor<?x4x?x64xf32>, tensor<?x4x?x64xf32>)
      -> tensor<?x4x?x64xf32> lse tensor<?x4x?xF32>
  return %o, %lse : tensor<?x4x?x64xf32>, tensor<?x4x?xF32>
}
