// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The first op that a level forbids is named.
//
// RUN: split-file %s %t
// RUN: mixattn-opt %t/normal.mlir --split-input-file --verify-diagnostics --attn-verify-level=level=normal
// RUN: mixattn-opt %t/planned.mlir --split-input-file --verify-diagnostics --attn-verify-level=level=planned
// RUN: mixattn-opt %t/bufferized.mlir --split-input-file --verify-diagnostics --attn-verify-level=level=bufferized
// RUN: mixattn-opt %t/tiled.mlir --split-input-file --verify-diagnostics --attn-verify-level=level=tiled
// RUN: mixattn-opt %t/llvm.mlir --split-input-file --verify-diagnostics --attn-verify-level=level=llvm
// RUN: mixattn-opt %t/level.mlir --verify-diagnostics --attn-verify-level=level=planed

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

//--- level.mlir
// expected-error @below {{expected the level normal, planned, bufferized, tiled or llvm, but got 'planed'}}
module {}
