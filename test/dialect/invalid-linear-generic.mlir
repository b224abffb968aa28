// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Errors of attn.linear_generic that the named ops cannot have
// (invalid-linear.mlir has what it shares with attn.linear).
//
// RUN: mixattn-opt %s --split-input-file --verify-diagnostics

// Without a mixer.
// expected-note @below {{'query' defined here, of type 'tensor<1x4x5x8xf32>'}}
// expected-note @below {{'key' defined here, of type 'tensor<1x3x5x8xf32>'}}
func.func @c6_heads(%q: tensor<1x4x5x8xf32>, %k: tensor<1x3x5x8xf32>, %v: tensor<1x3x5x8xf32>) {
  // expected-error @below {{'attn.linear_generic' op expected the heads of 'key' to divide the heads of 'query', but got 3 and 4}}
  %o = attn.linear_generic features(%q, %k : tensor<1x4x5x8xf32>, tensor<1x3x5x8xf32>) 
      pool(%v : tensor<1x3x5x8xf32>) -> tensor<1x4x5x8xf32>
  return
}

// -----

// Features that are given have no projection.
func.func @c9_projection_of_features(%q: tensor<1x4x5x8xf32>, %k: tensor<1x2x5x8xf32>, %v: tensor<1x2x5x8xf32>, %w: tensor<8x6xf32>) {
  // expected-error @below {{'attn.linear_generic' op expected a projection 'favor' with the feature map favor, and only there}}
  %o = attn.linear_generic features(%q, %k : tensor<1x4x5x8xf32>, tensor<1x2x5x8xf32>) favor(%w : tensor<8x6xf32>)
      pool(%v : tensor<1x2x5x8xf32>) -> tensor<1x4x5x8xf32>
  return
}

// -----

func.func @c12_no_components(%q: tensor<1x4x5x8xf32>, %k: tensor<1x2x5x8xf32>, %v: tensor<1x2x5x8xf32>, %p: tensor<2x1xf32>) {
  // expected-error @below {{'attn.linear_generic' op expected 'prior' over components}}
  %o = attn.linear_generic features(%q, %k : tensor<1x4x5x8xf32>, tensor<1x2x5x8xf32>) prior(%p : tensor<2x1xf32>)
      pool(%v : tensor<1x2x5x8xf32>) -> tensor<1x4x5x8xf32>
  return
}

// -----

func.func @c14_part_of_mlp(%q: tensor<1x2x3x4xf32>, %w: tensor<2x2xf32>) {
  // expected-error @below {{'attn.linear_generic' op expected 'w1', 'b1', 'w2' and 'b2' together or not at all}}
  %o = "attn.linear_generic"(%q, %q, %q, %w)
      <{operandSegmentSizes = array<i32: 1, 1, 1, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0>}>
      : (tensor<1x2x3x4xf32>, tensor<1x2x3x4xf32>, tensor<1x2x3x4xf32>, tensor<2x2xf32>) -> tensor<1x2x3x4xf32>
  return
}

// -----

func.func @c15_both(%q: tensor<1x4x5x8xf32>, %k: tensor<1x2x5x8xf32>, %v: tensor<1x2x5x8xf32>, %w1: tensor<2x3xf32>, %b1: tensor<3xf32>, %w2: tensor<3x4xf32>, %b2: tensor<4xf32>, %n: tensor<2x4xf32>) {
  // expected-error @below {{'attn.linear_generic' op expected 'premix' or 'premix_mlp', but got both}}
  %o = attn.linear_generic features(%q, %k : tensor<1x4x5x8xf32>, tensor<1x2x5x8xf32>) premix(%n : tensor<2x4xf32>) premix_mlp(%w1, %b1, %w2, %b2 : tensor<2x3xf32>, tensor<3xf32>, tensor<3x4xf32>, tensor<4xf32>)
      normaliser(%n : tensor<2x4xf32>)
      pool(%v : tensor<1x2x5x8xf32>) -> tensor<1x4x5x8xf32>
  return
}
