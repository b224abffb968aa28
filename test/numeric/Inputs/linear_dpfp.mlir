// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Products of rectified features with three rolls of themselves.
func.func @linear_dpfp(
    %q: tensor<?x4x?x20xf32> {attn.name = "q", attn.dims = ["B", "N"]},
    %k: tensor<?x2x?x20xf32> {attn.name = "k", attn.dims = ["B", "S"]},
    %v: tensor<?x2x?x33xf32> {attn.name = "v", attn.dims = ["B", "S"]})
    -> (tensor<?x4x?x33xf32> {attn.name = "o", attn.dims = ["B", "N"]}) {
  %o = attn.linear %q, %k, %v feature_map <dpfp, rolls = 3>
      : (tensor<?x4x?x20xf32>, tensor<?x2x?x20xf32>, tensor<?x2x?x33xf32>)
      -> tensor<?x4x?x33xf32>
  return %o : tensor<?x4x?x33xf32>
}
