// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// One public function stays public, or all do.
//
// RUN: mixattn-opt --attn-select-entry=entry=chosen %s | FileCheck %s --check-prefixes=CHECK,CHOSEN
// RUN: mixattn-opt --attn-select-entry %s | FileCheck %s --check-prefixes=CHECK,ALL

// CHECK:  func.func private @declaration(tensor<4xf32>)
func.func private @declaration(tensor<4xf32>)

// CHECK:  func.func private @helper()
func.func private @helper() {
  return
}

// CHECK:  func.func @chosen()
func.func @chosen() {
  return
}

// CHOSEN: func.func private @other()
// ALL:    func.func @other()
func.func @other() {
  return
}
