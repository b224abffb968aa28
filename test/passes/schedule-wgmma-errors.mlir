// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Kernels that sm_90a has no schedule for.
//
// RUN: mixattn-opt %s --attn-set-target='family=wgmma chip=sm_90a' --attn-schedule-kernels --split-input-file --verify-diagnostics

!t = tensor<1x2x3x32xbf16>
!k = tensor<1x2x16x3x32xbf16>
!m = memref<1x2x3x32xbf16>
!n = memref<1x2x16x3x32xbf16>
func.func @components(%q: !m, %k: !n, %p: memref<2x16xf32>, %o: !m) {
  attn.kernel ins(%q, %k, %p : !m, !n, memref<2x16xf32>) outs(%o : !m) {
  ^bb0(%a: !t, %b: !k, %c: tensor<2x16xf32>):
    // expected-error @below {{'attn.generic' op has no schedule on sm_90a: online: registers do not hold the scores of all channels and the outputs of a head}}
    %r = attn.generic scores(%a, %b : !t, !k) prior(%c : tensor<2x16xf32>) scale 1.0 pool(%a : !t) -> !t
    attn.results %r : !t
  }
  return
}
