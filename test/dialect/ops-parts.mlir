// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// How the stages of an attention of a few queries are written, and that every
// form parses again.
//
// RUN: mixattn-opt --verify-roundtrip %s | FileCheck %s

// CHECK-LABEL: func.func @parts(
// CHECK:         attn.parts split 128 block 64 {
// CHECK-NEXT:      attn.generic scores
// CHECK-NEXT:      attn.results
// CHECK-NEXT:      } -> tensor<1x2x3x2x16xf32>, tensor<1x2x3x2xf32>, tensor<1x2x3x2xf32>
func.func @parts(%i0: memref<1x2x3x8xf32>, %i1: memref<1x2x200x8xf32>, %o0: memref<1x2x3x2x16xf32>, %o1: memref<1x2x3x2xf32>, %o2: memref<1x2x3x2xf32>) {
  attn.kernel ins(%i0, %i1 : memref<1x2x3x8xf32>, memref<1x2x200x8xf32>)
      outs(%o0, %o1, %o2 : memref<1x2x3x2x16xf32>, memref<1x2x3x2xf32>, memref<1x2x3x2xf32>) {
  ^bb0(%a: tensor<1x2x3x8xf32>, %b: tensor<1x2x200x8xf32>):
    %0:3 = attn.parts split 128 block 64 {
      %r = attn.generic scores(%a, %b : tensor<1x2x3x8xf32>, tensor<1x2x200x8xf32>)
            pool(%b : tensor<1x2x200x8xf32>) -> tensor<1x2x3x8xf32>
      attn.results %r : tensor<1x2x3x8xf32>
    } -> tensor<1x2x3x2x16xf32>, tensor<1x2x3x2xf32>, tensor<1x2x3x2xf32>
    attn.results %0#0, %0#1, %0#2 : tensor<1x2x3x2x16xf32>, tensor<1x2x3x2xf32>, tensor<1x2x3x2xf32>
  }
  return
}

// CHECK-LABEL: func.func @powers(
// CHECK:         attn.parts split 128 block 64 {
// CHECK-NEXT:      attn.generic {{.*}} postmix
// CHECK-NEXT:      attn.results
// CHECK-NEXT:      } {author = "text"} -> tensor<1x2x3x256xf32>, tensor<1x2x3x2xf32>, tensor<1x2x3x2xf32>
func.func @powers(%i0: memref<1x2x3x8xf32>, %i1: memref<1x2x200x8xf32>, %i2: memref<2x2xf32>, %o0: memref<1x2x3x256xf32>, %o1: memref<1x2x3x2xf32>, %o2: memref<1x2x3x2xf32>) {
  attn.kernel ins(%i0, %i1, %i2 : memref<1x2x3x8xf32>, memref<1x2x200x8xf32>, memref<2x2xf32>)
      outs(%o0, %o1, %o2 : memref<1x2x3x256xf32>, memref<1x2x3x2xf32>, memref<1x2x3x2xf32>) {
  ^bb0(%a: tensor<1x2x3x8xf32>, %b: tensor<1x2x200x8xf32>, %c: tensor<2x2xf32>):
    %0:3 = attn.parts split 128 block 64 {
      %r = attn.generic scores(%a, %b : tensor<1x2x3x8xf32>, tensor<1x2x200x8xf32>) postmix(%c : tensor<2x2xf32>)
            pool(%b : tensor<1x2x200x8xf32>) -> tensor<1x2x3x8xf32>
      attn.results %r : tensor<1x2x3x8xf32>
    } {author = "text"} -> tensor<1x2x3x256xf32>, tensor<1x2x3x2xf32>, tensor<1x2x3x2xf32>
    attn.results %0#0, %0#1, %0#2 : tensor<1x2x3x256xf32>, tensor<1x2x3x2xf32>, tensor<1x2x3x2xf32>
  }
  return
}

// CHECK-LABEL: func.func @factors(
// CHECK:         attn.part_factors %{{.+}}, %{{.+}} : tensor<1x2x3x2xf32>, tensor<1x2x3x2xf32> -> tensor<1x2x3x2xf32>
func.func @factors(%i0: memref<1x2x3x2xf32>, %i1: memref<1x2x3x2xf32>, %o0: memref<1x2x3x2xf32>) {
  attn.kernel ins(%i0, %i1 : memref<1x2x3x2xf32>, memref<1x2x3x2xf32>)
      outs(%o0 : memref<1x2x3x2xf32>) {
  ^bb0(%a: tensor<1x2x3x2xf32>, %b: tensor<1x2x3x2xf32>):
    %0 = attn.part_factors %a, %b : tensor<1x2x3x2xf32>, tensor<1x2x3x2xf32> -> tensor<1x2x3x2xf32>
    attn.results %0 : tensor<1x2x3x2xf32>
  }
  return
}

// CHECK-LABEL: func.func @pooled(
// CHECK:         attn.pool_parts %{{.+}}, %{{.+}} split 128 block 64 {
// CHECK-NEXT:      attn.generic {{.*}} postmix
// CHECK-NEXT:      attn.results
// CHECK-NEXT:      } : tensor<1x2x3x256xf32>, tensor<1x2x3x2xf32> -> tensor<1x2x3x2x16xf32>
func.func @pooled(%i0: memref<1x2x3x256xf32>, %i1: memref<1x2x3x2xf32>, %i2: memref<1x2x3x8xf32>, %i3: memref<1x2x200x8xf32>, %i4: memref<2x2xf32>, %o0: memref<1x2x3x2x16xf32>) {
  attn.kernel ins(%i0, %i1, %i2, %i3, %i4 : memref<1x2x3x256xf32>, memref<1x2x3x2xf32>, memref<1x2x3x8xf32>, memref<1x2x200x8xf32>, memref<2x2xf32>)
      outs(%o0 : memref<1x2x3x2x16xf32>) {
  ^bb0(%a: tensor<1x2x3x256xf32>, %b: tensor<1x2x3x2xf32>, %c: tensor<1x2x3x8xf32>, %d: tensor<1x2x200x8xf32>, %e: tensor<2x2xf32>):
    %0 = attn.pool_parts %a, %b split 128 block 64 {
      %r = attn.generic scores(%c, %d : tensor<1x2x3x8xf32>, tensor<1x2x200x8xf32>) postmix(%e : tensor<2x2xf32>)
            pool(%d : tensor<1x2x200x8xf32>) -> tensor<1x2x3x8xf32>
      attn.results %r : tensor<1x2x3x8xf32>
    } : tensor<1x2x3x256xf32>, tensor<1x2x3x2xf32> -> tensor<1x2x3x2x16xf32>
    attn.results %0 : tensor<1x2x3x2x16xf32>
  }
  return
}

// CHECK-LABEL: func.func @merged(
// CHECK:         attn.merge_parts %{{.+}}, %{{.+}}, %{{.+}} {
// CHECK-NEXT:      attn.generic
// CHECK-NEXT:      attn.results
// CHECK-NEXT:      } : tensor<1x2x3x2x16xf32>, tensor<1x2x3x2xf32>, tensor<1x2x3x2xf32> -> tensor<1x2x3x8xf32>
func.func @merged(%i0: memref<1x2x3x2x16xf32>, %i1: memref<1x2x3x2xf32>, %i2: memref<1x2x3x2xf32>, %i3: memref<1x2x3x8xf32>, %i4: memref<1x2x200x8xf32>, %o0: memref<1x2x3x8xf32>) {
  attn.kernel ins(%i0, %i1, %i2, %i3, %i4 : memref<1x2x3x2x16xf32>, memref<1x2x3x2xf32>, memref<1x2x3x2xf32>, memref<1x2x3x8xf32>, memref<1x2x200x8xf32>)
      outs(%o0 : memref<1x2x3x8xf32>) {
  ^bb0(%a: tensor<1x2x3x2x16xf32>, %b: tensor<1x2x3x2xf32>, %c: tensor<1x2x3x2xf32>, %d: tensor<1x2x3x8xf32>, %e: tensor<1x2x200x8xf32>):
    %0 = attn.merge_parts %a, %b, %c {
      %r = attn.generic scores(%d, %e : tensor<1x2x3x8xf32>, tensor<1x2x200x8xf32>)
            pool(%e : tensor<1x2x200x8xf32>) -> tensor<1x2x3x8xf32>
      attn.results %r : tensor<1x2x3x8xf32>
    } : tensor<1x2x3x2x16xf32>, tensor<1x2x3x2xf32>, tensor<1x2x3x2xf32> -> tensor<1x2x3x8xf32>
    attn.results %0 : tensor<1x2x3x8xf32>
  }
  return
}

// CHECK-LABEL: func.func @merged_with_lse(
// CHECK:         attn.merge_parts %{{.+}}, %{{.+}}, %{{.+}} {
// CHECK-NEXT:      attn.generic {{.*}} lse
// CHECK-NEXT:      attn.results
// CHECK-NEXT:      } : tensor<1x2x3x2x16xf32>, tensor<1x2x3x2xf32>, tensor<1x2x3x2xf32> -> tensor<1x2x3x8xf32>, tensor<1x2x3xf32>
func.func @merged_with_lse(%i0: memref<1x2x3x2x16xf32>, %i1: memref<1x2x3x2xf32>, %i2: memref<1x2x3x2xf32>, %i3: memref<1x2x3x8xf32>, %i4: memref<1x2x200x8xf32>, %o0: memref<1x2x3x8xf32>, %o1: memref<1x2x3xf32>) {
  attn.kernel ins(%i0, %i1, %i2, %i3, %i4 : memref<1x2x3x2x16xf32>, memref<1x2x3x2xf32>, memref<1x2x3x2xf32>, memref<1x2x3x8xf32>, memref<1x2x200x8xf32>)
      outs(%o0, %o1 : memref<1x2x3x8xf32>, memref<1x2x3xf32>) {
  ^bb0(%a: tensor<1x2x3x2x16xf32>, %b: tensor<1x2x3x2xf32>, %c: tensor<1x2x3x2xf32>, %d: tensor<1x2x3x8xf32>, %e: tensor<1x2x200x8xf32>):
    %0:2 = attn.merge_parts %a, %b, %c {
      %r, %l = attn.generic scores(%d, %e : tensor<1x2x3x8xf32>, tensor<1x2x200x8xf32>)
            pool(%e : tensor<1x2x200x8xf32>) -> tensor<1x2x3x8xf32> lse tensor<1x2x3xf32>
      attn.results %r, %l : tensor<1x2x3x8xf32>, tensor<1x2x3xf32>
    } : tensor<1x2x3x2x16xf32>, tensor<1x2x3x2xf32>, tensor<1x2x3x2xf32> -> tensor<1x2x3x8xf32>, tensor<1x2x3xf32>
    attn.results %0#0, %0#1 : tensor<1x2x3x8xf32>, tensor<1x2x3xf32>
  }
  return
}
