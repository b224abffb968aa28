// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Bands reach no further than indices of 32 bits add up.
//
// RUN: mixattn-opt --attn-bound-bands %s | FileCheck %s

// CHECK-LABEL: func.func @far
// CHECK:         band <1073741824, 7> keep <5, 1073741824>
func.func @far(%q: tensor<1x2x3x4xbf16>) -> tensor<1x2x3x4xbf16> {
  %o = attn.softmax %q, %q, %q band <2147483647, 7> keep <5, 4611686018427387904>
      : (tensor<1x2x3x4xbf16>, tensor<1x2x3x4xbf16>, tensor<1x2x3x4xbf16>)
      -> tensor<1x2x3x4xbf16>
  return %o : tensor<1x2x3x4xbf16>
}
