// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: mixattn-opt --verify-roundtrip %s -o /dev/null
//
// A prior from responsibilities: the maximisation step of soft mixtures.
//
//   prior[h,r] = mean over b, i and j of gamma[b,h,r,i,j]
//
// "Improving Transformers with Probabilistic Attention Keys" (Nguyen et al.
// 2022), Soft-E of section 2.3, one prior for all keys; its released code
// averages over the batch, too.
func.func @prior_update(
    %gamma: tensor<?x4x2x?x?xf32> {attn.name = "gamma", attn.dims = ["B", "N", "S"]})
    -> (tensor<4x2xf32> {attn.name = "prior"}) {
  %prior = attn.prior_update %gamma
      : tensor<?x4x2x?x?xf32> -> tensor<4x2xf32>
  return %prior : tensor<4x2xf32>
}
