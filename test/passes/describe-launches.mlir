// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The manifest says how kernels are launched: by names of tensors and dims.
//
// RUN: mixattn-opt --split-input-file --verify-diagnostics --attn-describe-launches %s | FileCheck %s

// CHECK:      attn.manifest = "{\22entries\22:[{\22launches\22:[
// CHECK-SAME: {\22block\22:[128,1,1],\22cluster\22:[1,1,1],\22grid\22:{{\[\[}}\22divide\22,[\22add\22,\22N\22,63],64],8,1],\22kernel\22:\22f_kernel_0\22,
// CHECK-SAME: \22parameters\22:[{\22alignment\22:16,\22pointer\22:\22x\22},{\22dim\22:1,\22stride\22:\22x\22,\22type\22:\22i64\22},{\22scalar\22:\22N\22,\22type\22:\22i32\22}],\22shared\22:0},
// CHECK-SAME: {\22block\22:[32,1,1],
// CHECK-SAME: \22kernel\22:\22f_kernel_1\22,\22parameters\22:[{\22alignment\22:1,\22pointer\22:\22o\22},{\22status\22:\22x\22}],\22shared\22:0}],\22name\22:\22f\22},
// CHECK-SAME: {\22launches\22:[],\22name\22:\22none\22}]}
module attributes {attn.manifest = "{\22entries\22:[{\22name\22:\22f\22},{\22name\22:\22none\22}]}"} {
  func.func @f(%x: memref<2x?x4xf32, strided<[?, ?, 1]>> {attn.name = "x", attn.dims = ["N"]},
               %o: memref<4xf32> {attn.name = "o", attn.result}) {
    %c1 = arith.constant 1 : index
    %c8 = arith.constant 8 : index
    %c63 = arith.constant 63 : index
    %c64 = arith.constant 64 : index
    %n = memref.dim %x, %c1 : memref<2x?x4xf32, strided<[?, ?, 1]>>
    %more = arith.addi %n, %c63 : index
    %blocks = arith.divui %more, %c64 : index
    tile.launch @kernels::@f_kernel_0 blocks %blocks, %c8 threads 128
        [#tile.parameter<pointer alignment = 16>, #tile.parameter<stride dim = 1>, #tile.parameter<number>] of %x, %x, %n
        : memref<2x?x4xf32, strided<[?, ?, 1]>>, memref<2x?x4xf32, strided<[?, ?, 1]>>, index
    tile.launch @kernels::@f_kernel_1 blocks %n threads 32 [#tile.parameter<pointer>, #tile.parameter<status>] of %o, %x
        : memref<4xf32>, memref<2x?x4xf32, strided<[?, ?, 1]>>
    return
  }
  func.func @none() {
    return
  }
}

// -----

// A tensor map of a part of the workspace, whose strides are bytes.
// CHECK: {\22box\22:[64,128,1],\22dims\22:[64,\22N\22,3],\22strides\22:[128,[\22multiply\22,128,\22N\22]],\22swizzle\22:128,\22tensor_map\22:{\22workspace\22:256},\22type\22:\22bf16\22}
module attributes {attn.manifest = "{\22entries\22:[{\22name\22:\22f\22}]}"} {
  func.func @f(%x: memref<?xf32> {attn.name = "x", attn.dims = ["N"]}, %workspace: memref<?xi8>) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c256 = arith.constant 256 : index
    %n = memref.dim %x, %c0 : memref<?xf32>
    %part = memref.view %workspace[%c256][%n] : memref<?xi8> to memref<3x?x64xbf16>
    tile.launch @kernels::@f_kernel_0 blocks %c1 threads 32 [#tile.parameter<tensor_map box = [128, 64] swizzle = 128>]
        of %part : memref<3x?x64xbf16>
    return
  }
}

// -----

// Maps of views: a slice, with a dim less; dims put together; a dim split.
// CHECK: \22dims\22:[64,\22N\22],\22strides\22:[128],\22swizzle\22:128,\22tensor_map\22:{\22workspace\22:[\22add\22,256,[\22multiply\22,2,[\22multiply\22,128,\22N\22]]]}
// CHECK: \22dims\22:[64,[\22multiply\22,3,\22N\22]],\22strides\22:[128],\22swizzle\22:128,\22tensor_map\22:{\22workspace\22:256}
// CHECK: \22dims\22:[32,2,\22N\22],\22strides\22:[64,128],\22swizzle\22:64,\22tensor_map\22:{\22workspace\22:[\22add\22,256,[\22multiply\22,2,[\22multiply\22,128,\22N\22]]]}
module attributes {attn.manifest = "{\22entries\22:[{\22name\22:\22f\22}]}"} {
  func.func @f(%x: memref<?xf32> {attn.name = "x", attn.dims = ["N"]}, %workspace: memref<?xi8>) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c256 = arith.constant 256 : index
    %n = memref.dim %x, %c0 : memref<?xf32>
    %part = memref.view %workspace[%c256][%n] : memref<?xi8> to memref<3x?x64xbf16>
    %last = memref.subview %part[2, 0, 0] [1, %n, 64] [1, 1, 1]
        : memref<3x?x64xbf16> to memref<?x64xbf16, strided<[64, 1], offset: ?>>
    tile.launch @kernels::@f_kernel_0 blocks %c1 threads 32 [#tile.parameter<tensor_map box = [128, 64] swizzle = 128>]
        of %last : memref<?x64xbf16, strided<[64, 1], offset: ?>>
    %rows = memref.collapse_shape %part [[0, 1], [2]] : memref<3x?x64xbf16> into memref<?x64xbf16>
    tile.launch @kernels::@f_kernel_0 blocks %c1 threads 32 [#tile.parameter<tensor_map box = [128, 64] swizzle = 128>]
        of %rows : memref<?x64xbf16>
    %heads = memref.expand_shape %last [[0], [1, 2]] output_shape [%n, 2, 32]
        : memref<?x64xbf16, strided<[64, 1], offset: ?>> into memref<?x2x32xbf16, strided<[64, 32, 1], offset: ?>>
    tile.launch @kernels::@f_kernel_0 blocks %c1 threads 32 [#tile.parameter<tensor_map box = [128, 32] swizzle = 64>]
        of %heads : memref<?x2x32xbf16, strided<[64, 32, 1], offset: ?>>
    return
  }
}

// -----

// A number of blocks may depend on the GPU.
// CHECK: \22grid\22:{{\[\[}}\22minimum\22,\22N\22,[\22multiprocessors\22]],1,1]
module attributes {attn.manifest = "{\22entries\22:[{\22name\22:\22f\22}]}"} {
  func.func @f(%x: memref<?xf32> {attn.name = "x", attn.dims = ["N"]}) {
    %c0 = arith.constant 0 : index
    %n = memref.dim %x, %c0 : memref<?xf32>
    %most = tile.multiprocessors : index
    %blocks = arith.minsi %n, %most : index
    tile.launch @kernels::@f_kernel_0 blocks %blocks threads 32 [#tile.parameter<pointer>] of %x : memref<?xf32>
    return
  }
}

// -----

// A launch that a condition holds for has no blocks where it does not; one under
// two conditions needs both.
// CHECK:      \22grid\22:{{\[\[}}\22multiply\22,[\22at_most\22,\22N\22,16],\22N\22],1,1],\22kernel\22:\22few\22
// CHECK-SAME: \22grid\22:{{\[\[}}\22multiply\22,[\22above\22,\22N\22,64],[\22subtract\22,1,[\22at_most\22,\22N\22,16]],3,\22N\22],7,1],\22kernel\22:\22many\22
// CHECK-SAME: \22grid\22:{{\[\[}}\22multiply\22,[\22subtract\22,1,[\22above\22,\22N\22,64]],[\22subtract\22,1,[\22at_most\22,\22N\22,16]],1],1,1],\22kernel\22:\22others\22
// CHECK-SAME: \22grid\22:[7,1,1],\22kernel\22:\22always\22
module attributes {attn.manifest = "{\22entries\22:[{\22name\22:\22f\22}]}"} {
  func.func @f(%x: memref<?xf32> {attn.name = "x", attn.dims = ["N"]}) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c3 = arith.constant 3 : index
    %c7 = arith.constant 7 : index
    %c16 = arith.constant 16 : index
    %c64 = arith.constant 64 : index
    %n = memref.dim %x, %c0 : memref<?xf32>
    %areFew = arith.cmpi sle, %n, %c16 : index
    scf.if %areFew {
      tile.launch @kernels::@few blocks %n threads 32 []
    } else {
      %areMany = arith.cmpi sgt, %n, %c64 : index
      scf.if %areMany {
        %blocks = arith.muli %c3, %n : index
        tile.launch @kernels::@many blocks %blocks, %c7 threads 32 []
      } else {
        tile.launch @kernels::@others blocks %c1 threads 32 []
      }
    }
    tile.launch @kernels::@always blocks %c7 threads 32 []
    return
  }
}

// -----

func.func @f(%isLarge: i1) {
  %c1 = arith.constant 1 : index
  scf.if %isLarge {
    // expected-error @below {{'tile.launch' op expected conditions on sizes of arguments}}
    tile.launch @kernels::@f_kernel_0 blocks %c1 threads 32 []
  }
  return
}

// -----

func.func @f(%k: index) {
  %n = arith.shli %k, %k : index
  // expected-error @below {{'tile.launch' op expected counts that are sizes of arguments}}
  tile.launch @kernels::@f_kernel_0 blocks %n threads 32 []
  return
}

// -----

func.func @f(%x: memref<4xf32>) {
  %c1 = arith.constant 1 : index
  // expected-error @below {{'tile.launch' op expected values that are tensors of the entry and sizes of its arguments}}
  tile.launch @kernels::@f_kernel_0 blocks %c1 threads 32 [#tile.parameter<pointer>] of %x : memref<4xf32>
  return
}

// -----

func.func @f(%k: index) {
  %c1 = arith.constant 1 : index
  %n = arith.shli %k, %k : index
  // expected-error @below {{'tile.launch' op expected values that are tensors of the entry and sizes of its arguments}}
  tile.launch @kernels::@f_kernel_0 blocks %c1 threads 32 [#tile.parameter<number>] of %n : index
  return
}
