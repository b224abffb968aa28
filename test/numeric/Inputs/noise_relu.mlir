// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Noise of output heads inside the rectifier of each term; the scale comes
// before it.
func.func @noise_relu(
    %q: tensor<?x4x?x64xf32> {attn.name = "q", attn.dims = ["B", "N"]},
    %k: tensor<?x2x?x64xf32> {attn.name = "k", attn.dims = ["B", "S"]},
    %v: tensor<?x3x?x40xf32> {attn.name = "v", attn.dims = ["B", "S"]},
    %mixer: tensor<4x6xf32> {attn.name = "mixer"},
    %sigma: tensor<4xf32> {attn.name = "sigma"},
    %noise: tensor<?x6x?x?xf32> {attn.name = "noise", attn.dims = ["B", "N", "S"]},
    %lengths: tensor<?xi64> {attn.name = "lengths", attn.dims = ["B"], attn.range = [0, "S"]})
    -> (tensor<?x6x?x40xf32> {attn.name = "o", attn.dims = ["B", "N"]}) {
  %o = attn.admixture_heads %q, %k, %v
      mixer(%mixer : tensor<4x6xf32>) relu_per_key
      noise <local> sigma(%sigma : tensor<4xf32>) drawn(%noise : tensor<?x6x?x?xf32>)
      scale_before lengths(%lengths : tensor<?xi64>)
      : (tensor<?x4x?x64xf32>, tensor<?x2x?x64xf32>, tensor<?x3x?x40xf32>)
      -> tensor<?x6x?x40xf32>
  return %o : tensor<?x6x?x40xf32>
}
