// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Errors of attn.linear_admixture_heads: mixers that do not fit
// (invalid-linear.mlir has what it shares with attn.linear).
//
// RUN: mixattn-opt %s --split-input-file --verify-diagnostics

// expected-note @below {{'key' defined here, of type 'tensor<1x2x5x8xf32>'}}
// expected-note @below {{'value' defined here, of type 'tensor<1x4x5x8xf32>'}}
func.func @c6_value_heads(%q: tensor<1x4x5x8xf32>, %k: tensor<1x2x5x8xf32>, %v: tensor<1x4x5x8xf32>, %p: tensor<2x4xf32>) {
  // expected-error @below {{'attn.linear_admixture_heads' op expected the heads of 'value' to divide the heads of 'key', but got 4 and 2}}
  %o = attn.linear_admixture_heads %q, %k, %v mixer(%p : tensor<2x4xf32>)
      feature_map <elu> : (tensor<1x4x5x8xf32>, tensor<1x2x5x8xf32>, tensor<1x4x5x8xf32>) -> tensor<1x4x5x8xf32>
  return
}

// -----

// From global heads to local ones.
// expected-note @below {{'premixer' defined here, of type 'tensor<4x2xf32>'}}
func.func @c13_mixer(%q: tensor<1x4x5x8xf32>, %k: tensor<1x2x5x8xf32>, %v: tensor<1x2x5x8xf32>, %p: tensor<4x2xf32>) {
  // expected-error @below {{'attn.linear_admixture_heads' op expected 'premixer' to have the shape [2, 4], but got 'tensor<4x2xf32>'}}
  %o = attn.linear_admixture_heads %q, %k, %v mixer(%p : tensor<4x2xf32>)
      feature_map <elu> : (tensor<1x4x5x8xf32>, tensor<1x2x5x8xf32>, tensor<1x2x5x8xf32>) -> tensor<1x4x5x8xf32>
  return
}

// -----

func.func @c14_no_normaliser(%q: tensor<1x4x5x8xf32>, %k: tensor<1x2x5x8xf32>, %v: tensor<1x2x5x8xf32>, %w1: tensor<2x3xf32>, %b1: tensor<3xf32>, %w2: tensor<3x4xf32>, %b2: tensor<4xf32>) {
  // expected-error @below {{'attn.linear_admixture_heads' op expected 'normaliser' with an MLP, and only there}}
  %o = attn.linear_admixture_heads %q, %k, %v mlp(%w1, %b1, %w2, %b2 : tensor<2x3xf32>, tensor<3xf32>, tensor<3x4xf32>, tensor<4xf32>)
      feature_map <elu> : (tensor<1x4x5x8xf32>, tensor<1x2x5x8xf32>, tensor<1x2x5x8xf32>) -> tensor<1x4x5x8xf32>
  return
}

// -----

func.func @c14_normaliser_of_mixer(%q: tensor<1x4x5x8xf32>, %k: tensor<1x2x5x8xf32>, %v: tensor<1x2x5x8xf32>, %p: tensor<2x4xf32>) {
  // expected-error @below {{'attn.linear_admixture_heads' op expected 'normaliser' with an MLP, and only there}}
  %o = attn.linear_admixture_heads %q, %k, %v mixer(%p : tensor<2x4xf32>) normaliser(%p : tensor<2x4xf32>)
      feature_map <elu> : (tensor<1x4x5x8xf32>, tensor<1x2x5x8xf32>, tensor<1x2x5x8xf32>) -> tensor<1x4x5x8xf32>
  return
}

// -----

// expected-note @below {{'w1' defined here, of type 'tensor<4x3xf32>'}}
func.func @c14_w1(%q: tensor<1x4x5x8xf32>, %k: tensor<1x2x5x8xf32>, %v: tensor<1x2x5x8xf32>, %w1: tensor<4x3xf32>, %b1: tensor<3xf32>, %w2: tensor<3x4xf32>, %b2: tensor<4xf32>, %n: tensor<2x4xf32>) {
  // expected-error @below {{'attn.linear_admixture_heads' op expected 'w1' to have the shape [2, 3], but got 'tensor<4x3xf32>'}}
  %o = attn.linear_admixture_heads %q, %k, %v mlp(%w1, %b1, %w2, %b2 : tensor<4x3xf32>, tensor<3xf32>, tensor<3x4xf32>, tensor<4xf32>)
      normaliser(%n : tensor<2x4xf32>)
      feature_map <elu> : (tensor<1x4x5x8xf32>, tensor<1x2x5x8xf32>, tensor<1x2x5x8xf32>) -> tensor<1x4x5x8xf32>
  return
}

// -----

// expected-note @below {{'b1' defined here, of type 'tensor<4xf32>'}}
func.func @c14_b1(%q: tensor<1x4x5x8xf32>, %k: tensor<1x2x5x8xf32>, %v: tensor<1x2x5x8xf32>, %w1: tensor<2x3xf32>, %b1: tensor<4xf32>, %w2: tensor<3x4xf32>, %b2: tensor<4xf32>, %n: tensor<2x4xf32>) {
  // expected-error @below {{'attn.linear_admixture_heads' op expected 'b1' to have the shape [3], but got 'tensor<4xf32>'}}
  %o = attn.linear_admixture_heads %q, %k, %v mlp(%w1, %b1, %w2, %b2 : tensor<2x3xf32>, tensor<4xf32>, tensor<3x4xf32>, tensor<4xf32>)
      normaliser(%n : tensor<2x4xf32>)
      feature_map <elu> : (tensor<1x4x5x8xf32>, tensor<1x2x5x8xf32>, tensor<1x2x5x8xf32>) -> tensor<1x4x5x8xf32>
  return
}

// -----

// expected-note @below {{'w2' defined here, of type 'tensor<3x5xf32>'}}
func.func @c14_w2(%q: tensor<1x4x5x8xf32>, %k: tensor<1x2x5x8xf32>, %v: tensor<1x2x5x8xf32>, %w1: tensor<2x3xf32>, %b1: tensor<3xf32>, %w2: tensor<3x5xf32>, %b2: tensor<4xf32>, %n: tensor<2x4xf32>) {
  // expected-error @below {{'attn.linear_admixture_heads' op expected 'w2' to have the shape [3, 4], but got 'tensor<3x5xf32>'}}
  %o = attn.linear_admixture_heads %q, %k, %v mlp(%w1, %b1, %w2, %b2 : tensor<2x3xf32>, tensor<3xf32>, tensor<3x5xf32>, tensor<4xf32>)
      normaliser(%n : tensor<2x4xf32>)
      feature_map <elu> : (tensor<1x4x5x8xf32>, tensor<1x2x5x8xf32>, tensor<1x2x5x8xf32>) -> tensor<1x4x5x8xf32>
  return
}

// -----

// expected-note @below {{'b2' defined here, of type 'tensor<2xf32>'}}
func.func @c14_b2(%q: tensor<1x4x5x8xf32>, %k: tensor<1x2x5x8xf32>, %v: tensor<1x2x5x8xf32>, %w1: tensor<2x3xf32>, %b1: tensor<3xf32>, %w2: tensor<3x4xf32>, %b2: tensor<2xf32>, %n: tensor<2x4xf32>) {
  // expected-error @below {{'attn.linear_admixture_heads' op expected 'b2' to have the shape [4], but got 'tensor<2xf32>'}}
  %o = attn.linear_admixture_heads %q, %k, %v mlp(%w1, %b1, %w2, %b2 : tensor<2x3xf32>, tensor<3xf32>, tensor<3x4xf32>, tensor<2xf32>)
      normaliser(%n : tensor<2x4xf32>)
      feature_map <elu> : (tensor<1x4x5x8xf32>, tensor<1x2x5x8xf32>, tensor<1x2x5x8xf32>) -> tensor<1x4x5x8xf32>
  return
}

// -----

func.func @c14_hidden(%q: tensor<1x4x5x8xf32>, %k: tensor<1x2x5x8xf32>, %v: tensor<1x2x5x8xf32>, %w1: tensor<2x?xf32>, %b1: tensor<3xf32>, %w2: tensor<3x4xf32>, %b2: tensor<4xf32>, %n: tensor<2x4xf32>) {
  // expected-error @below {{'attn.linear_admixture_heads' op expected 'w1' to have static columns}}
  %o = attn.linear_admixture_heads %q, %k, %v mlp(%w1, %b1, %w2, %b2 : tensor<2x?xf32>, tensor<3xf32>, tensor<3x4xf32>, tensor<4xf32>)
      normaliser(%n : tensor<2x4xf32>)
      feature_map <elu> : (tensor<1x4x5x8xf32>, tensor<1x2x5x8xf32>, tensor<1x2x5x8xf32>) -> tensor<1x4x5x8xf32>
  return
}

// -----

// expected-note @below {{'normaliser' defined here, of type 'tensor<2x3xf32>'}}
func.func @c14_normaliser(%q: tensor<1x4x5x8xf32>, %k: tensor<1x2x5x8xf32>, %v: tensor<1x2x5x8xf32>, %w1: tensor<2x3xf32>, %b1: tensor<3xf32>, %w2: tensor<3x4xf32>, %b2: tensor<4xf32>, %n: tensor<2x3xf32>) {
  // expected-error @below {{'attn.linear_admixture_heads' op expected 'normaliser' to have the shape [2, 4], but got 'tensor<2x3xf32>'}}
  %o = attn.linear_admixture_heads %q, %k, %v mlp(%w1, %b1, %w2, %b2 : tensor<2x3xf32>, tensor<3xf32>, tensor<3x4xf32>, tensor<4xf32>)
      normaliser(%n : tensor<2x3xf32>)
      feature_map <elu> : (tensor<1x4x5x8xf32>, tensor<1x2x5x8xf32>, tensor<1x2x5x8xf32>) -> tensor<1x4x5x8xf32>
  return
}

// -----

func.func @c15_no_mixer(%q: tensor<1x4x5x8xf32>, %k: tensor<1x2x5x8xf32>, %v: tensor<1x2x5x8xf32>) {
  // expected-error @below {{'attn.linear_admixture_heads' op expected one of 'mixer' and 'mlp'}}
  %o = attn.linear_admixture_heads %q, %k, %v 
      feature_map <elu> : (tensor<1x4x5x8xf32>, tensor<1x2x5x8xf32>, tensor<1x2x5x8xf32>) -> tensor<1x4x5x8xf32>
  return
}

// -----

func.func @c15_both(%q: tensor<1x4x5x8xf32>, %k: tensor<1x2x5x8xf32>, %v: tensor<1x2x5x8xf32>, %w1: tensor<2x3xf32>, %b1: tensor<3xf32>, %w2: tensor<3x4xf32>, %b2: tensor<4xf32>, %n: tensor<2x4xf32>) {
  // expected-error @below {{'attn.linear_admixture_heads' op expected one of 'mixer' and 'mlp'}}
  %o = attn.linear_admixture_heads %q, %k, %v mixer(%n : tensor<2x4xf32>) mlp(%w1, %b1, %w2, %b2 : tensor<2x3xf32>, tensor<3xf32>, tensor<3x4xf32>, tensor<4xf32>)
      normaliser(%n : tensor<2x4xf32>)
      feature_map <elu> : (tensor<1x4x5x8xf32>, tensor<1x2x5x8xf32>, tensor<1x2x5x8xf32>) -> tensor<1x4x5x8xf32>
  return
}
