// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Entries that attn-bind-names has not named.
//
// RUN: mixattn-opt %s --attn-take-buffers --split-input-file --verify-diagnostics

// expected-error @below {{expected entry 'no_names' to be named by attn-bind-names}}
func.func @no_names(%x: tensor<4xf32>) {
  return
}

// -----

// expected-error @below {{expected entry 'buffers_already' to be named by attn-bind-names}}
func.func @buffers_already(%x: memref<4xf32> {attn.name = "x"}) {
  return
}

// -----

// expected-error @below {{expected entry 'two_blocks' to be named by attn-bind-names}}
func.func @two_blocks() {
  cf.br ^bb1
^bb1:
  return
}
