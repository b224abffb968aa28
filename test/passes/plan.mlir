// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Every attention gets a plan: by its kind, its sizes, the CPU, or by order.
//
// DEFINE: %{v4} = chip=znver5 features=avx2,avx512f,fma
// RUN: mixattn-opt %s --attn-set-target="%{v4} threads=1" --attn-plan | FileCheck %s --check-prefixes=CHECK,ONE
// RUN: mixattn-opt %s --attn-set-target="%{v4} threads=16" --attn-plan | FileCheck %s --check-prefix=MANY
// RUN: mixattn-opt %s --attn-set-target="chip=x86-64-v3 features=avx2,fma threads=1" --attn-plan | FileCheck %s --check-prefix=AVX2
// RUN: mixattn-opt %s --attn-set-target="threads=1" --attn-plan | FileCheck %s --check-prefix=SSE
// RUN: mixattn-opt %s --attn-plan="force=unfused" | FileCheck %s --check-prefix=UNFUSED
//
// The plan of one run does not survive the next.
// RUN: mixattn-opt %s --attn-plan="force=unfused" --attn-set-target="%{v4} threads=1" --attn-plan | FileCheck %s --check-prefixes=CHECK,ONE

!q = tensor<?x8x?x64xf32>
!k = tensor<?x8x?x64xf32>

// Open sizes.
// CHECK-LABEL: func.func @open
// CHECK:         attn.generic {{.*}} {attn.plan = #attn.plan<[queries at_most {{[0-9]+}} : decode {width = 16, block = 64, split = 1024}, else : online {width = 64, block = {{[0-9]+}}}]>}
// AVX2-LABEL:  func.func @open
// AVX2:          attn.generic {{.*}} {attn.plan = #attn.plan<[{{.*}}else : online {width = 16, block = {{[0-9]+}}}]>}
// SSE-LABEL:   func.func @open
// SSE:           attn.generic {{.*}} {attn.plan = #attn.plan<[{{.*}}else : online {width = 8, block = {{[0-9]+}}}]>}
// UNFUSED-LABEL: func.func @open
// UNFUSED:       attn.generic {{.*}} {attn.plan = #attn.plan<[else : unfused]>}
func.func @open(%q: !q, %k: !k) -> !q {
  %o = attn.generic scores(%q, %k : !q, !k) pool(%k : !k) -> !q
  return %o : !q
}

// Mixed weights.
// CHECK-LABEL: func.func @mixed
// CHECK:         attn.generic {{.*}} {attn.plan = #attn.plan<[{{.*}}else : panel {width = {{[0-9]+}}, block = {{[0-9]+}}}]>}
func.func @mixed(%q: !q, %k: !k, %m: tensor<8x8xf32>) -> !q {
  %o = attn.generic scores(%q, %k : !q, !k) postmix(%m : tensor<8x8xf32>) pool(%k : !k) -> !q
  return %o : !q
}

// Weights that are a result wait for whole rows, too.
// CHECK-LABEL: func.func @weights
// CHECK:         attn.generic {{.*}} {attn.plan = #attn.plan<[{{.*}}else : panel {width = {{[0-9]+}}, block = {{[0-9]+}}}]>}
func.func @weights(%q: !q, %k: !k) -> (!q, tensor<?x8x?x?xf32>) {
  %o, %weights = attn.generic scores(%q, %k : !q, !k) pool(%k : !k) -> !q weights tensor<?x8x?x?xf32>
  return %o, %weights : !q, tensor<?x8x?x?xf32>
}

// No schedule: the plain path.
// CHECK-LABEL: func.func @plain
// CHECK-COUNT-1: #attn.plan<[else : unfused]>
func.func @plain(%q: tensor<?x8x?x0xf32>, %k: !k) -> !q {
  %o = attn.generic scores(%q, %q : tensor<?x8x?x0xf32>, tensor<?x8x?x0xf32>) scale 1.0 pool(%k : !k) -> !q
  return %o : !q
}

// Weights that are given, a piece of rows at a time.
// CHECK-LABEL: func.func @pool
// CHECK:         attn.structured_pool {{.*}} {attn.plan = #attn.plan<[else : banded {block = 16}]>}
func.func @pool(%k: !k) -> !k {
  %o = attn.structured_pool %k : !k -> !k
  return %o : !k
}

// Linear attention by chunks: shorter ones where each scores its own keys.
// CHECK-LABEL: func.func @linear
// CHECK:         attn.linear_generic {{.*}} {attn.plan = #attn.plan<[else : chunked_linear {block = 64}]>}
// CHECK:         attn.linear_generic {{.*}} {attn.plan = #attn.plan<[else : chunked_linear {block = 32}]>}
func.func @linear(%q: !q, %k: !k) -> (!q, !q) {
  %o = attn.linear_generic features(%q, %k : !q, !k) pool(%k : !k) -> !q
  %p = attn.linear_generic features(%q, %k : !q, !k) causal pool(%k : !k) -> !q
  return %o, %p : !q, !q
}

// One head and 128 queries: on many threads narrower tiles, of which there are
// more.
// CHECK-LABEL: func.func @one_head
// MANY-LABEL:  func.func @one_head
// ONE:           {attn.plan = #attn.plan<[else : online {width = 64, block = {{[0-9]+}}}]>}
// MANY:          {attn.plan = #attn.plan<[else : online {width = 16, block = {{[0-9]+}}}]>}
func.func @one_head(%q: tensor<1x1x128x64xf32>, %k: tensor<1x1x2048x64xf32>) -> tensor<1x1x128x64xf32> {
  %o = attn.generic scores(%q, %k : tensor<1x1x128x64xf32>, tensor<1x1x2048x64xf32>)
      pool(%k : tensor<1x1x2048x64xf32>) -> tensor<1x1x128x64xf32>
  return %o : tensor<1x1x128x64xf32>
}

// Products of tensors are planned, those of buffers are loops already.
// CHECK-LABEL: func.func @products
// CHECK:         linalg.matmul {attn.plan = #attn.plan<[else : dense]>}
// CHECK:         linalg.matmul ins({{.*}}memref
func.func @products(%x: tensor<64x64xf32>, %o: memref<64x64xf32>, %w: memref<64x64xf32>) -> tensor<64x64xf32> {
  %zero = arith.constant 0.0 : f32
  %none = tensor.empty() : tensor<64x64xf32>
  %zeros = linalg.fill ins(%zero : f32) outs(%none : tensor<64x64xf32>) -> tensor<64x64xf32>
  %y = linalg.matmul ins(%x, %x : tensor<64x64xf32>, tensor<64x64xf32>) outs(%zeros : tensor<64x64xf32>) -> tensor<64x64xf32>
  linalg.matmul ins(%w, %w : memref<64x64xf32>, memref<64x64xf32>) outs(%o : memref<64x64xf32>)
  return %y : tensor<64x64xf32>
}

// Nothing to do, and a declaration.
// CHECK-LABEL: func.func private @declared
func.func private @declared(%q: !q) -> !q
