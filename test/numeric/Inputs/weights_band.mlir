// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Weights alone of those that attend to a few places: most keys are seen by no query
// of a tile.
func.func @weights_band(
    %q: tensor<?x4x?x64xf32> {attn.name = "q", attn.dims = ["B", "N"]},
    %k: tensor<?x2x?x64xf32> {attn.name = "k", attn.dims = ["B", "S"]},
    %v: tensor<?x2x?x48xf32> {attn.name = "v", attn.dims = ["B", "S"]})
    -> (tensor<?x4x?x48xf32> {attn.name = "o", attn.dims = ["B", "N"]},
        tensor<?x4x?x?xF32> {attn.name = "weights", attn.dims = ["B", "N", "S"]}) {
  %o, %weights = attn.softmax %q, %k, %v band <5, 3>
      : (tensor<?x4x?x64xf32>, tensor<?x2x?x64xf32>, tensor<?x2x?x48xf32>)
      -> tensor<?x4x?x48xf32> weights tensor<?x4x?x?xF32>
  return %o, %weights : tensor<?x4x?x48xf32>, tensor<?x4x?x?xF32>
}
