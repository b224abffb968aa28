// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Grouped heads, wider values and padding under linear attention; a denominator
// with eps, a scaled result.
func.func @linear_padded(
    %q: tensor<?x8x?x64xf32> {attn.name = "q", attn.dims = ["B", "N"]},
    %k: tensor<?x4x?x64xf32> {attn.name = "k", attn.dims = ["B", "S"]},
    %v: tensor<?x2x?x96xf32> {attn.name = "v", attn.dims = ["B", "S"]},
    %lengths: tensor<?xi64> {attn.name = "lengths", attn.dims = ["B"], attn.range = [0, "S"]})
    -> (tensor<?x8x?x96xf32> {attn.name = "o", attn.dims = ["B", "N"]}) {
  %o = attn.linear %q, %k, %v feature_map <normalized_elu>
      lengths(%lengths : tensor<?xi64>) eps 0.5 output_scale 0.125
      : (tensor<?x8x?x64xf32>, tensor<?x4x?x64xf32>, tensor<?x2x?x96xf32>)
      -> tensor<?x8x?x96xf32>
  return %o : tensor<?x8x?x96xf32>
}
