// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Windows of rare tokens and a sparse error, rows divided by their sums.
func.func @structured_windows(
    %triples: tensor<?x3xi64> {attn.name = "triples", attn.dims = ["T"]},
    %error_index: tensor<?x3xi64> {attn.name = "error_index", attn.dims = ["E"]},
    %error_value: tensor<?xf32> {attn.name = "error_value", attn.dims = ["E"]},
    %v: tensor<?x3x?x40xf32> {attn.name = "v", attn.dims = ["B", "N"]})
    -> (tensor<?x3x?x40xf32> {attn.name = "o", attn.dims = ["B", "N"]}) {
  %o = attn.structured_pool %v windows(%triples : tensor<?x3xi64>)
      error(%error_index, %error_value : tensor<?x3xi64>, tensor<?xf32>)
      row_normalise
      : tensor<?x3x?x40xf32> -> tensor<?x3x?x40xf32>
  return %o : tensor<?x3x?x40xf32>
}
