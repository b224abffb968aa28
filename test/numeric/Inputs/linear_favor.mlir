// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Positive random features, as many as 2 x 12, of given directions.
func.func @linear_favor(
    %q: tensor<?x4x?x16xf32> {attn.name = "q", attn.dims = ["B", "N"]},
    %k: tensor<?x4x?x16xf32> {attn.name = "k", attn.dims = ["B", "S"]},
    %v: tensor<?x4x?x16xf32> {attn.name = "v", attn.dims = ["B", "S"]},
    %directions: tensor<16x12xf32> {attn.name = "directions"})
    -> (tensor<?x4x?x16xf32> {attn.name = "o", attn.dims = ["B", "N"]}) {
  %o = attn.linear %q, %k, %v feature_map <favor>
      favor(%directions : tensor<16x12xf32>) causal
      : (tensor<?x4x?x16xf32>, tensor<?x4x?x16xf32>, tensor<?x4x?x16xf32>)
      -> tensor<?x4x?x16xf32>
  return %o : tensor<?x4x?x16xf32>
}
