// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Kernels that sm_80 has no schedule for.
//
// RUN: mixattn-opt %s --attn-set-target='family=mma chip=sm_80' --attn-schedule-kernels --split-input-file --verify-diagnostics

!t = tensor<1x2x3x32xbf16>
!k = tensor<1x2x16x3x32xbf16>
!m = memref<1x2x3x32xbf16>
!n = memref<1x2x16x3x32xbf16>
func.func @components(%q: !m, %k: !n, %p: memref<2x16xf32>, %o: !m) {
  attn.kernel ins(%q, %k, %p : !m, !n, memref<2x16xf32>) outs(%o : !m) {
  ^bb0(%a: !t, %b: !k, %c: tensor<2x16xf32>):
    // expected-error @below {{'attn.generic' op has no schedule on sm_80: online: registers do not hold the scores of all channels and the outputs of a head}}
    %r = attn.generic scores(%a, %b : !t, !k) prior(%c : tensor<2x16xf32>) scale 1.0 pool(%a : !t) -> !t
    attn.results %r : !t
  }
  return
}

// -----

!t = tensor<1x2x3x32xf32>
!m = memref<1x2x3x32xf32>
func.func @wide(%q: !m, %o: !m) {
  attn.kernel ins(%q : !m) outs(%o : !m) {
  ^bb0(%a: !t):
    // expected-error @below {{'attn.generic' op has no schedule on sm_80: online: queries, keys and values are f16 or bf16 on tensor cores, but these are f32}}
    %r = attn.generic scores(%a, %a : !t, !t) pool(%a : !t) -> !t
    attn.results %r : !t
  }
  return
}

// -----

!t = tensor<1x2x3x264xf16>
!m = memref<1x2x3x264xf16>
func.func @large(%q: !m, %o: !m) {
  attn.kernel ins(%q : !m) outs(%o : !m) {
  ^bb0(%a: !t):
    // expected-error @below {{'attn.generic' op has no schedule on sm_80: online: head sizes are from 1 to 256 on tensor cores, but one is 264}}
    %r = attn.generic scores(%a, %a : !t, !t) pool(%a : !t) -> !t
    attn.results %r : !t
  }
  return
}

// -----

!t = tensor<1x2x3x32xbf16>
!m = memref<1x2x3x32xbf16>
func.func @projected(%q: !m, %e: memref<16x3xbf16>, %o: !m) {
  attn.kernel ins(%q, %e : !m, memref<16x3xbf16>) outs(%o : !m) {
  ^bb0(%a: !t, %b: tensor<16x3xbf16>):
    // expected-error @below {{'attn.generic' op has no schedule on sm_80: online: it has no code for 'key_projection'}}
    %r = attn.generic scores(%a, %a : !t, !t)
        projected_by(%b, %b : tensor<16x3xbf16>, tensor<16x3xbf16>) pool(%a : !t) -> !t
    attn.results %r : !t
  }
  return
}

// -----

!t = tensor<1x2x3x32xbf16>
!m = memref<1x2x3x32xbf16>
%q = memref.alloc() : !m
// expected-error @below {{'attn.kernel' op expected to be in a function}}
attn.kernel ins(%q : !m) outs(%q : !m) {
^bb0(%a: !t):
  %r = attn.generic scores(%a, %a : !t, !t) pool(%a : !t) -> !t
  attn.results %r : !t
}

// -----

!t = tensor<1x2x3x32xbf16>
!m = memref<1x2x3x32xbf16>
func.func @columns(%q: !m, %v: memref<1x2x3x1x48xf32>, %n: memref<1x2x3x1xf32>, %s: memref<1x2x3x1xf32>) {
  attn.kernel ins(%q : !m) outs(%v, %n, %s : memref<1x2x3x1x48xf32>, memref<1x2x3x1xf32>, memref<1x2x3x1xf32>) {
  ^bb0(%a: !t):
    // expected-error @below {{'attn.parts' op has no schedule on sm_80: parts: expected values of as many columns as features, 32, but got 48}}
    %0:3 = attn.parts split 64 block 64 {
      %r = attn.generic scores(%a, %a : !t, !t) pool(%a : !t) -> !t
      attn.results %r : !t
    } -> tensor<1x2x3x1x48xf32>, tensor<1x2x3x1xf32>, tensor<1x2x3x1xf32>
    attn.results %0#0, %0#1, %0#2 : tensor<1x2x3x1x48xf32>, tensor<1x2x3x1xf32>, tensor<1x2x3x1xf32>
  }
  return
}

// -----

!t = tensor<1x128x16x32xbf16>
!m = memref<1x128x16x32xbf16>
!p = tensor<1x128x16x64xf32>
!n = tensor<1x128x16x1xf32>
!v = tensor<1x128x16x1x32xf32>
func.func @mixed(%q: !m, %c: memref<128x128xbf16>, %p: memref<1x128x16x64xf32>, %n: memref<1x128x16x1xf32>, %o: memref<1x128x16x1x32xf32>) {
  attn.kernel ins(%q, %c, %p, %n : !m, memref<128x128xbf16>, memref<1x128x16x64xf32>, memref<1x128x16x1xf32>) outs(%o : memref<1x128x16x1x32xf32>) {
  ^bb0(%a: !t, %b: tensor<128x128xbf16>, %powers: !p, %factors: !n):
    // expected-error @below {{'attn.pool_parts' op has no schedule on sm_80: pool_parts: values, and powers of 128 heads for 16 keys, take}}
    %0 = attn.pool_parts %powers, %factors split 64 block 64 {
      %r = attn.generic scores(%a, %a : !t, !t) postmix(%b : tensor<128x128xbf16>) pool(%a : !t) -> !t
      attn.results %r : !t
    } : !p, !n -> !v
    attn.results %0 : !v
  }
  return
}
