// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Forms of attn.append that its verifier refuses.
//
// RUN: mixattn-opt %s --split-input-file --verify-diagnostics

func.func @booleans(%x: tensor<1x2x3xi1>, %c: tensor<1x9x3xi1>, %at: tensor<1xi32>) -> tensor<1x9x3xi1> {
  // expected-error @+1 {{expected floats, or integers of 8 bits or more, but got 'i1'}}
  %r = attn.append %x into %c at(%at) : tensor<1x2x3xi1>, tensor<1xi32> into tensor<1x9x3xi1> -> tensor<1x9x3xi1>
  return %r : tensor<1x9x3xi1>
}

// -----

func.func @types(%x: tensor<1x2x3xf16>, %c: tensor<1x9x3xf32>, %at: tensor<1xi32>) -> tensor<1x9x3xf32> {
  // expected-error @+1 {{expected rows of 'f32', as the cache is, but got 'f16'}}
  %r = attn.append %x into %c at(%at) : tensor<1x2x3xf16>, tensor<1xi32> into tensor<1x9x3xf32> -> tensor<1x9x3xf32>
  return %r : tensor<1x9x3xf32>
}

// -----

func.func @rank(%x: tensor<2x3xf32>, %c: tensor<2x9xf32>, %at: tensor<2xi32>) -> tensor<2x9xf32> {
  // expected-error @+1 {{expected rows and a cache of one rank, at least 3, but got 2 and 2}}
  %r = attn.append %x into %c at(%at) : tensor<2x3xf32>, tensor<2xi32> into tensor<2x9xf32> -> tensor<2x9xf32>
  return %r : tensor<2x9xf32>
}

// -----

func.func @along(%x: tensor<1x2x3xf32>, %c: tensor<1x2x9xf32>, %at: tensor<1xi32>) -> tensor<1x2x9xf32> {
  // expected-error @+1 {{expected 'along' to be from 1 to 1, but got 2}}
  %r = attn.append %x into %c at(%at) along 2 : tensor<1x2x3xf32>, tensor<1xi32> into tensor<1x2x9xf32> -> tensor<1x2x9xf32>
  return %r : tensor<1x2x9xf32>
}

// -----

func.func @sizes(%x: tensor<1x4x2x3xf32>, %c: tensor<1x8x9x3xf32>, %at: tensor<1xi32>) -> tensor<1x8x9x3xf32> {
  // expected-error @+1 {{expected rows of size 8 in dim 1, as the cache is, but got 4}}
  %r = attn.append %x into %c at(%at) : tensor<1x4x2x3xf32>, tensor<1xi32> into tensor<1x8x9x3xf32> -> tensor<1x8x9x3xf32>
  return %r : tensor<1x8x9x3xf32>
}

// -----

func.func @starts(%x: tensor<2x2x3xf32>, %c: tensor<2x9x3xf32>, %at: tensor<3xi32>) -> tensor<2x9x3xf32> {
  // expected-error @+1 {{expected a start for each of 2 batch rows, but got 3}}
  %r = attn.append %x into %c at(%at) : tensor<2x2x3xf32>, tensor<3xi32> into tensor<2x9x3xf32> -> tensor<2x9x3xf32>
  return %r : tensor<2x9x3xf32>
}

// -----

func.func @room(%x: tensor<1x10x3xf32>, %c: tensor<1x9x3xf32>, %at: tensor<1xi32>) -> tensor<1x9x3xf32> {
  // expected-error @+1 {{expected at most 9 rows, for which the cache has room, but got 10}}
  %r = attn.append %x into %c at(%at) : tensor<1x10x3xf32>, tensor<1xi32> into tensor<1x9x3xf32> -> tensor<1x9x3xf32>
  return %r : tensor<1x9x3xf32>
}

// -----

func.func @mixed(%x: memref<1x2x3xf32>, %c: tensor<1x9x3xf32>, %at: tensor<1xi32>) -> tensor<1x9x3xf32> {
  // expected-error @+1 {{expected tensors and a result of the cache's type, or buffers and none}}
  %r = attn.append %x into %c at(%at) : memref<1x2x3xf32>, tensor<1xi32> into tensor<1x9x3xf32> -> tensor<1x9x3xf32>
  return %r : tensor<1x9x3xf32>
}
