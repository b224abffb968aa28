// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// How attn.kernel is written: on tensors and on buffers, with several results,
// bytes for booleans, numbers, and sizes that one side knows.
//
// RUN: mixattn-opt --verify-roundtrip %s | FileCheck %s

!q = tensor<1x2x?x4xf32>
!buffer = memref<1x2x?x4xf32, strided<[?, ?, ?, 1]>>

// CHECK-LABEL: func.func @tensors
// CHECK-SAME:    %[[Q:.+]]: tensor<1x2x?x4xf32>, %[[INIT:.+]]: tensor<1x2x?x4xf32>
// CHECK:         %[[O:.+]] = attn.kernel ins(%[[Q]] : tensor<1x2x?x4xf32>) outs(%[[INIT]] : tensor<1x2x?x4xf32>) {
// CHECK-NEXT:    ^bb0(%[[A:.+]]: tensor<1x2x?x4xf32>):
// CHECK-NEXT:      %[[R:.+]] = attn.generic scores(%[[A]], %[[A]] :
// CHECK-NEXT:      attn.results %[[R]] : tensor<1x2x?x4xf32>
// CHECK-NEXT:    } {author = "text"} -> tensor<1x2x?x4xf32>
// CHECK-NEXT:    return %[[O]]
func.func @tensors(%q: !q, %init: !q) -> !q {
  %o = attn.kernel ins(%q : !q) outs(%init : !q) {
  ^bb0(%a: !q):
    %r = attn.generic scores(%a, %a : !q, !q) pool(%a : !q) -> !q
    attn.results %r : !q
  } {author = "text"} -> !q
  return %o : !q
}

// A mask is bytes outside, a number stays a number.
// CHECK-LABEL: func.func @buffers
// CHECK:         attn.kernel ins(%{{.+}}, %{{.+}}, %{{.+}} : memref<1x2x?x4xf32, strided<[?, ?, ?, 1]>>, memref<?xi8>, f32)
// CHECK-SAME:      outs(%{{.+}}, %{{.+}} : memref<1x2x?x4xf32, strided<[?, ?, ?, 1]>>, memref<1x2x?xf32>) {
// CHECK-NEXT:    ^bb0(%{{.+}}: tensor<1x2x?x4xf32>, %{{.+}}: tensor<?xi1>, %{{.+}}: f32):
// CHECK:           attn.results %{{.+}}, %{{.+}} : tensor<1x2x?x4xf32>, tensor<1x2x?xf32>
// CHECK-NEXT:    }
// CHECK-NEXT:    return
func.func @buffers(%q: !buffer, %mask: memref<?xi8>, %cap: f32, %o: !buffer,
                   %lse: memref<1x2x?xf32>) {
  attn.kernel ins(%q, %mask, %cap : !buffer, memref<?xi8>, f32)
      outs(%o, %lse : !buffer, memref<1x2x?xf32>) {
  ^bb0(%a: !q, %m: tensor<?xi1>, %c: f32):
    %r, %l = attn.generic scores(%a, %a : !q, !q) score_mod {
    ^bb0(%s: f32, %b: index, %h: index, %i: index, %j: index):
      %y = arith.minimumf %s, %c : f32
      attn.yield %y : f32
    } mask(%m : tensor<?xi1>) pool(%a : !q) -> !q lse tensor<1x2x?xf32>
    attn.results %r, %l : !q, tensor<1x2x?xf32>
  }
  return
}

// Canonicalisation folds a cast into the operand; the region stays as it is.
// CHECK-LABEL: func.func @less_known
// CHECK:         ins(%{{.+}} : tensor<1x2x3x4xf32>)
// CHECK-NEXT:    ^bb0(%{{.+}}: tensor<1x2x?x4xf32>):
func.func @less_known(%q: tensor<1x2x3x4xf32>, %init: !q) -> !q {
  %o = attn.kernel ins(%q : tensor<1x2x3x4xf32>) outs(%init : !q) {
  ^bb0(%a: !q):
    %r = attn.generic scores(%a, %a : !q, !q) pool(%a : !q) -> !q
    attn.results %r : !q
  } -> !q
  return %o : !q
}

// A product's right side lies in panels.
// CHECK-LABEL: func.func @panels
// CHECK:         attn.kernel ins(%{{.+}}, %{{.+}}, %{{.+}} : memref<?x8xf32>, memref<8x4xf32>, index) outs(%{{.+}} : memref<?x4xf32>) panels(%{{.+}} : memref<?x8x16xf32>) {
func.func @panels(%x: memref<?x8xf32>, %w: memref<8x4xf32>, %n: index,
                  %y: memref<?x4xf32>, %p: memref<?x8x16xf32>) {
  attn.kernel ins(%x, %w, %n : memref<?x8xf32>, memref<8x4xf32>, index)
      outs(%y : memref<?x4xf32>) panels(%p : memref<?x8x16xf32>) {
  ^bb0(%a: tensor<?x8xf32>, %b: tensor<8x4xf32>, %m: index):
    %zero = arith.constant 0.0 : f32
    %e = tensor.empty(%m) : tensor<?x4xf32>
    %f = linalg.fill ins(%zero : f32) outs(%e : tensor<?x4xf32>) -> tensor<?x4xf32>
    %r = linalg.matmul ins(%a, %b : tensor<?x8xf32>, tensor<8x4xf32>)
        outs(%f : tensor<?x4xf32>) -> tensor<?x4xf32>
    attn.results %r : tensor<?x4xf32>
  }
  return
}
