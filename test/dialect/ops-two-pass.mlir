// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// How the stages of an attention that passes over its keys twice are written, and
// that every form parses again.
//
// RUN: mixattn-opt --verify-roundtrip %s | FileCheck %s

// CHECK-LABEL: func.func @factors(
// CHECK:         attn.softmax_factors {
// CHECK-NEXT:      attn.generic {{.*}} postmix
// CHECK-NEXT:      attn.results
// CHECK-NEXT:      } -> tensor<1x2x3xf32>, tensor<1x2x3xf32>
func.func @factors(%i0: memref<1x2x3x8xf32>, %i1: memref<2x2xf32>, %o0: memref<1x2x3xf32>, %o1: memref<1x2x3xf32>) {
  attn.kernel ins(%i0, %i1 : memref<1x2x3x8xf32>, memref<2x2xf32>)
      outs(%o0, %o1 : memref<1x2x3xf32>, memref<1x2x3xf32>) {
  ^bb0(%a: tensor<1x2x3x8xf32>, %m: tensor<2x2xf32>):
    %0:2 = attn.softmax_factors {
      %r = attn.generic scores(%a, %a : tensor<1x2x3x8xf32>, tensor<1x2x3x8xf32>) postmix(%m : tensor<2x2xf32>)
            pool(%a : tensor<1x2x3x8xf32>) -> tensor<1x2x3x8xf32>
      attn.results %r : tensor<1x2x3x8xf32>
    } -> tensor<1x2x3xf32>, tensor<1x2x3xf32>
    attn.results %0#0, %0#1 : tensor<1x2x3xf32>, tensor<1x2x3xf32>
  }
  return
}

// CHECK-LABEL: func.func @pooled(
// CHECK:         attn.pool_mixed %{{.+}}, %{{.+}} {
// CHECK-NEXT:      attn.generic {{.*}} postmix
// CHECK-NEXT:      attn.results
// CHECK-NEXT:      } {author = "text"} : tensor<1x2x3xf32>, tensor<1x2x3xf32> -> tensor<1x2x3x8xf32>
func.func @pooled(%i0: memref<1x2x3x8xf32>, %i1: memref<2x2xf32>, %i2: memref<1x2x3xf32>, %i3: memref<1x2x3xf32>, %o0: memref<1x2x3x8xf32>) {
  attn.kernel ins(%i0, %i1, %i2, %i3 : memref<1x2x3x8xf32>, memref<2x2xf32>, memref<1x2x3xf32>, memref<1x2x3xf32>)
      outs(%o0 : memref<1x2x3x8xf32>) {
  ^bb0(%a: tensor<1x2x3x8xf32>, %m: tensor<2x2xf32>, %s: tensor<1x2x3xf32>, %f: tensor<1x2x3xf32>):
    %0 = attn.pool_mixed %s, %f {
      %r = attn.generic scores(%a, %a : tensor<1x2x3x8xf32>, tensor<1x2x3x8xf32>) postmix(%m : tensor<2x2xf32>)
            pool(%a : tensor<1x2x3x8xf32>) -> tensor<1x2x3x8xf32>
      attn.results %r : tensor<1x2x3x8xf32>
    } {author = "text"} : tensor<1x2x3xf32>, tensor<1x2x3xf32> -> tensor<1x2x3x8xf32>
    attn.results %0 : tensor<1x2x3x8xf32>
  }
  return
}

// CHECK-LABEL: func.func @pooled_with_lse(
// CHECK:         attn.pool_mixed %{{.+}}, %{{.+}} {
// CHECK-NEXT:      attn.generic {{.*}} lse
// CHECK-NEXT:      attn.results
// CHECK-NEXT:      } : tensor<1x2x3xf32>, tensor<1x2x3xf32> -> tensor<1x2x3x8xf32>, tensor<1x2x3xf32>
func.func @pooled_with_lse(%i0: memref<1x2x3x8xf32>, %i1: memref<2x2xf32>, %i2: memref<1x2x3xf32>, %i3: memref<1x2x3xf32>, %o0: memref<1x2x3x8xf32>, %o1: memref<1x2x3xf32>) {
  attn.kernel ins(%i0, %i1, %i2, %i3 : memref<1x2x3x8xf32>, memref<2x2xf32>, memref<1x2x3xf32>, memref<1x2x3xf32>)
      outs(%o0, %o1 : memref<1x2x3x8xf32>, memref<1x2x3xf32>) {
  ^bb0(%a: tensor<1x2x3x8xf32>, %m: tensor<2x2xf32>, %s: tensor<1x2x3xf32>, %f: tensor<1x2x3xf32>):
    %0:2 = attn.pool_mixed %s, %f {
      %r, %l = attn.generic scores(%a, %a : tensor<1x2x3x8xf32>, tensor<1x2x3x8xf32>) postmix(%m : tensor<2x2xf32>)
            pool(%a : tensor<1x2x3x8xf32>) -> tensor<1x2x3x8xf32> lse tensor<1x2x3xf32>
      attn.results %r, %l : tensor<1x2x3x8xf32>, tensor<1x2x3xf32>
    } : tensor<1x2x3xf32>, tensor<1x2x3xf32> -> tensor<1x2x3x8xf32>, tensor<1x2x3xf32>
    attn.results %0#0, %0#1 : tensor<1x2x3x8xf32>, tensor<1x2x3xf32>
  }
  return
}
