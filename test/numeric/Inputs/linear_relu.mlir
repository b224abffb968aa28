// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Four rectified features: some queries have none, or meet no key that has the
// same, and their denominator is 0.
func.func @linear_relu(
    %q: tensor<?x8x?x4xf32> {attn.name = "q", attn.dims = ["B", "N"]},
    %k: tensor<?x8x?x4xf32> {attn.name = "k", attn.dims = ["B", "S"]},
    %v: tensor<?x8x?x16xf32> {attn.name = "v", attn.dims = ["B", "S"]})
    -> (tensor<?x8x?x16xf32> {attn.name = "o", attn.dims = ["B", "N"]}) {
  %o = attn.linear %q, %k, %v feature_map <relu> causal
      : (tensor<?x8x?x4xf32>, tensor<?x8x?x4xf32>, tensor<?x8x?x16xf32>)
      -> tensor<?x8x?x16xf32>
  return %o : tensor<?x8x?x16xf32>
}
