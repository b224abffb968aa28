// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The identity and a sparse error.
func.func @structured_error(
    %error_index: tensor<?x3xi64> {attn.name = "error_index", attn.dims = ["E"]},
    %error_value: tensor<?xf32> {attn.name = "error_value", attn.dims = ["E"]},
    %v: tensor<?x6x?x40xf32> {attn.name = "v", attn.dims = ["B", "N"]})
    -> (tensor<?x6x?x40xf32> {attn.name = "o", attn.dims = ["B", "N"]}) {
  %o = attn.structured_pool %v
      error(%error_index, %error_value : tensor<?x3xi64>, tensor<?xf32>)
      : tensor<?x6x?x40xf32> -> tensor<?x6x?x40xf32>
  return %o : tensor<?x6x?x40xf32>
}
