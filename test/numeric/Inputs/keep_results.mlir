// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Weights outside a band dropped, of those that causal leaves, before heads are
// mixed; logarithms of sums are not affected. Types written F32 stay 32-bit
// when the others are 16-bit.
func.func @keep_results(
    %q: tensor<?x8x?x64xf32> {attn.name = "q", attn.dims = ["B", "N"]},
    %k: tensor<?x8x?x64xf32> {attn.name = "k", attn.dims = ["B", "S"]},
    %v: tensor<?x8x?x64xf32> {attn.name = "v", attn.dims = ["B", "S"]},
    %mixer: tensor<8x8xF32> {attn.name = "mixer"})
    -> (tensor<?x8x?x64xf32> {attn.name = "o", attn.dims = ["B", "N"]},
        tensor<?x8x?x?xF32> {attn.name = "weights", attn.dims = ["B", "N", "S"]},
        tensor<?x8x?xF32> {attn.name = "lse", attn.dims = ["B", "N"]}) {
  %o, %weights, %lse = attn.mix_heads %q, %k, %v
      mixer(%mixer : tensor<8x8xF32>) causal keep <5, 2>
      : (tensor<?x8x?x64xf32>, tensor<?x8x?x64xf32>, tensor<?x8x?x64xf32>)
      -> tensor<?x8x?x64xf32> weights tensor<?x8x?x?xF32> lse tensor<?x8x?xF32>
  return %o, %weights, %lse : tensor<?x8x?x64xf32>, tensor<?x8x?x?xF32>, tensor<?x8x?xF32>
}
