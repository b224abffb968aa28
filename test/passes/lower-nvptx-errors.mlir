// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Functions that would need libdevice.
//
// RUN: mixattn-opt %s --pass-pipeline='builtin.module(gpu.module(tile-lower-nvptx))' --verify-diagnostics

gpu.module @m {
  func.func @f(%x: f32) -> f32 {
    // expected-error @below {{'math.sin' op is no function of nvptx}}
    %y = math.sin %x : f32
    return %y : f32
  }
}
