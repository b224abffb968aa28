// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Errors of attn.admixture_heads: its mixers, then the constraints that it
// shares with attn.softmax (invalid-softmax.mlir has all their cases).
//
// RUN: mixattn-opt %s --split-input-file --verify-diagnostics

!q = tensor<1x4x5x8xf32>
!k = tensor<1x3x5x8xf32>
!m = tensor<4x6xf32>
!v = tensor<1x6x5x8xf32>
// expected-note @below {{'query' defined here, of type 'tensor<1x4x5x8xf32>'}}
// expected-note @below {{'key' defined here, of type 'tensor<1x3x5x8xf32>'}}
func.func @c6_key_heads(%q: !q, %k: !k, %v: !v, %m: !m) -> !v {
  // expected-error @below {{'attn.admixture_heads' op expected the heads of 'key' to divide the heads of 'query', but got 3 and 4}}
  %o = attn.admixture_heads %q, %k, %v mixer(%m : !m) : (!q, !k, !v) -> !v
  return %o : !v
}

// -----

// Value heads divide those of the result, whatever the query has.
!q = tensor<1x4x5x8xf32>
!m = tensor<4x6xf32>
!o = tensor<1x6x5x8xf32>
// expected-note @below {{'query' defined here, of type 'tensor<1x4x5x8xf32>'}}
// expected-note @below {{'value' defined here, of type 'tensor<1x4x5x8xf32>'}}
func.func @c6_value_heads(%q: !q, %v: !q, %m: !m) -> !o {
  // expected-error @below {{'attn.admixture_heads' op expected the heads of 'value' to divide the heads of the result, but got 4 and 6}}
  %o = attn.admixture_heads %q, %q, %v mixer(%m : !m) : (!q, !q, !q) -> !o
  return %o : !o
}

// -----

!q = tensor<1x2x5x8xf32>
!m = tensor<2x2xf32>
func.func @c7_scale(%q: !q, %m: !m) -> !q {
  // expected-error @below {{'attn.admixture_heads' op expected 'scale' to be finite in f32}}
  %o = attn.admixture_heads %q, %q, %q mixer(%m : !m) scale 0x7FF0000000000000
      : (!q, !q, !q) -> !q
  return %o : !q
}

// -----

// A bias is added to mixed scores.
!q = tensor<1x2x5x8xf32>
!v = tensor<1x6x5x8xf32>
!m = tensor<2x6xf32>
// expected-note @below {{'bias' defined here, of type 'tensor<2x5x5xf32>'}}
func.func @c8_bias(%q: !q, %v: !v, %m: !m, %bias: tensor<2x5x5xf32>) -> !v {
  // expected-error @below {{'attn.admixture_heads' op expected 'bias' to broadcast from the right to [1, 6, 5, 5], but got 'tensor<2x5x5xf32>'}}
  %o = attn.admixture_heads %q, %q, %v mixer(%m : !m) bias(%bias : tensor<2x5x5xf32>)
      : (!q, !q, !v) -> !v
  return %o : !v
}

// -----

!q = tensor<1x2x5x8xf32>
!v = tensor<1x6x5x8xf32>
!m = tensor<2x6xf32>
func.func @c11_heads(%q: !q, %v: !v, %m: !m) -> !q {
  // expected-error @below {{failed to infer returned types}}
  // expected-error @below {{'attn.admixture_heads' op inferred type(s) 'tensor<1x6x5x8xf32>' are incompatible with return type(s) of operation 'tensor<1x2x5x8xf32>'}}
  %o = attn.admixture_heads %q, %q, %v mixer(%m : !m) : (!q, !q, !v) -> !q
  return %o : !q
}

// -----

!q = tensor<1x2x5x8xf32>
!v = tensor<1x6x5x8xf32>
!m = tensor<2x6xf32>
func.func @c11_lse(%q: !q, %v: !v, %m: !m) {
  // expected-error @below {{failed to infer returned types}}
  // expected-error @below {{'attn.admixture_heads' op inferred type(s) 'tensor<1x6x5x8xf32>', 'tensor<1x6x5xf32>' are incompatible with return type(s) of operation 'tensor<1x6x5x8xf32>', 'tensor<1x2x5xf32>'}}
  %o:2 = attn.admixture_heads %q, %q, %v mixer(%m : !m)
      : (!q, !q, !v) -> !v lse tensor<1x2x5xf32>
  return
}

// -----

!q = tensor<1x2x5x8xf32>
!m = tensor<6x2xf32>
// expected-note @below {{'premixer' defined here, of type 'tensor<6x2xf32>'}}
func.func @c16_mixer(%q: !q, %m: !m) -> !q {
  // expected-error @below {{'attn.admixture_heads' op expected 'premixer' to have the shape [2, 2], but got 'tensor<6x2xf32>'}}
  %o = attn.admixture_heads %q, %q, %q mixer(%m : !m) : (!q, !q, !q) -> !q
  return %o : !q
}

// -----

!q = tensor<1x2x5x8xf32>
!m = tensor<2x?xf32>
func.func @c16_dynamic_columns(%q: !q, %m: !m) -> !q {
  // expected-error @below {{'attn.admixture_heads' op expected a mixer of scores to have one column or more, and a static number of them}}
  %o = attn.admixture_heads %q, %q, %q mixer(%m : !m) : (!q, !q, !q) -> !q
  return %o : !q
}

// -----

!q = tensor<1x2x5x8xf32>
!b = tensor<3xf32>
!c = tensor<2xf32>
// expected-note @below {{'w1' defined here, of type 'tensor<3x3xf32>'}}
func.func @c17_w1(%q: !q, %w1: tensor<3x3xf32>, %b1: !b, %w2: tensor<3x2xf32>, %b2: !c) -> !q {
  // expected-error @below {{'attn.admixture_heads' op expected 'w1' to have the shape [2, 3], but got 'tensor<3x3xf32>'}}
  %o = attn.admixture_heads %q, %q, %q
      mlp(%w1, %b1, %w2, %b2 : tensor<3x3xf32>, !b, tensor<3x2xf32>, !c)
      : (!q, !q, !q) -> !q
  return %o : !q
}

// -----

!q = tensor<1x2x5x8xf32>
!w = tensor<2x3xf32>
!u = tensor<3x2xf32>
!c = tensor<2xf32>
// expected-note @below {{'b1' defined here, of type 'tensor<2xf32>'}}
func.func @c17_b1(%q: !q, %w1: !w, %b1: !c, %w2: !u, %b2: !c) -> !q {
  // expected-error @below {{'attn.admixture_heads' op expected 'b1' to have the shape [3], but got 'tensor<2xf32>'}}
  %o = attn.admixture_heads %q, %q, %q mlp(%w1, %b1, %w2, %b2 : !w, !c, !u, !c)
      : (!q, !q, !q) -> !q
  return %o : !q
}

// -----

!q = tensor<1x2x5x8xf32>
!w = tensor<2x3xf32>
!b = tensor<3xf32>
!u = tensor<4x2xf32>
!c = tensor<2xf32>
// expected-note @below {{'w2' defined here, of type 'tensor<4x2xf32>'}}
func.func @c17_w2(%q: !q, %w1: !w, %b1: !b, %w2: !u, %b2: !c) -> !q {
  // expected-error @below {{'attn.admixture_heads' op expected 'w2' to have the shape [3, 2], but got 'tensor<4x2xf32>'}}
  %o = attn.admixture_heads %q, %q, %q mlp(%w1, %b1, %w2, %b2 : !w, !b, !u, !c)
      : (!q, !q, !q) -> !q
  return %o : !q
}

// -----

!q = tensor<1x2x5x8xf32>
!w = tensor<2x3xf32>
!b = tensor<3xf32>
!u = tensor<3x2xf32>
// expected-note @below {{'b2' defined here, of type 'tensor<3xf32>'}}
func.func @c17_b2(%q: !q, %w1: !w, %b1: !b, %w2: !u, %b2: !b) -> !q {
  // expected-error @below {{'attn.admixture_heads' op expected 'b2' to have the shape [2], but got 'tensor<3xf32>'}}
  %o = attn.admixture_heads %q, %q, %q mlp(%w1, %b1, %w2, %b2 : !w, !b, !u, !b)
      : (!q, !q, !q) -> !q
  return %o : !q
}

// -----

!q = tensor<1x2x5x8xf32>
!w = tensor<2x?xf32>
!b = tensor<?xf32>
!u = tensor<?x2xf32>
!c = tensor<2xf32>
func.func @c17_hidden(%q: !q, %w1: !w, %b1: !b, %w2: !u, %b2: !c) -> !q {
  // expected-error @below {{'attn.admixture_heads' op expected 'w1' to have static columns}}
  %o = attn.admixture_heads %q, %q, %q mlp(%w1, %b1, %w2, %b2 : !w, !b, !u, !c)
      : (!q, !q, !q) -> !q
  return %o : !q
}

// -----

!q = tensor<1x2x5x8xf32>
!w = tensor<2x3xf32>
!b = tensor<3xf32>
!u = tensor<3x0xf32>
!c = tensor<0xf32>
// expected-note @below {{'query' defined here, of type 'tensor<1x2x5x8xf32>'}}
// expected-note @below {{'value' defined here, of type 'tensor<1x2x5x8xf32>'}}
func.func @c6_no_columns(%q: !q, %w1: !w, %b1: !b, %w2: !u, %b2: !c) {
  // expected-error @below {{'attn.admixture_heads' op expected the heads of 'value' to divide the heads of the result, but got 2 and 0}}
  %o = attn.admixture_heads %q, %q, %q mlp(%w1, %b1, %w2, %b2 : !w, !b, !u, !c)
      : (!q, !q, !q) -> tensor<1x0x5x8xf32>
  return
}

// -----

!q = tensor<1x2x5x8xf32>
!w = tensor<2x3xf32>
func.func @c17_one_of_four(%q: !q, %w1: !w) -> !q {
  // expected-error @below {{'attn.admixture_heads' op expected 'w1', 'b1', 'w2' and 'b2' together or not at all}}
  %o = "attn.admixture_heads"(%q, %q, %q, %w1) <{
      operandSegmentSizes = array<i32: 1, 1, 1, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0>,
      resultSegmentSizes = array<i32: 1, 0, 0>}> ({})
      : (!q, !q, !q, !w) -> !q
  return %o : !q
}

// -----

!q = tensor<1x2x5x8xf32>
!w = tensor<2x3xf32>
!b = tensor<3xf32>
!u = tensor<3x2xf32>
!c = tensor<2xf32>
func.func @c18_mlp(%q: !q, %w1: !w, %b1: !b, %w2: !u, %b2: !c) -> !q {
  // expected-error @below {{'attn.admixture_heads' op expected 'relu_per_key' with a linear mixer}}
  %o = attn.admixture_heads %q, %q, %q relu_per_key
      mlp(%w1, %b1, %w2, %b2 : !w, !b, !u, !c) : (!q, !q, !q) -> !q
  return %o : !q
}

// -----

!q = tensor<1x2x5x8xf32>
func.func @c21_no_mixer(%q: !q) -> !q {
  // expected-error @below {{'attn.admixture_heads' op expected one of 'mixer' and 'mlp'}}
  %o = attn.admixture_heads %q, %q, %q : (!q, !q, !q) -> !q
  return %o : !q
}

// -----

!q = tensor<1x2x5x8xf32>
!m = tensor<2x2xf32>
!c = tensor<2xf32>
func.func @c21_both_mixers(%q: !q, %m: !m, %c: !c) -> !q {
  // expected-error @below {{'attn.admixture_heads' op expected one of 'mixer' and 'mlp'}}
  %o = attn.admixture_heads %q, %q, %q mixer(%m : !m)
      mlp(%m, %c, %m, %c : !m, !c, !m, !c) : (!q, !q, !q) -> !q
  return %o : !q
}

// -----

!q = tensor<1x2x5x8xf32>
!m = tensor<2x2xf64>
func.func @mixer_of_f64(%q: !q, %m: !m) -> !q {
  // expected-error @below {{'attn.admixture_heads' op operand #3 must be 1D/2D tensor of 16-bit float or bfloat16 type or 32-bit float values, but got 'tensor<2x2xf64>'}}
  %o = attn.admixture_heads %q, %q, %q mixer(%m : !m) : (!q, !q, !q) -> !q
  return %o : !q
}
