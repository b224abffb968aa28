// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The mixer of weights in 16 bits becomes f32 once for a tile of queries: the
// loop over keys broadcasts its numbers, and converts none.
//
// RUN: mixattn-opt %s --attn-set-target='chip=znver4 features=avx512f,fma threads=1' --attn-generalize --attn-plan=force=panel \
// RUN:     --attn-form-kernels --attn-bufferize --attn-stage-kernels --attn-schedule-kernels --canonicalize --cse \
// RUN:   | FileCheck %s

// CHECK:     tile.x86.widen {{.*}} into %[[WIDENED:.+]] : memref<2x2xbf16>, memref<2x2xf32>
// CHECK-NOT: memref.load {{.*}} memref<2x2xbf16>
// CHECK:     memref.load %[[WIDENED]]
func.func @mix_heads(%q: tensor<1x2x128x64xbf16>, %k: tensor<1x2x256x64xbf16>,
                     %v: tensor<1x2x256x64xbf16>, %mixer: tensor<2x2xbf16>)
    -> tensor<1x2x128x64xbf16> {
  %o = attn.mix_heads %q, %k, %v mixer(%mixer : tensor<2x2xbf16>)
      : (tensor<1x2x128x64xbf16>, tensor<1x2x256x64xbf16>, tensor<1x2x256x64xbf16>)
      -> tensor<1x2x128x64xbf16>
  return %o : tensor<1x2x128x64xbf16>
}
