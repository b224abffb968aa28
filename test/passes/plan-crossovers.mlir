// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Plans of open sizes have cases, and the sizes at which they change are those
// at which static sizes are planned otherwise. test/unit/passes/PlannerTest.cpp
// has those along queries and keys.
//
// RUN: mixattn-opt %s --attn-set-target="chip=znver5 features=avx2,avx512f,fma threads=16" --attn-plan | mixattn-opt | FileCheck %s

// Many threads and one head: few queries leave the keys to the threads, more of
// them take narrow tiles, of which there are enough for all.
// CHECK-LABEL: func.func @queries
// CHECK:         {attn.plan = #attn.plan<[queries above 256 and queries at_most 512 : online {width = 32, block = [[B:[0-9]+]]}, queries above 64 and queries at_most 512 : online {width = 16, block = {{[0-9]+}}}, queries at_most 64 : decode {width = 16, block = 64, split = 256}, else : online {width = 64, block = {{[0-9]+}}}]>}
// CHECK-LABEL: func.func @queries64
// CHECK:         {attn.plan = #attn.plan<[else : decode {width = 16, block = 64, split = 256}]>}
// CHECK-LABEL: func.func @queries256
// CHECK:         {attn.plan = #attn.plan<[else : online {width = 16, block = {{[0-9]+}}}]>}
// CHECK-LABEL: func.func @queries512
// CHECK:         {attn.plan = #attn.plan<[else : online {width = 32, block = [[B]]}]>}
// CHECK-LABEL: func.func @queries1024
// CHECK:         {attn.plan = #attn.plan<[else : online {width = 64, block = {{[0-9]+}}}]>}
!k = tensor<1x1x2048x64xf32>
func.func @queries(%q: tensor<1x1x?x64xf32>, %k: !k) -> tensor<1x1x?x64xf32> {
  %o = attn.generic scores(%q, %k : tensor<1x1x?x64xf32>, !k) pool(%k : !k) -> tensor<1x1x?x64xf32>
  return %o : tensor<1x1x?x64xf32>
}
func.func @queries64(%q: tensor<1x1x64x64xf32>, %k: !k) -> tensor<1x1x64x64xf32> {
  %o = attn.generic scores(%q, %k : tensor<1x1x64x64xf32>, !k) pool(%k : !k) -> tensor<1x1x64x64xf32>
  return %o : tensor<1x1x64x64xf32>
}
func.func @queries256(%q: tensor<1x1x256x64xf32>, %k: !k) -> tensor<1x1x256x64xf32> {
  %o = attn.generic scores(%q, %k : tensor<1x1x256x64xf32>, !k) pool(%k : !k) -> tensor<1x1x256x64xf32>
  return %o : tensor<1x1x256x64xf32>
}
func.func @queries512(%q: tensor<1x1x512x64xf32>, %k: !k) -> tensor<1x1x512x64xf32> {
  %o = attn.generic scores(%q, %k : tensor<1x1x512x64xf32>, !k) pool(%k : !k) -> tensor<1x1x512x64xf32>
  return %o : tensor<1x1x512x64xf32>
}
func.func @queries1024(%q: tensor<1x1x1024x64xf32>, %k: !k) -> tensor<1x1x1024x64xf32> {
  %o = attn.generic scores(%q, %k : tensor<1x1x1024x64xf32>, !k) pool(%k : !k) -> tensor<1x1x1024x64xf32>
  return %o : tensor<1x1x1024x64xf32>
}

// Mixed weights: how wide the tiles are whose strips stay in cache.
// CHECK-LABEL: func.func @keys
// CHECK:         {attn.plan = #attn.plan<[keys at_most [[#]] : panel {width = 32, block = {{[0-9]+}}}, keys above [[#]] : panel {width = 32, block = {{[0-9]+}}}, else : panel {width = 16, block = {{[0-9]+}}}]>}
!q = tensor<1x8x2048x64xf32>
func.func @keys(%q: !q, %k: tensor<1x8x?x64xf32>, %m: tensor<8x8xf32>) -> !q {
  %o = attn.generic scores(%q, %k : !q, tensor<1x8x?x64xf32>) postmix(%m : tensor<8x8xf32>)
      pool(%k : tensor<1x8x?x64xf32>) -> !q
  return %o : !q
}

// One size for queries and keys is asked for once.
// CHECK-LABEL: func.func @square
// CHECK:         {attn.plan = #attn.plan<[queries above 256 and queries at_most 512 : online {width = 32, block = {{[0-9]+}}}, queries at_most 512 : online {width = 16, block = {{[0-9]+}}}, else : online {width = 64, block = {{[0-9]+}}}]>}
func.func @square(%q: tensor<1x1x?x64xf32> {attn.dims = ["N"]}, %k: tensor<1x1x?x64xf32> {attn.dims = ["N"]}) -> tensor<1x1x?x64xf32> {
  %o = attn.generic scores(%q, %k : tensor<1x1x?x64xf32>, tensor<1x1x?x64xf32>)
      pool(%k : tensor<1x1x?x64xf32>) -> tensor<1x1x?x64xf32>
  return %o : tensor<1x1x?x64xf32>
}
