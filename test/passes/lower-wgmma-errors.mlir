// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Rings and tiles from elsewhere than the ops that make them.
//
// RUN: mixattn-opt %s --pass-pipeline='builtin.module(gpu.module(tile-lower-wgmma))' --verify-diagnostics

gpu.module @m {
  func.func @f(%ring: !tile.ring<2x128x64xbf16, swizzle = 128>, %stage: index) {
    // expected-error @below {{'tile.wgmma.release' op expected rings, tiles and pending fragments from the ops that make them}}
    tile.wgmma.release %ring[%stage] : !tile.ring<2x128x64xbf16, swizzle = 128>
    return
  }
}
