// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Each border says what has not reached it.
//
// RUN: mixattn-opt %s --attn-to-llvm --split-input-file --verify-diagnostics

// expected-error @below {{expected a public function, but found none}}
module {}

// -----

func.func private @helper(%x: tensor<4xf32>) -> tensor<4xf32>
func.func @calls_what_is_elsewhere(%x: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error @below {{expected the functions that entry 'calls_what_is_elsewhere' calls to be inlined, but got @helper}}
  %o = call @helper(%x) : (tensor<4xf32>) -> tensor<4xf32>
  return %o : tensor<4xf32>
}

// -----

// Bufferization knows no way for this op.
func.func @does_not_bufferize(%x: tensor<2x4xf32>, %o: tensor<9x4xf32>, %i: tensor<2x1xi64>) -> tensor<9x4xf32> {
  // expected-error @below {{op was not bufferized}}
  %y = tensor.scatter %x into %o[%i] scatter_dims([0]) unique
      : (tensor<2x4xf32>, tensor<9x4xf32>, tensor<2x1xi64>) -> tensor<9x4xf32>
  return %y : tensor<9x4xf32>
}

// -----

// No pass takes these ops to LLVM.
func.func @has_no_lowering(%x: tensor<f32>) -> tensor<f32> {
  %re = tensor.extract %x[] : tensor<f32>
  // expected-error @below {{'complex.create' op is still present at level 'llvm'}}
  %z = complex.create %re, %re : complex<f32>
  %square = complex.mul %z, %z : complex<f32>
  %im = complex.im %square : complex<f32>
  %o = tensor.from_elements %im : tensor<f32>
  return %o : tensor<f32>
}
