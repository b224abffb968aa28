// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: mixattn-opt --verify-roundtrip %s -o /dev/null
//
// Each position keeps its value, but in a window all read one rare token.
//
//   o[b,h,i,:] = v[b,h,column[t],:] where first[t] <= i < first[t] + length[t]
//                v[b,h,i,:] elsewhere
//   triples[t,:] = (column[t], first[t], length[t])
//
// Windows do not overlap. "An Alternative Formulation of Attention Pooling
// Function in Translation" (Conti 2024), equation 3, set Sigma3 of section 2.2.
func.func @rare_tokens(
    %triples: tensor<?x3xi64> {attn.name = "triples", attn.dims = ["T"]},
    %v: tensor<?x8x?x64xf32> {attn.name = "v", attn.dims = ["B", "N"]})
    -> (tensor<?x8x?x64xf32> {attn.name = "o", attn.dims = ["B", "N"]}) {
  %o = attn.structured_pool %v windows(%triples : tensor<?x3xi64>)
      : tensor<?x8x?x64xf32> -> tensor<?x8x?x64xf32>
  return %o : tensor<?x8x?x64xf32>
}
