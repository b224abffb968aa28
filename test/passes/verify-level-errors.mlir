// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The first op that a level forbids is named.
//
// RUN: split-file %s %t
// RUN: mixattn-opt %t/normal.mlir --split-input-file --verify-diagnostics --attn-verify-level=level=normal
// RUN: mixattn-opt %t/planned.mlir --split-input-file --verify-diagnostics --attn-verify-level=level=planned
// RUN: mixattn-opt %t/bufferized.mlir --split-input-file --verify-diagnostics --attn-verify-level=level=bufferized
// RUN: mixattn-opt %t/tiled.mlir --split-input-file --verify-diagnostics --attn-verify-level=level=tiled
// RUN: mixattn-opt %t/llvm.mlir --split-input-file --verify-diagnostics --attn-verify-level=level=llvm
// RUN: mixattn-opt %t/gpu-tiled.mlir --split-input-file --verify-diagnostics --attn-verify-level=level=tiled
// RUN: mixattn-opt %t/gpu-llvm.mlir --split-input-file --verify-diagnostics --attn-verify-level=level=llvm
// RUN: not mixattn-opt %t/normal.mlir --attn-verify-level=level=planed 2>&1 | FileCheck %s --check-prefix=LEVEL
// LEVEL: Cannot find option named 'planed'

//--- normal.mlir
func.func @named_op(%q: tensor<1x2x3x4xf32>) -> tensor<1x2x3x4xf32> {
  // expected-error @below {{'attn.softmax' op is still present at level 'normal'}}
  %o = attn.softmax %q, %q, %q
      : (tensor<1x2x3x4xf32>, tensor<1x2x3x4xf32>, tensor<1x2x3x4xf32>)
      -> tensor<1x2x3x4xf32>
  return %o : tensor<1x2x3x4xf32>
}

//--- planned.mlir
func.func @named_op(%q: tensor<1x2x3x4xf32>) -> tensor<1x2x3x4xf32> {
  // expected-error @below {{'attn.softmax' op is still present at level 'planned'}}
  %o = attn.softmax %q, %q, %q {attn.plan = #attn.plan<[else : unfused]>}
      : (tensor<1x2x3x4xf32>, tensor<1x2x3x4xf32>, tensor<1x2x3x4xf32>)
      -> tensor<1x2x3x4xf32>
  return %o : tensor<1x2x3x4xf32>
}

// -----

func.func @no_plan(%v: tensor<1x2x3x4xf32>) -> tensor<1x2x3x4xf32> {
  // expected-error @below {{'attn.structured_pool' op has no plan at level 'planned'}}
  %o = attn.structured_pool %v : tensor<1x2x3x4xf32> -> tensor<1x2x3x4xf32>
  return %o : tensor<1x2x3x4xf32>
}

//--- bufferized.mlir
func.func @attention(%q: tensor<1x2x3x4xf32>) {
  // expected-error @below {{'attn.generic' op is still present at level 'bufferized'}}
  %o = attn.generic scores(%q, %q : tensor<1x2x3x4xf32>, tensor<1x2x3x4xf32>)
      pool(%q : tensor<1x2x3x4xf32>) -> tensor<1x2x3x4xf32>
  return
}

// -----

func.func @tensor(%n: index) {
  // expected-error @below {{'tensor.empty' op is still present at level 'bufferized'}}
  %0 = tensor.empty(%n) : tensor<?xf32>
  return
}

// -----

// The body of a kernel is on tensors; its operands must not be.
func.func @kernel_on_tensors(%x: tensor<1x2x3x4xf32>) {
  // expected-error @below {{'attn.kernel' op is still present at level 'bufferized'}}
  %o = attn.kernel ins(%x : tensor<1x2x3x4xf32>) outs(%x : tensor<1x2x3x4xf32>) {
  ^bb0(%a: tensor<1x2x3x4xf32>):
    %r = attn.generic scores(%a, %a : tensor<1x2x3x4xf32>, tensor<1x2x3x4xf32>)
        pool(%a : tensor<1x2x3x4xf32>) -> tensor<1x2x3x4xf32>
    attn.results %r : tensor<1x2x3x4xf32>
  } -> tensor<1x2x3x4xf32>
  return
}

//--- tiled.mlir
func.func @kernel(%x: memref<1x2x3x4xf32>) {
  attn.kernel ins(%x : memref<1x2x3x4xf32>) outs(%x : memref<1x2x3x4xf32>) {
  ^bb0(%a: tensor<1x2x3x4xf32>):
    // expected-error @below {{'attn.generic' op is still present at level 'tiled'}}
    %r = attn.generic scores(%a, %a : tensor<1x2x3x4xf32>, tensor<1x2x3x4xf32>)
        pool(%a : tensor<1x2x3x4xf32>) -> tensor<1x2x3x4xf32>
    attn.results %r : tensor<1x2x3x4xf32>
  }
  return
}

//--- llvm.mlir
// expected-error @below {{'func.func' op is still present at level 'llvm'}}
func.func private @function()

// -----

llvm.func @cast(%x: i64) {
  // expected-error @below {{'builtin.unrealized_conversion_cast' op is still present at level 'llvm'}}
  %0 = builtin.unrealized_conversion_cast %x : i64 to index
  llvm.return
}

//--- gpu-tiled.mlir
module attributes {attn.target = #attn.target<mma, chip = "sm_80">} {
  func.func @terms(%x: memref<2x3xf32>, %y: memref<2x3xf32>) {
    // expected-error @below {{'memref.copy' op would compute on the host what lies in device memory: a GPU's entry launches kernels and computes sizes, and there is no kernel for this}}
    memref.copy %x, %y : memref<2x3xf32> to memref<2x3xf32>
    return
  }
}

// -----

// A condition chooses which kernels are launched, and gives no number.
module attributes {attn.target = #attn.target<mma, chip = "sm_80">} {
  func.func @condition(%x: memref<?xf32>) {
    %c0 = arith.constant 0 : index
    %c16 = arith.constant 16 : index
    %n = memref.dim %x, %c0 : memref<?xf32>
    %areFew = arith.cmpi sle, %n, %c16 : index
    scf.if %areFew {
      tile.launch @kernels::@few blocks %n threads 32 []
    }
    // expected-error @below {{'scf.if' op would compute on the host}}
    %size = scf.if %areFew -> index {
      scf.yield %c0 : index
    } else {
      scf.yield %c16 : index
    }
    tile.launch @kernels::@many blocks %size threads 32 []
    return
  }
}

//--- gpu-llvm.mlir
module attributes {attn.target = #attn.target<mma, chip = "sm_80">} {
  func.func @buffer(%n: index) {
    // expected-error @below {{'memref.alloc' op would compute on the host}}
    %x = memref.alloc(%n) : memref<?xf32>
    return
  }
}

// -----

module attributes {attn.target = #attn.target<mma, chip = "sm_80">} {
  gpu.module @kernels {
    llvm.func @right() {
      llvm.return
    }
    gpu.func @left() kernel {
      // expected-error @below {{'gpu.return' op is still present at level 'llvm'}}
      gpu.return
    }
  }
}
