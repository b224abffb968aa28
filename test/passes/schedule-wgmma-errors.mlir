// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Kernels that sm_90a has no schedule for.
//
// RUN: mixattn-opt %s --attn-set-target='family=wgmma chip=sm_90a' --attn-schedule-kernels --split-input-file --verify-diagnostics

!t = tensor<1x2x3x32xbf16>
!k = tensor<1x2x2x3x32xbf16>
!m = memref<1x2x3x32xbf16>
!n = memref<1x2x2x3x32xbf16>
func.func @components(%q: !m, %k: !n, %o: !m) {
  attn.kernel ins(%q, %k : !m, !n) outs(%o : !m) {
  ^bb0(%a: !t, %b: !k):
    // expected-error @below {{'attn.generic' op has no schedule on sm_90a: online: it has no code for several keys at one position}}
    %r = attn.generic scores(%a, %b : !t, !k) pool(%a : !t) -> !t
    attn.results %r : !t
  }
  return
}
