// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Attentions that attn-fold says as plain ones, one entry a form of a fold.

// Masks of all kinds, heads of all numbers.
func.func @concatenate_keys(
    %q: tensor<2x4x?x8xf32> {attn.dims = ["N"]},
    %k: tensor<2x2x3x?x8xf32> {attn.dims = ["S"]}, %prior: tensor<4x3xf32>,
    %mask: tensor<4x1x?xi1> {attn.dims = ["S"]},
    %n: tensor<2xi64> {attn.range = [0, "S"]},
    %v: tensor<2x1x?x8xf32> {attn.dims = ["S"]})
    -> (tensor<2x4x?x8xf32>, tensor<2x4x?xF32>) {
  %o, %lse = attn.generic
      scores(%q, %k : tensor<2x4x?x8xf32>, tensor<2x2x3x?x8xf32>)
      gaussian variances [4.0, 4.0, 4.0] prior(%prior : tensor<4x3xf32>)
      mask(%mask : tensor<4x1x?xi1>) lengths(%n : tensor<2xi64>) causal
      pool(%v : tensor<2x1x?x8xf32>) -> tensor<2x4x?x8xf32> lse tensor<2x4x?xF32>
  return %o, %lse : tensor<2x4x?x8xf32>, tensor<2x4x?xF32>
}

func.func @concatenate_keys_of_shifts(
    %q: tensor<1x4x?x8xf32> {attn.dims = ["N"]},
    %k: tensor<1x2x?x8xf32> {attn.dims = ["S"]}, %shifts: tensor<2x2x8xf32>,
    %prior: tensor<4x2x?xf32> {attn.dims = ["S"]},
    %v: tensor<1x4x?x8xf32> {attn.dims = ["S"]}) -> tensor<1x4x?x8xf32> {
  %o = attn.generic
      scores(%q, %k : tensor<1x4x?x8xf32>, tensor<1x2x?x8xf32>)
      shifted_by(%shifts : tensor<2x2x8xf32>) variances [4.0, 4.0]
      prior(%prior : tensor<4x2x?xf32>) band <2, 3>
      pool(%v : tensor<1x4x?x8xf32>) -> tensor<1x4x?x8xf32>
  return %o : tensor<1x4x?x8xf32>
}

func.func @concatenate_keys_with_terms(
    %q: tensor<1x2x?x8xf32> {attn.dims = ["N"]},
    %k: tensor<1x2x2x?x8xf32> {attn.dims = ["S"]},
    %row: tensor<1x2x?xf32> {attn.dims = ["N"]},
    %each: tensor<1x2x2x?xf32> {attn.dims = ["S"]},
    %v: tensor<1x2x?x8xf32> {attn.dims = ["S"]}) -> tensor<1x2x?x8xf32> {
  %o = attn.generic
      scores(%q, %k : tensor<1x2x?x8xf32>, tensor<1x2x2x?x8xf32>)
      query_term(%row : tensor<1x2x?xf32>) key_term(%each : tensor<1x2x2x?xf32>)
      scale 1.0 pool(%v : tensor<1x2x?x8xf32>) -> tensor<1x2x?x8xf32>
  return %o : tensor<1x2x?x8xf32>
}

func.func @concatenate_heads(
    %q: tensor<1x3x?x8xf32> {attn.dims = ["N"]},
    %k: tensor<1x3x?x8xf32> {attn.dims = ["S"]}, %m: tensor<3x4xf32>,
    %bias: tensor<4x1x?xf32> {attn.dims = ["S"]},
    %v: tensor<1x2x?x8xf32> {attn.dims = ["S"]}) -> tensor<1x4x?x8xf32> {
  %o = attn.generic
      scores(%q, %k : tensor<1x3x?x8xf32>, tensor<1x3x?x8xf32>)
      premix(%m : tensor<3x4xf32>) bias(%bias : tensor<4x1x?xf32>) causal
      sigsoftmax pool(%v : tensor<1x2x?x8xf32>) -> tensor<1x4x?x8xf32>
  return %o : tensor<1x4x?x8xf32>
}

func.func @concatenate_heads_of_one_column(
    %q: tensor<1x3x?x8xf32> {attn.dims = ["N"]},
    %k: tensor<1x3x?x8xf32> {attn.dims = ["S"]}, %p: tensor<3xf32>,
    %v: tensor<1x2x?x8xf32> {attn.dims = ["S"]}) -> tensor<1x2x?x8xf32> {
  %o = attn.generic
      scores(%q, %k : tensor<1x3x?x8xf32>, tensor<1x3x?x8xf32>)
      variances [5.0] premix(%p : tensor<3xf32>) scale 0.5 scale_before
      pool(%v : tensor<1x2x?x8xf32>) -> tensor<1x2x?x8xf32>
  return %o : tensor<1x2x?x8xf32>
}

func.func @concatenate_values(
    %q: tensor<1x4x?x8xf32> {attn.dims = ["N"]},
    %k: tensor<1x4x?x8xf32> {attn.dims = ["S"]}, %m: tensor<4x4xf32>,
    %v: tensor<1x4x?x8xf32> {attn.dims = ["S"]}) -> tensor<1x4x?x8xf32> {
  %o = attn.generic
      scores(%q, %k : tensor<1x4x?x8xf32>, tensor<1x4x?x8xf32>) causal
      postmix(%m : tensor<4x4xf32>)
      pool(%v : tensor<1x4x?x8xf32>) -> tensor<1x4x?x8xf32>
  return %o : tensor<1x4x?x8xf32>
}
