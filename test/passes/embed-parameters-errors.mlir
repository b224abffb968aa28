// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: mixattn-opt --split-input-file --verify-diagnostics --attn-embed-parameters %s

// expected-error @+1 {{expected parameters to embed, but no entry has any}}
module {
  func.func @none(%x: memref<3xf32> {attn.name = "x"}) {
    return
  }
}

// -----

// expected-error @+1 {{expected known sizes of the parameter "w", which is embedded, but got 'memref<?xf32>'}}
func.func @open(%w: memref<?xf32> {attn.name = "w", attn.dims = ["N"], attn.parameter}) {
  return
}

// -----

// expected-error @+1 {{expected a parameter to be a buffer with a name, of an entry that nobody calls}}
func.func @tensor(%w: tensor<3xf32> {attn.name = "w", attn.parameter}) {
  return
}

// -----

// expected-error @+1 {{expected a parameter to be a buffer with a name, of an entry that nobody calls}}
func.func @unnamed(%w: memref<3xf32> {attn.parameter}) {
  return
}

// -----

// expected-error @+1 {{expected a parameter to be a buffer with a name, of an entry that nobody calls}}
func.func @called(%w: memref<3xf32> {attn.name = "w", attn.parameter}) {
  call @called(%w) : (memref<3xf32>) -> ()
  return
}

// -----

func.func @first(%w: memref<3xf32> {attn.name = "w", attn.parameter}) {
  return
}
// expected-error @+1 {{expected the parameter "w" to be the same in all entries, but got 'memref<4xf32>' and 'memref<3xf32>'}}
func.func @second(%w: memref<4xf32> {attn.name = "w", attn.parameter}) {
  return
}
