// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Panels are wider where reading the keys of all heads takes time in addition to
// products: they read them less often.
//
// RUN: mixattn-opt %s --attn-set-target="chip=graniterapids features=avx2,avx512f,fma threads=2" --attn-plan | FileCheck %s --check-prefix=SLOW
// RUN: mixattn-opt %s --attn-set-target="chip=znver5 features=avx2,avx512f,fma threads=2" --attn-plan | FileCheck %s

// SLOW:  attn.generic {{.*}} {attn.plan = #attn.plan<[else : panel {width = 64, block = {{[0-9]+}}}]>}
// CHECK: attn.generic {{.*}} {attn.plan = #attn.plan<[else : panel {width = 32, block = {{[0-9]+}}}]>}
!q = tensor<1x8x2048x64xf32>
func.func @mixed(%q: !q, %m: tensor<8x8xf32>) -> !q {
  %o = attn.generic scores(%q, %q : !q, !q) postmix(%m : tensor<8x8xf32>) pool(%q : !q) -> !q
  return %o : !q
}
