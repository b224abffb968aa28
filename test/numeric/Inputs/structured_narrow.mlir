// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A band that is less wide than rows are computed at once.
func.func @structured_narrow(
    %band: tensor<3x?x3xf32> {attn.name = "band", attn.dims = ["N"]},
    %v: tensor<?x3x?x8xf32> {attn.name = "v", attn.dims = ["B", "N"]})
    -> (tensor<?x3x?x8xf32> {attn.name = "o", attn.dims = ["B", "N"]}) {
  %o = attn.structured_pool %v band(%band : tensor<3x?x3xf32>) row_normalise
      : tensor<?x3x?x8xf32> -> tensor<?x3x?x8xf32>
  return %o : tensor<?x3x?x8xf32>
}
