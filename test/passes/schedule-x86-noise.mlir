// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Noise of Philox: a unit of the body handles the four keys that a block of words
// draws for, also where keys lie in pairs or registers are few.
//
// DEFINE: %{features} = avx512f,avx512bf16
// DEFINE: %{scheduled} = mixattn-opt %s --attn-set-target='features=%{features}' --attn-plan=force=online,width=16 --attn-form-kernels --attn-bufferize --attn-schedule-kernels --canonicalize | FileCheck %s
// RUN: %{scheduled}
// REDEFINE: %{features} = avx2,fma
// RUN: %{scheduled}

// CHECK-LABEL: func.func @noisy
// CHECK:         tile.x86.product {{.*}} units
// CHECK:         ^bb0
// CHECK:           tile.x86.exp2 %{{[0-9]+}}#3
// CHECK-NOT:       tile.x86.exp2 %{{[0-9]+}}#
// CHECK:         tile.x86.unpack
!h = tensor<1x2x128x64xbf16>
func.func @noisy(%q: !h, %k: !h, %v: !h, %mixer: tensor<2x2xbf16>, %sigma: tensor<2xbf16>, %seed: tensor<i64>) -> !h {
  %o = attn.generic scores(%q, %k : !h, !h) premix(%mixer : tensor<2x2xbf16>) noise <local> sigma(%sigma : tensor<2xbf16>)
      philox(%seed, %seed : tensor<i64>, tensor<i64>) pool(%v : !h) -> !h
  return %o : !h
}
