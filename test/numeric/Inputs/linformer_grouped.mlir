// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Projected keys of grouped heads, a bias on them, wider values.
// Types written F32 stay 32-bit when the others are 16-bit.
func.func @linformer_grouped(
    %q: tensor<?x8x?x64xf32> {attn.name = "q", attn.dims = ["B", "N"]},
    %k: tensor<?x2x?x64xf32> {attn.name = "k", attn.dims = ["B", "S"]},
    %v: tensor<?x4x?x96xf32> {attn.name = "v", attn.dims = ["B", "S"]},
    %e: tensor<24x?xF32> {attn.name = "e", attn.dims = ["S"]},
    %f: tensor<24x?xf32> {attn.name = "f", attn.dims = ["S"]},
    %bias: tensor<8x?x24xf32> {attn.name = "bias", attn.dims = ["N"]})
    -> (tensor<?x8x?x96xf32> {attn.name = "o", attn.dims = ["B", "N"]}) {
  %o = attn.softmax %q, %k, %v
      projected_by(%e, %f : tensor<24x?xF32>, tensor<24x?xf32>)
      bias(%bias : tensor<8x?x24xf32>)
      : (tensor<?x8x?x64xf32>, tensor<?x2x?x64xf32>, tensor<?x4x?x96xf32>)
      -> tensor<?x8x?x96xf32>
  return %o : tensor<?x8x?x96xf32>
}
