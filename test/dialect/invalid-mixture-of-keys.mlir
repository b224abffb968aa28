// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Errors of attn.mixture_of_keys: keys, shifts, variances and priors that do
// not fit, then the constraints that it shares with attn.softmax
// (invalid-softmax.mlir has all their cases).
//
// RUN: mixattn-opt %s --attn-bind-names --split-input-file --verify-diagnostics

// Heads and features of keys with components.
!q = tensor<1x4x5x8xf32>
!keys = tensor<1x4x2x5x?xf32>
// expected-note @below {{'key' defined here, of type 'tensor<1x4x2x5x?xf32>'}}
func.func @c1_features(%q: !q, %keys: !keys) -> !q {
  // expected-error @below {{'attn.mixture_of_keys' op expected 'key' to have static features}}
  %o = attn.mixture_of_keys %q, %keys, %q : (!q, !keys, !q) -> !q
  return %o : !q
}

// -----

!q = tensor<1x4x5x8xf32>
!keys = tensor<1x4x2x5x8xf32>
!v = tensor<1x4x2x8xf32>
// expected-note @below {{'key' defined here, of type 'tensor<1x4x2x5x8xf32>'}}
// expected-note @below {{'value' defined here, of type 'tensor<1x4x2x8xf32>'}}
func.func @c4_length(%q: !q, %keys: !keys, %v: !v) -> !q {
  // expected-error @below {{'attn.mixture_of_keys' op expected 'key' and 'value' to agree on the length, but got 5 and 2}}
  %o = attn.mixture_of_keys %q, %keys, %v : (!q, !keys, !v) -> !q
  return %o : !q
}

// -----

!q = tensor<1x4x5x8xf32>
!keys = tensor<1x4x2x5x9xf32>
// expected-note @below {{'query' defined here, of type 'tensor<1x4x5x8xf32>'}}
// expected-note @below {{'key' defined here, of type 'tensor<1x4x2x5x9xf32>'}}
func.func @c5_feature_size(%q: !q, %keys: !keys) -> !q {
  // expected-error @below {{'attn.mixture_of_keys' op expected 'query' and 'key' to agree on the feature size, but got 8 and 9}}
  %o = attn.mixture_of_keys %q, %keys, %q : (!q, !keys, !q) -> !q
  return %o : !q
}

// -----

!q = tensor<1x4x5x8xf32>
!keys = tensor<1x3x2x5x8xf32>
// expected-note @below {{'query' defined here, of type 'tensor<1x4x5x8xf32>'}}
// expected-note @below {{'key' defined here, of type 'tensor<1x3x2x5x8xf32>'}}
func.func @c6_heads(%q: !q, %keys: !keys) -> !q {
  // expected-error @below {{'attn.mixture_of_keys' op expected the heads of 'key' to divide the heads of 'query', but got 3 and 4}}
  %o = attn.mixture_of_keys %q, %keys, %q : (!q, !keys, !q) -> !q
  return %o : !q
}

// -----

// Constants are looked at wherever their bytes stand.
!q = tensor<1x2x1x8xf32>
!keys = tensor<1x2x2x1x8xf32>
func.func @c14_resource(%q: !q, %keys: !keys) -> !q {
  %p = arith.constant dense_resource<prior> : tensor<2x2x1xf16>
  // expected-error @below {{'attn.mixture_of_keys' op expected 'prior' to hold a value above -inf for head 1, but got none}}
  %o = attn.mixture_of_keys %q, %keys, %q prior(%p : tensor<2x2x1xf16>)
      : (!q, !keys, !q) -> !q
  return %o : !q
}
{-#
  dialect_resources: {
    builtin: {
      prior: "0x04000000003C00FC00FC00FC"
    }
  }
#-}

// -----

// A head of the prior whose every component is off, at every key.
!q = tensor<1x2x1x8xf32>
!keys = tensor<1x2x2x1x8xf32>
func.func @c14_constant(%q: !q, %keys: !keys) -> !q {
  %p = arith.constant dense<[[[0xFC00], [0xFC00]], [[1.0], [0xFC00]]]> : tensor<2x2x1xf16>
  // expected-error @below {{'attn.mixture_of_keys' op expected 'prior' to hold a value above -inf for head 0, but got none}}
  %o = attn.mixture_of_keys %q, %keys, %q prior(%p : tensor<2x2x1xf16>) : (!q, !keys, !q) -> !q
  return %o : !q
}

// -----

// A bias has no components.
!q = tensor<1x4x5x8xf32>
!keys = tensor<1x4x2x5x8xf32>
// expected-note @below {{'bias' defined here, of type 'tensor<2x5x5xf32>'}}
func.func @c8_bias(%q: !q, %keys: !keys, %bias: tensor<2x5x5xf32>) -> !q {
  // expected-error @below {{'attn.mixture_of_keys' op expected 'bias' to broadcast from the right to [1, 4, 5, 5], but got 'tensor<2x5x5xf32>'}}
  %o = attn.mixture_of_keys %q, %keys, %q bias(%bias : tensor<2x5x5xf32>)
      : (!q, !keys, !q) -> !q
  return %o : !q
}

// -----

!q = tensor<1x4x5x8xf32>
!keys = tensor<1x4x2x7x8xf32>
!v = tensor<1x4x7x8xf32>
func.func @c11_weights(%q: !q, %keys: !keys, %v: !v) {
  // expected-error @below {{failed to infer returned types}}
  // expected-error @below {{'attn.mixture_of_keys' op inferred type(s) 'tensor<1x4x5x8xf32>', 'tensor<1x4x5x7xf32>' are incompatible with return type(s) of operation 'tensor<1x4x5x8xf32>', 'tensor<1x4x5x2xf32>'}}
  %o:2 = attn.mixture_of_keys %q, %keys, %v
      : (!q, !keys, !v) -> !q weights tensor<1x4x5x2xf32>
  return
}

// -----

!q = tensor<1x4x5x8xf32>
!keys = tensor<1x4x2x5x8xf32>
!shifts = tensor<4x2x8xf32>
// expected-note @below {{'key' defined here, of type 'tensor<1x4x2x5x8xf32>'}}
func.func @c12_shifts_of_components(%q: !q, %keys: !keys, %shifts: !shifts) -> !q {
  // expected-error @below {{'attn.mixture_of_keys' op expected 'shifts' only for keys without components}}
  %o = attn.mixture_of_keys %q, %keys, %q shifted_by(%shifts : !shifts)
      : (!q, !keys, !q) -> !q
  return %o : !q
}

// -----

// Shifts are of key heads, not of query heads.
!q = tensor<1x4x5x8xf32>
!k = tensor<1x2x5x8xf32>
!shifts = tensor<4x2x8xf32>
// expected-note @below {{'shifts' defined here, of type 'tensor<4x2x8xf32>'}}
func.func @c12_shifts(%q: !q, %k: !k, %shifts: !shifts) -> !q {
  // expected-error @below {{'attn.mixture_of_keys' op expected 'shifts' to have the shape [2, 2, 8], but got 'tensor<4x2x8xf32>'}}
  %o = attn.mixture_of_keys %q, %k, %q shifted_by(%shifts : !shifts)
      : (!q, !k, !q) -> !q
  return %o : !q
}

// -----

!q = tensor<1x4x5x8xf32>
!keys = tensor<1x4x3x5x8xf32>
func.func @c13_variances(%q: !q, %keys: !keys) -> !q {
  // expected-error @below {{'attn.mixture_of_keys' op expected 3 'variances', one per component, but got 2}}
  %o = attn.mixture_of_keys %q, %keys, %q variances [1.0, 1.0] : (!q, !keys, !q) -> !q
  return %o : !q
}

// -----

!q = tensor<1x4x5x8xf32>
!keys = tensor<1x4x3x5x8xf32>
func.func @c13_no_variances(%q: !q, %keys: !keys) -> !q {
  // expected-error @below {{'attn.mixture_of_keys' op expected 3 'variances', one per component, but got 0}}
  %o = attn.mixture_of_keys %q, %keys, %q variances [] : (!q, !keys, !q) -> !q
  return %o : !q
}

// -----

!q = tensor<1x4x5x8xf32>
!keys = tensor<1x4x2x5x8xf32>
func.func @c13_zero_variance(%q: !q, %keys: !keys) -> !q {
  // expected-error @below {{'attn.mixture_of_keys' op expected 'variances' to be positive and normal numbers in f32, and so their inverses}}
  %o = attn.mixture_of_keys %q, %keys, %q variances [1.0, 0.0] : (!q, !keys, !q) -> !q
  return %o : !q
}

// -----

!q = tensor<1x4x5x8xf32>
!keys = tensor<1x4x2x5x8xf32>
func.func @c13_negative_variance(%q: !q, %keys: !keys) -> !q {
  // expected-error @below {{'attn.mixture_of_keys' op expected 'variances' to be positive and normal numbers in f32, and so their inverses}}
  %o = attn.mixture_of_keys %q, %keys, %q variances [-1.0, 1.0] : (!q, !keys, !q) -> !q
  return %o : !q
}

// -----

!q = tensor<1x4x5x8xf32>
!keys = tensor<1x4x1x5x8xf32>
func.func @c13_infinite_variance(%q: !q, %keys: !keys) -> !q {
  // expected-error @below {{'attn.mixture_of_keys' op expected 'variances' to be positive and normal numbers in f32, and so their inverses}}
  %o = attn.mixture_of_keys %q, %keys, %q variances [0x7FF0000000000000] : (!q, !keys, !q) -> !q
  return %o : !q
}

// -----

!q = tensor<1x4x5x8xf32>
!keys = tensor<1x4x1x5x8xf32>
func.func @c13_variance_of_nan(%q: !q, %keys: !keys) -> !q {
  // expected-error @below {{'attn.mixture_of_keys' op expected 'variances' to be positive and normal numbers in f32, and so their inverses}}
  %o = attn.mixture_of_keys %q, %keys, %q variances [0x7FF8000000000000] : (!q, !keys, !q) -> !q
  return %o : !q
}

// -----

// A prior is of query heads.
!q = tensor<1x4x5x8xf32>
!keys = tensor<1x2x3x5x8xf32>
// expected-note @below {{'prior' defined here, of type 'tensor<2x3xf32>'}}
func.func @c14_prior(%q: !q, %keys: !keys, %prior: tensor<2x3xf32>) -> !q {
  // expected-error @below {{'attn.mixture_of_keys' op expected 'prior' to have the shape [4, 3], but got 'tensor<2x3xf32>'}}
  %o = attn.mixture_of_keys %q, %keys, %q prior(%prior : tensor<2x3xf32>)
      : (!q, !keys, !q) -> !q
  return %o : !q
}

// -----

// A prior by position has one per key, and does not repeat.
!q = tensor<1x4x5x8xf32>
!keys = tensor<1x2x3x?x8xf32>
!v = tensor<1x2x7x8xf32>
// expected-note @below {{'prior' defined here, of type 'tensor<1x3x7xf32>'}}
func.func @c14_prior_by_position(%q: !q, %keys: !keys, %v: !v, %prior: tensor<1x3x7xf32>) -> !q {
  // expected-error @below {{'attn.mixture_of_keys' op expected 'prior' to have the shape [4, 3, ?], but got 'tensor<1x3x7xf32>'}}
  %o = attn.mixture_of_keys %q, %keys, %v prior(%prior : tensor<1x3x7xf32>)
      : (!q, !keys, !v) -> !q
  return %o : !q
}

// -----

// A component's share of a maximum has no meaning.
!q = tensor<1x4x5x8xf32>
!keys = tensor<1x4x3x5x8xf32>
func.func @c15_maximum_of_prior(%q: !q, %keys: !keys, %prior: tensor<4x3xf32>) -> !q {
  // expected-error @below {{'attn.mixture_of_keys' op expected 'maximum' over components and without 'prior'}}
  %o = attn.mixture_of_keys %q, %keys, %q maximum prior(%prior : tensor<4x3xf32>)
      : (!q, !keys, !q) -> !q
  return %o : !q
}

// -----

!q = tensor<1x4x5x8xf32>
func.func @c21_no_components(%q: !q) -> !q {
  // expected-error @below {{'attn.mixture_of_keys' op expected keys with components, or 'shifts'}}
  %o = attn.mixture_of_keys %q, %q, %q : (!q, !q, !q) -> !q
  return %o : !q
}

// -----

!q = tensor<1x4x5x8xf32>
!keys = tensor<1x4x0x5x8xf32>
func.func @c21_zero_components(%q: !q, %keys: !keys) -> !q {
  // expected-error @below {{'attn.mixture_of_keys' op expected one component or more, and a static number of them}}
  %o = attn.mixture_of_keys %q, %keys, %q : (!q, !keys, !q) -> !q
  return %o : !q
}

// -----

!q = tensor<1x4x5x8xf32>
!keys = tensor<1x4x?x5x8xf32>
func.func @c21_dynamic_components(%q: !q, %keys: !keys) -> !q {
  // expected-error @below {{'attn.mixture_of_keys' op expected one component or more, and a static number of them}}
  %o = attn.mixture_of_keys %q, %keys, %q : (!q, !keys, !q) -> !q
  return %o : !q
}

// -----

!q = tensor<1x4x5x8xf32>
!shifts = tensor<4x?x8xf32>
func.func @c21_dynamic_shifts(%q: !q, %shifts: !shifts) -> !q {
  // expected-error @below {{'attn.mixture_of_keys' op expected one component or more, and a static number of them}}
  %o = attn.mixture_of_keys %q, %q, %q shifted_by(%shifts : !shifts)
      : (!q, !q, !q) -> !q
  return %o : !q
}

// -----

!q = tensor<1x4x5x8xf32>
!keys = tensor<1x1x4x2x5x8xf32>
func.func @keys_of_rank_6(%q: !q, %keys: !keys) -> !q {
  // expected-error @below {{'attn.mixture_of_keys' op operand #1 must be 4D/5D tensor of 16-bit float or bfloat16 type or 32-bit float values, but got 'tensor<1x1x4x2x5x8xf32>'}}
  %o = attn.mixture_of_keys %q, %keys, %q : (!q, !keys, !q) -> !q
  return %o : !q
}

// -----

!q = tensor<1x4x5x8xf32>
!keys = tensor<1x4x2x5x8xf32>
func.func @prior_of_rank_1(%q: !q, %keys: !keys, %prior: tensor<2xf32>) -> !q {
  // expected-error @below {{'attn.mixture_of_keys' op operand #3 must be 2D/3D tensor of 16-bit float or bfloat16 type or 32-bit float values, but got 'tensor<2xf32>'}}
  %o = attn.mixture_of_keys %q, %keys, %q prior(%prior : tensor<2xf32>) : (!q, !keys, !q) -> !q
  return %o : !q
}

// -----

// A score that a variance divides takes no other factor.
!q = tensor<1x4x5x8xf32>
!keys = tensor<1x4x2x5x8xf32>
func.func @scale(%q: !q, %keys: !keys) -> !q {
  // expected-error @below {{expected ':'}}
  %o = attn.mixture_of_keys %q, %keys, %q scale 0.5 : (!q, !keys, !q) -> !q
  return %o : !q
}
