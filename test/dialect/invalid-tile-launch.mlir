// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Errors of launches, and of buffers in a GPU's memory.
//
// RUN: mixattn-opt %s --split-input-file --verify-diagnostics

func.func @counts(%n: index) {
  // expected-error @below {{'tile.launch' op expected 1 to 3 counts}}
  tile.launch @kernels::@f blocks %n, %n, %n, %n threads 32 []
  return
}

// -----

func.func @as_many(%n: index) {
  // expected-error @below {{'tile.launch' op expected a parameter for each value}}
  tile.launch @kernels::@f blocks %n threads 32 [#tile.parameter<number>] of %n, %n : index, index
  return
}

// -----

func.func @number(%n: index, %x: memref<4xf32>) {
  // expected-error @below {{'tile.launch' op expected an index as a number}}
  tile.launch @kernels::@f blocks %n threads 32 [#tile.parameter<number>] of %x : memref<4xf32>
  return
}

// -----

func.func @pointer(%n: index) {
  // expected-error @below {{'tile.launch' op expected a buffer as a pointer or stride}}
  tile.launch @kernels::@f blocks %n threads 32 [#tile.parameter<pointer>] of %n : index
  return
}

// -----

func.func @dim(%n: index, %x: memref<4xf32>) {
  // expected-error @below {{'tile.launch' op expected the stride of a dim of the buffer}}
  tile.launch @kernels::@f blocks %n threads 32 [#tile.parameter<stride dim = 1>] of %x : memref<4xf32>
  return
}

// -----

func.func @alignment(%n: index, %x: memref<4xf32>) {
  // expected-error @below {{'tile.launch' op expected a power of 2 as alignment}}
  tile.launch @kernels::@f blocks %n threads 32 [#tile.parameter<pointer alignment = 12>] of %x : memref<4xf32>
  return
}

// -----

func.func @space(%p: !llvm.ptr<3>) {
  // expected-error @below {{'tile.device_buffer' op operand #0 must be LLVM pointer in address space 1, but got '!llvm.ptr<3>'}}
  %x = tile.device_buffer %p sizes [] strides [] : !llvm.ptr<3> -> memref<4xf32>
  return
}

// -----

func.func @begin(%p: !llvm.ptr<1>) {
  // expected-error @below {{'tile.device_buffer' op expected a buffer with strides that begins at once}}
  %x = tile.device_buffer %p sizes [] strides [] : !llvm.ptr<1> -> memref<4xf32, strided<[1], offset: 2>>
  return
}

// -----

func.func @buffer_of_bits(%p: !llvm.ptr<1>) {
  // expected-error @below {{'tile.device_buffer' op expected elements of whole bytes, but got 'i1'}}
  %x = tile.device_buffer %p sizes [] strides [] : !llvm.ptr<1> -> memref<4xi1>
  return
}

// -----

func.func @open(%p: !llvm.ptr<1>, %n: index) {
  // expected-error @below {{'tile.device_buffer' op expected a size and a stride for each that the type leaves open}}
  %x = tile.device_buffer %p sizes [%n] strides [] : !llvm.ptr<1> -> memref<?x4xf32, strided<[?, 1]>>
  return
}
