// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Three keys per position, of grouped heads, weighed by position: some have no
// weight. Types written F32 stay 32-bit when the others are 16-bit.
func.func @mlk_everything(
    %q: tensor<?x8x?x40xf32> {attn.name = "q", attn.dims = ["B", "N"]},
    %keys: tensor<?x4x3x?x40xf32> {attn.name = "keys", attn.dims = ["B", "S"]},
    %v: tensor<?x2x?x24xf32> {attn.name = "v", attn.dims = ["B", "S"]},
    %prior: tensor<4x3x?xF32> {attn.name = "prior", attn.dims = ["S"]},
    %lengths: tensor<?xi64> {attn.name = "lengths", attn.dims = ["B"], attn.range = [0, "S"]})
    -> (tensor<?x8x?x24xf32> {attn.name = "o", attn.dims = ["B", "N"]}) {
  %o = attn.linear_mixture_of_keys %q, %keys, %v
      prior(%prior : tensor<4x3x?xF32>) feature_map <normalized_elu>
      lengths(%lengths : tensor<?xi64>) causal eps 0.25 output_scale 2.0
      : (tensor<?x8x?x40xf32>, tensor<?x4x3x?x40xf32>, tensor<?x2x?x24xf32>)
      -> tensor<?x8x?x24xf32>
  return %o : tensor<?x8x?x24xf32>
}
