// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// One attention without noise, with noise from Philox, and with noise that lies
// in memory.

func.func @without(
    %q: tensor<1x1x?x8xf32> {attn.name = "q", attn.dims = ["N"]},
    %p: tensor<1x1xf32> {attn.name = "p"})
    -> (tensor<1x1x?x8xf32> {attn.name = "o", attn.dims = ["N"]}) {
  %o = attn.admixture_heads %q, %q, %q mixer(%p : tensor<1x1xf32>)
      : (tensor<1x1x?x8xf32>, tensor<1x1x?x8xf32>, tensor<1x1x?x8xf32>)
      -> tensor<1x1x?x8xf32>
  return %o : tensor<1x1x?x8xf32>
}

func.func @philox(
    %q: tensor<1x1x?x8xf32> {attn.name = "q", attn.dims = ["N"]},
    %p: tensor<1x1xf32> {attn.name = "p"},
    %sigma: tensor<1xf32> {attn.name = "sigma"},
    %seed: tensor<i64> {attn.name = "seed"},
    %offset: tensor<i64> {attn.name = "offset"})
    -> (tensor<1x1x?x8xf32> {attn.name = "o", attn.dims = ["N"]}) {
  %o = attn.admixture_heads %q, %q, %q mixer(%p : tensor<1x1xf32>)
      noise <local> sigma(%sigma : tensor<1xf32>)
      philox(%seed, %offset : tensor<i64>, tensor<i64>)
      : (tensor<1x1x?x8xf32>, tensor<1x1x?x8xf32>, tensor<1x1x?x8xf32>)
      -> tensor<1x1x?x8xf32>
  return %o : tensor<1x1x?x8xf32>
}

func.func @drawn(
    %q: tensor<1x1x?x8xf32> {attn.name = "q", attn.dims = ["N"]},
    %p: tensor<1x1xf32> {attn.name = "p"},
    %sigma: tensor<1xf32> {attn.name = "sigma"},
    %noise: tensor<1x1x?x?xf32> {attn.name = "noise", attn.dims = ["N", "N"]})
    -> (tensor<1x1x?x8xf32> {attn.name = "o", attn.dims = ["N"]}) {
  %o = attn.admixture_heads %q, %q, %q mixer(%p : tensor<1x1xf32>)
      noise <local> sigma(%sigma : tensor<1xf32>)
      drawn(%noise : tensor<1x1x?x?xf32>)
      : (tensor<1x1x?x8xf32>, tensor<1x1x?x8xf32>, tensor<1x1x?x8xf32>)
      -> tensor<1x1x?x8xf32>
  return %o : tensor<1x1x?x8xf32>
}
