// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// IR that keeps the rules of a border passes unchanged.
//
// RUN: split-file %s %t
// RUN: mixattn-opt %t/normal.mlir --attn-verify-level=level=normal | FileCheck %t/normal.mlir
// RUN: mixattn-opt %t/planned.mlir --attn-verify-level=level=planned | FileCheck %t/planned.mlir
// RUN: mixattn-opt %t/bufferized.mlir --attn-verify-level=level=bufferized | FileCheck %t/bufferized.mlir
// RUN: mixattn-opt %t/tiled.mlir --attn-verify-level=level=tiled | FileCheck %t/tiled.mlir
// RUN: mixattn-opt %t/llvm.mlir --attn-verify-level=level=llvm | FileCheck %t/llvm.mlir

//--- normal.mlir
// CHECK-LABEL: func.func @one_op_is_one_attention
// CHECK:         attn.generic
func.func @one_op_is_one_attention(%q: tensor<1x2x3x4xf32>) -> tensor<1x2x3x4xf32> {
  %o = attn.generic scores(%q, %q : tensor<1x2x3x4xf32>, tensor<1x2x3x4xf32>)
      pool(%q : tensor<1x2x3x4xf32>) -> tensor<1x2x3x4xf32>
  return %o : tensor<1x2x3x4xf32>
}

//--- planned.mlir
// CHECK-LABEL: func.func @every_attention_has_a_plan
// CHECK:         attn.structured_pool
func.func @every_attention_has_a_plan(%v: tensor<1x2x3x4xf32>) -> tensor<1x2x3x4xf32> {
  %o = attn.structured_pool %v {attn.plan = #attn.plan<[else : unfused]>}
      : tensor<1x2x3x4xf32> -> tensor<1x2x3x4xf32>
  return %o : tensor<1x2x3x4xf32>
}

//--- bufferized.mlir
// CHECK-LABEL: func.func @buffers_only
// CHECK:         memref.load
func.func @buffers_only(%x: memref<4xf32>, %i: index) -> f32 {
  %0 = memref.load %x[%i] : memref<4xf32>
  return %0 : f32
}

// CHECK-LABEL: func.func @kernels_on_buffers
// CHECK:         attn.kernel
func.func @kernels_on_buffers(%x: memref<1x2x3x4xf32>, %o: memref<1x2x3x4xf32>) {
  attn.kernel ins(%x : memref<1x2x3x4xf32>) outs(%o : memref<1x2x3x4xf32>) {
  ^bb0(%a: tensor<1x2x3x4xf32>):
    %r = attn.generic scores(%a, %a : tensor<1x2x3x4xf32>, tensor<1x2x3x4xf32>)
        pool(%a : tensor<1x2x3x4xf32>) -> tensor<1x2x3x4xf32>
    attn.results %r : tensor<1x2x3x4xf32>
  }
  return
}

//--- tiled.mlir
// CHECK-LABEL: func.func @tiles
// CHECK:         tile.x86.exp2
func.func @tiles(%x: vector<4xf32>) -> vector<4xf32> {
  %0 = tile.x86.exp2 %x : vector<4xf32>
  return %0 : vector<4xf32>
}

//--- llvm.mlir
// CHECK-LABEL: llvm.func @llvm_only
// CHECK:         llvm.return
llvm.func @llvm_only() {
  llvm.return
}
