// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Attentions that attn-simplify rewrites, one entry a rule.

// A one-hot mixer of scores: query heads 1, 0, 3, 3, 3, 2.
func.func @select_heads(
    %q: tensor<1x4x?x8xf32> {attn.dims = ["N"]},
    %k: tensor<1x2x?x8xf32> {attn.dims = ["S"]},
    %v: tensor<1x6x?x8xf32> {attn.dims = ["S"]}) -> tensor<1x6x?x8xf32> {
  %m = arith.constant dense<[[0.0, 1.0, 0.0, 0.0, 0.0, 0.0],
                             [1.0, 0.0, 0.0, 0.0, 0.0, 0.0],
                             [0.0, 0.0, 0.0, 0.0, 0.0, 1.0],
                             [0.0, 0.0, 1.0, 1.0, 1.0, 0.0]]> : tensor<4x6xf32>
  %o = attn.generic
      scores(%q, %k : tensor<1x4x?x8xf32>, tensor<1x2x?x8xf32>)
      premix(%m : tensor<4x6xf32>) scale 0.5
      pool(%v : tensor<1x6x?x8xf32>) -> tensor<1x6x?x8xf32>
  return %o : tensor<1x6x?x8xf32>
}

// Rows 1 and 3 of the mixer are zero.
func.func @prune_heads(
    %q: tensor<1x4x?x8xf32> {attn.dims = ["N"]},
    %k: tensor<1x4x2x?x8xf32> {attn.dims = ["S"]}, %prior: tensor<4x2xf32>,
    %v: tensor<1x6x?x8xf32> {attn.dims = ["S"]}) -> tensor<1x6x?x8xf32> {
  %m = arith.constant dense<[[0.5, 1.0, 0.1, 0.0, 0.0, 0.0],
                             [0.0, 0.0, 0.0, 0.0, 0.0, 0.0],
                             [0.0, 0.0, 0.0, 0.0, 0.3, 1.0],
                             [0.0, 0.0, 0.0, 0.0, 0.0, 0.0]]> : tensor<4x6xf32>
  %o = attn.generic
      scores(%q, %k : tensor<1x4x?x8xf32>, tensor<1x4x2x?x8xf32>)
      gaussian variances [8.0, 4.0] prior(%prior : tensor<4x2xf32>)
      premix(%m : tensor<4x6xf32>) finite
      pool(%v : tensor<1x6x?x8xf32>) -> tensor<1x6x?x8xf32>
  return %o : tensor<1x6x?x8xf32>
}

func.func @drop_single_component(
    %q: tensor<1x4x?x8xf32> {attn.dims = ["N"]},
    %k: tensor<1x4x1x?x8xf32> {attn.dims = ["S"]}, %prior: tensor<4x1xf32>,
    %v: tensor<1x4x?x8xf32> {attn.dims = ["S"]}) -> tensor<1x4x?x8xf32> {
  %o = attn.generic
      scores(%q, %k : tensor<1x4x?x8xf32>, tensor<1x4x1x?x8xf32>)
      variances [2.0] prior(%prior : tensor<4x1xf32>) finite
      pool(%v : tensor<1x4x?x8xf32>) -> tensor<1x4x?x8xf32>
  return %o : tensor<1x4x?x8xf32>
}

// Grouped heads, under a score_mod that only adds: no square of queries.
func.func @make_terms(
    %q: tensor<1x4x?x8xf32> {attn.dims = ["N"]},
    %k: tensor<1x2x3x?x8xf32> {attn.dims = ["S"]},
    %v: tensor<1x2x?x8xf32> {attn.dims = ["S"]}) -> tensor<1x4x?x8xf32> {
  %o = attn.generic
      scores(%q, %k : tensor<1x4x?x8xf32>, tensor<1x2x3x?x8xf32>)
      gaussian variances [4.0, 4.0, 4.0] score_mod {
      ^bb0(%s: f32, %b: index, %h: index, %i: index, %j: index):
        %place = arith.index_cast %j : index to i32
        %far = arith.sitofp %place : i32 to f32
        %moved = arith.subf %s, %far : f32
        attn.yield %moved : f32
      }
      pool(%v : tensor<1x2x?x8xf32>) -> tensor<1x4x?x8xf32>
  return %o : tensor<1x4x?x8xf32>
}

// Shifts of groups of heads.
func.func @make_terms_of_shifts(
    %q: tensor<1x4x?x8xf32> {attn.dims = ["N"]},
    %k: tensor<1x2x?x8xf32> {attn.dims = ["S"]}, %shifts: tensor<2x3x8xf32>,
    %prior: tensor<4x3xf32>,
    %v: tensor<1x4x?x8xf32> {attn.dims = ["S"]}) -> tensor<1x4x?x8xf32> {
  %o = attn.generic
      scores(%q, %k : tensor<1x4x?x8xf32>, tensor<1x2x?x8xf32>)
      shifted_by(%shifts : tensor<2x3x8xf32>)
      gaussian variances [4.0, 4.0, 4.0] prior(%prior : tensor<4x3xf32>) causal
      pool(%v : tensor<1x4x?x8xf32>) -> tensor<1x4x?x8xf32>
  return %o : tensor<1x4x?x8xf32>
}

// Products need no condition: a soft cap may follow.
func.func @make_terms_of_shifted_products(
    %q: tensor<1x2x?x8xf32> {attn.dims = ["N"]},
    %k: tensor<1x2x?x8xf32> {attn.dims = ["S"]}, %shifts: tensor<2x2x8xf32>,
    %v: tensor<1x2x?x8xf32> {attn.dims = ["S"]}) -> tensor<1x2x?x8xf32> {
  %o = attn.generic
      scores(%q, %k : tensor<1x2x?x8xf32>, tensor<1x2x?x8xf32>)
      shifted_by(%shifts : tensor<2x2x8xf32>) variances [4.0, 4.0] maximum
      score_mod {
      ^bb0(%s: f32, %b: index, %h: index, %i: index, %j: index):
        %t = math.tanh %s : f32
        attn.yield %t : f32
      }
      pool(%v : tensor<1x2x?x8xf32>) -> tensor<1x2x?x8xf32>
  return %o : tensor<1x2x?x8xf32>
}

// Different variances: queries have their squares, too, and the prior goes to
// the keys.
func.func @make_terms_of_variances(
    %q: tensor<1x4x?x8xf32> {attn.dims = ["N"]},
    %k: tensor<1x4x2x?x8xf32> {attn.dims = ["S"]}, %prior: tensor<4x2xf32>,
    %v: tensor<1x4x?x8xf32> {attn.dims = ["S"]}) -> tensor<1x4x?x8xf32> {
  %o = attn.generic
      scores(%q, %k : tensor<1x4x?x8xf32>, tensor<1x4x2x?x8xf32>)
      gaussian variances [4.0, 9.0] prior(%prior : tensor<4x2xf32>)
      pool(%v : tensor<1x4x?x8xf32>) -> tensor<1x4x?x8xf32>
  return %o : tensor<1x4x?x8xf32>
}

// Different variances of shifted Gaussians, and the logarithm of the sum.
func.func @make_terms_of_shifts_and_variances(
    %q: tensor<1x4x?x8xf32> {attn.dims = ["N"]},
    %k: tensor<1x2x?x8xf32> {attn.dims = ["S"]}, %shifts: tensor<2x2x8xf32>,
    %v: tensor<1x4x?x8xf32> {attn.dims = ["S"]})
    -> (tensor<1x4x?x8xf32>, tensor<1x4x?xF32>) {
  %o, %lse = attn.generic
      scores(%q, %k : tensor<1x4x?x8xf32>, tensor<1x2x?x8xf32>)
      shifted_by(%shifts : tensor<2x2x8xf32>)
      gaussian variances [4.0, 9.0] scale 0.5
      pool(%v : tensor<1x4x?x8xf32>) -> tensor<1x4x?x8xf32> lse tensor<1x4x?xF32>
  return %o, %lse : tensor<1x4x?x8xf32>, tensor<1x4x?xF32>
}

// Shifted products of different variances.
func.func @make_terms_of_products_and_variances(
    %q: tensor<1x4x?x8xf32> {attn.dims = ["N"]},
    %k: tensor<1x2x?x8xf32> {attn.dims = ["S"]}, %shifts: tensor<2x2x8xf32>,
    %v: tensor<1x4x?x8xf32> {attn.dims = ["S"]}) -> tensor<1x4x?x8xf32> {
  %o = attn.generic
      scores(%q, %k : tensor<1x4x?x8xf32>, tensor<1x2x?x8xf32>)
      shifted_by(%shifts : tensor<2x2x8xf32>) variances [4.0, 9.0]
      pool(%v : tensor<1x4x?x8xf32>) -> tensor<1x4x?x8xf32>
  return %o : tensor<1x4x?x8xf32>
}

// A logsumexp, and a score_mod that does more than add, see the squares.
func.func @make_terms_that_lse_sees(
    %q: tensor<1x4x?x8xf32> {attn.dims = ["N"]},
    %k: tensor<1x2x?x8xf32> {attn.dims = ["S"]},
    %v: tensor<1x4x?x8xf32> {attn.dims = ["S"]})
    -> (tensor<1x4x?x8xf32>, tensor<1x4x?xF32>) {
  %o, %lse = attn.generic
      scores(%q, %k : tensor<1x4x?x8xf32>, tensor<1x2x?x8xf32>)
      gaussian variances [4.0] causal
      pool(%v : tensor<1x4x?x8xf32>) -> tensor<1x4x?x8xf32> lse tensor<1x4x?xF32>
  return %o, %lse : tensor<1x4x?x8xf32>, tensor<1x4x?xF32>
}

func.func @make_terms_that_a_cap_sees(
    %q: tensor<1x2x?x8xf32> {attn.dims = ["N"]},
    %k: tensor<1x2x?x8xf32> {attn.dims = ["S"]},
    %v: tensor<1x2x?x8xf32> {attn.dims = ["S"]}) -> tensor<1x2x?x8xf32> {
  %o = attn.generic
      scores(%q, %k : tensor<1x2x?x8xf32>, tensor<1x2x?x8xf32>) gaussian
      score_mod {
      ^bb0(%s: f32, %b: index, %h: index, %i: index, %j: index):
        %t = math.tanh %s : f32
        attn.yield %t : f32
      }
      pool(%v : tensor<1x2x?x8xf32>) -> tensor<1x2x?x8xf32>
  return %o : tensor<1x2x?x8xf32>
}

// Terms that are there: one for each component, and one that all share.
func.func @make_terms_of_terms(
    %q: tensor<1x2x?x8xf32> {attn.dims = ["N"]},
    %k: tensor<1x2x3x?x8xf32> {attn.dims = ["S"]},
    %of_q: tensor<1x2x3x?xf32> {attn.dims = ["N"]},
    %of_k: tensor<1x2x?xf32> {attn.dims = ["S"]},
    %v: tensor<1x2x?x8xf32> {attn.dims = ["S"]}) -> tensor<1x2x?x8xf32> {
  %o = attn.generic
      scores(%q, %k : tensor<1x2x?x8xf32>, tensor<1x2x3x?x8xf32>)
      gaussian variances [4.0, 9.0, 2.0] query_term(%of_q : tensor<1x2x3x?xf32>)
      key_term(%of_k : tensor<1x2x?xf32>)
      pool(%v : tensor<1x2x?x8xf32>) -> tensor<1x2x?x8xf32>
  return %o : tensor<1x2x?x8xf32>
}

func.func @make_terms_of_a_term_and_shifts(
    %q: tensor<1x4x?x8xf32> {attn.dims = ["N"]},
    %k: tensor<1x2x?x8xf32> {attn.dims = ["S"]}, %shifts: tensor<2x3x8xf32>,
    %of_q: tensor<1x4x?xf32> {attn.dims = ["N"]},
    %of_k: tensor<1x2x3x?xf32> {attn.dims = ["S"]},
    %v: tensor<1x4x?x8xf32> {attn.dims = ["S"]}) -> tensor<1x4x?x8xf32> {
  %o = attn.generic
      scores(%q, %k : tensor<1x4x?x8xf32>, tensor<1x2x?x8xf32>)
      shifted_by(%shifts : tensor<2x3x8xf32>)
      gaussian variances [4.0, 4.0, 4.0] query_term(%of_q : tensor<1x4x?xf32>)
      key_term(%of_k : tensor<1x2x3x?xf32>)
      pool(%v : tensor<1x4x?x8xf32>) -> tensor<1x4x?x8xf32>
  return %o : tensor<1x4x?x8xf32>
}

// Components by a term alone, of one Gaussian.
func.func @make_terms_of_components(
    %q: tensor<1x2x?x8xf32> {attn.dims = ["N"]},
    %k: tensor<1x2x?x8xf32> {attn.dims = ["S"]},
    %of_k: tensor<1x2x3x?xf32> {attn.dims = ["S"]},
    %v: tensor<1x2x?x8xf32> {attn.dims = ["S"]}) -> tensor<1x2x?x8xf32> {
  %o = attn.generic
      scores(%q, %k : tensor<1x2x?x8xf32>, tensor<1x2x?x8xf32>)
      gaussian key_term(%of_k : tensor<1x2x3x?xf32>)
      pool(%v : tensor<1x2x?x8xf32>) -> tensor<1x2x?x8xf32>
  return %o : tensor<1x2x?x8xf32>
}

// Components of linear attention meet before the values do.
func.func @mix_features(
    %q: tensor<2x4x?x8xf32> {attn.dims = ["N"]},
    %k: tensor<2x2x3x?x8xf32> {attn.dims = ["S"]}, %prior: tensor<2x3x?xf32>,
    %n: tensor<2xi64>, %v: tensor<2x1x?x8xf32> {attn.dims = ["S"]})
    -> tensor<2x4x?x8xf32> {
  %o = attn.linear_generic
      features(%q, %k : tensor<2x4x?x8xf32>, tensor<2x2x3x?x8xf32>)
      feature_map <elu> prior(%prior : tensor<2x3x?xf32>)
      lengths(%n : tensor<2xi64>) causal
      pool(%v : tensor<2x1x?x8xf32>) -> tensor<2x4x?x8xf32>
  return %o : tensor<2x4x?x8xf32>
}

// Shifted keys, features with a projection, states that are mixed.
func.func @mix_shifted_features(
    %q: tensor<1x4x?x8xf32> {attn.dims = ["N"]},
    %k: tensor<1x2x?x8xf32> {attn.dims = ["S"]}, %shifts: tensor<2x3x8xf32>,
    %v: tensor<1x2x?x8xf32> {attn.dims = ["S"]}) -> tensor<1x4x?x8xf32> {
  %m = arith.constant dense<[[0.5, 1.0, 0.1, 2.0],
                             [0.5, 0.2, 1.0, 0.1]]> : tensor<2x4xf32>
  %w = arith.constant dense<[[0.1, -0.3], [0.2, 0.2], [0.3, -0.1], [0.4, 0.0],
                             [0.5, 0.1], [0.6, -0.2], [0.7, 0.3], [0.8, 0.4]]>
      : tensor<8x2xf32>
  %o = attn.linear_generic
      features(%q, %k : tensor<1x4x?x8xf32>, tensor<1x2x?x8xf32>)
      shifted_by(%shifts : tensor<2x3x8xf32>)
      feature_map <favor> favor(%w : tensor<8x2xf32>)
      premix(%m : tensor<2x4xf32>)
      pool(%v : tensor<1x2x?x8xf32>) -> tensor<1x4x?x8xf32>
  return %o : tensor<1x4x?x8xf32>
}

// One value head under a mixer of weights.
func.func @mix_outputs(
    %q: tensor<2x4x?x8xf32> {attn.dims = ["N"]},
    %k: tensor<2x4x?x8xf32> {attn.dims = ["S"]},
    %v: tensor<2x1x?x6xf32> {attn.dims = ["S"]}, %m: tensor<4x4xf32>,
    %n: tensor<2xi64> {attn.range = [0, "S"]}) -> tensor<2x4x?x6xf32> {
  %o = attn.generic
      scores(%q, %k : tensor<2x4x?x8xf32>, tensor<2x4x?x8xf32>)
      lengths(%n : tensor<2xi64>) keep <3, 2> postmix(%m : tensor<4x4xf32>)
      pool(%v : tensor<2x1x?x6xf32>) -> tensor<2x4x?x6xf32>
  return %o : tensor<2x4x?x6xf32>
}

// Two value heads, each of three heads, under a mixer of its own for each row.
func.func @mix_outputs_of_groups(
    %q: tensor<1x6x?x8xf32> {attn.dims = ["N"]},
    %k: tensor<1x3x?x8xf32> {attn.dims = ["S"]},
    %v: tensor<1x2x?x8xf32> {attn.dims = ["S"]}, %w: tensor<8x6xf32>,
    %b: tensor<6x6xf32>) -> tensor<1x6x?x8xf32> {
  %o = attn.generic
      scores(%q, %k : tensor<1x6x?x8xf32>, tensor<1x3x?x8xf32>) causal
      postmix_by_row(%q, %w, %b : tensor<1x6x?x8xf32>, tensor<8x6xf32>, tensor<6x6xf32>)
      pool(%v : tensor<1x2x?x8xf32>) -> tensor<1x6x?x8xf32>
  return %o : tensor<1x6x?x8xf32>
}

// A prior by position, in addition to the terms of shared shifted keys.
func.func @fold_prior(
    %q: tensor<1x4x?x8xf32> {attn.dims = ["N"]},
    %k: tensor<1x4x?x8xf32> {attn.dims = ["S"]}, %shifts: tensor<4x3x8xf32>,
    %prior: tensor<4x3x?xf32> {attn.dims = ["S"]},
    %v: tensor<1x4x?x8xf32> {attn.dims = ["S"]}) -> tensor<1x4x?x8xf32> {
  %o = attn.generic
      scores(%q, %k : tensor<1x4x?x8xf32>, tensor<1x4x?x8xf32>)
      shifted_by(%shifts : tensor<4x3x8xf32>)
      gaussian variances [4.0, 4.0, 4.0] prior(%prior : tensor<4x3x?xf32>)
      pool(%v : tensor<1x4x?x8xf32>) -> tensor<1x4x?x8xf32>
  return %o : tensor<1x4x?x8xf32>
}

// Different variances, a mixer of scores, and the natural lse.
func.func @fold_log2e(
    %q: tensor<1x4x?x8xf32> {attn.dims = ["N"]},
    %k: tensor<1x2x2x?x8xf32> {attn.dims = ["S"]}, %prior: tensor<4x2xf32>,
    %m: tensor<4x3xf32>,
    %v: tensor<1x3x?x8xf32> {attn.dims = ["S"]})
    -> (tensor<1x3x?x8xf32>, tensor<1x3x?xF32>) {
  %o, %lse = attn.generic
      scores(%q, %k : tensor<1x4x?x8xf32>, tensor<1x2x2x?x8xf32>)
      gaussian variances [4.0, 7.0] prior(%prior : tensor<4x2xf32>)
      premix(%m : tensor<4x3xf32>) causal
      pool(%v : tensor<1x3x?x8xf32>) -> tensor<1x3x?x8xf32> lse tensor<1x3x?xF32>
  return %o, %lse : tensor<1x3x?x8xf32>, tensor<1x3x?xF32>
}

// A scale before an MLP, on a product that a variance divides.
func.func @fold_scale(
    %q: tensor<1x3x?x8xf32> {attn.dims = ["N"]},
    %k: tensor<1x3x?x8xf32> {attn.dims = ["S"]},
    %w1: tensor<3x5xf32>, %b1: tensor<5xf32>, %w2: tensor<5x2xf32>,
    %b2: tensor<2xf32>,
    %v: tensor<1x2x?x8xf32> {attn.dims = ["S"]}) -> tensor<1x2x?x8xf32> {
  %o = attn.generic
      scores(%q, %k : tensor<1x3x?x8xf32>, tensor<1x3x?x8xf32>) variances [3.0]
      premix_mlp(%w1, %b1, %w2, %b2 : tensor<3x5xf32>, tensor<5xf32>, tensor<5x2xf32>, tensor<2xf32>)
      scale -0.7 scale_before
      pool(%v : tensor<1x2x?x8xf32>) -> tensor<1x2x?x8xf32>
  return %o : tensor<1x2x?x8xf32>
}

// Zero rows with global noise that is drawn, and heads of given scores.
func.func @prune_heads_of_noise(
    %q: tensor<1x3x?x8xf32> {attn.dims = ["N"]},
    %k: tensor<1x3x?x8xf32> {attn.dims = ["S"]}, %sigma: tensor<3xf32>,
    %noise: tensor<1x3x?x?xf32> {attn.dims = ["N", "S"]},
    %v: tensor<1x2x?x8xf32> {attn.dims = ["S"]}) -> tensor<1x2x?x8xf32> {
  %m = arith.constant dense<[[0.5, 1.0], [0.0, 0.0], [1.0, -0.5]]> : tensor<3x2xf32>
  %o = attn.generic
      scores(%q, %k : tensor<1x3x?x8xf32>, tensor<1x3x?x8xf32>)
      premix(%m : tensor<3x2xf32>) noise <global> sigma(%sigma : tensor<3xf32>)
      drawn(%noise : tensor<1x3x?x?xf32>) finite
      pool(%v : tensor<1x2x?x8xf32>) -> tensor<1x2x?x8xf32>
  return %o : tensor<1x2x?x8xf32>
}

func.func @select_heads_of_given_scores(
    %s: tensor<1x3x?x?xf32> {attn.dims = ["N", "S"]},
    %v: tensor<1x2x?x8xf32> {attn.dims = ["S"]}) -> tensor<1x2x?x8xf32> {
  %m = arith.constant dense<[0.0, 1.0, 0.0]> : tensor<3xf32>
  %o = attn.generic given(%s : tensor<1x3x?x?xf32>)
      premix(%m : tensor<3xf32>) sigsoftmax
      pool(%v : tensor<1x2x?x8xf32>) -> tensor<1x2x?x8xf32>
  return %o : tensor<1x2x?x8xf32>
}
