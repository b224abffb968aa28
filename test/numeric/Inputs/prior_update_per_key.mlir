// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A prior for each key: the mean over batches and queries alone.
func.func @prior_update_per_key(
    %gamma: tensor<?x4x3x?x?xf32> {attn.name = "gamma", attn.dims = ["B", "N", "S"]})
    -> (tensor<4x3x?xf32> {attn.name = "prior", attn.dims = ["S"]}) {
  %prior = attn.prior_update %gamma per_key
      : tensor<?x4x3x?x?xf32> -> tensor<4x3x?xf32>
  return %prior : tensor<4x3x?xf32>
}
