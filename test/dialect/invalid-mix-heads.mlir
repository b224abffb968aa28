// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Errors of attn.mix_heads: its mixers, then the constraints that it shares
// with attn.softmax (invalid-softmax.mlir has all their cases).
//
// RUN: mixattn-opt %s --split-input-file --verify-diagnostics

!q = tensor<1x4x5x8xf32>
// expected-note @below {{'mixer' defined here, of type 'tensor<4x3xf32>'}}
func.func @c19_mixer(%q: !q, %m: tensor<4x3xf32>) -> !q {
  // expected-error @below {{'attn.mix_heads' op expected 'mixer' to have the shape [4, 4], but got 'tensor<4x3xf32>'}}
  %o = attn.mix_heads %q, %q, %q mixer(%m : tensor<4x3xf32>) : (!q, !q, !q) -> !q
  return %o : !q
}

// -----

!q = tensor<1x4x5x8xf32>
!m = tensor<4x4xf32>
func.func @c20_two_of_three(%q: !q, %b: !m) -> !q {
  // expected-error @below {{'attn.mix_heads' op expected 'mix_source', 'mix_weight' and 'mix_bias' together or not at all}}
  %o = "attn.mix_heads"(%q, %q, %q, %q, %b) <{
      operandSegmentSizes = array<i32: 1, 1, 1, 0, 1, 0, 1, 0, 0, 0, 0>,
      resultSegmentSizes = array<i32: 1, 0, 0>}> ({})
      : (!q, !q, !q, !q, !m) -> !q
  return %o : !q
}

// -----

!q = tensor<1x4x5x8xf32>
!x = tensor<1x4x5x?xf32>
!w = tensor<?x4xf32>
!m = tensor<4x4xf32>
// expected-note @below {{'mix_source' defined here, of type 'tensor<1x4x5x?xf32>'}}
func.func @c20_source_features(%q: !q, %x: !x, %w: !w, %b: !m) -> !q {
  // expected-error @below {{'attn.mix_heads' op expected 'mix_source' to have static features}}
  %o = attn.mix_heads %q, %q, %q mixer_by_row(%x, %w, %b : !x, !w, !m)
      : (!q, !q, !q) -> !q
  return %o : !q
}

// -----

!q = tensor<?x4x?x8xf32>
!x = tensor<1x3x5x8xf32>
!w = tensor<8x4xf32>
!m = tensor<4x4xf32>
// expected-note @below {{'mix_source' defined here, of type 'tensor<1x3x5x8xf32>'}}
func.func @c20_source(%q: !q, %x: !x, %w: !w, %b: !m) -> !q {
  // expected-error @below {{'attn.mix_heads' op expected 'mix_source' to have the shape [?, 4, ?, 8], but got 'tensor<1x3x5x8xf32>'}}
  %o = attn.mix_heads %q, %q, %q mixer_by_row(%x, %w, %b : !x, !w, !m)
      : (!q, !q, !q) -> !q
  return %o : !q
}

// -----

!q = tensor<1x4x5x8xf32>
!w = tensor<4x8xf32>
!m = tensor<4x4xf32>
// expected-note @below {{'mix_weight' defined here, of type 'tensor<4x8xf32>'}}
func.func @c20_weight(%q: !q, %w: !w, %b: !m) -> !q {
  // expected-error @below {{'attn.mix_heads' op expected 'mix_weight' to have the shape [8, 4], but got 'tensor<4x8xf32>'}}
  %o = attn.mix_heads %q, %q, %q mixer_by_row(%q, %w, %b : !q, !w, !m)
      : (!q, !q, !q) -> !q
  return %o : !q
}

// -----

!q = tensor<1x4x5x8xf32>
!w = tensor<8x4xf32>
!m = tensor<1x4xf32>
// expected-note @below {{'mix_bias' defined here, of type 'tensor<1x4xf32>'}}
func.func @c20_bias(%q: !q, %w: !w, %b: !m) -> !q {
  // expected-error @below {{'attn.mix_heads' op expected 'mix_bias' to have the shape [4, 4], but got 'tensor<1x4xf32>'}}
  %o = attn.mix_heads %q, %q, %q mixer_by_row(%q, %w, %b : !q, !w, !m)
      : (!q, !q, !q) -> !q
  return %o : !q
}

// -----

!q = tensor<1x4x5x8xf32>
func.func @c21_no_mixer(%q: !q) -> !q {
  // expected-error @below {{'attn.mix_heads' op expected one of 'mixer' and 'mixer_by_row'}}
  %o = attn.mix_heads %q, %q, %q : (!q, !q, !q) -> !q
  return %o : !q
}

// -----

!q = tensor<1x4x5x8xf32>
!w = tensor<8x4xf32>
!m = tensor<4x4xf32>
func.func @c21_both_mixers(%q: !q, %w: !w, %m: !m) -> !q {
  // expected-error @below {{'attn.mix_heads' op expected one of 'mixer' and 'mixer_by_row'}}
  %o = attn.mix_heads %q, %q, %q mixer(%m : !m) mixer_by_row(%q, %w, %m : !q, !w, !m)
      : (!q, !q, !q) -> !q
  return %o : !q
}

// -----

!q = tensor<1x4x5x8xf32>
!m = tensor<4x4xf64>
func.func @mixer_of_f64(%q: !q, %m: !m) -> !q {
  // expected-error @below {{'attn.mix_heads' op operand #3 must be 2D tensor of 16-bit float or bfloat16 type or 32-bit float values, but got 'tensor<4x4xf64>'}}
  %o = attn.mix_heads %q, %q, %q mixer(%m : !m) : (!q, !q, !q) -> !q
  return %o : !q
}
