// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Functions of f64 that would need libdevice, and rows of buffers and of tiles from
// elsewhere.
//
// RUN: mixattn-opt %s --pass-pipeline='builtin.module(gpu.module(tile-lower-mma,tile-lower-gpu))' --split-input-file --verify-diagnostics

gpu.module @m {
  func.func @f(%x: f64) -> f64 {
    // expected-error @below {{'math.sin' op is no function of GPUs}}
    %y = math.sin %x : f64
    return %y : f64
  }
}

// -----

gpu.module @m {
  func.func @f(%q: memref<?x32xf16>, %row: index, %rows: index) -> vector<16xf16> {
    // expected-error @below {{'tile.mma.load' op expected rows of a 'tile.device_buffer' whose elements follow each other}}
    %a = tile.mma.load %q[%row] rows %rows : memref<?x32xf16> -> vector<16xf16>
    return %a : vector<16xf16>
  }
}

// -----

gpu.module @m {
  func.func @f(%p: !llvm.ptr<1>, %row: index, %rows: index) -> vector<16xf16> {
    %x = tile.device_buffer %p sizes [%rows] strides [] : !llvm.ptr<1> -> memref<?x64xf16>
    %q = memref.subview %x[0, 0] [%rows, 32] [1, 2] : memref<?x64xf16> to memref<?x32xf16, strided<[64, 2]>>
    // expected-error @below {{'tile.mma.load' op expected rows of a 'tile.device_buffer' whose elements follow each other}}
    %a = tile.mma.load %q[%row] rows %rows : memref<?x32xf16, strided<[64, 2]>> -> vector<16xf16>
    return %a : vector<16xf16>
  }
}

// -----

gpu.module @m {
  func.func @f(%q: vector<8xbf16>, %s: vector<8xf32>, %tile: !tile.shared<16x16xbf16, padded>) -> vector<8xf32> {
    // expected-error @below {{'tile.mma.product' op expected rows of a 'tile.shared_tile'}}
    %p = tile.mma.product %q by %tile onto %s : vector<8xbf16> by !tile.shared<16x16xbf16, padded> onto vector<8xf32>
    return %p : vector<8xf32>
  }
}
