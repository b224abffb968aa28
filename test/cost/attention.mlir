// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The cost of attention ops, stage by stage (passes/plan/cost.md).
//
// RUN: mixattn-compile %s --cost | FileCheck %s

// Columns of ops: parameters, multiply-adds, other, exps, bytes, operations,
// macs; of stages: multiply-adds, other, exps, operations, macs.

!q = tensor<?x2x?x4xf32>
!v = tensor<?x1x?x6xf32>
!o = tensor<?x2x?x6xf32>
!lse = tensor<?x2x?xf32>
!w = tensor<?x2x?x?xf32>

// Two products and a softmax; masks save nothing. Of what the scale, the
// softmax and lse take, the papers count nothing.
// CHECK-LABEL: {{^}}softmax{{$}}
// CHECK:       attn.softmax {{[0-9:]+}} 0 20 B N S 8 B N S + 14 B N 2 B N S + 2 B N 88 B N + 56 B S 38 B N S - 12 B N 20 B N S{{$}}
// CHECK-NEXT:  scores 8 B N S 0 0 14 B N S 8 B N S{{$}}
// CHECK-NEXT:  modify 0 2 B N S 0 0 0{{$}}
// CHECK-NEXT:  normalise 0 6 B N S + 14 B N 2 B N S + 2 B N 0 0{{$}}
// CHECK-NEXT:  pool 12 B N S 0 0 24 B N S - 12 B N 12 B N S{{$}}
func.func @softmax(%q: !q {attn.dims = ["B", "N"]}, %k: !q {attn.dims = ["B", "S"]},
                   %v: !v {attn.dims = ["B", "S"]}) -> (!o, !lse) {
  %o, %lse = attn.softmax %q, %k, %v causal : (!q, !q, !v) -> !o lse !lse
  return %o, %lse : !o, !lse
}

// Where weights alone are read nothing is pooled. A slope of the score_mod is
// a parameter; sigsoftmax takes a second exponential.
// CHECK-LABEL: {{^}}weights{{$}}
// CHECK:       attn.softmax {{[0-9:]+}} 2 10 B N S 14 B N S + 2 B N 6 B N S 8 B N S + 32 B N + 56 B S + 8 N S + 8 20 B N S 8 B N S{{$}}
// CHECK-NEXT:  scores 8 B N S 0 0 14 B N S 8 B N S{{$}}
// CHECK-NEXT:  modify 2 B N S 2 B N S 2 B N S 6 B N S 0{{$}}
// CHECK-NEXT:  normalise 0 12 B N S + 2 B N 4 B N S 0 0{{$}}
func.func @weights(%q: !q {attn.dims = ["B", "N"]}, %k: !q {attn.dims = ["B", "S"]},
                   %v: !v {attn.dims = ["B", "S"]}, %bias: tensor<2x?x?xf32> {attn.dims = ["N", "S"]},
                   %slopes: tensor<2xf32> {attn.parameter}) -> !w {
  %o, %w = attn.softmax %q, %k, %v scale 1.0 bias(%bias : tensor<2x?x?xf32>) score_mod {
    ^bb0(%s: f32, %b: index, %h: index, %i: index, %j: index):
      %two = arith.constant 2.0 : f32
      %slope = tensor.extract %slopes[%h] : tensor<2xf32>
      %t = arith.mulf %s, %slope : f32
      %u = arith.addf %t, %two : f32
      %x = math.tanh %u : f32
      attn.yield %x : f32
  } sigsoftmax : (!q, !q, !v) -> !o weights !w
  return %w : !w
}

!q4 = tensor<1x4x?x8xf32>
!k2 = tensor<1x2x?x8xf32>

// Three keys at each position, 2 key heads, made by shifts. Their exponentials
// are what the softmax sums.
// CHECK-LABEL: {{^}}components{{$}}
// CHECK:       attn.mixture_of_keys {{[0-9:]+}} 60 128 N S + 32 N + 48 S 84 N S + 36 N + 48 S 12 N S 256 N + 192 S + 240 252 N S - 32 N + 48 S 128 N S{{$}}
// CHECK-NEXT:  scores 96 N S + 32 N + 48 S 36 N S + 48 S 0 180 N S + 48 S 96 N S{{$}}
// CHECK-NEXT:  combine 0 40 N S 12 N S 8 N S 0{{$}}
// CHECK-NEXT:  normalise 0 8 N S + 36 N 0 0 0{{$}}
// CHECK-NEXT:  pool 32 N S 0 0 64 N S - 32 N 32 N S{{$}}
// CHECK:       operations as printed: 252 N S - 96 N + 48 S{{$}}
func.func @components(%q: !q4 {attn.dims = ["N"]}, %k: !k2 {attn.dims = ["S"]},
                      %shifts: tensor<2x3x8xf32> {attn.parameter}, %v: !q4 {attn.dims = ["S"]},
                      %p: tensor<4x3xf32> {attn.parameter}) -> !q4 {
  %o = attn.mixture_of_keys %q, %k, %v shifted_by(%shifts : tensor<2x3x8xf32>)
      prior(%p : tensor<4x3xf32>) : (!q4, !k2, !q4) -> !q4
  return %o : !q4
}

// A bias stands between: one logarithm for each score, and the softmax's own
// exponential.
// CHECK-LABEL: {{^}}components_and_bias{{$}}
// CHECK:       attn.mixture_of_keys {{[0-9:]+}} 0 128 N S 48 N S + 36 N 20 N S 256 N + 320 S + 4 256 N S - 32 N 128 N S{{$}}
// CHECK-NEXT:  scores 96 N S 0 0 180 N S 96 N S{{$}}
// CHECK-NEXT:  combine 0 28 N S 16 N S 8 N S 0{{$}}
// CHECK-NEXT:  modify 0 8 N S 0 4 N S 0{{$}}
// CHECK-NEXT:  normalise 0 12 N S + 36 N 4 N S 0 0{{$}}
// CHECK-NEXT:  pool 32 N S 0 0 64 N S - 32 N 32 N S{{$}}
// CHECK:       operations as printed: 256 N S - 96 N{{$}}
func.func @components_and_bias(%q: !q4 {attn.dims = ["N"]}, %k: tensor<1x2x3x?x8xf32> {attn.dims = ["S"]},
                               %v: !q4 {attn.dims = ["S"]}, %bias: tensor<f32>) -> !q4 {
  %o = attn.mixture_of_keys %q, %k, %v dot bias(%bias : tensor<f32>)
      : (!q4, tensor<1x2x3x?x8xf32>, !q4) -> !q4
  return %o : !q4
}

// The largest of three.
// CHECK-LABEL: {{^}}maximum{{$}}
// CHECK:       attn.mixture_of_keys {{[0-9:]+}} 0 128 N S 24 N S + 36 N 4 N S 256 N + 320 S 244 N S - 32 N 128 N S{{$}}
// CHECK-NEXT:  scores 96 N S 0 0 180 N S 96 N S{{$}}
// CHECK-NEXT:  combine 0 8 N S 0 0 0{{$}}
// CHECK-NEXT:  modify 0 4 N S 0 0 0{{$}}
// CHECK-NEXT:  normalise 0 12 N S + 36 N 4 N S 0 0{{$}}
// CHECK-NEXT:  pool 32 N S 0 0 64 N S - 32 N 32 N S{{$}}
func.func @maximum(%q: !q4 {attn.dims = ["N"]}, %k: tensor<1x2x3x?x8xf32> {attn.dims = ["S"]},
                   %v: !q4 {attn.dims = ["S"]}) -> !q4 {
  %o = attn.mixture_of_keys %q, %k, %v dot maximum
      : (!q4, tensor<1x2x3x?x8xf32>, !q4) -> !q4
  return %o : !q4
}

!q3 = tensor<1x3x?x4xf32>
!v5 = tensor<1x5x?x4xf32>

// 3 heads make 5: a linear mixer; noise of each of the 5.
// CHECK-LABEL: {{^}}mixer{{$}}
// CHECK:       attn.admixture_heads {{[0-9:]+}} 0 52 N^2 20 N^2 + 25 N 5 N^2 20 N^2 + 208 N + 72 91 N^2 - 20 N 47 N^2{{$}}
// CHECK-NEXT:  scores 12 N^2 0 0 21 N^2 12 N^2{{$}}
// CHECK-NEXT:  noise 5 N^2 0 0 5 N^2 0{{$}}
// CHECK-NEXT:  premix 15 N^2 0 0 25 N^2 15 N^2{{$}}
// CHECK-NEXT:  modify 0 5 N^2 0 0 0{{$}}
// CHECK-NEXT:  normalise 0 15 N^2 + 25 N 5 N^2 0 0{{$}}
// CHECK-NEXT:  pool 20 N^2 0 0 40 N^2 - 20 N 20 N^2{{$}}
func.func @mixer(%q: !q3 {attn.dims = ["N"]}, %v: !v5 {attn.dims = ["N"]},
                 %m: tensor<3x5xf32>, %sigma: tensor<3xf32>, %noise: tensor<1x5x?x?xf32> {attn.dims = ["N", "N"]}) -> !v5 {
  %o = attn.admixture_heads %q, %q, %v mixer(%m : tensor<3x5xf32>)
      noise <local> sigma(%sigma : tensor<3xf32>) drawn(%noise : tensor<1x5x?x?xf32>)
      : (!q3, !q3, !v5) -> !v5
  return %o : !v5
}

// A ReLU on each term, which noise of the 5 meets, too; drawn by Philox.
// CHECK-LABEL: {{^}}relu{{$}}
// CHECK:       attn.admixture_heads {{[0-9:]+}} 0 47 N^2 58 N^2 + 25 N 15 N^2 208 N + 80 101 N^2 - 20 N 32 N^2{{$}}
// CHECK-NEXT:  scores 12 N^2 0 0 21 N^2 12 N^2{{$}}
// CHECK-NEXT:  noise 15 N^2 0 10 N^2 15 N^2 0{{$}}
// CHECK-NEXT:  premix 0 40 N^2 0 25 N^2 0{{$}}
// CHECK-NEXT:  modify 0 3 N^2 0 0 0{{$}}
// CHECK-NEXT:  normalise 0 15 N^2 + 25 N 5 N^2 0 0{{$}}
// CHECK-NEXT:  pool 20 N^2 0 0 40 N^2 - 20 N 20 N^2{{$}}
func.func @relu(%q: !q3 {attn.dims = ["N"]}, %v: !v5 {attn.dims = ["N"]}, %m: tensor<3x5xf32>,
                %sigma: tensor<3xf32>, %seed: tensor<i64>) -> !v5 {
  %o = attn.admixture_heads %q, %q, %v mixer(%m : tensor<3x5xf32>) relu_per_key
      noise <local> sigma(%sigma : tensor<3xf32>) philox(%seed, %seed : tensor<i64>, tensor<i64>)
      scale_before : (!q3, !q3, !v5) -> !v5
  return %o : !v5
}

// One mixed score, the same for all heads.
// CHECK-LABEL: {{^}}same_for_all{{$}}
// CHECK:       attn.admixture_heads {{[0-9:]+}} 0 35 N^2 20 N^2 + 25 N 5 N^2 208 N + 12 66 N^2 - 20 N 35 N^2{{$}}
// CHECK-NEXT:  scores 12 N^2 0 0 21 N^2 12 N^2{{$}}
// CHECK-NEXT:  premix 3 N^2 0 0 5 N^2 3 N^2{{$}}
// CHECK-NEXT:  modify 0 5 N^2 0 0 0{{$}}
// CHECK-NEXT:  normalise 0 15 N^2 + 25 N 5 N^2 0 0{{$}}
// CHECK-NEXT:  pool 20 N^2 0 0 40 N^2 - 20 N 20 N^2{{$}}
func.func @same_for_all(%q: !q3 {attn.dims = ["N"]}, %v: !v5 {attn.dims = ["N"]}, %m: tensor<3xf32>) -> !v5 {
  %o = attn.admixture_heads %q, %q, %v mixer(%m : tensor<3xf32>) : (!q3, !q3, !v5) -> !v5
  return %o : !v5
}

// A perceptron of 7 hidden units, noise of each of the 3.
// CHECK-LABEL: {{^}}perceptron{{$}}
// CHECK:       attn.admixture_heads {{[0-9:]+}} 0 91 N^2 27 N^2 + 25 N 5 N^2 12 N^2 + 208 N + 284 176 N^2 - 20 N 88 N^2{{$}}
// CHECK-NEXT:  scores 12 N^2 0 0 21 N^2 12 N^2{{$}}
// CHECK-NEXT:  noise 3 N^2 0 0 3 N^2 0{{$}}
// CHECK-NEXT:  premix 56 N^2 7 N^2 0 112 N^2 56 N^2{{$}}
// CHECK-NEXT:  modify 0 5 N^2 0 0 0{{$}}
// CHECK-NEXT:  normalise 0 15 N^2 + 25 N 5 N^2 0 0{{$}}
// CHECK-NEXT:  pool 20 N^2 0 0 40 N^2 - 20 N 20 N^2{{$}}
func.func @perceptron(%q: !q3 {attn.dims = ["N"]}, %v: !v5 {attn.dims = ["N"]}, %w1: tensor<3x7xf32>,
                      %b1: tensor<7xf32>, %w2: tensor<7x5xf32>, %b2: tensor<5xf32>,
                      %sigma: tensor<3xf32>, %noise: tensor<1x3x?x?xf32> {attn.dims = ["N", "N"]}) -> !v5 {
  %o = attn.admixture_heads %q, %q, %v
      mlp(%w1, %b1, %w2, %b2 : tensor<3x7xf32>, tensor<7xf32>, tensor<7x5xf32>, tensor<5xf32>)
      noise <global> sigma(%sigma : tensor<3xf32>) drawn(%noise : tensor<1x3x?x?xf32>)
      : (!q3, !q3, !v5) -> !v5
  return %o : !v5
}

// Mixed after the softmax, by one matrix, and by one for each query.
// CHECK-LABEL: {{^}}mixed_weights{{$}}
// CHECK:       attn.mix_heads {{[0-9:]+}} 0 80 N S 20 N S + 4 N 4 N S 256 N + 128 S + 64 152 N S - 32 N 80 N S{{$}}
// CHECK-NEXT:  scores 32 N S 0 0 60 N S 32 N S{{$}}
// CHECK-NEXT:  modify 0 4 N S 0 0 0{{$}}
// CHECK-NEXT:  normalise 0 16 N S + 4 N 4 N S 0 0{{$}}
// CHECK-NEXT:  postmix 16 N S 0 0 28 N S 16 N S{{$}}
// CHECK-NEXT:  pool 32 N S 0 0 64 N S - 32 N 32 N S{{$}}
func.func @mixed_weights(%q: !q4 {attn.dims = ["N"]}, %k: !q4 {attn.dims = ["S"]}, %m: tensor<4x4xf32>) -> !q4 {
  %o = attn.mix_heads %q, %k, %k mixer(%m : tensor<4x4xf32>) : (!q4, !q4, !q4) -> !q4
  return %o : !q4
}
// CHECK-LABEL: {{^}}mixed_by_row{{$}}
// CHECK:       attn.mix_heads {{[0-9:]+}} 0 80 N S + 128 N 20 N S + 4 N 4 N S 256 N + 128 S + 192 152 N S + 224 N 80 N S + 128 N{{$}}
// CHECK-NEXT:  scores 32 N S 0 0 60 N S 32 N S{{$}}
// CHECK-NEXT:  modify 0 4 N S 0 0 0{{$}}
// CHECK-NEXT:  normalise 0 16 N S + 4 N 4 N S 0 0{{$}}
// CHECK-NEXT:  postmix 16 N S + 128 N 0 0 28 N S + 256 N 16 N S + 128 N{{$}}
// CHECK-NEXT:  pool 32 N S 0 0 64 N S - 32 N 32 N S{{$}}
func.func @mixed_by_row(%q: !q4 {attn.dims = ["N"]}, %k: !q4 {attn.dims = ["S"]},
                        %w: tensor<8x4xf32>, %b: tensor<4x4xf32>) -> !q4 {
  %o = attn.mix_heads %q, %k, %k mixer_by_row(%q, %w, %b : !q4, tensor<8x4xf32>, tensor<4x4xf32>)
      : (!q4, !q4, !q4) -> !q4
  return %o : !q4
}

// Keys and values projected to 16, with terms for queries and keys.
// CHECK-LABEL: {{^}}projected{{$}}
// CHECK:       attn.softmax {{[0-9:]+}} 0 1024 N + 1024 S 292 N 64 N 256 N + 192 S 1952 N + 2048 S - 1024 1024 N + 1024 S{{$}}
// CHECK-NEXT:  project 1024 S 0 0 2048 S - 1024 1024 S{{$}}
// CHECK-NEXT:  scores 512 N 0 0 960 N 512 N{{$}}
// CHECK-NEXT:  modify 0 64 N 0 0 0{{$}}
// CHECK-NEXT:  normalise 0 228 N 64 N 0 0{{$}}
// CHECK-NEXT:  pool 512 N 0 0 992 N 512 N{{$}}
func.func @projected(%q: !q4 {attn.dims = ["N"]}, %k: !q4 {attn.dims = ["S"]}, %e: tensor<16x?xf32> {attn.dims = ["S"]}) -> !q4 {
  %o = attn.softmax %q, %k, %k projected_by(%e, %e : tensor<16x?xf32>, tensor<16x?xf32>)
      : (!q4, !q4, !q4) -> !q4
  return %o : !q4
}
// CHECK-LABEL: {{^}}terms{{$}}
// CHECK:       attn.generic {{[0-9:]+}} 0 128 N S 60 N S + 36 N 12 N S 272 N + 176 S 276 N S - 32 N 128 N S{{$}}
// CHECK-NEXT:  scores 96 N S 24 N S 0 204 N S 96 N S{{$}}
// CHECK-NEXT:  combine 0 28 N S 12 N S 8 N S 0{{$}}
// CHECK-NEXT:  normalise 0 8 N S + 36 N 0 0 0{{$}}
// CHECK-NEXT:  pool 32 N S 0 0 64 N S - 32 N 32 N S{{$}}
// CHECK:       operations as printed: 276 N S - 96 N{{$}}
func.func @terms(%q: !q4 {attn.dims = ["N"]}, %k: !q4 {attn.dims = ["S"]}, %t: tensor<1x4x?xf32> {attn.dims = ["N"]},
                 %u: tensor<1x4x3x?xf32> {attn.dims = ["S"]}) -> !q4 {
  %o = attn.generic scores(%q, %k : !q4, !q4) query_term(%t : tensor<1x4x?xf32>)
      key_term(%u : tensor<1x4x3x?xf32>) scale 1.0 pool(%k : !q4) -> !q4
  return %o : !q4
}
// Scores that are given cost nothing.
// CHECK-LABEL: {{^}}given{{$}}
// CHECK:       attn.generic {{[0-9:]+}} 0 32 N S 12 N S + 36 N 4 N S 16 N S + 128 N + 128 S 64 N S - 32 N 32 N S{{$}}
// CHECK-NEXT:  normalise 0 12 N S + 36 N 4 N S 0 0{{$}}
// CHECK-NEXT:  pool 32 N S 0 0 64 N S - 32 N 32 N S{{$}}
func.func @given(%s: tensor<1x4x?x?xf32> {attn.dims = ["N", "S"]}, %v: !q4 {attn.dims = ["S"]}) -> !q4 {
  %o = attn.generic given(%s : tensor<1x4x?x?xf32>) pool(%v : !q4) -> !q4
  return %o : !q4
}
