// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Errors of attn.responsibilities, attn.prior_update, attn.orthogonal_penalty.
// Operands that score queries against keys are those of attn.mixture_of_keys
// (invalid-mixture-of-keys.mlir has all their cases).
//
// RUN: mixattn-opt %s --attn-bind-names --split-input-file --verify-diagnostics

!q = tensor<1x4x5x8xf32>
func.func @c21_components(%q: !q) -> tensor<1x4x4x5x5xf32> {
  // expected-error @below {{'attn.responsibilities' op expected keys with components, or 'shifts'}}
  %o = attn.responsibilities %q, %q : (!q, !q) -> tensor<1x4x4x5x5xf32>
  return %o : tensor<1x4x4x5x5xf32>
}

// -----

!q = tensor<1x4x5x8xf32>
!keys = tensor<1x4x2x5x9xf32>
// expected-note @below {{'query' defined here, of type 'tensor<1x4x5x8xf32>'}}
// expected-note @below {{'key' defined here, of type 'tensor<1x4x2x5x9xf32>'}}
func.func @c5_feature_size(%q: !q, %keys: !keys) -> tensor<1x4x2x5x5xf32> {
  // expected-error @below {{'attn.responsibilities' op expected 'query' and 'key' to agree on the feature size, but got 8 and 9}}
  %o = attn.responsibilities %q, %keys : (!q, !keys) -> tensor<1x4x2x5x5xf32>
  return %o : tensor<1x4x2x5x5xf32>
}

// -----

!q = tensor<1x4x5x8xf32>
!keys = tensor<1x4x2x6x8xf32>
// expected-note @below {{'mask' defined here, of type 'tensor<5x5xi1>'}}
func.func @c8_mask(%q: !q, %keys: !keys, %m: tensor<5x5xi1>) -> tensor<1x4x2x5x6xf32> {
  // expected-error @below {{'attn.responsibilities' op expected 'mask' to broadcast from the right to [1, 4, 5, 6], but got 'tensor<5x5xi1>'}}
  %o = attn.responsibilities %q, %keys mask(%m : tensor<5x5xi1>)
      : (!q, !keys) -> tensor<1x4x2x5x6xf32>
  return %o : tensor<1x4x2x5x6xf32>
}

// -----

!q = tensor<1x4x5x8xf32>
!keys = tensor<1x4x2x6x8xf32>
func.func @c11_result(%q: !q, %keys: !keys) -> tensor<1x4x2x6x5xf32> {
  // expected-error @below {{'attn.responsibilities' op inferred type(s) 'tensor<1x4x2x5x6xf32>' are incompatible with return type(s) of operation 'tensor<1x4x2x6x5xf32>'}}
  // expected-error @below {{'attn.responsibilities' op failed to infer returned types}}
  %o = attn.responsibilities %q, %keys : (!q, !keys) -> tensor<1x4x2x6x5xf32>
  return %o : tensor<1x4x2x6x5xf32>
}

// -----

// A head whose components are all off.
!q = tensor<1x2x5x8xf32>
!keys = tensor<1x2x2x5x8xf32>
func.func @prior_off(%q: !q, %keys: !keys) -> tensor<1x2x2x5x5xf32> {
  %p = arith.constant dense<[[0.0, 0xFF800000], [0xFF800000, 0xFF800000]]> : tensor<2x2xf32>
  // expected-error @below {{'attn.responsibilities' op expected 'prior' to hold a value above -inf for head 1, but got none}}
  %o = attn.responsibilities %q, %keys prior(%p : tensor<2x2xf32>)
      : (!q, !keys) -> tensor<1x2x2x5x5xf32>
  return %o : tensor<1x2x2x5x5xf32>
}

// -----

// expected-note @below {{'responsibilities' defined here, of type 'tensor<1x?x2x5x5xf32>'}}
func.func @c1_heads(%g: tensor<1x?x2x5x5xf32>) -> tensor<?x2xf32> {
  // expected-error @below {{'attn.prior_update' op expected 'responsibilities' to have static heads}}
  %p = attn.prior_update %g : tensor<1x?x2x5x5xf32> -> tensor<?x2xf32>
  return %p : tensor<?x2xf32>
}

// -----

// expected-note @below {{'responsibilities' defined here, of type 'tensor<1x4x?x5x5xf32>'}}
func.func @c1_components(%g: tensor<1x4x?x5x5xf32>) -> tensor<4x?xf32> {
  // expected-error @below {{'attn.prior_update' op expected 'responsibilities' to have static components}}
  %p = attn.prior_update %g : tensor<1x4x?x5x5xf32> -> tensor<4x?xf32>
  return %p : tensor<4x?xf32>
}

// -----

// expected-note @below {{'responsibilities' defined here, of type 'tensor<?x4x2x5x0xf32>'}}
func.func @c2_no_keys(%g: tensor<?x4x2x5x0xf32>) -> tensor<4x2xf32> {
  // expected-error @below {{'attn.prior_update' op expected a mean over something, but got 'tensor<?x4x2x5x0xf32>'}}
  %p = attn.prior_update %g : tensor<?x4x2x5x0xf32> -> tensor<4x2xf32>
  return %p : tensor<4x2xf32>
}

// -----

// No key has a mean of its own: there is none to take. Without queries there
// is.
// expected-note @below {{'responsibilities' defined here, of type 'tensor<?x4x2x0x?xf32>'}}
func.func @c2_per_key(%h: tensor<?x4x2x5x0xf32>, %g: tensor<?x4x2x0x?xf32>)
    -> (tensor<4x2x0xf32>, tensor<4x2x?xf32>) {
  %0 = attn.prior_update %h per_key : tensor<?x4x2x5x0xf32> -> tensor<4x2x0xf32>
  // expected-error @below {{'attn.prior_update' op expected a mean over something, but got 'tensor<?x4x2x0x?xf32>'}}
  %1 = attn.prior_update %g per_key : tensor<?x4x2x0x?xf32> -> tensor<4x2x?xf32>
  return %0, %1 : tensor<4x2x0xf32>, tensor<4x2x?xf32>
}

// -----

func.func @c3_result(%g: tensor<1x4x2x5x6xf32>) -> tensor<4x2x5xf32> {
  // expected-error @below {{'attn.prior_update' op inferred type(s) 'tensor<4x2x6xf32>' are incompatible with return type(s) of operation 'tensor<4x2x5xf32>'}}
  // expected-error @below {{'attn.prior_update' op failed to infer returned types}}
  %p = attn.prior_update %g per_key : tensor<1x4x2x5x6xf32> -> tensor<4x2x5xf32>
  return %p : tensor<4x2x5xf32>
}

// -----

func.func @c1_result(%m: tensor<4x4xf16>) -> tensor<f32> {
  // expected-error @below {{'attn.orthogonal_penalty' op inferred type(s) 'tensor<f16>' are incompatible with return type(s) of operation 'tensor<f32>'}}
  // expected-error @below {{'attn.orthogonal_penalty' op failed to infer returned types}}
  %p = attn.orthogonal_penalty %m : tensor<4x4xf16> -> tensor<f32>
  return %p : tensor<f32>
}
