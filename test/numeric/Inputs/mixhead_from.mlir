// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A band and weights that are kept, both around the place that a start gives.
func.func @mixhead_from(
    %q: tensor<?x8x?x64xf32> {attn.name = "q", attn.dims = ["B", "N"]},
    %k: tensor<?x8x?x64xf32> {attn.name = "k", attn.dims = ["B", "S"]},
    %v: tensor<?x8x?x64xf32> {attn.name = "v", attn.dims = ["B", "S"]},
    %start: tensor<?xi64> {attn.name = "start", attn.dims = ["B"]},
    %mixer: tensor<8x8xF32> {attn.name = "mixer"})
    -> (tensor<?x8x?x64xf32> {attn.name = "o", attn.dims = ["B", "N"]}) {
  %o = attn.mix_heads %q, %k, %v mixer(%mixer : tensor<8x8xF32>)
      band <70, 6> from(%start : tensor<?xi64>) keep <9, 4>
      : (tensor<?x8x?x64xf32>, tensor<?x8x?x64xf32>, tensor<?x8x?x64xf32>)
      -> tensor<?x8x?x64xf32>
  return %o : tensor<?x8x?x64xf32>
}
