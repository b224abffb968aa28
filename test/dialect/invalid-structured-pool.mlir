// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Operands that attn.structured_pool refuses: bands, windows and errors that do
// not fit, and constants among them with impossible values.
//
// RUN: mixattn-opt %s --attn-bind-names --split-input-file --verify-diagnostics

!v = tensor<1x?x5x8xf32>
// expected-note @below {{'value' defined here, of type 'tensor<1x?x5x8xf32>'}}
func.func @c1_heads(%v: !v) -> !v {
  // expected-error @below {{'attn.structured_pool' op expected 'value' to have static heads}}
  %o = attn.structured_pool %v : !v -> !v
  return %o : !v
}

// -----

!v = tensor<1x4x5x?xf32>
// expected-note @below {{'value' defined here, of type 'tensor<1x4x5x?xf32>'}}
func.func @c1_features(%v: !v) -> !v {
  // expected-error @below {{'attn.structured_pool' op expected 'value' to have static features}}
  %o = attn.structured_pool %v : !v -> !v
  return %o : !v
}

// -----

!v = tensor<1x4x5x8xf32>
// expected-note @below {{'band' defined here, of type 'tensor<?x5x7xf32>'}}
func.func @c2_heads(%v: !v, %b: tensor<?x5x7xf32>) -> !v {
  // expected-error @below {{'attn.structured_pool' op expected 'band' to have static heads}}
  %o = attn.structured_pool %v band(%b : tensor<?x5x7xf32>) : !v -> !v
  return %o : !v
}

// -----

!v = tensor<1x4x5x8xf32>
// expected-note @below {{'band' defined here, of type 'tensor<4x5x?xf32>'}}
func.func @c2_width(%v: !v, %b: tensor<4x5x?xf32>) -> !v {
  // expected-error @below {{'attn.structured_pool' op expected 'band' to have static width}}
  %o = attn.structured_pool %v band(%b : tensor<4x5x?xf32>) : !v -> !v
  return %o : !v
}

// -----

!v = tensor<1x4x5x8xf32>
// expected-note @below {{'value' defined here, of type 'tensor<1x4x5x8xf32>'}}
// expected-note @below {{'band' defined here, of type 'tensor<4x6x7xf32>'}}
func.func @c2_length(%v: !v, %b: tensor<4x6x7xf32>) -> !v {
  // expected-error @below {{'attn.structured_pool' op expected 'value' and 'band' to agree on the length, but got 5 and 6}}
  %o = attn.structured_pool %v band(%b : tensor<4x6x7xf32>) : !v -> !v
  return %o : !v
}

// -----

!v = tensor<1x4x5x8xf32>
// expected-note @below {{'band' defined here, of type 'tensor<4x5x6xf32>'}}
func.func @c2_odd_width(%v: !v, %b: tensor<4x5x6xf32>) -> !v {
  // expected-error @below {{'attn.structured_pool' op expected 'band' to have an odd width, but got 6}}
  %o = attn.structured_pool %v band(%b : tensor<4x5x6xf32>) : !v -> !v
  return %o : !v
}

// -----

!v = tensor<1x3x5x8xf32>
// expected-note @below {{'value' defined here, of type 'tensor<1x3x5x8xf32>'}}
// expected-note @below {{'band' defined here, of type 'tensor<4x5x7xf32>'}}
func.func @c2_shared_values(%v: !v, %b: tensor<4x5x7xf32>) -> tensor<1x4x5x8xf32> {
  // expected-error @below {{'attn.structured_pool' op expected the heads of 'value' to divide the heads of 'band', but got 3 and 4}}
  %o = attn.structured_pool %v band(%b : tensor<4x5x7xf32>) : !v -> tensor<1x4x5x8xf32>
  return %o : tensor<1x4x5x8xf32>
}

// -----

!v = tensor<1x4x5x8xf32>
func.func @c3_both(%v: !v, %b: tensor<4x5x7xf32>, %t: tensor<?x3xi64>) -> !v {
  // expected-error @below {{'attn.structured_pool' op expected 'band' or 'windows', but got both}}
  %o = attn.structured_pool %v band(%b : tensor<4x5x7xf32>)
      windows(%t : tensor<?x3xi64>) : !v -> !v
  return %o : !v
}

// -----

!v = tensor<1x4x5x8xf32>
// expected-note @below {{'windows' defined here, of type 'tensor<2x4xi64>'}}
func.func @c3_columns(%v: !v, %t: tensor<2x4xi64>) -> !v {
  // expected-error @below {{'attn.structured_pool' op expected 'windows' to have the shape [?, 3], but got 'tensor<2x4xi64>'}}
  %o = attn.structured_pool %v windows(%t : tensor<2x4xi64>) : !v -> !v
  return %o : !v
}

// -----

// An index without values can only be said in the generic form.
func.func @c4_together(%v: tensor<1x4x5x8xf32>, %t: tensor<2x3xi64>) -> tensor<1x4x5x8xf32> {
  // expected-error @below {{'attn.structured_pool' op expected 'error_index' and 'error_value' together or not at all}}
  %o = "attn.structured_pool"(%v, %t)
      <{operandSegmentSizes = array<i32: 1, 0, 0, 1, 0>}>
      : (tensor<1x4x5x8xf32>, tensor<2x3xi64>) -> tensor<1x4x5x8xf32>
  return %o : tensor<1x4x5x8xf32>
}

// -----

!v = tensor<1x4x5x8xf32>
// expected-note @below {{'error_index' defined here, of type 'tensor<?x2xi64>'}}
func.func @c4_columns(%v: !v, %t: tensor<?x2xi64>, %x: tensor<?xf32>) -> !v {
  // expected-error @below {{'attn.structured_pool' op expected 'error_index' to have the shape [?, 3], but got 'tensor<?x2xi64>'}}
  %o = attn.structured_pool %v error(%t, %x : tensor<?x2xi64>, tensor<?xf32>) : !v -> !v
  return %o : !v
}

// -----

!v = tensor<1x4x5x8xf32>
// expected-note @below {{'error_index' defined here, of type 'tensor<2x3xi64>'}}
// expected-note @below {{'error_value' defined here, of type 'tensor<3xf32>'}}
func.func @c4_count(%v: !v, %t: tensor<2x3xi64>, %x: tensor<3xf32>) -> !v {
  // expected-error @below {{'attn.structured_pool' op expected 'error_index' and 'error_value' to agree on the number of errors, but got 2 and 3}}
  %o = attn.structured_pool %v error(%t, %x : tensor<2x3xi64>, tensor<3xf32>) : !v -> !v
  return %o : !v
}

// -----

!v = tensor<1x4x5x8xf32>
func.func @c6_result(%v: !v, %b: tensor<8x5x7xf32>) -> !v {
  // expected-error @below {{'attn.structured_pool' op inferred type(s) 'tensor<1x8x5x8xf32>' are incompatible with return type(s) of operation 'tensor<1x4x5x8xf32>'}}
  // expected-error @below {{'attn.structured_pool' op failed to infer returned types}}
  %o = attn.structured_pool %v band(%b : tensor<8x5x7xf32>) : !v -> !v
  return %o : !v
}

// -----

// Constants. Heads count four.
!v = tensor<1x4x5x8xf32>
func.func @c5_index_head(%v: !v, %x: tensor<2xf32>) -> !v {
  %t = arith.constant dense<[[0, 0, 0], [4, 0, 0]]> : tensor<2x3xi64>
  // expected-error @below {{'attn.structured_pool' op expected 'error_index' to hold values from 0 to 3, but got 4 at element 3}}
  %o = attn.structured_pool %v error(%t, %x : tensor<2x3xi64>, tensor<2xf32>) : !v -> !v
  return %o : !v
}

// -----

!v = tensor<1x4x?x8xf32>
func.func @c5_index_negative(%v: !v, %x: tensor<1xf32>) -> !v {
  %t = arith.constant dense<[[0, 0, -1]]> : tensor<1x3xi32>
  // expected-error @below {{'attn.structured_pool' op expected 'error_index' to hold values of 0 or more, but got -1 at element 2}}
  %o = attn.structured_pool %v error(%t, %x : tensor<1x3xi32>, tensor<1xf32>) : !v -> !v
  return %o : !v
}

// -----

// Row and column of the first are larger, and its head is smaller: it comes
// first. The third repeats the second.
!v = tensor<1x4x5x8xf32>
func.func @c5_index_twice(%v: !v, %x: tensor<3xf32>) -> !v {
  %t = arith.constant dense<[[0, 4, 4], [1, 2, 3], [1, 2, 3]]> : tensor<3x3xi64>
  // expected-error @below {{'attn.structured_pool' op expected 'error_index' to hold rows that ascend, but row 2 is not above the row before}}
  %o = attn.structured_pool %v error(%t, %x : tensor<3x3xi64>, tensor<3xf32>) : !v -> !v
  return %o : !v
}

// -----

!v = tensor<1x4x5x8xf32>
func.func @c5_index_order(%v: !v, %x: tensor<2xf32>) -> !v {
  %t = arith.constant dense<[[1, 2, 3], [1, 1, 4]]> : tensor<2x3xi64>
  // expected-error @below {{'attn.structured_pool' op expected 'error_index' to hold rows that ascend, but row 1 is not above the row before}}
  %o = attn.structured_pool %v error(%t, %x : tensor<2x3xi64>, tensor<2xf32>) : !v -> !v
  return %o : !v
}

// -----

!v = tensor<1x4x5x8xf32>
func.func @c5_window_column(%v: !v) -> !v {
  %t = arith.constant dense<[[0, 0, 2], [5, 2, 1]]> : tensor<2x3xi64>
  // expected-error @below {{'attn.structured_pool' op expected 'windows' to hold values from 0 to 4, but got 5 at element 3}}
  %o = attn.structured_pool %v windows(%t : tensor<2x3xi64>) : !v -> !v
  return %o : !v
}

// -----

!v = tensor<1x4x?x8xf32>
func.func @c5_window_length(%v: !v) -> !v {
  %t = arith.constant dense<[[0, 0, 2], [1, 2, 0]]> : tensor<2x3xi64>
  // expected-error @below {{'attn.structured_pool' op expected 'windows' to hold windows of 1 row or more, but got 0 in row 1}}
  %o = attn.structured_pool %v windows(%t : tensor<2x3xi64>) : !v -> !v
  return %o : !v
}

// -----

!v = tensor<1x4x5x8xf32>
func.func @c5_window_end(%v: !v) -> !v {
  %t = arith.constant dense<[[0, 3, 3]]> : tensor<1x3xi64>
  // expected-error @below {{'attn.structured_pool' op expected 'windows' to hold windows that end by row 4, but that of row 0 does not}}
  %o = attn.structured_pool %v windows(%t : tensor<1x3xi64>) : !v -> !v
  return %o : !v
}

// -----

// The third begins in the first, whatever the length of the values.
!v = tensor<1x4x?x8xf32>
func.func @c5_window_overlap(%v: !v) -> !v {
  %t = arith.constant dense<[[0, 4, 3], [1, 2, 2], [2, 6, 9223372036854775807]]> : tensor<3x3xi64>
  // expected-error @below {{'attn.structured_pool' op expected 'windows' to hold disjoint windows, but those of rows 0 and 2 overlap}}
  %o = attn.structured_pool %v windows(%t : tensor<3x3xi64>) : !v -> !v
  return %o : !v
}

// -----

!v = tensor<1x0x3x4xf32>
// expected-note @below {{'value' defined here, of type 'tensor<1x0x3x4xf32>'}}
func.func @c1_no_heads(%v: !v) -> !v {
  // expected-error @below {{'attn.structured_pool' op expected 'value' to have heads}}
  %o = attn.structured_pool %v : !v -> !v
  return %o : !v
}

// -----

!v = tensor<1x2x3x4xf32>
// expected-note @below {{'windows' defined here, of type 'tensor<?x?xi64>'}}
func.func @c3_columns(%v: !v, %w: tensor<?x?xi64>) -> !v {
  // expected-error @below {{'attn.structured_pool' op expected 'windows' to have static columns}}
  %o = attn.structured_pool %v windows(%w : tensor<?x?xi64>) : !v -> !v
  return %o : !v
}

// -----

!v = tensor<1x2x3x4xf32>
// expected-note @below {{'error_index' defined here, of type 'tensor<?x?xi64>'}}
func.func @c4_columns(%v: !v, %i: tensor<?x?xi64>, %x: tensor<?xf32>) -> !v {
  // expected-error @below {{'attn.structured_pool' op expected 'error_index' to have static columns}}
  %o = attn.structured_pool %v error(%i, %x : tensor<?x?xi64>, tensor<?xf32>) : !v -> !v
  return %o : !v
}
