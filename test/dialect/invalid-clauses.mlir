// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Clauses of attn.softmax that do not fit its operands, and types that it does
// not take.
//
// RUN: mixattn-opt %s --split-input-file --verify-diagnostics

!q = tensor<?x4x5x8xf32>
// expected-note @below {{'bias' defined here, of type 'tensor<3x5x5xf32>'}}
func.func @c8_bias(%q: !q, %bias: tensor<3x5x5xf32>) -> !q {
  // expected-error @below {{'attn.softmax' op expected 'bias' to broadcast from the right to [?, 4, 5, 5], but got 'tensor<3x5x5xf32>'}}
  %o = attn.softmax %q, %q, %q bias(%bias : tensor<3x5x5xf32>) : (!q, !q, !q) -> !q
  return %o : !q
}

// -----

!q = tensor<?x4x5x8xf32>
// expected-note @below {{'mask' defined here, of type 'tensor<6xi1>'}}
func.func @c8_mask(%q: !q, %mask: tensor<6xi1>) -> !q {
  // expected-error @below {{'attn.softmax' op expected 'mask' to broadcast from the right to [?, 4, 5, 5], but got 'tensor<6xi1>'}}
  %o = attn.softmax %q, %q, %q mask(%mask : tensor<6xi1>) : (!q, !q, !q) -> !q
  return %o : !q
}

// -----

!q = tensor<2x4x5x8xf32>
// expected-note @below {{'lengths' defined here, of type 'tensor<3xi64>'}}
func.func @c9_lengths(%q: !q, %n: tensor<3xi64>) -> !q {
  // expected-error @below {{'attn.softmax' op expected 'lengths' to have the shape [2], but got 'tensor<3xi64>'}}
  %o = attn.softmax %q, %q, %q lengths(%n : tensor<3xi64>) : (!q, !q, !q) -> !q
  return %o : !q
}

// -----

!q = tensor<1x4x5x8xf32>
!v = tensor<1x4x5x6xf32>
func.func @c11_features(%q: !q, %v: !v) -> !q {
  // expected-error @below {{failed to infer returned types}}
  // expected-error @below {{'attn.softmax' op inferred type(s) 'tensor<1x4x5x6xf32>' are incompatible with return type(s) of operation 'tensor<1x4x5x8xf32>'}}
  %o = attn.softmax %q, %q, %v : (!q, !q, !v) -> !q
  return %o : !q
}

// -----

!q = tensor<1x4x5x8xf32>
!o = tensor<1x4x5x8xf16>
func.func @c11_element_type(%q: !q) -> !o {
  // expected-error @below {{failed to infer returned types}}
  // expected-error @below {{'attn.softmax' op inferred type(s) 'tensor<1x4x5x8xf32>' are incompatible with return type(s) of operation 'tensor<1x4x5x8xf16>'}}
  %o = attn.softmax %q, %q, %q : (!q, !q, !q) -> !o
  return %o : !o
}

// -----

!q = tensor<1x4x5x8xf64>
func.func @query_of_f64(%q: !q) -> !q {
  // expected-error @below {{'attn.softmax' op operand #0 must be 4D tensor of 16-bit float or bfloat16 type or 32-bit float values, but got 'tensor<1x4x5x8xf64>'}}
  %o = attn.softmax %q, %q, %q : (!q, !q, !q) -> !q
  return %o : !q
}

// -----

!q = tensor<4x5x8xf32>
func.func @query_of_rank_3(%q: !q) -> !q {
  // expected-error @below {{'attn.softmax' op operand #0 must be 4D tensor of 16-bit float or bfloat16 type or 32-bit float values, but got 'tensor<4x5x8xf32>'}}
  %o = attn.softmax %q, %q, %q : (!q, !q, !q) -> !q
  return %o : !q
}

// -----

!q = tensor<1x4x5x8xf32>
func.func @mask_of_bytes(%q: !q, %mask: tensor<5x5xi8>) -> !q {
  // expected-error @below {{'attn.softmax' op operand #3 must be 0D/1D/2D/3D/4D tensor of 1-bit signless integer values, but got 'tensor<5x5xi8>'}}
  %o = attn.softmax %q, %q, %q mask(%mask : tensor<5x5xi8>) : (!q, !q, !q) -> !q
  return %o : !q
}

// -----

!q = tensor<1x4x5x8xf32>
func.func @lengths_of_i16(%q: !q, %n: tensor<1xi16>) -> !q {
  // expected-error @below {{'attn.softmax' op operand #3 must be 1D tensor of 32-bit signless integer or 64-bit signless integer values, but got 'tensor<1xi16>'}}
  %o = attn.softmax %q, %q, %q lengths(%n : tensor<1xi16>) : (!q, !q, !q) -> !q
  return %o : !q
}

// -----

// Clauses have a fixed order.
!q = tensor<1x4x5x8xf32>
func.func @causal_before_scale(%q: !q) -> !q {
  // expected-error @below {{expected ':'}}
  %o = attn.softmax %q, %q, %q causal scale 0.5 : (!q, !q, !q) -> !q
  return %o : !q
}

// -----

!q = tensor<1x4x5x8xf32>
!k = tensor<1x4x6x8xf32>
func.func @c11_weights(%q: !q, %k: !k) {
  // expected-error @below {{failed to infer returned types}}
  // expected-error @below {{'attn.softmax' op inferred type(s) 'tensor<1x4x5x8xf32>', 'tensor<1x4x5x6xf32>' are incompatible with return type(s) of operation 'tensor<1x4x5x8xf32>', 'tensor<1x4x5x5xf32>'}}
  %o:2 = attn.softmax %q, %k, %k : (!q, !k, !k) -> !q weights tensor<1x4x5x5xf32>
  return
}

// -----

!q = tensor<1x4x5x8xf32>
func.func @c11_lse(%q: !q) {
  // expected-error @below {{failed to infer returned types}}
  // expected-error @below {{'attn.softmax' op inferred type(s) 'tensor<1x4x5x8xf32>', 'tensor<1x4x5xf32>' are incompatible with return type(s) of operation 'tensor<1x4x5x8xf32>', 'tensor<1x4x6xf32>'}}
  %o:2 = attn.softmax %q, %q, %q : (!q, !q, !q) -> !q lse tensor<1x4x6xf32>
  return
}

// -----

// Weights are f32 whatever the operands are.
!q = tensor<1x4x5x8xf16>
func.func @weights_of_f16(%q: !q) {
  // expected-error @below {{'attn.softmax' op result #1 must be 4D tensor of 32-bit float values, but got 'tensor<1x4x5x5xf16>'}}
  %o:2 = attn.softmax %q, %q, %q : (!q, !q, !q) -> !q weights tensor<1x4x5x5xf16>
  return
}

// -----

// Results on request have a fixed order.
!q = tensor<1x4x5x8xf32>
func.func @lse_before_weights(%q: !q) {
  // expected-error @below {{custom op 'weights' is unknown}}
  %o:2 = attn.softmax %q, %q, %q : (!q, !q, !q) -> !q lse tensor<1x4x5xf32> weights tensor<1x4x5x5xf32>
  return
}

// -----

// expected-note @below {{'start' defined here, of type 'tensor<3xi64>'}}
func.func @start_of_other_rows(%q: tensor<2x2x3x8xf32>, %start: tensor<3xi64>) -> tensor<2x2x3x8xf32> {
  // expected-error @below {{'attn.softmax' op expected 'start' to have the shape [2], but got 'tensor<3xi64>'}}
  %o = attn.softmax %q, %q, %q causal from(%start : tensor<3xi64>)
      : (tensor<2x2x3x8xf32>, tensor<2x2x3x8xf32>, tensor<2x2x3x8xf32>) -> tensor<2x2x3x8xf32>
  return %o : tensor<2x2x3x8xf32>
}

// -----

func.func @start_of_no_place(%q: tensor<2x2x3x8xf32>, %start: tensor<2xi64>) -> tensor<2x2x3x8xf32> {
  // expected-error @below {{'attn.softmax' op expected 'from' with 'causal', 'band' or 'keep', but got none of them}}
  %o = attn.softmax %q, %q, %q from(%start : tensor<2xi64>)
      : (tensor<2x2x3x8xf32>, tensor<2x2x3x8xf32>, tensor<2x2x3x8xf32>) -> tensor<2x2x3x8xf32>
  return %o : tensor<2x2x3x8xf32>
}
