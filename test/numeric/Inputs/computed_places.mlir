// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Places of a pool that the graph computes: no entry checks them.
!places = tensor<?x3xi64>
!v = tensor<?x4x?x20xf32>
func.func @computed_places(
    %errors: !places {attn.name = "errors", attn.dims = ["E"]},
    %error_value: tensor<?xf32> {attn.name = "error_value", attn.dims = ["E"]},
    %windows: tensor<?x3xi32> {attn.name = "windows", attn.dims = ["T"]},
    %v: !v {attn.name = "v", attn.dims = ["B", "N"]})
    -> (!v {attn.name = "o", attn.dims = ["B", "N"]}) {
  %index = arith.addi %errors, %errors : !places
  %triples = arith.addi %windows, %windows : tensor<?x3xi32>
  %o = attn.structured_pool %v windows(%triples : tensor<?x3xi32>)
      error(%index, %error_value : !places, tensor<?xf32>) row_normalise
      : !v -> !v
  return %o : !v
}
