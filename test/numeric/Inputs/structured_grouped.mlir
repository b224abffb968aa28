// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A band of width 2 and errors of six heads on values of two, rows divided by
// their sums. Types written F32 stay 32-bit when the others are 16-bit.
func.func @structured_grouped(
    %band: tensor<6x?x5xF32> {attn.name = "band", attn.dims = ["N"]},
    %error_index: tensor<?x3xi64> {attn.name = "error_index", attn.dims = ["E"]},
    %error_value: tensor<?xF32> {attn.name = "error_value", attn.dims = ["E"]},
    %v: tensor<?x2x?x40xf32> {attn.name = "v", attn.dims = ["B", "N"]})
    -> (tensor<?x6x?x40xf32> {attn.name = "o", attn.dims = ["B", "N"]}) {
  %o = attn.structured_pool %v band(%band : tensor<6x?x5xF32>)
      error(%error_index, %error_value : tensor<?x3xi64>, tensor<?xF32>)
      row_normalise
      : tensor<?x2x?x40xf32> -> tensor<?x6x?x40xf32>
  return %o : tensor<?x6x?x40xf32>
}
