// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The cost of linear attention, stage by stage, and of the ops that are sums
// over their operands (passes/plan/cost.md).
//
// RUN: mixattn-compile %s --cost | FileCheck %s

// Columns of ops: parameters, multiply-adds, other, exps, bytes, operations,
// macs; of stages: multiply-adds, other, exps, operations, macs.

!q = tensor<?x4x?x8xf32>
!k = tensor<?x2x?x8xf32>
!v = tensor<?x2x?x3xf32>
!o = tensor<?x4x?x3xf32>

// 8 features, 2 states of 8 x 3 and 8 numbers; linear in N and S.
// CHECK-LABEL: {{^}}linear{{$}}
// CHECK:       attn.linear {{[0-9:]+}} 0 128 B N + 48 B S 60 B N + 32 B S - 16 B 32 B N + 16 B S 176 B N + 88 B S 244 B N + 112 B S - 64 B 128 B N + 48 B S{{$}}
// CHECK-NEXT:  features 0 32 B N + 16 B S 32 B N + 16 B S 0 0{{$}}
// CHECK-NEXT:  state 48 B S 16 B S - 16 B 0 112 B S - 64 B 48 B S{{$}}
// CHECK-NEXT:  pool 128 B N 28 B N 0 244 B N 128 B N{{$}}
func.func @linear(%q: !q {attn.dims = ["B", "N"]}, %k: !k {attn.dims = ["B", "S"]},
                  %v: !v {attn.dims = ["B", "S"]}) -> !o {
  %o = attn.linear %q, %k, %v feature_map <elu> eps 1.0e-5 output_scale 0.5 : (!q, !k, !v) -> !o
  return %o : !o
}

// Three shifted keys, with priors; features that add up to 1.
// CHECK-LABEL: {{^}}components{{$}}
// CHECK:       attn.linear_mixture_of_keys {{[0-9:]+}} 0 64 B N + 96 B S 54 B N + 208 B S - 16 B 16 B N + 48 B S 88 B N + 88 B S + 216 120 B N + 192 B S - 64 B 64 B N + 96 B S{{$}}
// CHECK-NEXT:  features 0 48 B N + 192 B S 16 B N + 48 B S 48 B S 0{{$}}
// CHECK-NEXT:  combine 48 B S 0 0 32 B S 48 B S{{$}}
// CHECK-NEXT:  state 48 B S 16 B S - 16 B 0 112 B S - 64 B 48 B S{{$}}
// CHECK-NEXT:  pool 64 B N 6 B N 0 120 B N 64 B N{{$}}
func.func @components(%q: !k {attn.dims = ["B", "N"]}, %k: !k {attn.dims = ["B", "S"]}, %v: !v {attn.dims = ["B", "S"]},
                      %shifts: tensor<2x3x8xf32>, %p: tensor<2x3xf32>) -> !v {
  %o = attn.linear_mixture_of_keys %q, %k, %v shifted_by(%shifts : tensor<2x3x8xf32>)
      prior(%p : tensor<2x3xf32>) feature_map <normalized_elu> : (!k, !k, !v) -> !v
  return %o : !v
}

// Components without priors; 2 rolls make 32 features.
// CHECK-LABEL: {{^}}rolled{{$}}
// CHECK:       attn.linear_mixture_of_keys {{[0-9:]+}} 0 256 B N + 192 B S 102 B N + 480 B S - 64 B 0 88 B N + 216 B S 504 B N + 576 B S - 256 B 256 B N + 192 B S{{$}}
// CHECK-NEXT:  features 0 96 B N + 288 B S 0 0 0{{$}}
// CHECK-NEXT:  combine 0 128 B S 0 128 B S 0{{$}}
// CHECK-NEXT:  state 192 B S 64 B S - 64 B 0 448 B S - 256 B 192 B S{{$}}
// CHECK-NEXT:  pool 256 B N 6 B N 0 504 B N 256 B N{{$}}
func.func @rolled(%q: !k {attn.dims = ["B", "N"]}, %k: tensor<?x2x3x?x8xf32> {attn.dims = ["B", "S"]}, %v: !v {attn.dims = ["B", "S"]}) -> !v {
  %o = attn.linear_mixture_of_keys %q, %k, %v feature_map <dpfp, rolls = 2>
      : (!k, tensor<?x2x3x?x8xf32>, !v) -> !v
  return %o : !v
}

// States are mixed once where all queries see all keys.
// CHECK-LABEL: {{^}}mixed{{$}}
// CHECK:       attn.linear_admixture_heads {{[0-9:]+}} 0 128 B N + 48 B S + 256 B 44 B N + 32 B S - 16 B 0 176 B N + 88 B S + 32 240 B N + 112 B S + 320 B 128 B N + 48 B S + 256 B{{$}}
// CHECK-NEXT:  features 0 32 B N + 16 B S 0 0 0{{$}}
// CHECK-NEXT:  state 48 B S 16 B S - 16 B 0 112 B S - 64 B 48 B S{{$}}
// CHECK-NEXT:  premix 256 B 0 0 384 B 256 B{{$}}
// CHECK-NEXT:  pool 128 B N 12 B N 0 240 B N 128 B N{{$}}
func.func @mixed(%q: !q {attn.dims = ["B", "N"]}, %k: !k {attn.dims = ["B", "S"]}, %v: !v {attn.dims = ["B", "S"]}, %m: tensor<2x4xf32>) -> !o {
  %o = attn.linear_admixture_heads %q, %k, %v mixer(%m : tensor<2x4xf32>) feature_map <relu> : (!q, !k, !v) -> !o
  return %o : !o
}

// Or for each query; by a perceptron of 5 units; 6 random features.
// CHECK-LABEL: {{^}}perceptron{{$}}
// CHECK:       attn.linear_admixture_heads {{[0-9:]+}} 24 912 B N 222 B N - 12 B 36 B N 264 B N + 284 1682 B N - 48 B 864 B N{{$}}
// CHECK-NEXT:  features 192 B N 108 B N 36 B N 270 B N 144 B N{{$}}
// CHECK-NEXT:  state 36 B N 12 B N - 12 B 0 84 B N - 48 B 36 B N{{$}}
// CHECK-NEXT:  premix 588 B N 90 B N 0 1152 B N 588 B N{{$}}
// CHECK-NEXT:  pool 96 B N 12 B N 0 176 B N 96 B N{{$}}
func.func @perceptron(%q: !q {attn.dims = ["B", "N"]}, %k: !k {attn.dims = ["B", "N"]}, %v: !v {attn.dims = ["B", "N"]}, %w: tensor<8x3xf32> {attn.parameter},
                      %w1: tensor<2x5xf32>, %b1: tensor<5xf32>, %w2: tensor<5x4xf32>, %b2: tensor<4xf32>, %n: tensor<2x4xf32>) -> !o {
  %o = attn.linear_admixture_heads %q, %k, %v
      mlp(%w1, %b1, %w2, %b2 : tensor<2x5xf32>, tensor<5xf32>, tensor<5x4xf32>, tensor<4xf32>)
      normaliser(%n : tensor<2x4xf32>) feature_map <favor> favor(%w : tensor<8x3xf32>) causal
      : (!q, !k, !v) -> !o
  return %o : !o
}

// Shares of components, their mean, a penalty.
// CHECK-LABEL: {{^}}training{{$}}
// CHECK:       attn.responsibilities {{[0-9:]+}} 0 48 N S + 16 N + 48 S 44 N S 6 N S 24 N S + 64 N + 192 S + 24 94 N S 48 N S{{$}}
// CHECK-NEXT:  scores 48 N S + 16 N + 48 S 18 N S 0 90 N S 48 N S{{$}}
// CHECK-NEXT:  shares 0 26 N S 6 N S 4 N S 0{{$}}
// CHECK:       attn.prior_update {{[0-9:]+}} 0 0 6 N S 0 24 N S + 24 6 N S - 6 0{{$}}
// CHECK:       attn.orthogonal_penalty {{[0-9:]+}} 0 125 5 0 84 3.04 229 125{{$}}
func.func @training(%q: tensor<1x2x?x8xf32> {attn.dims = ["N"]}, %k: tensor<1x2x3x?x8xf32> {attn.dims = ["S"]}, %p: tensor<2x3xf32>, %m: tensor<4x5xf32>)
    -> (tensor<2x3xf32>, tensor<f32>) {
  %gamma = attn.responsibilities %q, %k prior(%p : tensor<2x3xf32>)
      : (tensor<1x2x?x8xf32>, tensor<1x2x3x?x8xf32>) -> tensor<1x2x3x?x?xf32>
  %mean = attn.prior_update %gamma : tensor<1x2x3x?x?xf32> -> tensor<2x3xf32>
  %penalty = attn.orthogonal_penalty %m : tensor<4x5xf32> -> tensor<f32>
  return %mean, %penalty : tensor<2x3xf32>, tensor<f32>
}

// A band of 7 and E errors, in rows that add up to 1; windows copy.
// CHECK-LABEL: {{^}}pool{{$}}
// CHECK:       attn.structured_pool {{[0-9:]+}} 0 8 B E + 224 B N 32 B N + E + 24 N 0 256 B N + 28 E + 112 N 16 B E + 416 B N + E + 24 N 8 B E + 224 B N{{$}}
// CHECK:       attn.structured_pool {{[0-9:]+}} 0 0 0 0 256 B N + 24 T 0 0{{$}}
func.func @pool(%v: tensor<?x4x?x8xf32> {attn.dims = ["B", "N"]}, %band: tensor<4x?x7xf32> {attn.dims = ["N"]},
                %index: tensor<?x3xi64> {attn.dims = ["E"]}, %error: tensor<?xf32> {attn.dims = ["E"]},
                %windows: tensor<?x3xi64> {attn.dims = ["T"]}) -> tensor<?x4x?x8xf32> {
  %a = attn.structured_pool %v band(%band : tensor<4x?x7xf32>)
      error(%index, %error : tensor<?x3xi64>, tensor<?xf32>) row_normalise
      : tensor<?x4x?x8xf32> -> tensor<?x4x?x8xf32>
  %b = attn.structured_pool %a windows(%windows : tensor<?x3xi64>) : tensor<?x4x?x8xf32> -> tensor<?x4x?x8xf32>
  return %b : tensor<?x4x?x8xf32>
}
