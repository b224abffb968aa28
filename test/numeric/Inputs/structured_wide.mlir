// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A band of width 20, and more features than sums of one row in registers.
func.func @structured_wide(
    %band: tensor<4x?x41xf32> {attn.name = "band", attn.dims = ["N"]},
    %error_index: tensor<?x3xi64> {attn.name = "error_index", attn.dims = ["E"]},
    %error_value: tensor<?xf32> {attn.name = "error_value", attn.dims = ["E"]},
    %v: tensor<?x2x?x100xf32> {attn.name = "v", attn.dims = ["B", "N"]})
    -> (tensor<?x4x?x100xf32> {attn.name = "o", attn.dims = ["B", "N"]}) {
  %o = attn.structured_pool %v band(%band : tensor<4x?x41xf32>)
      error(%error_index, %error_value : tensor<?x3xi64>, tensor<?xf32>)
      : tensor<?x2x?x100xf32> -> tensor<?x4x?x100xf32>
  return %o : tensor<?x4x?x100xf32>
}
