// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Weights of heads whose scores mix.
func.func @weights_fish(
    %q: tensor<?x2x?x64xf32> {attn.name = "q", attn.dims = ["B", "N"]},
    %k: tensor<?x2x?x64xf32> {attn.name = "k", attn.dims = ["B", "S"]},
    %v: tensor<?x8x?x64xf32> {attn.name = "v", attn.dims = ["B", "S"]},
    %mixer: tensor<2x8xf32> {attn.name = "mixer"})
    -> (tensor<?x8x?x64xf32> {attn.name = "o", attn.dims = ["B", "N"]},
        tensor<?x8x?x?xF32> {attn.name = "weights", attn.dims = ["B", "N", "S"]}) {
  %o, %weights = attn.admixture_heads %q, %k, %v mixer(%mixer : tensor<2x8xf32>)
      : (tensor<?x2x?x64xf32>, tensor<?x2x?x64xf32>, tensor<?x8x?x64xf32>)
      -> tensor<?x8x?x64xf32> weights tensor<?x8x?x?xF32>
  return %o, %weights : tensor<?x8x?x64xf32>, tensor<?x8x?x?xF32>
}
