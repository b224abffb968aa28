// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Modules without the function that is to be compiled.
//
// RUN: split-file %s %t
// RUN: mixattn-opt %t/any.mlir --split-input-file --verify-diagnostics --attn-select-entry
// RUN: mixattn-opt %t/named.mlir --split-input-file --verify-diagnostics --attn-select-entry=entry=decoder

//--- any.mlir
// expected-error @below {{expected a public function, but found none}}
module @empty {}

// -----

// A declaration, a private function and one in a module inside.
// expected-error @below {{expected a public function, but found none}}
module {
  func.func private @declaration()
  func.func private @helper() {
    return
  }
  module {
    func.func @inner() {
      return
    }
  }
}

//--- named.mlir
// expected-error @below {{expected a public function 'decoder', but found 'encoder', 'embed'}}
module @other_names {
  func.func @encoder() {
    return
  }
  func.func private @helper() {
    return
  }
  func.func @embed() {
    return
  }
}

// -----

// expected-error @below {{expected a public function 'decoder', but found none}}
module @private_function {
  func.func private @decoder() {
    return
  }
}
