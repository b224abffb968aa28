// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Grids become functions of a GPU. They take buffers, and make sizes and parts
// of buffers themselves.
//
// RUN: mixattn-opt --split-input-file --verify-diagnostics --tile-grids-to-launches %s | FileCheck %s

// CHECK:       module attributes {attn.target = #attn.target<nvptx, chip = "sm_80">, gpu.container_module}
// The name of ours is taken.
// CHECK:       gpu.module @mixattn_kernels_0 [#nvvm.target<chip = "sm_80">] {
// CHECK:         gpu.func @f_kernel_0(%[[X:.+]]: memref<?x8xf32>, %[[Y:.+]]: memref<?x8xf32>, %[[F:.+]]: f32)
// CHECK-SAME:      workgroup(%[[SHARED:.+]] : memref<8xf32, #gpu.address_space<workgroup>> {llvm.align = 16 : i64})
// CHECK-SAME:      kernel attributes {known_block_size = array<i32: 128, 1, 1>}
// CHECK-DAG:       gpu.block_id x
// CHECK-DAG:       gpu.block_id y
// CHECK-DAG:       memref.dim %[[Y]]
// CHECK:           memref.store %[[F]], %[[SHARED]]
// CHECK:           gpu.return
// CHECK:         gpu.func @f_kernel_1(%{{.+}}: memref<?x8xf32>)
// CHECK-SAME:      known_block_size = array<i32: 32, 1, 1>
// CHECK:       func.func @f(
// CHECK-SAME:    %[[A:[a-z0-9]+]]: memref<?x8xf32>, %[[B:[a-z0-9]+]]: memref<?x8xf32>
// CHECK:         gpu.launch_func @mixattn_kernels_0::@f_kernel_0 blocks in (%{{.+}}, %c8{{.*}}, %c1{{.*}}) threads in (%c128{{.*}}, %c1{{.*}}, %c1{{.*}}) args(%[[A]] : memref<?x8xf32>, %[[B]] : memref<?x8xf32>, %{{.+}} : f32)
// CHECK:         gpu.launch_func @mixattn_kernels_0::@f_kernel_1 {{.*}} args(%[[B]] : memref<?x8xf32>)
// CHECK-NOT:     tile.grid
module attributes {attn.target = #attn.target<nvptx, chip = "sm_80">} {
  func.func private @mixattn_kernels()
  func.func @f(%x: memref<?x8xf32>, %y: memref<?x8xf32>, %number: f32) {
    %c0 = arith.constant 0 : index
    %c8 = arith.constant 8 : index
    %rows = memref.dim %y, %c0 : memref<?x8xf32>
    tile.grid %rows, %c8 threads 128 {
    ^bb0(%i: index, %j: index):
      %shared = memref.alloca() {alignment = 16 : i64} : memref<8xf32, #gpu.address_space<workgroup>>
      memref.store %number, %shared[%j] : memref<8xf32, #gpu.address_space<workgroup>>
      %last = arith.subi %rows, %i : index
      %held = memref.load %shared[%j] : memref<8xf32, #gpu.address_space<workgroup>>
      memref.store %held, %y[%last, %j] : memref<?x8xf32>
      memref.store %held, %x[%i, %j] : memref<?x8xf32>
    }
    tile.grid %rows threads 32 {
    ^bb0(%i: index):
      %zero = arith.constant 0.0 : f32
      memref.store %zero, %y[%i, %c0] : memref<?x8xf32>
    }
    return
  }
}

// -----

func.func @scratch(%n: index) {
  // expected-error @below {{'tile.grid' op cannot be launched: a block of threads has shared memory in place of scratch}}
  tile.grid %n scratch %n {
  ^bb0(%item: index, %scratch: memref<?xi8>):
  }
  return
}
