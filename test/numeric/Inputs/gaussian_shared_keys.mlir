// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// One key for two components, which variances and terms of queries tell apart.
func.func @gaussian_shared_keys(
    %q: tensor<?x4x?x64xf32> {attn.name = "q", attn.dims = ["B", "N"]},
    %k: tensor<?x2x?x64xf32> {attn.name = "k", attn.dims = ["B", "S"]},
    %v: tensor<?x2x?x40xf32> {attn.name = "v", attn.dims = ["B", "S"]},
    %term: tensor<?x4x2x?xf32> {attn.name = "term", attn.dims = ["B", "N"]})
    -> (tensor<?x4x?x40xf32> {attn.name = "o", attn.dims = ["B", "N"]}) {
  %o = attn.generic
      scores(%q, %k : tensor<?x4x?x64xf32>, tensor<?x2x?x64xf32>)
      gaussian variances [8.0, 24.0]
      query_term(%term : tensor<?x4x2x?xf32>)
      pool(%v : tensor<?x2x?x40xf32>)
      -> tensor<?x4x?x40xf32>
  return %o : tensor<?x4x?x40xf32>
}
