// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A product makes the rows of its left side itself where the time of both kernels
// is longer: not where blocks of its few rows leave threads without work.
//
// DEFINE: %{target} = --attn-set-target="chip=znver4 features=avx2,avx512f,fma threads=2"
// RUN: mixattn-opt %s %{target} --attn-plan | FileCheck %s
// RUN: mixattn-opt %s %{target} --attn-plan="force=dense" | FileCheck %s --check-prefix=DENSE
// RUN: mixattn-opt %s %{target} --attn-plan="force=rows_dense" | FileCheck %s --check-prefix=ROWS

// CHECK-LABEL: func.func @many(
// CHECK:         linalg.matmul {attn.plan = #attn.plan<[else : rows_dense]>}
// DENSE:         linalg.matmul {attn.plan = #attn.plan<[else : dense]>}
// ROWS:          linalg.matmul {attn.plan = #attn.plan<[else : rows_dense]>}
func.func @many(%x: tensor<2048x128xf32>, %w: tensor<128x512xf32>) -> tensor<2048x512xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<2048x128xf32>
  %z = linalg.exp ins(%x : tensor<2048x128xf32>) outs(%e : tensor<2048x128xf32>) -> tensor<2048x128xf32>
  %empty = tensor.empty() : tensor<2048x512xf32>
  %init = linalg.fill ins(%zero : f32) outs(%empty : tensor<2048x512xf32>) -> tensor<2048x512xf32>
  %p = linalg.matmul ins(%z, %w : tensor<2048x128xf32>, tensor<128x512xf32>) outs(%init : tensor<2048x512xf32>) -> tensor<2048x512xf32>
  return %p : tensor<2048x512xf32>
}

// CHECK-LABEL: func.func @few(
// CHECK:         linalg.matmul {attn.plan = #attn.plan<[else : dense]>}
// ROWS-LABEL:  func.func @few(
// ROWS:          linalg.matmul {attn.plan = #attn.plan<[else : rows_dense]>}
func.func @few(%x: tensor<196x384xf32>, %w: tensor<384x1536xf32>) -> tensor<196x1536xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<196x384xf32>
  %z = linalg.negf ins(%x : tensor<196x384xf32>) outs(%e : tensor<196x384xf32>) -> tensor<196x384xf32>
  %empty = tensor.empty() : tensor<196x1536xf32>
  %init = linalg.fill ins(%zero : f32) outs(%empty : tensor<196x1536xf32>) -> tensor<196x1536xf32>
  %p = linalg.matmul ins(%z, %w : tensor<196x384xf32>, tensor<384x1536xf32>) outs(%init : tensor<196x1536xf32>) -> tensor<196x1536xf32>
  return %p : tensor<196x1536xf32>
}

// Open sizes: one case, at 2048 rows.
// CHECK-LABEL: func.func @open(
// CHECK:         linalg.matmul {attn.plan = #attn.plan<[else : rows_dense]>}
func.func @open(%x: tensor<?x128xf32>, %w: tensor<128x512xf32>) -> tensor<?x512xf32> {
  %zero = arith.constant 0.0 : f32
  %c0 = arith.constant 0 : index
  %n = tensor.dim %x, %c0 : tensor<?x128xf32>
  %e = tensor.empty(%n) : tensor<?x128xf32>
  %z = linalg.exp ins(%x : tensor<?x128xf32>) outs(%e : tensor<?x128xf32>) -> tensor<?x128xf32>
  %empty = tensor.empty(%n) : tensor<?x512xf32>
  %init = linalg.fill ins(%zero : f32) outs(%empty : tensor<?x512xf32>) -> tensor<?x512xf32>
  %p = linalg.matmul ins(%z, %w : tensor<?x128xf32>, tensor<128x512xf32>) outs(%init : tensor<?x512xf32>) -> tensor<?x512xf32>
  return %p : tensor<?x512xf32>
}

// A plan that is asked for is for what it may be for: not for the attention, and
// rows_dense not for a product whose left side nothing makes.
// ROWS-LABEL:  func.func @others(
// ROWS:          linalg.matmul {attn.plan = #attn.plan<[else : rows_dense]>}
// ROWS:          linalg.matmul {attn.plan = #attn.plan<[else : dense]>}
// ROWS:          attn.generic {{.*}}attn.plan = #attn.plan<[else : online
// DENSE-LABEL: func.func @others(
// DENSE:         linalg.matmul {attn.plan = #attn.plan<[else : dense]>}
// DENSE:         linalg.matmul {attn.plan = #attn.plan<[else : dense]>}
// DENSE:         attn.generic {{.*}}attn.plan = #attn.plan<[else : online
func.func @others(%x: tensor<64x64xf32>, %q: tensor<1x8x64x64xf32>) -> (tensor<64x64xf32>, tensor<64x64xf32>, tensor<1x8x64x64xf32>) {
  %zero = arith.constant 0.0 : f32
  %empty = tensor.empty() : tensor<64x64xf32>
  %init = linalg.fill ins(%zero : f32) outs(%empty : tensor<64x64xf32>) -> tensor<64x64xf32>
  %z = linalg.exp ins(%x : tensor<64x64xf32>) outs(%empty : tensor<64x64xf32>) -> tensor<64x64xf32>
  %p0 = linalg.matmul ins(%z, %x : tensor<64x64xf32>, tensor<64x64xf32>) outs(%init : tensor<64x64xf32>) -> tensor<64x64xf32>
  %p1 = linalg.matmul ins(%x, %x : tensor<64x64xf32>, tensor<64x64xf32>) outs(%init : tensor<64x64xf32>) -> tensor<64x64xf32>
  %o = attn.generic scores(%q, %q : tensor<1x8x64x64xf32>, tensor<1x8x64x64xf32>)
      pool(%q : tensor<1x8x64x64xf32>) -> tensor<1x8x64x64xf32>
  return %p0, %p1, %o : tensor<64x64xf32>, tensor<64x64xf32>, tensor<1x8x64x64xf32>
}
