// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Each query chooses its mixer of weights, which are a sigsoftmax over a band.
func.func @mixhead_band(
    %q: tensor<?x4x?x64xf32> {attn.name = "q", attn.dims = ["B", "N"]},
    %k: tensor<?x4x?x64xf32> {attn.name = "k", attn.dims = ["B", "S"]},
    %v: tensor<?x4x?x64xf32> {attn.name = "v", attn.dims = ["B", "S"]},
    %w: tensor<64x4xf32> {attn.name = "w"},
    %b: tensor<4x4xf32> {attn.name = "b"})
    -> (tensor<?x4x?x64xf32> {attn.name = "o", attn.dims = ["B", "N"]}) {
  %o = attn.mix_heads %q, %k, %v
      mixer_by_row(%q, %w, %b : tensor<?x4x?x64xf32>, tensor<64x4xf32>, tensor<4x4xf32>)
      band <9, 2> sigsoftmax
      : (tensor<?x4x?x64xf32>, tensor<?x4x?x64xf32>, tensor<?x4x?x64xf32>)
      -> tensor<?x4x?x64xf32>
  return %o : tensor<?x4x?x64xf32>
}
