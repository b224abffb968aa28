// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: mixattn-opt --verify-roundtrip %s -o /dev/null
//
// As structured_sparse, rows of weights divided by their sums.
//
//   o[b,h,i,:] = sum_j W[h,i,j] v[b,h,j,:] / sum_j W[h,i,j]
//   W[h,i,j] = P[h,i,j] + E[h,i,j]
//   P[h,i,i + t - 3] = band[h,i,t], zero elsewhere
//   E[h,i,j] = error_value[e] where error_index[e,:] = (h, i, j), else zero
//
// A row whose sum is 0 gives zeros; weights of both signs can make a sum
// vanish. "An Alternative Formulation of Attention Pooling Function in
// Translation" (Conti 2024), equation 3, as its released code has it.
func.func @structured_normalised(
    %band: tensor<8x?x7xf32> {attn.name = "band", attn.dims = ["N"]},
    %error_index: tensor<?x3xi64> {attn.name = "error_index", attn.dims = ["E"]},
    %error_value: tensor<?xf32> {attn.name = "error_value", attn.dims = ["E"]},
    %v: tensor<?x8x?x64xf32> {attn.name = "v", attn.dims = ["B", "N"]})
    -> (tensor<?x8x?x64xf32> {attn.name = "o", attn.dims = ["B", "N"]}) {
  %o = attn.structured_pool %v band(%band : tensor<8x?x7xf32>)
      error(%error_index, %error_value : tensor<?x3xi64>, tensor<?xf32>)
      row_normalise
      : tensor<?x8x?x64xf32> -> tensor<?x8x?x64xf32>
  return %o : tensor<?x8x?x64xf32>
}
