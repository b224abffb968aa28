// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Sizes that linear attentions need equal, and what values of arguments hold.
//
// RUN: mixattn-opt --attn-bind-names --split-input-file --verify-diagnostics %s | FileCheck %s

// One name each for the batch, queries and keys, wherever they occur.
// CHECK-LABEL: func.func @names
// CHECK-SAME:    %[[Q:[a-z0-9]+]]: tensor<?x4x?x8xf32> {attn.dims = ["d0", "d1"], attn.name = "arg0"}
// CHECK-SAME:    tensor<?x2x3x?x8xf32> {attn.dims = ["d0", "S"], attn.name = "arg1"}
// CHECK-SAME:    tensor<?x2x?x6xf32> {attn.dims = ["d0", "S"], attn.name = "v"}
// CHECK-SAME:    tensor<2x3x?xf32> {attn.dims = ["S"], attn.holds = {kind = "prior"}, attn.name = "arg3"}
// CHECK-SAME:    tensor<?xi64> {attn.dims = ["d0"], attn.name = "arg4", attn.range = [0, "S"]})
// CHECK-SAME:    -> (tensor<?x4x?x6xf32> {attn.dims = ["d0", "d1"], attn.name = "result0"})
!o = tensor<?x4x?x6xf32>
func.func @names(%q: tensor<?x4x?x8xf32>, %keys: tensor<?x2x3x?x8xf32>,
                 %v: tensor<?x2x?x6xf32> {attn.name = "v", attn.dims = ["d0", "S"]},
                 %prior: tensor<2x3x?xf32>, %n: tensor<?xi64>) -> !o {
  %o = attn.linear_mixture_of_keys %q, %keys, %v prior(%prior : tensor<2x3x?xf32>)
      feature_map <elu> lengths(%n : tensor<?xi64>)
      : (tensor<?x4x?x8xf32>, tensor<?x2x3x?x8xf32>, tensor<?x2x?x6xf32>) -> !o
  return %o : !o
}

// -----

// A dimension that can have only one size must be written with it.
!q = tensor<1x4x7x8xf32>
!k = tensor<1x2x7x8xf32>
// expected-error @below {{expected dimension 0 of argument 'm' to be written as 2, the only size that its uses allow}}
func.func @mixer(%q: !q, %k: !k, %m: tensor<?x4xf32> {attn.name = "m"}) -> !q {
  %o = attn.linear_admixture_heads %q, %k, %k mixer(%m : tensor<?x4xf32>) feature_map <elu>
      : (!q, !k, !k) -> !q
  return %o : !q
}

// -----

!q = tensor<1x4x7x8xf32>
// expected-error @below {{expected dimension 0 of argument 'w' to be written as 8, the only size that its uses allow}}
func.func @projection(%q: !q, %w: tensor<?x4xf32> {attn.name = "w"}) -> !q {
  %o = attn.linear %q, %q, %q feature_map <favor> favor(%w : tensor<?x4xf32>) : (!q, !q, !q) -> !q
  return %o : !q
}

// -----

!q = tensor<1x4x7x8xf32>
!m = tensor<4x4xf32>
// expected-error @below {{expected dimension 0 of argument 'b' to be written as 3, the only size that its uses allow}}
func.func @mlp(%q: !q, %w1: tensor<4x3xf32>, %b1: tensor<?xf32> {attn.name = "b"},
               %w2: tensor<3x4xf32>, %b2: tensor<4xf32>, %m: !m) -> !q {
  %o = attn.linear_admixture_heads %q, %q, %q
      mlp(%w1, %b1, %w2, %b2 : tensor<4x3xf32>, tensor<?xf32>, tensor<3x4xf32>, tensor<4xf32>)
      normaliser(%m : !m) feature_map <elu> : (!q, !q, !q) -> !q
  return %o : !q
}
