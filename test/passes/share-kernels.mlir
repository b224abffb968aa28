// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// attn-share-kernels: equal kernels, and many loops, become functions.
// RUN: mixattn-opt %s --attn-share-kernels --split-input-file | FileCheck %s
// RUN: mixattn-opt %s --attn-share-kernels=most-loops=2 --split-input-file | FileCheck %s --check-prefix=FEW

!q = memref<1x2x?x4xf32>
!t = tensor<1x2x?x4xf32>

// The first two are equal; the third has another scale.
// CHECK-LABEL: func.func @kernels
// CHECK-SAME:    %[[Q:[a-z0-9]+]]: memref<1x2x?x4xf32>, %[[K:[a-z0-9]+]]: {{.*}}, %[[O:[a-z0-9]+]]: {{.*}}, %[[P:[a-z0-9]+]]:
// CHECK-NEXT:    call @attn.softmax(%[[Q]], %[[K]], %[[O]])
// CHECK-NEXT:    call @attn.softmax(%[[O]], %[[K]], %[[P]])
// CHECK-NEXT:    attn.kernel ins(%[[P]], %[[K]]
// CHECK:       func.func private @attn.softmax(%[[A:.+]]: memref<1x2x?x4xf32>, %[[B:.+]]: memref<1x2x?x4xf32>, %[[C:.+]]: memref<1x2x?x4xf32>)
// CHECK-SAME:    llvm.linkage = #llvm.linkage<internal>, no_inline, passthrough = ["noinline"]
// CHECK-NEXT:    attn.kernel ins(%[[A]], %[[B]]
// CHECK-NOT:   func.func
func.func @kernels(%q: !q, %k: !q, %o: !q, %p: !q) {
  attn.kernel ins(%q, %k : !q, !q) outs(%o : !q) {
  ^bb0(%a: !t, %b: !t):
    %r = attn.softmax %a, %b, %b : (!t, !t, !t) -> !t
    attn.results %r : !t
  }
  attn.kernel ins(%o, %k : !q, !q) outs(%p : !q) {
  ^bb0(%a: !t, %b: !t):
    %r = attn.softmax %a, %b, %b : (!t, !t, !t) -> !t
    attn.results %r : !t
  }
  attn.kernel ins(%p, %k : !q, !q) outs(%o : !q) {
  ^bb0(%a: !t, %b: !t):
    %r = attn.softmax %a, %b, %b scale 3.0 : (!t, !t, !t) -> !t
    attn.results %r : !t
  }
  return
}

// -----

// Before bufferization nothing is shared: what is computed is a value.
// CHECK-LABEL: func.func @tensors
// CHECK-NOT:     call
// FEW-LABEL: func.func @tensors
// FEW-NOT:     call
// FEW-COUNT-2: linalg.exp
func.func @tensors(%x: tensor<4xf32>, %y: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  %0 = linalg.exp ins(%x : tensor<4xf32>) outs(%x : tensor<4xf32>) -> tensor<4xf32>
  %1 = linalg.exp ins(%y : tensor<4xf32>) outs(%y : tensor<4xf32>) -> tensor<4xf32>
  return %0, %1 : tensor<4xf32>, tensor<4xf32>
}

// Loops stay where they are, until there are many of them. Numbers that are
// known are part of a function, others are taken. The function of an
// op in place takes its buffer once.
// CHECK-LABEL: func.func @loops
// CHECK-NOT:     call
// FEW-LABEL: func.func @loops
// FEW-SAME:    %[[X:[a-z0-9]+]]: memref<4xf32>, %[[Y:[a-z0-9]+]]: memref<4xf32>, %[[Z:[a-z0-9]+]]: f32
// FEW:         call @linalg.fill_1(%[[X]])
// FEW-NEXT:    call @linalg.fill_1(%[[Y]])
// FEW-NEXT:    call @linalg.fill(%[[Z]], %[[X]])
// FEW-NEXT:    call @linalg.exp_0(%[[X]], %[[Y]])
// FEW-NEXT:    call @linalg.exp(%[[X]])
// FEW:         func.func private @linalg.exp(%{{.+}}: memref<4xf32>)
// FEW:         func.func private @linalg.exp_0(%{{.+}}: memref<4xf32>, %{{.+}}: memref<4xf32>)
// FEW:         func.func private @linalg.fill(%{{.+}}: f32, %{{.+}}: memref<4xf32>)
// FEW:         func.func private @linalg.fill_1(%{{.+}}: memref<4xf32>)
// FEW-NEXT:      arith.constant 1.0
func.func @loops(%x: memref<4xf32>, %y: memref<4xf32>, %z: f32) {
  %one = arith.constant 1.0 : f32
  linalg.fill ins(%one : f32) outs(%x : memref<4xf32>)
  linalg.fill ins(%one : f32) outs(%y : memref<4xf32>)
  linalg.fill ins(%z : f32) outs(%x : memref<4xf32>)
  linalg.exp ins(%x : memref<4xf32>) outs(%y : memref<4xf32>)
  linalg.exp ins(%x : memref<4xf32>) outs(%x : memref<4xf32>)
  return
}
