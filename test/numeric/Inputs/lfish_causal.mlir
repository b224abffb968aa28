// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Mixed sums of two key heads that share their values, padded and causal.
// Types written F32 stay 32-bit when the others are 16-bit.
func.func @lfish_causal(
    %q: tensor<?x8x?x64xf32> {attn.name = "q", attn.dims = ["B", "N"]},
    %k: tensor<?x2x?x64xf32> {attn.name = "k", attn.dims = ["B", "S"]},
    %v: tensor<?x1x?x40xf32> {attn.name = "v", attn.dims = ["B", "S"]},
    %mixer: tensor<2x8xF32> {attn.name = "mixer"},
    %lengths: tensor<?xi64> {attn.name = "lengths", attn.dims = ["B"], attn.range = [0, "S"]})
    -> (tensor<?x8x?x40xf32> {attn.name = "o", attn.dims = ["B", "N"]}) {
  %o = attn.linear_admixture_heads %q, %k, %v
      mixer(%mixer : tensor<2x8xF32>) feature_map <elu>
      lengths(%lengths : tensor<?xi64>) causal eps 0.25
      : (tensor<?x8x?x64xf32>, tensor<?x2x?x64xf32>, tensor<?x1x?x40xf32>)
      -> tensor<?x8x?x40xf32>
  return %o : tensor<?x8x?x40xf32>
}
