// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// One head of causal linear attention, its components mixed on the way.

func.func @linear_memory(
    %q: tensor<1x1x?x64xf32> {attn.name = "q", attn.dims = ["N"]},
    %k: tensor<1x1x?x64xf32> {attn.name = "k", attn.dims = ["N"]},
    %shifts: tensor<1x2x64xf32> {attn.name = "shifts"},
    %v: tensor<1x1x?x64xf32> {attn.name = "v", attn.dims = ["N"]})
    -> (tensor<1x1x?x64xf32> {attn.name = "o", attn.dims = ["N"]}) {
  %o = attn.linear_mixture_of_keys %q, %k, %v
      shifted_by(%shifts : tensor<1x2x64xf32>) feature_map <elu> causal
      : (tensor<1x1x?x64xf32>, tensor<1x1x?x64xf32>, tensor<1x1x?x64xf32>)
      -> tensor<1x1x?x64xf32>
  return %o : tensor<1x1x?x64xf32>
}
