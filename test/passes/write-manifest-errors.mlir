// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Entries that attn-bind-names has not named.
//
// RUN: mixattn-opt %s --attn-write-manifest --split-input-file --verify-diagnostics

// expected-error @below {{expected entry 'no_argument_name' to be named by attn-bind-names}}
func.func @no_argument_name(%x: tensor<4xf32>) {
  return
}

// -----

// expected-error @below {{expected entry 'no_result_name' to be named by attn-bind-names}}
func.func @no_result_name(%x: tensor<4xf32> {attn.name = "x"}) -> tensor<4xf32> {
  return %x : tensor<4xf32>
}

// -----

// expected-error @below {{expected entry 'no_dims' to be named by attn-bind-names}}
func.func @no_dims(%x: tensor<?xf32> {attn.name = "x"}) {
  return
}

// -----

// expected-error @below {{expected entry 'scalar' to be named by attn-bind-names}}
func.func @scalar(%x: f32 {attn.name = "x"}) {
  return
}

// -----

// expected-error @below {{expected entry 'never_returns' to be named by attn-bind-names}}
func.func @never_returns() {
  ub.unreachable
}
