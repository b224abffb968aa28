// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Errors of attn.linear_mixture_of_keys: keys with components, shifts and
// priors that do not fit (invalid-linear.mlir has what it shares with
// attn.linear).
//
// RUN: mixattn-opt %s --attn-bind-names --split-input-file --verify-diagnostics

// Heads, lengths and features of keys with components.
// expected-note @below {{'key' defined here, of type 'tensor<1x4x2x5x?xf32>'}}
func.func @c1_features(%q: tensor<1x4x5x8xf32>, %k: tensor<1x4x2x5x?xf32>, %v: tensor<1x4x5x8xf32>) {
  // expected-error @below {{'attn.linear_mixture_of_keys' op expected 'key' to have static features}}
  %o = attn.linear_mixture_of_keys %q, %k, %v  feature_map <elu>
      : (tensor<1x4x5x8xf32>, tensor<1x4x2x5x?xf32>, tensor<1x4x5x8xf32>) -> tensor<1x4x5x8xf32>
  return
}

// -----

// expected-note @below {{'query' defined here, of type 'tensor<1x4x5x8xf32>'}}
// expected-note @below {{'key' defined here, of type 'tensor<1x4x2x5x8xbf16>'}}
func.func @c2_element_type(%q: tensor<1x4x5x8xf32>, %k: tensor<1x4x2x5x8xbf16>, %v: tensor<1x4x5x8xf32>) {
  // expected-error @below {{'attn.linear_mixture_of_keys' op expected 'query' and 'key' to agree on the element type, but got 'f32' and 'bf16'}}
  %o = attn.linear_mixture_of_keys %q, %k, %v  feature_map <elu>
      : (tensor<1x4x5x8xf32>, tensor<1x4x2x5x8xbf16>, tensor<1x4x5x8xf32>) -> tensor<1x4x5x8xf32>
  return
}

// -----

// expected-note @below {{'query' defined here, of type 'tensor<1x4x5x8xf32>'}}
// expected-note @below {{'key' defined here, of type 'tensor<2x4x2x5x8xf32>'}}
func.func @c3_batch(%q: tensor<1x4x5x8xf32>, %k: tensor<2x4x2x5x8xf32>, %v: tensor<1x4x5x8xf32>) {
  // expected-error @below {{'attn.linear_mixture_of_keys' op expected 'query' and 'key' to agree on the batch, but got 1 and 2}}
  %o = attn.linear_mixture_of_keys %q, %k, %v  feature_map <elu>
      : (tensor<1x4x5x8xf32>, tensor<2x4x2x5x8xf32>, tensor<1x4x5x8xf32>) -> tensor<1x4x5x8xf32>
  return
}

// -----

// expected-note @below {{'key' defined here, of type 'tensor<1x4x2x5x8xf32>'}}
// expected-note @below {{'value' defined here, of type 'tensor<1x4x2x8xf32>'}}
func.func @c4_length(%q: tensor<1x4x5x8xf32>, %k: tensor<1x4x2x5x8xf32>, %v: tensor<1x4x2x8xf32>) {
  // expected-error @below {{'attn.linear_mixture_of_keys' op expected 'key' and 'value' to agree on the length, but got 5 and 2}}
  %o = attn.linear_mixture_of_keys %q, %k, %v  feature_map <elu>
      : (tensor<1x4x5x8xf32>, tensor<1x4x2x5x8xf32>, tensor<1x4x2x8xf32>) -> tensor<1x4x5x8xf32>
  return
}

// -----

// expected-note @below {{'query' defined here, of type 'tensor<1x4x5x8xf32>'}}
// expected-note @below {{'key' defined here, of type 'tensor<1x4x2x5x9xf32>'}}
func.func @c5_feature_size(%q: tensor<1x4x5x8xf32>, %k: tensor<1x4x2x5x9xf32>, %v: tensor<1x4x5x8xf32>) {
  // expected-error @below {{'attn.linear_mixture_of_keys' op expected 'query' and 'key' to agree on the feature size, but got 8 and 9}}
  %o = attn.linear_mixture_of_keys %q, %k, %v  feature_map <elu>
      : (tensor<1x4x5x8xf32>, tensor<1x4x2x5x9xf32>, tensor<1x4x5x8xf32>) -> tensor<1x4x5x8xf32>
  return
}

// -----

// expected-note @below {{'query' defined here, of type 'tensor<1x4x5x8xf32>'}}
// expected-note @below {{'key' defined here, of type 'tensor<1x3x2x5x8xf32>'}}
func.func @c6_heads(%q: tensor<1x4x5x8xf32>, %k: tensor<1x3x2x5x8xf32>, %v: tensor<1x3x5x8xf32>) {
  // expected-error @below {{'attn.linear_mixture_of_keys' op expected the heads of 'key' to divide the heads of 'query', but got 3 and 4}}
  %o = attn.linear_mixture_of_keys %q, %k, %v  feature_map <elu>
      : (tensor<1x4x5x8xf32>, tensor<1x3x2x5x8xf32>, tensor<1x3x5x8xf32>) -> tensor<1x4x5x8xf32>
  return
}

// -----

// expected-note @below {{'key' defined here, of type 'tensor<1x4x2x5x8xf32>'}}
func.func @c11_shifts_of_components(%q: tensor<1x4x5x8xf32>, %k: tensor<1x4x2x5x8xf32>, %v: tensor<1x4x5x8xf32>, %s: tensor<4x2x8xf32>) {
  // expected-error @below {{'attn.linear_mixture_of_keys' op expected 'shifts' only for keys without components}}
  %o = attn.linear_mixture_of_keys %q, %k, %v shifted_by(%s : tensor<4x2x8xf32>) feature_map <elu>
      : (tensor<1x4x5x8xf32>, tensor<1x4x2x5x8xf32>, tensor<1x4x5x8xf32>) -> tensor<1x4x5x8xf32>
  return
}

// -----

// expected-note @below {{'shifts' defined here, of type 'tensor<4x2x7xf32>'}}
func.func @c11_shifts(%q: tensor<1x4x5x8xf32>, %k: tensor<1x4x5x8xf32>, %v: tensor<1x4x5x8xf32>, %s: tensor<4x2x7xf32>) {
  // expected-error @below {{'attn.linear_mixture_of_keys' op expected 'shifts' to have the shape [4, 2, 8], but got 'tensor<4x2x7xf32>'}}
  %o = attn.linear_mixture_of_keys %q, %k, %v shifted_by(%s : tensor<4x2x7xf32>) feature_map <elu>
      : (tensor<1x4x5x8xf32>, tensor<1x4x5x8xf32>, tensor<1x4x5x8xf32>) -> tensor<1x4x5x8xf32>
  return
}

// -----

func.func @c11_zero_components(%q: tensor<1x4x5x8xf32>, %k: tensor<1x4x0x5x8xf32>, %v: tensor<1x4x5x8xf32>) {
  // expected-error @below {{'attn.linear_mixture_of_keys' op expected one component or more, and a static number of them}}
  %o = attn.linear_mixture_of_keys %q, %k, %v  feature_map <elu>
      : (tensor<1x4x5x8xf32>, tensor<1x4x0x5x8xf32>, tensor<1x4x5x8xf32>) -> tensor<1x4x5x8xf32>
  return
}

// -----

func.func @c11_dynamic_components(%q: tensor<1x4x5x8xf32>, %k: tensor<1x4x?x5x8xf32>, %v: tensor<1x4x5x8xf32>) {
  // expected-error @below {{'attn.linear_mixture_of_keys' op expected one component or more, and a static number of them}}
  %o = attn.linear_mixture_of_keys %q, %k, %v  feature_map <elu>
      : (tensor<1x4x5x8xf32>, tensor<1x4x?x5x8xf32>, tensor<1x4x5x8xf32>) -> tensor<1x4x5x8xf32>
  return
}

// -----

// expected-note @below {{'prior' defined here, of type 'tensor<4x3xf32>'}}
func.func @c12_prior(%q: tensor<1x4x5x8xf32>, %k: tensor<1x4x2x5x8xf32>, %v: tensor<1x4x5x8xf32>, %p: tensor<4x3xf32>) {
  // expected-error @below {{'attn.linear_mixture_of_keys' op expected 'prior' to have the shape [4, 2], but got 'tensor<4x3xf32>'}}
  %o = attn.linear_mixture_of_keys %q, %k, %v prior(%p : tensor<4x3xf32>) feature_map <elu>
      : (tensor<1x4x5x8xf32>, tensor<1x4x2x5x8xf32>, tensor<1x4x5x8xf32>) -> tensor<1x4x5x8xf32>
  return
}

// -----

// A prior is of key heads.
// expected-note @below {{'prior' defined here, of type 'tensor<4x2xf32>'}}
func.func @c12_prior_heads(%q: tensor<1x4x5x8xf32>, %k: tensor<1x2x2x5x8xf32>, %v: tensor<1x2x5x8xf32>, %p: tensor<4x2xf32>) {
  // expected-error @below {{'attn.linear_mixture_of_keys' op expected 'prior' to have the shape [2, 2], but got 'tensor<4x2xf32>'}}
  %o = attn.linear_mixture_of_keys %q, %k, %v prior(%p : tensor<4x2xf32>) feature_map <elu>
      : (tensor<1x4x5x8xf32>, tensor<1x2x2x5x8xf32>, tensor<1x2x5x8xf32>) -> tensor<1x4x5x8xf32>
  return
}

// -----

// expected-note @below {{'prior' defined here, of type 'tensor<4x2x4xf32>'}}
func.func @c12_prior_by_position(%q: tensor<1x4x5x8xf32>, %k: tensor<1x4x2x5x8xf32>, %v: tensor<1x4x5x8xf32>, %p: tensor<4x2x4xf32>) {
  // expected-error @below {{'attn.linear_mixture_of_keys' op expected 'prior' to have the shape [4, 2, 5], but got 'tensor<4x2x4xf32>'}}
  %o = attn.linear_mixture_of_keys %q, %k, %v prior(%p : tensor<4x2x4xf32>) feature_map <elu>
      : (tensor<1x4x5x8xf32>, tensor<1x4x2x5x8xf32>, tensor<1x4x5x8xf32>) -> tensor<1x4x5x8xf32>
  return
}

// -----

// Constants are looked at.
func.func @c12_negative_prior(%q: tensor<1x4x5x8xf32>, %k: tensor<1x4x2x5x8xf32>, %v: tensor<1x4x5x8xf32>) {
  %p = arith.constant dense<[[1.0, 1.0], [1.0, -0.5], [1.0, 1.0], [1.0, 1.0]]> : tensor<4x2xf32>
  // expected-error @below {{'attn.linear_mixture_of_keys' op expected 'prior' to hold values of 0 or more, but element 3 is not}}
  %o = attn.linear_mixture_of_keys %q, %k, %v prior(%p : tensor<4x2xf32>) feature_map <elu>
      : (tensor<1x4x5x8xf32>, tensor<1x4x2x5x8xf32>, tensor<1x4x5x8xf32>) -> tensor<1x4x5x8xf32>
  return
}

// -----

func.func @c12_prior_of_nan(%q: tensor<1x4x5x8xf32>, %k: tensor<1x4x2x5x8xf32>, %v: tensor<1x4x5x8xf32>) {
  %p = arith.constant dense<0x7FC00000> : tensor<4x2xf32>
  // expected-error @below {{'attn.linear_mixture_of_keys' op expected 'prior' to hold values of 0 or more, but element 0 is not}}
  %o = attn.linear_mixture_of_keys %q, %k, %v prior(%p : tensor<4x2xf32>) feature_map <elu>
      : (tensor<1x4x5x8xf32>, tensor<1x4x2x5x8xf32>, tensor<1x4x5x8xf32>) -> tensor<1x4x5x8xf32>
  return
}

// -----

func.func @c12_no_component(%q: tensor<1x4x5x8xf32>, %k: tensor<1x4x2x5x8xf32>, %v: tensor<1x4x5x8xf32>) {
  %p = arith.constant dense<[[1.0, 1.0], [1.0, 0.0], [0.0, 0.0], [1.0, 1.0]]> : tensor<4x2xf32>
  // expected-error @below {{'attn.linear_mixture_of_keys' op expected 'prior' to hold a value above 0 for head 2, but got none}}
  %o = attn.linear_mixture_of_keys %q, %k, %v prior(%p : tensor<4x2xf32>) feature_map <elu>
      : (tensor<1x4x5x8xf32>, tensor<1x4x2x5x8xf32>, tensor<1x4x5x8xf32>) -> tensor<1x4x5x8xf32>
  return
}

// -----

func.func @c12_no_component_by_position(%q: tensor<1x4x5x8xf32>, %k: tensor<1x4x2x5x8xf32>, %v: tensor<1x4x5x8xf32>) {
  %p = arith.constant dense<0.0> : tensor<4x2x5xbf16>
  // expected-error @below {{'attn.linear_mixture_of_keys' op expected 'prior' to hold a value above 0 for head 0, but got none}}
  %o = attn.linear_mixture_of_keys %q, %k, %v prior(%p : tensor<4x2x5xbf16>) feature_map <elu>
      : (tensor<1x4x5x8xf32>, tensor<1x4x2x5x8xf32>, tensor<1x4x5x8xf32>) -> tensor<1x4x5x8xf32>
  return
}

// -----

func.func @c15_no_components(%q: tensor<1x4x5x8xf32>, %k: tensor<1x4x5x8xf32>, %v: tensor<1x4x5x8xf32>) {
  // expected-error @below {{'attn.linear_mixture_of_keys' op expected keys with components, or 'shifts'}}
  %o = attn.linear_mixture_of_keys %q, %k, %v  feature_map <elu>
      : (tensor<1x4x5x8xf32>, tensor<1x4x5x8xf32>, tensor<1x4x5x8xf32>) -> tensor<1x4x5x8xf32>
  return
}
