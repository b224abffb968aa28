// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What attn.generic refuses: the constraints that all attention ops share, once
// each (invalid-softmax.mlir and invalid-clauses.mlir have their every case),
// then its mixers.
//
// RUN: mixattn-opt %s --split-input-file --verify-diagnostics

!q = tensor<1x4x5x8xf32>
!k = tensor<1x?x5x8xf32>
// expected-note @below {{'key' defined here, of type 'tensor<1x?x5x8xf32>'}}
func.func @c1_static_heads(%q: !q, %k: !k) -> !q {
  // expected-error @below {{'attn.generic' op expected 'key' to have static heads}}
  %o = attn.generic scores(%q, %k : !q, !k)
      pool(%q : !q) -> !q
  return %o : !q
}

// -----

!q = tensor<1x4x5x8xf32>
!k = tensor<1x4x5x8xbf16>
// expected-note @below {{'query' defined here, of type 'tensor<1x4x5x8xf32>'}}
// expected-note @below {{'key' defined here, of type 'tensor<1x4x5x8xbf16>'}}
func.func @c2_element_type(%q: !q, %k: !k) -> !q {
  // expected-error @below {{'attn.generic' op expected 'query' and 'key' to agree on the element type, but got 'f32' and 'bf16'}}
  %o = attn.generic scores(%q, %k : !q, !k)
      pool(%q : !q) -> !q
  return %o : !q
}

// -----

!q = tensor<1x4x5x8xf32>
!v = tensor<2x4x5x8xf32>
// expected-note @below {{'query' defined here, of type 'tensor<1x4x5x8xf32>'}}
// expected-note @below {{'value' defined here, of type 'tensor<2x4x5x8xf32>'}}
func.func @c3_batch(%q: !q, %v: !v) -> !q {
  // expected-error @below {{'attn.generic' op expected 'query' and 'value' to agree on the batch, but got 1 and 2}}
  %o = attn.generic scores(%q, %q : !q, !q)
      pool(%v : !v) -> !q
  return %o : !q
}

// -----

!q = tensor<1x4x5x8xf32>
!v = tensor<1x4x6x8xf32>
// expected-note @below {{'key' defined here, of type 'tensor<1x4x5x8xf32>'}}
// expected-note @below {{'value' defined here, of type 'tensor<1x4x6x8xf32>'}}
func.func @c4_length(%q: !q, %v: !v) -> !q {
  // expected-error @below {{'attn.generic' op expected 'key' and 'value' to agree on the length, but got 5 and 6}}
  %o = attn.generic scores(%q, %q : !q, !q)
      pool(%v : !v) -> !q
  return %o : !q
}

// -----

!q = tensor<1x4x5x8xf32>
!k = tensor<1x4x5x9xf32>
// expected-note @below {{'query' defined here, of type 'tensor<1x4x5x8xf32>'}}
// expected-note @below {{'key' defined here, of type 'tensor<1x4x5x9xf32>'}}
func.func @c5_feature_size(%q: !q, %k: !k) -> !q {
  // expected-error @below {{'attn.generic' op expected 'query' and 'key' to agree on the feature size, but got 8 and 9}}
  %o = attn.generic scores(%q, %k : !q, !k)
      pool(%q : !q) -> !q
  return %o : !q
}

// -----

!q = tensor<1x4x5x8xf32>
!v = tensor<1x3x5x8xf32>
// expected-note @below {{'query' defined here, of type 'tensor<1x4x5x8xf32>'}}
// expected-note @below {{'value' defined here, of type 'tensor<1x3x5x8xf32>'}}
func.func @c6_heads(%q: !q, %v: !v) -> !q {
  // expected-error @below {{'attn.generic' op expected the heads of 'value' to divide the heads of 'query', but got 3 and 4}}
  %o = attn.generic scores(%q, %q : !q, !q)
      pool(%v : !v) -> !q
  return %o : !q
}

// -----

!q = tensor<1x4x5x8xf32>
func.func @c7_scale(%q: !q) -> !q {
  // expected-error @below {{'attn.generic' op expected a finite 'scale'}}
  %o = attn.generic scores(%q, %q : !q, !q) scale 0x7FF8000000000000
      pool(%q : !q) -> !q
  return %o : !q
}

// -----

!q = tensor<1x4x5x8xf32>
// expected-note @below {{'bias' defined here, of type 'tensor<4xf32>'}}
func.func @c8_bias(%q: !q, %bias: tensor<4xf32>) -> !q {
  // expected-error @below {{'attn.generic' op expected 'bias' to broadcast from the right to [1, 4, 5, 5], but got 'tensor<4xf32>'}}
  %o = attn.generic scores(%q, %q : !q, !q) bias(%bias : tensor<4xf32>)
      pool(%q : !q) -> !q
  return %o : !q
}

// -----

!q = tensor<1x4x5x8xf32>
// expected-note @below {{'lengths' defined here, of type 'tensor<2xi32>'}}
func.func @c9_lengths(%q: !q, %n: tensor<2xi32>) -> !q {
  // expected-error @below {{'attn.generic' op expected 'lengths' to have the shape [1], but got 'tensor<2xi32>'}}
  %o = attn.generic scores(%q, %q : !q, !q) lengths(%n : tensor<2xi32>)
      pool(%q : !q) -> !q
  return %o : !q
}

// -----

!q = tensor<1x4x5x8xf32>
func.func @c10_score_mod(%q: !q) -> !q {
  // expected-error @below {{'attn.generic' op expected 'score_mod' to take a float score and the indices b, h, i, j, but got ('f32')}}
  %o = attn.generic scores(%q, %q : !q, !q) score_mod {
  ^bb0(%s: f32):
    attn.yield %s : f32
  }
      pool(%q : !q) -> !q
  return %o : !q
}

// -----

!q = tensor<1x4x5x8xf32>
!o = tensor<1x4x6x8xf32>
func.func @c11_result(%q: !q) -> !o {
  // expected-error @below {{failed to infer returned types}}
  // expected-error @below {{'attn.generic' op inferred type(s) 'tensor<1x4x5x8xf32>' are incompatible with return type(s) of operation 'tensor<1x4x6x8xf32>'}}
  %o = attn.generic scores(%q, %q : !q, !q)
      pool(%q : !q) -> !o
  return %o : !o
}

// -----

!q = tensor<1x4x5x8xf32>
// expected-note @below {{'mixer' defined here, of type 'tensor<8x8xf32>'}}
func.func @c19_mixer(%q: !q, %m: tensor<8x8xf32>) -> !q {
  // expected-error @below {{'attn.generic' op expected 'mixer' to have the shape [4, 4], but got 'tensor<8x8xf32>'}}
  %o = attn.generic scores(%q, %q : !q, !q) postmix(%m : tensor<8x8xf32>)
      pool(%q : !q) -> !q
  return %o : !q
}

// -----

!q = tensor<1x4x5x8xf32>
!m = tensor<4x4xf32>
func.func @c20_one_of_three(%q: !q, %b: !m) -> !q {
  // expected-error @below {{'attn.generic' op expected 'mix_source', 'mix_weight' and 'mix_bias' together or not at all}}
  %o = "attn.generic"(%q, %q, %q, %b) <{
      operandSegmentSizes = array<i32: 1, 1, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0>,
      resultSegmentSizes = array<i32: 1, 0, 0>}> ({})
      : (!q, !q, !q, !m) -> !q
  return %o : !q
}

// -----

!q = tensor<1x4x5x8xf32>
!w = tensor<8x4xf32>
!m = tensor<4x4xf32>
func.func @c21_both_mixers(%q: !q, %w: !w, %m: !m) -> !q {
  // expected-error @below {{'attn.generic' op expected 'postmix' or 'postmix_by_row', but got both}}
  %o = attn.generic scores(%q, %q : !q, !q) postmix(%m : !m)
      postmix_by_row(%q, %w, %m : !q, !w, !m) pool(%q : !q) -> !q
  return %o : !q
}
