// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Functions take what they read, unless others than calls use them.
//
// RUN: mixattn-opt --attn-drop-unread %s | FileCheck %s

// CHECK-LABEL: func.func @f(
// CHECK-SAME:    %[[X:[a-z0-9]+]]: memref<4xf32>, %[[Y:[a-z0-9]+]]: memref<4xf32>, %{{.+}}: memref<4xf32>)
// CHECK-NEXT:    call @copy(%[[X]], %[[Y]]) : (memref<4xf32>, memref<4xf32>) -> ()
// CHECK-NEXT:    call @kept(%[[X]]) : (memref<4xf32>) -> ()
func.func @f(%x: memref<4xf32>, %y: memref<4xf32>, %z: memref<4xf32>) {
  call @copy(%z, %x, %y, %z) : (memref<4xf32>, memref<4xf32>, memref<4xf32>, memref<4xf32>) -> ()
  call @kept(%x) : (memref<4xf32>) -> ()
  return
}

// CHECK-LABEL: func.func private @copy(
// CHECK-SAME:    %[[FROM:[a-z0-9]+]]: memref<4xf32>, %[[TO:[a-z0-9]+]]: memref<4xf32>)
// CHECK-NEXT:    memref.copy %[[FROM]], %[[TO]]
func.func private @copy(%w: memref<4xf32>, %from: memref<4xf32>, %to: memref<4xf32>, %v: memref<4xf32>) {
  memref.copy %from, %to : memref<4xf32> to memref<4xf32>
  return
}

// CHECK-LABEL: func.func private @kept(
// CHECK-SAME:    memref<4xf32>)
func.func private @kept(%x: memref<4xf32>) {
  return
}

func.func @address() -> ((memref<4xf32>) -> ()) {
  %0 = constant @kept : (memref<4xf32>) -> ()
  return %0 : (memref<4xf32>) -> ()
}
