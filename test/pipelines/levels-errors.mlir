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
func.func @does_not_bufferize(%x: tensor<4x4xf32>, %i: tensor<1x2x1xi64>) -> tensor<1x2x4xf32> {
  // expected-error @below {{op was not bufferized}}
  %o = tensor.gather %x[%i] gather_dims([0])
      : (tensor<4x4xf32>, tensor<1x2x1xi64>) -> tensor<1x2x4xf32>
  return %o : tensor<1x2x4xf32>
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
