// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: mixattn-opt --verify-roundtrip %s -o /dev/null
//
// Weights that are parameters: a band of width 3 around the diagonal.
//
//   o[b,h,i,:] = sum over t in 0..6 of band[h,i,t] v[b,h,i + t - 3,:]
//
// Terms outside the sequence are left out. No query and no key takes part,
// and nothing is normalised. "An Alternative Formulation of Attention Pooling
// Function in Translation" (Conti 2024), equation 3, set Sigma2(3) without what
// it drops.
func.func @structured_band(
    %band: tensor<8x?x7xf32> {attn.name = "band", attn.dims = ["N"]},
    %v: tensor<?x8x?x64xf32> {attn.name = "v", attn.dims = ["B", "N"]})
    -> (tensor<?x8x?x64xf32> {attn.name = "o", attn.dims = ["B", "N"]}) {
  %o = attn.structured_pool %v band(%band : tensor<8x?x7xf32>)
      : tensor<?x8x?x64xf32> -> tensor<?x8x?x64xf32>
  return %o : tensor<?x8x?x64xf32>
}
