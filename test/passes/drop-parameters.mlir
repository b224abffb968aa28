// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Kernels, and what launches them, lose the arguments that nothing reads.
//
// RUN: mixattn-opt --split-input-file --verify-diagnostics --tile-drop-parameters %s | FileCheck %s

// CHECK:       llvm.func @f_kernel_0(%[[P:.+]]: !llvm.ptr<1> {llvm.noalias}, %[[N:.+]]: i32) {
// CHECK:         llvm.store %[[N]], %[[P]]
// CHECK:       func.func @f(%[[X:.+]]: memref<?x4xi32, strided<[?, 1]>>, %[[SIZE:.+]]: index)
// CHECK:         tile.launch @kernels::@f_kernel_0 blocks %[[SIZE]] threads 128 [#tile.parameter<pointer>, #tile.parameter<number>] of %[[X]], %[[SIZE]] : memref<?x4xi32, strided<[?, 1]>>, index
gpu.module @kernels {
  llvm.func @f_kernel_0(%unread: i32, %p: !llvm.ptr<1> {llvm.noalias}, %stride: i64, %n: i32) {
    llvm.store %n, %p : i32, !llvm.ptr<1>
    llvm.return
  }
}
func.func @f(%x: memref<?x4xi32, strided<[?, 1]>>, %n: index) {
  tile.launch @kernels::@f_kernel_0 blocks %n threads 128
      [#tile.parameter<number>, #tile.parameter<pointer>, #tile.parameter<stride>, #tile.parameter<number>]
      of %n, %x, %x, %n : index, memref<?x4xi32, strided<[?, 1]>>, memref<?x4xi32, strided<[?, 1]>>, index
  return
}

// -----

func.func @f(%n: index) {
  // expected-error @below {{'tile.launch' op expected a function of LLVM with an argument for each value}}
  tile.launch @kernels::@f_kernel_0 blocks %n threads 128 [#tile.parameter<number>] of %n : index
  return
}

// -----

// Tensor maps are passed by value, where TMA reads them.
// CHECK:      llvm.func @map(%{{.+}}: !llvm.ptr {llvm.align = 64 : i64, llvm.byval = !llvm.array<128 x i8>, nvvm.grid_constant})
gpu.module @kernels {
  llvm.func @map(%map: !llvm.ptr) {
    %read = llvm.load %map : !llvm.ptr -> i32
    llvm.return
  }
}
func.func @mapped(%x: memref<2x2x128x64xbf16>, %n: index) {
  tile.launch @kernels::@map blocks %n threads 128
      [#tile.parameter<tensor_map box = [128, 64] swizzle = 128>] of %x : memref<2x2x128x64xbf16>
  return
}
