// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Numbers that are forced leave of the candidates those that they fit: parts of
// 256 keys have no blocks of 512.
//
// DEFINE: %{target} = --attn-set-target="chip=znver5 features=avx2,avx512f,fma threads=1"
// RUN: mixattn-opt %s %{target} --attn-plan="force=decode,block=512" | FileCheck %s

// CHECK-LABEL: func.func @few
// CHECK:         attn.plan = #attn.plan<[else : decode {width = 16, block = 512, split = 1024}]>
func.func @few(%q: tensor<1x8x1x64xf32>, %k: tensor<1x8x?x64xf32>)
    -> tensor<1x8x1x64xf32> {
  %o = attn.generic scores(%q, %k : tensor<1x8x1x64xf32>, tensor<1x8x?x64xf32>)
      pool(%k : tensor<1x8x?x64xf32>) -> tensor<1x8x1x64xf32>
  return %o : tensor<1x8x1x64xf32>
}
