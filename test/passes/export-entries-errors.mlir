// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Modules that cannot be exported.
//
// RUN: mixattn-opt %s --attn-export-entries --split-input-file --verify-diagnostics

// expected-error @below {{expected 'attn.manifest' on the module}}
module @no_manifest {
  func.func @f() {
    return
  }
}

// -----

module attributes {attn.manifest = "{}"} {
  // expected-error @below {{expected entry 'tensor' to take buffers with names}}
  func.func @tensor(%x: tensor<4xf32> {attn.name = "x"}) {
    return
  }
}

// -----

module attributes {attn.manifest = "{}"} {
  // expected-error @below {{expected entry 'no_name' to take buffers with names}}
  func.func @no_name(%x: memref<4xf32>) {
    return
  }
}

// -----

module attributes {attn.manifest = "{}"} {
  // expected-error @below {{expected entry 'no_dims' to take buffers with names}}
  func.func @no_dims(%x: memref<?xf32> {attn.name = "x"}) {
    return
  }
}

// -----

module attributes {attn.manifest = "{}"} {
  // expected-error @below {{expected entry 'returns' to take buffers with names}}
  func.func @returns() -> i32 {
    %0 = arith.constant 0 : i32
    return %0 : i32
  }
}

// -----

module attributes {attn.manifest = "{}"} {
  // expected-error @below {{expected entry 'no_extent' to take buffers with names}}
  func.func @no_extent(%x: memref<2x1xi64, strided<[?, 1]>> {
      attn.name = "x", attn.holds = {kind = "coordinates", extents = ["N"]}}) {
    return
  }
}
