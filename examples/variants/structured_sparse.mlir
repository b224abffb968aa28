// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: mixattn-opt --verify-roundtrip %s -o /dev/null
//
// Weights that are parameters: a band and a sparse error.
//
//   o[b,h,i,:] = sum_j (P[h,i,j] + E[h,i,j]) v[b,h,j,:]
//   P[h,i,i + t - 3] = band[h,i,t], zero elsewhere
//   E[h,i,j] = error_value[e] where error_index[e,:] = (h, i, j), else zero
//
// Rows of error_index increase strictly. "An Alternative Formulation of
// Attention Pooling Function in Translation" (Conti 2024), equation 3.
func.func @structured_sparse(
    %band: tensor<8x?x7xf32> {attn.name = "band", attn.dims = ["N"]},
    %error_index: tensor<?x3xi64> {attn.name = "error_index", attn.dims = ["E"]},
    %error_value: tensor<?xf32> {attn.name = "error_value", attn.dims = ["E"]},
    %v: tensor<?x8x?x64xf32> {attn.name = "v", attn.dims = ["B", "N"]})
    -> (tensor<?x8x?x64xf32> {attn.name = "o", attn.dims = ["B", "N"]}) {
  %o = attn.structured_pool %v band(%band : tensor<8x?x7xf32>)
      error(%error_index, %error_value : tensor<?x3xi64>, tensor<?xf32>)
      : tensor<?x8x?x64xf32> -> tensor<?x8x?x64xf32>
  return %o : tensor<?x8x?x64xf32>
}
