// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The constraints that attn.mix_heads shares with attn.softmax, once each;
// invalid-softmax.mlir and invalid-clauses.mlir have their every case.
//
// RUN: mixattn-opt %s --split-input-file --verify-diagnostics

!m = tensor<4x4xf32>
!q = tensor<1x4x5x8xf32>
!k = tensor<1x?x5x8xf32>
// expected-note @below {{'key' defined here, of type 'tensor<1x?x5x8xf32>'}}
func.func @c1_static_heads(%q: !q, %k: !k, %m: !m) -> !q {
  // expected-error @below {{'attn.mix_heads' op expected 'key' to have static heads}}
  %o = attn.mix_heads %q, %k, %q mixer(%m : !m)
      : (!q, !k, !q) -> !q
  return %o : !q
}

// -----

!m = tensor<4x4xf32>
!q = tensor<1x4x5x8xf32>
!k = tensor<1x4x5x8xbf16>
// expected-note @below {{'query' defined here, of type 'tensor<1x4x5x8xf32>'}}
// expected-note @below {{'key' defined here, of type 'tensor<1x4x5x8xbf16>'}}
func.func @c2_element_type(%q: !q, %k: !k, %m: !m) -> !q {
  // expected-error @below {{'attn.mix_heads' op expected 'query' and 'key' to agree on the element type, but got 'f32' and 'bf16'}}
  %o = attn.mix_heads %q, %k, %q mixer(%m : !m)
      : (!q, !k, !q) -> !q
  return %o : !q
}

// -----

!m = tensor<4x4xf32>
!q = tensor<1x4x5x8xf32>
!v = tensor<2x4x5x8xf32>
// expected-note @below {{'query' defined here, of type 'tensor<1x4x5x8xf32>'}}
// expected-note @below {{'value' defined here, of type 'tensor<2x4x5x8xf32>'}}
func.func @c3_batch(%q: !q, %v: !v, %m: !m) -> !q {
  // expected-error @below {{'attn.mix_heads' op expected 'query' and 'value' to agree on the batch, but got 1 and 2}}
  %o = attn.mix_heads %q, %q, %v mixer(%m : !m)
      : (!q, !q, !v) -> !q
  return %o : !q
}

// -----

!m = tensor<4x4xf32>
!q = tensor<1x4x5x8xf32>
!v = tensor<1x4x6x8xf32>
// expected-note @below {{'key' defined here, of type 'tensor<1x4x5x8xf32>'}}
// expected-note @below {{'value' defined here, of type 'tensor<1x4x6x8xf32>'}}
func.func @c4_length(%q: !q, %v: !v, %m: !m) -> !q {
  // expected-error @below {{'attn.mix_heads' op expected 'key' and 'value' to agree on the length, but got 5 and 6}}
  %o = attn.mix_heads %q, %q, %v mixer(%m : !m)
      : (!q, !q, !v) -> !q
  return %o : !q
}

// -----

!m = tensor<4x4xf32>
!q = tensor<1x4x5x8xf32>
!k = tensor<1x4x5x9xf32>
// expected-note @below {{'query' defined here, of type 'tensor<1x4x5x8xf32>'}}
// expected-note @below {{'key' defined here, of type 'tensor<1x4x5x9xf32>'}}
func.func @c5_feature_size(%q: !q, %k: !k, %m: !m) -> !q {
  // expected-error @below {{'attn.mix_heads' op expected 'query' and 'key' to agree on the feature size, but got 8 and 9}}
  %o = attn.mix_heads %q, %k, %q mixer(%m : !m)
      : (!q, !k, !q) -> !q
  return %o : !q
}

// -----

!m = tensor<4x4xf32>
!q = tensor<1x4x5x8xf32>
!v = tensor<1x3x5x8xf32>
// expected-note @below {{'query' defined here, of type 'tensor<1x4x5x8xf32>'}}
// expected-note @below {{'value' defined here, of type 'tensor<1x3x5x8xf32>'}}
func.func @c6_heads(%q: !q, %v: !v, %m: !m) -> !q {
  // expected-error @below {{'attn.mix_heads' op expected the heads of 'value' to divide the heads of 'query', but got 3 and 4}}
  %o = attn.mix_heads %q, %q, %v mixer(%m : !m)
      : (!q, !q, !v) -> !q
  return %o : !q
}

// -----

!m = tensor<4x4xf32>
!q = tensor<1x4x5x8xf32>
func.func @c7_scale(%q: !q, %m: !m) -> !q {
  // expected-error @below {{'attn.mix_heads' op expected 'scale' to be finite in f32}}
  %o = attn.mix_heads %q, %q, %q mixer(%m : !m) scale 0x7FF8000000000000
      : (!q, !q, !q) -> !q
  return %o : !q
}

// -----

!m = tensor<4x4xf32>
!q = tensor<1x4x5x8xf32>
// expected-note @below {{'bias' defined here, of type 'tensor<4xf32>'}}
func.func @c8_bias(%q: !q, %bias: tensor<4xf32>, %m: !m) -> !q {
  // expected-error @below {{'attn.mix_heads' op expected 'bias' to broadcast from the right to [1, 4, 5, 5], but got 'tensor<4xf32>'}}
  %o = attn.mix_heads %q, %q, %q mixer(%m : !m) bias(%bias : tensor<4xf32>)
      : (!q, !q, !q) -> !q
  return %o : !q
}

// -----

!m = tensor<4x4xf32>
!q = tensor<1x4x5x8xf32>
// expected-note @below {{'lengths' defined here, of type 'tensor<2xi32>'}}
func.func @c9_lengths(%q: !q, %n: tensor<2xi32>, %m: !m) -> !q {
  // expected-error @below {{'attn.mix_heads' op expected 'lengths' to have the shape [1], but got 'tensor<2xi32>'}}
  %o = attn.mix_heads %q, %q, %q mixer(%m : !m) lengths(%n : tensor<2xi32>)
      : (!q, !q, !q) -> !q
  return %o : !q
}

// -----

!m = tensor<4x4xf32>
!q = tensor<1x4x5x8xf32>
func.func @c10_score_mod(%q: !q, %m: !m) -> !q {
  // expected-error @below {{'attn.mix_heads' op expected 'score_mod' to take a float score and the indices b, h, i, j, but got ('f32')}}
  %o = attn.mix_heads %q, %q, %q mixer(%m : !m) score_mod {
  ^bb0(%s: f32):
    attn.yield %s : f32
  }
      : (!q, !q, !q) -> !q
  return %o : !q
}

// -----

!m = tensor<4x4xf32>
!q = tensor<1x4x5x8xf32>
!o = tensor<1x4x6x8xf32>
func.func @c11_result(%q: !q, %m: !m) -> !o {
  // expected-error @below {{failed to infer returned types}}
  // expected-error @below {{'attn.mix_heads' op inferred type(s) 'tensor<1x4x5x8xf32>' are incompatible with return type(s) of operation 'tensor<1x4x6x8xf32>'}}
  %o = attn.mix_heads %q, %q, %q mixer(%m : !m)
      : (!q, !q, !q) -> !o
  return %o : !o
}
