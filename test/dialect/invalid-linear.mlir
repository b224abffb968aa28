// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Errors of attn.linear, constraint by constraint.
//
// RUN: mixattn-opt %s --split-input-file --verify-diagnostics

// expected-note @below {{'query' defined here, of type 'tensor<1x?x5x8xf32>'}}
func.func @c1_query_heads(%q: tensor<1x?x5x8xf32>, %k: tensor<1x4x5x8xf32>, %v: tensor<1x4x5x8xf32>) {
  // expected-error @below {{'attn.linear' op expected 'query' to have static heads}}
  %o = attn.linear %q, %k, %v feature_map <elu>
      : (tensor<1x?x5x8xf32>, tensor<1x4x5x8xf32>, tensor<1x4x5x8xf32>) -> tensor<1x4x5x8xf32>
  return
}

// -----

// expected-note @below {{'key' defined here, of type 'tensor<1x?x5x8xf32>'}}
func.func @c1_key_heads(%q: tensor<1x4x5x8xf32>, %k: tensor<1x?x5x8xf32>, %v: tensor<1x4x5x8xf32>) {
  // expected-error @below {{'attn.linear' op expected 'key' to have static heads}}
  %o = attn.linear %q, %k, %v feature_map <elu>
      : (tensor<1x4x5x8xf32>, tensor<1x?x5x8xf32>, tensor<1x4x5x8xf32>) -> tensor<1x4x5x8xf32>
  return
}

// -----

// expected-note @below {{'value' defined here, of type 'tensor<1x?x5x8xf32>'}}
func.func @c1_value_heads(%q: tensor<1x4x5x8xf32>, %k: tensor<1x4x5x8xf32>, %v: tensor<1x?x5x8xf32>) {
  // expected-error @below {{'attn.linear' op expected 'value' to have static heads}}
  %o = attn.linear %q, %k, %v feature_map <elu>
      : (tensor<1x4x5x8xf32>, tensor<1x4x5x8xf32>, tensor<1x?x5x8xf32>) -> tensor<1x4x5x8xf32>
  return
}

// -----

// expected-note @below {{'value' defined here, of type 'tensor<1x4x5x?xf32>'}}
func.func @c1_features(%q: tensor<1x4x5x8xf32>, %k: tensor<1x4x5x8xf32>, %v: tensor<1x4x5x?xf32>) {
  // expected-error @below {{'attn.linear' op expected 'value' to have static features}}
  %o = attn.linear %q, %k, %v feature_map <elu>
      : (tensor<1x4x5x8xf32>, tensor<1x4x5x8xf32>, tensor<1x4x5x?xf32>) -> tensor<1x4x5x?xf32>
  return
}

// -----

// expected-note @below {{'query' defined here, of type 'tensor<1x4x5x8xf32>'}}
// expected-note @below {{'key' defined here, of type 'tensor<1x4x5x8xf16>'}}
func.func @c2_element_type(%q: tensor<1x4x5x8xf32>, %k: tensor<1x4x5x8xf16>, %v: tensor<1x4x5x8xf32>) {
  // expected-error @below {{'attn.linear' op expected 'query' and 'key' to agree on the element type, but got 'f32' and 'f16'}}
  %o = attn.linear %q, %k, %v feature_map <elu>
      : (tensor<1x4x5x8xf32>, tensor<1x4x5x8xf16>, tensor<1x4x5x8xf32>) -> tensor<1x4x5x8xf32>
  return
}

// -----

// expected-note @below {{'query' defined here, of type 'tensor<1x4x5x8xf32>'}}
// expected-note @below {{'key' defined here, of type 'tensor<2x4x5x8xf32>'}}
func.func @c3_batch_of_key(%q: tensor<1x4x5x8xf32>, %k: tensor<2x4x5x8xf32>, %v: tensor<1x4x5x8xf32>) {
  // expected-error @below {{'attn.linear' op expected 'query' and 'key' to agree on the batch, but got 1 and 2}}
  %o = attn.linear %q, %k, %v feature_map <elu>
      : (tensor<1x4x5x8xf32>, tensor<2x4x5x8xf32>, tensor<1x4x5x8xf32>) -> tensor<1x4x5x8xf32>
  return
}

// -----

// expected-note @below {{'query' defined here, of type 'tensor<1x4x5x8xf32>'}}
// expected-note @below {{'value' defined here, of type 'tensor<2x4x5x8xf32>'}}
func.func @c3_batch_of_value(%q: tensor<1x4x5x8xf32>, %k: tensor<1x4x5x8xf32>, %v: tensor<2x4x5x8xf32>) {
  // expected-error @below {{'attn.linear' op expected 'query' and 'value' to agree on the batch, but got 1 and 2}}
  %o = attn.linear %q, %k, %v feature_map <elu>
      : (tensor<1x4x5x8xf32>, tensor<1x4x5x8xf32>, tensor<2x4x5x8xf32>) -> tensor<1x4x5x8xf32>
  return
}

// -----

// Also where the queries leave it open.
// expected-note @below {{'key' defined here, of type 'tensor<1x4x5x8xf32>'}}
// expected-note @below {{'value' defined here, of type 'tensor<2x4x5x8xf32>'}}
func.func @c3_batch_of_key_and_value(%q: tensor<?x4x5x8xf32>, %k: tensor<1x4x5x8xf32>, %v: tensor<2x4x5x8xf32>) {
  // expected-error @below {{'attn.linear' op expected 'key' and 'value' to agree on the batch, but got 1 and 2}}
  %o = attn.linear %q, %k, %v feature_map <elu>
      : (tensor<?x4x5x8xf32>, tensor<1x4x5x8xf32>, tensor<2x4x5x8xf32>) -> tensor<1x4x5x8xf32>
  return
}

// -----

// expected-note @below {{'key' defined here, of type 'tensor<1x4x5x8xf32>'}}
// expected-note @below {{'value' defined here, of type 'tensor<1x4x6x8xf32>'}}
func.func @c4_length(%q: tensor<1x4x5x8xf32>, %k: tensor<1x4x5x8xf32>, %v: tensor<1x4x6x8xf32>) {
  // expected-error @below {{'attn.linear' op expected 'key' and 'value' to agree on the length, but got 5 and 6}}
  %o = attn.linear %q, %k, %v feature_map <elu>
      : (tensor<1x4x5x8xf32>, tensor<1x4x5x8xf32>, tensor<1x4x6x8xf32>) -> tensor<1x4x5x8xf32>
  return
}

// -----

// expected-note @below {{'query' defined here, of type 'tensor<1x4x5x8xf32>'}}
// expected-note @below {{'key' defined here, of type 'tensor<1x4x5x9xf32>'}}
func.func @c5_feature_size(%q: tensor<1x4x5x8xf32>, %k: tensor<1x4x5x9xf32>, %v: tensor<1x4x5x8xf32>) {
  // expected-error @below {{'attn.linear' op expected 'query' and 'key' to agree on the feature size, but got 8 and 9}}
  %o = attn.linear %q, %k, %v feature_map <elu>
      : (tensor<1x4x5x8xf32>, tensor<1x4x5x9xf32>, tensor<1x4x5x8xf32>) -> tensor<1x4x5x8xf32>
  return
}

// -----

// expected-note @below {{'query' defined here, of type 'tensor<1x4x5x8xf32>'}}
// expected-note @below {{'key' defined here, of type 'tensor<1x3x5x8xf32>'}}
func.func @c6_key_heads(%q: tensor<1x4x5x8xf32>, %k: tensor<1x3x5x8xf32>, %v: tensor<1x3x5x8xf32>) {
  // expected-error @below {{'attn.linear' op expected the heads of 'key' to divide the heads of 'query', but got 3 and 4}}
  %o = attn.linear %q, %k, %v feature_map <elu>
      : (tensor<1x4x5x8xf32>, tensor<1x3x5x8xf32>, tensor<1x3x5x8xf32>) -> tensor<1x4x5x8xf32>
  return
}

// -----

// A state has one value head; more values than keys have none.
// expected-note @below {{'key' defined here, of type 'tensor<1x2x5x8xf32>'}}
// expected-note @below {{'value' defined here, of type 'tensor<1x4x5x8xf32>'}}
func.func @c6_value_heads(%q: tensor<1x4x5x8xf32>, %k: tensor<1x2x5x8xf32>, %v: tensor<1x4x5x8xf32>) {
  // expected-error @below {{'attn.linear' op expected the heads of 'value' to divide the heads of 'key', but got 4 and 2}}
  %o = attn.linear %q, %k, %v feature_map <elu>
      : (tensor<1x4x5x8xf32>, tensor<1x2x5x8xf32>, tensor<1x4x5x8xf32>) -> tensor<1x4x5x8xf32>
  return
}

// -----

func.func @c7_negative_eps(%q: tensor<1x4x5x8xf32>, %k: tensor<1x4x5x8xf32>, %v: tensor<1x4x5x8xf32>) {
  // expected-error @below {{'attn.linear' op expected 'eps' to be finite in f32 and not negative}}
  %o = attn.linear %q, %k, %v feature_map <elu> eps -1.0e-5
      : (tensor<1x4x5x8xf32>, tensor<1x4x5x8xf32>, tensor<1x4x5x8xf32>) -> tensor<1x4x5x8xf32>
  return
}

// -----

func.func @c7_infinite_eps(%q: tensor<1x4x5x8xf32>, %k: tensor<1x4x5x8xf32>, %v: tensor<1x4x5x8xf32>) {
  // expected-error @below {{'attn.linear' op expected 'eps' to be finite in f32 and not negative}}
  %o = attn.linear %q, %k, %v feature_map <elu> eps 0x7FF0000000000000
      : (tensor<1x4x5x8xf32>, tensor<1x4x5x8xf32>, tensor<1x4x5x8xf32>) -> tensor<1x4x5x8xf32>
  return
}

// -----

func.func @c7_nan_eps(%q: tensor<1x4x5x8xf32>, %k: tensor<1x4x5x8xf32>, %v: tensor<1x4x5x8xf32>) {
  // expected-error @below {{'attn.linear' op expected 'eps' to be finite in f32 and not negative}}
  %o = attn.linear %q, %k, %v feature_map <elu> eps 0x7FF8000000000000
      : (tensor<1x4x5x8xf32>, tensor<1x4x5x8xf32>, tensor<1x4x5x8xf32>) -> tensor<1x4x5x8xf32>
  return
}

// -----

func.func @c7_too_large_eps(%q: tensor<1x4x5x8xf32>, %k: tensor<1x4x5x8xf32>, %v: tensor<1x4x5x8xf32>) {
  // expected-error @below {{'attn.linear' op expected 'eps' to be finite in f32 and not negative}}
  %o = attn.linear %q, %k, %v feature_map <elu> eps 1.0e39
      : (tensor<1x4x5x8xf32>, tensor<1x4x5x8xf32>, tensor<1x4x5x8xf32>) -> tensor<1x4x5x8xf32>
  return
}

// -----

func.func @c7_output_scale(%q: tensor<1x4x5x8xf32>, %k: tensor<1x4x5x8xf32>, %v: tensor<1x4x5x8xf32>) {
  // expected-error @below {{'attn.linear' op expected 'output_scale' to be finite in f32}}
  %o = attn.linear %q, %k, %v feature_map <elu> output_scale 1.0e39
      : (tensor<1x4x5x8xf32>, tensor<1x4x5x8xf32>, tensor<1x4x5x8xf32>) -> tensor<1x4x5x8xf32>
  return
}

// -----

// expected-note @below {{'lengths' defined here, of type 'tensor<2xi64>'}}
func.func @c8_lengths(%q: tensor<1x4x5x8xf32>, %k: tensor<1x4x5x8xf32>, %v: tensor<1x4x5x8xf32>, %n: tensor<2xi64>) {
  // expected-error @below {{'attn.linear' op expected 'lengths' to have the shape [1], but got 'tensor<2xi64>'}}
  %o = attn.linear %q, %k, %v feature_map <elu> lengths(%n : tensor<2xi64>)
      : (tensor<1x4x5x8xf32>, tensor<1x4x5x8xf32>, tensor<1x4x5x8xf32>) -> tensor<1x4x5x8xf32>
  return
}

// -----

func.func @c9_no_projection(%q: tensor<1x4x5x8xf32>, %k: tensor<1x4x5x8xf32>, %v: tensor<1x4x5x8xf32>) {
  // expected-error @below {{'attn.linear' op expected a projection 'favor' with the feature map favor, and only there}}
  %o = attn.linear %q, %k, %v feature_map <favor>
      : (tensor<1x4x5x8xf32>, tensor<1x4x5x8xf32>, tensor<1x4x5x8xf32>) -> tensor<1x4x5x8xf32>
  return
}

// -----

func.func @c9_projection_of_elu(%q: tensor<1x4x5x8xf32>, %k: tensor<1x4x5x8xf32>, %v: tensor<1x4x5x8xf32>, %w: tensor<8x6xf32>) {
  // expected-error @below {{'attn.linear' op expected a projection 'favor' with the feature map favor, and only there}}
  %o = attn.linear %q, %k, %v feature_map <elu> favor(%w : tensor<8x6xf32>)
      : (tensor<1x4x5x8xf32>, tensor<1x4x5x8xf32>, tensor<1x4x5x8xf32>) -> tensor<1x4x5x8xf32>
  return
}

// -----

// expected-note @below {{'projection' defined here, of type 'tensor<7x6xf32>'}}
func.func @c9_projection_rows(%q: tensor<1x4x5x8xf32>, %k: tensor<1x4x5x8xf32>, %v: tensor<1x4x5x8xf32>, %w: tensor<7x6xf32>) {
  // expected-error @below {{'attn.linear' op expected 'projection' to have the shape [8, 6], but got 'tensor<7x6xf32>'}}
  %o = attn.linear %q, %k, %v feature_map <favor> favor(%w : tensor<7x6xf32>)
      : (tensor<1x4x5x8xf32>, tensor<1x4x5x8xf32>, tensor<1x4x5x8xf32>) -> tensor<1x4x5x8xf32>
  return
}

// -----

// expected-note @below {{'projection' defined here, of type 'tensor<8x?xf32>'}}
func.func @c9_projection_columns(%q: tensor<1x4x5x8xf32>, %k: tensor<1x4x5x8xf32>, %v: tensor<1x4x5x8xf32>, %w: tensor<8x?xf32>) {
  // expected-error @below {{'attn.linear' op expected 'projection' to have static columns}}
  %o = attn.linear %q, %k, %v feature_map <favor> favor(%w : tensor<8x?xf32>)
      : (tensor<1x4x5x8xf32>, tensor<1x4x5x8xf32>, tensor<1x4x5x8xf32>) -> tensor<1x4x5x8xf32>
  return
}

// -----

func.func @c10_result(%q: tensor<1x4x5x8xf32>, %k: tensor<1x4x5x8xf32>, %v: tensor<1x4x5x8xf32>) {
  // expected-error @below {{failed to infer returned types}}
  // expected-error @below {{'attn.linear' op inferred type(s) 'tensor<1x4x5x8xf32>' are incompatible with return type(s) of operation 'tensor<1x2x5x8xf32>'}}
  %o = attn.linear %q, %k, %v feature_map <elu>
      : (tensor<1x4x5x8xf32>, tensor<1x4x5x8xf32>, tensor<1x4x5x8xf32>) -> tensor<1x2x5x8xf32>
  return
}

// -----

func.func @keys_with_components(%q: tensor<1x4x5x8xf32>, %k: tensor<1x4x2x5x8xf32>, %v: tensor<1x4x5x8xf32>) {
  // expected-error @below {{'attn.linear' op operand #1 must be 4D tensor of 16-bit float or bfloat16 type or 32-bit float values, but got 'tensor<1x4x2x5x8xf32>'}}
  %o = attn.linear %q, %k, %v feature_map <elu>
      : (tensor<1x4x5x8xf32>, tensor<1x4x2x5x8xf32>, tensor<1x4x5x8xf32>) -> tensor<1x4x5x8xf32>
  return
}
