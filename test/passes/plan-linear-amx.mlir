// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Linear attention of bf16 by AMX: chunks of whole squares, where in f32 shorter
// ones score fewer hidden keys.
//
// RUN: mixattn-opt %s --attn-set-target='chip=graniterapids features=avx512f,fma,amx-tile,amx-bf16 threads=1' --attn-plan | FileCheck %s --check-prefixes=CHECK,TILES
// RUN: mixattn-opt %s --attn-set-target='chip=graniterapids features=avx512f,fma,avx512bf16 threads=1' --attn-plan | FileCheck %s --check-prefixes=CHECK,PLAIN

!q = tensor<?x8x?x64xbf16>
!s = tensor<?x8x?x64xf32>

// CHECK-LABEL: func.func @causal
// TILES:         {attn.plan = #attn.plan<[else : chunked_linear {block = 64}]>}
// PLAIN:         {attn.plan = #attn.plan<[else : chunked_linear {block = 32}]>}
// CHECK:         {attn.plan = #attn.plan<[else : chunked_linear {block = 32}]>}
func.func @causal(%q: !q, %s: !s) -> (!q, !s) {
  %o = attn.linear_generic features(%q, %q : !q, !q) causal pool(%q : !q) -> !q
  %p = attn.linear_generic features(%s, %s : !s, !s) causal pool(%s : !s) -> !s
  return %o, %p : !q, !s
}
