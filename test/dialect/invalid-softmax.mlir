// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Errors of attn.softmax. Functions are named after the constraints of the
// op's page; constraints on score_mod (C10) are in score-mod-invalid.mlir.
//
// RUN: mixattn-opt %s --split-input-file --verify-diagnostics

!q = tensor<1x4x5x8xf32>
!dynamic_heads = tensor<1x?x5x8xf32>
// expected-note @below {{'query' defined here, of type 'tensor<1x?x5x8xf32>'}}
func.func @c1_query_heads(%q: !dynamic_heads, %k: !q) -> !q {
  // expected-error @below {{'attn.softmax' op expected 'query' to have static heads}}
  %o = attn.softmax %q, %k, %k : (!dynamic_heads, !q, !q) -> !q
  return %o : !q
}

// -----

!q = tensor<1x4x5x8xf32>
!dynamic_features = tensor<1x4x5x?xf32>
// expected-note @below {{'key' defined here, of type 'tensor<1x4x5x?xf32>'}}
func.func @c1_key_features(%q: !q, %k: !dynamic_features) -> !q {
  // expected-error @below {{'attn.softmax' op expected 'key' to have static features}}
  %o = attn.softmax %q, %k, %q : (!q, !dynamic_features, !q) -> !q
  return %o : !q
}

// -----

!q = tensor<1x4x5x8xf32>
!dynamic_heads = tensor<1x?x5x8xf32>
// expected-note @below {{'value' defined here, of type 'tensor<1x?x5x8xf32>'}}
func.func @c1_value_heads(%q: !q, %v: !dynamic_heads) -> !q {
  // expected-error @below {{'attn.softmax' op expected 'value' to have static heads}}
  %o = attn.softmax %q, %q, %v : (!q, !q, !dynamic_heads) -> !q
  return %o : !q
}

// -----

!q = tensor<1x4x5x8xf32>
!k = tensor<1x4x5x8xf16>
// expected-note @below {{'query' defined here, of type 'tensor<1x4x5x8xf32>'}}
func.func @c2_element_type(%q: !q,
    // expected-note @below {{'key' defined here, of type 'tensor<1x4x5x8xf16>'}}
    %k: !k) -> !q {
  // expected-error @below {{'attn.softmax' op expected 'query' and 'key' to agree on the element type, but got 'f32' and 'f16'}}
  %o = attn.softmax %q, %k, %q : (!q, !k, !q) -> !q
  return %o : !q
}

// -----

!q = tensor<2x4x5x8xf32>
!k = tensor<3x4x5x8xf32>
// expected-note @below {{'query' defined here, of type 'tensor<2x4x5x8xf32>'}}
func.func @c3_query_key(%q: !q,
    // expected-note @below {{'key' defined here, of type 'tensor<3x4x5x8xf32>'}}
    %k: !k) -> !q {
  // expected-error @below {{'attn.softmax' op expected 'query' and 'key' to agree on the batch, but got 2 and 3}}
  %o = attn.softmax %q, %k, %q : (!q, !k, !q) -> !q
  return %o : !q
}

// -----

!q = tensor<2x4x5x8xf32>
!v = tensor<3x4x5x8xf32>
// expected-note @below {{'query' defined here, of type 'tensor<2x4x5x8xf32>'}}
func.func @c3_query_value(%q: !q,
    // expected-note @below {{'value' defined here, of type 'tensor<3x4x5x8xf32>'}}
    %v: !v) -> !q {
  // expected-error @below {{'attn.softmax' op expected 'query' and 'value' to agree on the batch, but got 2 and 3}}
  %o = attn.softmax %q, %q, %v : (!q, !q, !v) -> !q
  return %o : !q
}

// -----

// The query's dynamic batch agrees with both others, which do not agree.
!q = tensor<?x4x5x8xf32>
!k = tensor<2x4x5x8xf32>
!v = tensor<3x4x5x8xf32>
// expected-note @below {{'key' defined here, of type 'tensor<2x4x5x8xf32>'}}
func.func @c3_key_value(%q: !q, %k: !k,
    // expected-note @below {{'value' defined here, of type 'tensor<3x4x5x8xf32>'}}
    %v: !v) -> !q {
  // expected-error @below {{'attn.softmax' op expected 'key' and 'value' to agree on the batch, but got 2 and 3}}
  %o = attn.softmax %q, %k, %v : (!q, !k, !v) -> !q
  return %o : !q
}

// -----

!k = tensor<1x4x5x8xf32>
!v = tensor<1x4x6x8xf32>
// expected-note @below {{'key' defined here, of type 'tensor<1x4x5x8xf32>'}}
func.func @c4_length(%k: !k,
    // expected-note @below {{'value' defined here, of type 'tensor<1x4x6x8xf32>'}}
    %v: !v) -> !k {
  // expected-error @below {{'attn.softmax' op expected 'key' and 'value' to agree on the length, but got 5 and 6}}
  %o = attn.softmax %k, %k, %v : (!k, !k, !v) -> !k
  return %o : !k
}

// -----

!q = tensor<1x4x5x8xf32>
!k = tensor<1x4x5x9xf32>
// expected-note @below {{'query' defined here, of type 'tensor<1x4x5x8xf32>'}}
func.func @c5_feature_size(%q: !q,
    // expected-note @below {{'key' defined here, of type 'tensor<1x4x5x9xf32>'}}
    %k: !k) -> !q {
  // expected-error @below {{'attn.softmax' op expected 'query' and 'key' to agree on the feature size, but got 8 and 9}}
  %o = attn.softmax %q, %k, %q : (!q, !k, !q) -> !q
  return %o : !q
}

// -----

!q = tensor<1x4x5x8xf32>
!k = tensor<1x3x5x8xf32>
// expected-note @below {{'query' defined here, of type 'tensor<1x4x5x8xf32>'}}
func.func @c6_key_heads(%q: !q,
    // expected-note @below {{'key' defined here, of type 'tensor<1x3x5x8xf32>'}}
    %k: !k) -> !q {
  // expected-error @below {{'attn.softmax' op expected the heads of 'key' to divide the heads of 'query', but got 3 and 4}}
  %o = attn.softmax %q, %k, %q : (!q, !k, !q) -> !q
  return %o : !q
}

// -----

!q = tensor<1x4x5x8xf32>
!v = tensor<1x0x5x8xf32>
// expected-note @below {{'query' defined here, of type 'tensor<1x4x5x8xf32>'}}
func.func @c6_no_value_heads(%q: !q,
    // expected-note @below {{'value' defined here, of type 'tensor<1x0x5x8xf32>'}}
    %v: !v) -> !q {
  // expected-error @below {{'attn.softmax' op expected the heads of 'value' to divide the heads of 'query', but got 0 and 4}}
  %o = attn.softmax %q, %q, %v : (!q, !q, !v) -> !q
  return %o : !q
}

// -----

!q = tensor<1x0x5x8xf32>
!k = tensor<1x2x5x8xf32>
// expected-note @below {{'query' defined here, of type 'tensor<1x0x5x8xf32>'}}
func.func @c6_no_query_heads(%q: !q,
    // expected-note @below {{'key' defined here, of type 'tensor<1x2x5x8xf32>'}}
    %k: !k) -> !q {
  // expected-error @below {{'attn.softmax' op expected the heads of 'key' to divide the heads of 'query', but got 2 and 0}}
  %o = attn.softmax %q, %k, %k : (!q, !k, !k) -> !q
  return %o : !q
}

// -----

!q = tensor<1x4x5x8xf32>
func.func @c7_infinite_scale(%q: !q) -> !q {
  // expected-error @below {{'attn.softmax' op expected 'scale' to be finite in f32}}
  %o = attn.softmax %q, %q, %q scale 0x7FF0000000000000 : (!q, !q, !q) -> !q
  return %o : !q
}

// -----

// A Gaussian's exponent has a variance in the place of a scale.
!q = tensor<1x4x5x8xf32>
func.func @c21_scaled_gaussian(%q: !q) -> !q {
  // expected-error @below {{'attn.softmax' op expected 'gaussian' without 'scale'}}
  %o = attn.softmax %q, %q, %q gaussian scale 0.5 : (!q, !q, !q) -> !q
  return %o : !q
}
