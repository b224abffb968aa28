// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Errors of attn.generic: the constraints that all attention ops share, once
// each (invalid-softmax.mlir and invalid-clauses.mlir have all their cases),
// then its components, terms and mixers.
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
  // expected-error @below {{'attn.generic' op expected 'scale' to be finite in f32}}
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
      operandSegmentSizes = array<i32: 1, 1, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0>,
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

// -----

!q = tensor<1x4x5x8xf32>
!keys = tensor<1x4x2x5x8xf32>
!shifts = tensor<4x2x8xf32>
// expected-note @below {{'key' defined here, of type 'tensor<1x4x2x5x8xf32>'}}
func.func @c12_shifts_of_components(%q: !q, %keys: !keys, %shifts: !shifts) -> !q {
  // expected-error @below {{'attn.generic' op expected 'shifts' only for keys without components}}
  %o = attn.generic scores(%q, %keys : !q, !keys) shifted_by(%shifts : !shifts)
      pool(%q : !q) -> !q
  return %o : !q
}

// -----

// One score has one variance.
!q = tensor<1x4x5x8xf32>
func.func @c13_variances(%q: !q) -> !q {
  // expected-error @below {{'attn.generic' op expected 1 'variances', one per component, but got 2}}
  %o = attn.generic scores(%q, %q : !q, !q) variances [1.0, 1.0]
      pool(%q : !q) -> !q
  return %o : !q
}

// -----

// Terms alone give components to one product: one variance, or one each.
!q = tensor<1x4x5x8xf32>
!term = tensor<1x4x3x5xf32>
func.func @c13_variances_of_terms(%q: !q, %term: !term) -> !q {
  // expected-error @below {{'attn.generic' op expected 1 'variances', one per component, but got 2}}
  %o = attn.generic scores(%q, %q : !q, !q) variances [1.0, 1.0]
      key_term(%term : !term) pool(%q : !q) -> !q
  return %o : !q
}

// -----

!q = tensor<1x4x5x8xf32>
func.func @c14_prior_without_components(%q: !q, %prior: tensor<4x1xf32>) -> !q {
  // expected-error @below {{'attn.generic' op expected 'prior' over components}}
  %o = attn.generic scores(%q, %q : !q, !q) prior(%prior : tensor<4x1xf32>)
      pool(%q : !q) -> !q
  return %o : !q
}

// -----

!q = tensor<1x4x5x8xf32>
!term = tensor<1x4x3x5xf32>
// expected-note @below {{'prior' defined here, of type 'tensor<4x2xf32>'}}
func.func @c14_prior(%q: !q, %term: !term, %prior: tensor<4x2xf32>) -> !q {
  // expected-error @below {{'attn.generic' op expected 'prior' to have the shape [4, 3], but got 'tensor<4x2xf32>'}}
  %o = attn.generic scores(%q, %q : !q, !q) query_term(%term : !term)
      prior(%prior : tensor<4x2xf32>) pool(%q : !q) -> !q
  return %o : !q
}

// -----

!q = tensor<1x4x5x8xf32>
func.func @c15_maximum_without_components(%q: !q) -> !q {
  // expected-error @below {{'attn.generic' op expected 'maximum' over components and without 'prior'}}
  %o = attn.generic scores(%q, %q : !q, !q) maximum pool(%q : !q) -> !q
  return %o : !q
}

// -----

!q = tensor<1x4x5x8xf32>
// expected-note @below {{'premixer' defined here, of type 'tensor<2x4xf32>'}}
func.func @c16_premixer(%q: !q, %m: tensor<2x4xf32>) -> !q {
  // expected-error @below {{'attn.generic' op expected 'premixer' to have the shape [4, 4], but got 'tensor<2x4xf32>'}}
  %o = attn.generic scores(%q, %q : !q, !q) premix(%m : tensor<2x4xf32>)
      pool(%q : !q) -> !q
  return %o : !q
}

// -----

!q = tensor<1x4x5x8xf32>
!w = tensor<4x3xf32>
func.func @c17_one_of_four(%q: !q, %w1: !w) -> !q {
  // expected-error @below {{'attn.generic' op expected 'w1', 'b1', 'w2' and 'b2' together or not at all}}
  %o = "attn.generic"(%q, %q, %q, %w1) <{
      operandSegmentSizes = array<i32: 1, 1, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0>,
      resultSegmentSizes = array<i32: 1, 0, 0>}> ({})
      : (!q, !q, !q, !w) -> !q
  return %o : !q
}

// -----

!q = tensor<1x4x5x8xf32>
func.func @c18_relu_alone(%q: !q) -> !q {
  // expected-error @below {{'attn.generic' op expected 'relu_per_key' with a linear mixer}}
  %o = attn.generic scores(%q, %q : !q, !q) relu_per_key pool(%q : !q) -> !q
  return %o : !q
}

// -----

// A mixer of weights has the heads of the result.
!q = tensor<1x4x5x8xf32>
!v = tensor<1x2x5x8xf32>
// expected-note @below {{'mixer' defined here, of type 'tensor<4x4xf32>'}}
func.func @c19_mixer_after_premix(%q: !q, %v: !v, %m: tensor<4x2xf32>, %p: tensor<4x4xf32>) -> !v {
  // expected-error @below {{'attn.generic' op expected 'mixer' to have the shape [2, 2], but got 'tensor<4x4xf32>'}}
  %o = attn.generic scores(%q, %q : !q, !q) premix(%m : tensor<4x2xf32>)
      postmix(%p : tensor<4x4xf32>) pool(%v : !v) -> !v
  return %o : !v
}

// -----

!q = tensor<1x4x5x8xf32>
!v = tensor<1x2x5x8xf32>
// expected-note @below {{'mix_source' defined here, of type 'tensor<1x4x5x8xf32>'}}
func.func @c20_source_after_premix(%q: !q, %v: !v, %m: tensor<4x2xf32>,
                                   %w: tensor<8x2xf32>, %b: tensor<2x2xf32>) -> !v {
  // expected-error @below {{'attn.generic' op expected 'mix_source' to have the shape [1, 2, 5, 8], but got 'tensor<1x4x5x8xf32>'}}
  %o = attn.generic scores(%q, %q : !q, !q) premix(%m : tensor<4x2xf32>)
      postmix_by_row(%q, %w, %b : !q, tensor<8x2xf32>, tensor<2x2xf32>)
      pool(%v : !v) -> !v
  return %o : !v
}

// -----

!q = tensor<1x4x5x8xf32>
!m = tensor<4x4xf32>
!b = tensor<4xf32>
func.func @c21_both_premixers(%q: !q, %m: !m, %b: !b) -> !q {
  // expected-error @below {{'attn.generic' op expected 'premix' or 'premix_mlp', but got both}}
  %o = attn.generic scores(%q, %q : !q, !q) premix(%m : !m)
      premix_mlp(%m, %b, %m, %b : !m, !b, !m, !b) pool(%q : !q) -> !q
  return %o : !q
}

// -----

!q = tensor<?x4x5x8xf32>
!k = tensor<?x2x7x8xf32>
// expected-note @below {{'query_term' defined here, of type 'tensor<?x4x7xf32>'}}
func.func @c22_query_term(%q: !q, %k: !k, %term: tensor<?x4x7xf32>) -> !q {
  // expected-error @below {{'attn.generic' op expected 'query_term' to have the shape [?, 4, 5], but got 'tensor<?x4x7xf32>'}}
  %o = attn.generic scores(%q, %k : !q, !k) query_term(%term : tensor<?x4x7xf32>)
      pool(%k : !k) -> !q
  return %o : !q
}

// -----

// A term per key has the heads of the key.
!q = tensor<?x4x5x8xf32>
!k = tensor<?x2x7x8xf32>
// expected-note @below {{'key_term' defined here, of type 'tensor<?x4x7xf32>'}}
func.func @c22_key_term(%q: !q, %k: !k, %term: tensor<?x4x7xf32>) -> !q {
  // expected-error @below {{'attn.generic' op expected 'key_term' to have the shape [?, 2, 7], but got 'tensor<?x4x7xf32>'}}
  %o = attn.generic scores(%q, %k : !q, !k) key_term(%term : tensor<?x4x7xf32>)
      pool(%k : !k) -> !q
  return %o : !q
}

// -----

!q = tensor<1x4x5x8xf32>
!keys = tensor<1x4x2x5x8xf32>
!term = tensor<1x4x3x5xf32>
// expected-note @below {{'key_term' defined here, of type 'tensor<1x4x3x5xf32>'}}
func.func @c23_term_of_keys(%q: !q, %keys: !keys, %term: !term) -> !q {
  // expected-error @below {{'attn.generic' op expected 'key_term' to have the shape [1, 4, 2, 5], but got 'tensor<1x4x3x5xf32>'}}
  %o = attn.generic scores(%q, %keys : !q, !keys) key_term(%term : !term)
      pool(%q : !q) -> !q
  return %o : !q
}

// -----

!q = tensor<1x4x5x8xf32>
!two = tensor<1x4x2x5xf32>
!three = tensor<1x4x3x5xf32>
// expected-note @below {{'key_term' defined here, of type 'tensor<1x4x3x5xf32>'}}
func.func @c23_terms(%q: !q, %two: !two, %three: !three) -> !q {
  // expected-error @below {{'attn.generic' op expected 'key_term' to have the shape [1, 4, 2, 5], but got 'tensor<1x4x3x5xf32>'}}
  %o = attn.generic scores(%q, %q : !q, !q) query_term(%two : !two)
      key_term(%three : !three) pool(%q : !q) -> !q
  return %o : !q
}

// -----

!q = tensor<1x4x5x8xf32>
!term = tensor<1x4x?x5xf32>
func.func @c23_dynamic_components(%q: !q, %term: !term) -> !q {
  // expected-error @below {{'attn.generic' op expected one component or more, and a static number of them}}
  %o = attn.generic scores(%q, %q : !q, !q) key_term(%term : !term)
      pool(%q : !q) -> !q
  return %o : !q
}

// -----

!q = tensor<1x4x5x8xf32>
func.func @c26(%q: !q) -> !q {
  // expected-error @below {{'attn.generic' op expected 'base2' without 'sigsoftmax'}}
  %o = attn.generic scores(%q, %q : !q, !q) sigsoftmax base2 pool(%q : !q) -> !q
  return %o : !q
}

// -----

// f32 results of 16-bit values are wide, but not the other way round.
!q = tensor<1x4x5x8xbf16>
!o = tensor<1x4x5x8xf16>
func.func @c11_narrow(%q: !q) -> !o {
  // expected-error @below {{'attn.generic' op expected a result of the values' type or of f32, but got 'f16'}}
  %o = attn.generic scores(%q, %q : !q, !q) pool(%q : !q) -> !o
  return %o : !o
}

// -----

!q = tensor<1x4x5x8xf32>
!o = tensor<1x4x5x8xbf16>
func.func @c27(%q: !q) -> !o {
  // expected-error @below {{'attn.generic' op expected a result of the values' type or of f32, but got 'bf16'}}
  %o = attn.generic scores(%q, %q : !q, !q) pool(%q : !q) -> !o
  return %o : !o
}

// -----

!q = tensor<1x4x5x8xf32>
!t = tensor<1x4x3x5xf32>
func.func @c28_factors_without_terms(%q: !q, %f: !t) -> !q {
  // expected-error @below {{'attn.generic' op expected 'factors' with 'query_term' and 'key_term' over components, of one row more than these}}
  %o = attn.generic scores(%q, %q : !q, !q) factors(%f, %f : !t, !t) pool(%q : !q) -> !q
  return %o : !q
}

// -----

!q = tensor<1x4x5x8xf32>
!t = tensor<1x4x3x5xf32>
func.func @c28_as_many_factors(%q: !q, %f: !t) -> !q {
  // expected-error @below {{'attn.generic' op expected 'factors' with 'query_term' and 'key_term' over components, of one row more than these}}
  %o = attn.generic scores(%q, %q : !q, !q) query_term(%f : !t) key_term(%f : !t) factors(%f, %f : !t, !t)
      pool(%q : !q) -> !q
  return %o : !q
}
