// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Ops that a score_mod may hold.
//
// RUN: mixattn-opt --verify-roundtrip %s | FileCheck %s

!q = tensor<?x8x?x64xf32>

// Elementwise arithmetic on scalars, of any of the float types.
// CHECK-LABEL: func.func @arithmetic
// CHECK:         attn.softmax {{.*}} score_mod {
// CHECK-NEXT:    ^bb0(%[[SCORE:.+]]: bf16,
// CHECK:           %[[RATIO:.+]] = arith.divf %[[SCORE]], %{{.+}} : bf16
// CHECK:           %[[TANH:.+]] = math.tanh %[[RATIO]] : bf16
// CHECK:           %[[CAPPED:.+]] = arith.mulf %[[TANH]], %{{.+}} : bf16
// CHECK:           attn.yield %[[CAPPED]] : bf16
func.func @arithmetic(%q: !q) -> !q {
  %o = attn.softmax %q, %q, %q score_mod {
  ^bb0(%s: bf16, %b: index, %h: index, %i: index, %j: index):
    %cap = arith.constant 30.0 : bf16
    %ratio = arith.divf %s, %cap : bf16
    %t = math.tanh %ratio : bf16
    %capped = arith.mulf %t, %cap : bf16
    attn.yield %capped : bf16
  } : (!q, !q, !q) -> !q
  return %o : !q
}

// Indices, integers and comparisons: keys are seen by queries of their parity.
// CHECK-LABEL: func.func @integers
// CHECK:           arith.cmpi eq
// CHECK:           arith.select
func.func @integers(%q: !q) -> !q {
  %o = attn.softmax %q, %q, %q score_mod {
  ^bb0(%s: f32, %b: index, %h: index, %i: index, %j: index):
    %two = arith.constant 2 : index
    %hidden = arith.constant 0xFF800000 : f32
    %row = arith.remui %i, %two : index
    %column = arith.remui %j, %two : index
    %seen = arith.cmpi eq, %row, %column : index
    %t = arith.select %seen, %s, %hidden : f32
    attn.yield %t : f32
  } : (!q, !q, !q) -> !q
  return %o : !q
}

// Elements of captured tensors of rank 0, 1 and 2, of any element type.
// CHECK-LABEL: func.func @reads
// CHECK:           tensor.extract %{{.+}}[] : tensor<f16>
// CHECK:           tensor.extract %{{.+}}[%{{.+}}] : tensor<8xf32>
// CHECK:           tensor.extract %{{.+}}[%{{.+}}, %{{.+}}] : tensor<8x?xi64>
func.func @reads(%q: !q, %shift: tensor<f16>, %slopes: tensor<8xf32>,
                 %table: tensor<8x?xi64>) -> !q {
  %o = attn.softmax %q, %q, %q score_mod {
  ^bb0(%s: f32, %b: index, %h: index, %i: index, %j: index):
    %narrow = tensor.extract %shift[] : tensor<f16>
    %wide = arith.extf %narrow : f16 to f32
    %slope = tensor.extract %slopes[%h] : tensor<8xf32>
    %entry = tensor.extract %table[%h, %j] : tensor<8x?xi64>
    %distance = arith.sitofp %entry : i64 to f32
    %t = math.fma %slope, %distance, %wide : f32
    %u = arith.addf %s, %t : f32
    attn.yield %u : f32
  } : (!q, !q, !q) -> !q
  return %o : !q
}

// Captured scalars; a yielded value need not be made in the region.
// CHECK-LABEL: func.func @captured_scalar
// CHECK-SAME:    %[[X:[a-z0-9]+]]: f32
// CHECK:           attn.yield %[[X]] : f32
func.func @captured_scalar(%q: !q, %x: f32) -> !q {
  %o = attn.softmax %q, %q, %q score_mod {
  ^bb0(%s: f32, %b: index, %h: index, %i: index, %j: index):
    attn.yield %x : f32
  } : (!q, !q, !q) -> !q
  return %o : !q
}

// Sizes of the op's operands.
// CHECK-LABEL: func.func @sizes
// CHECK:           tensor.dim %{{.+}}, %{{.+}} : tensor<?x8x?x64xf32>
func.func @sizes(%q: !q, %k: !q) -> !q {
  %two = arith.constant 2 : index
  %o = attn.softmax %q, %k, %k score_mod {
  ^bb0(%s: f32, %b: index, %h: index, %i: index, %j: index):
    %n = tensor.dim %k, %two : !q
    %m = arith.index_cast %n : index to i32
    %x = arith.uitofp %m : i32 to f32
    %t = arith.divf %s, %x : f32
    attn.yield %t : f32
  } : (!q, !q, !q) -> !q
  return %o : !q
}

// Sizes of other captured tensors.
// CHECK-LABEL: func.func @size_of_another
// CHECK:           tensor.dim %{{.+}}, %{{.+}} : tensor<?xf32>
func.func @size_of_another(%q: !q, %t: tensor<?xf32>) -> !q {
  %zero = arith.constant 0 : index
  %o = attn.softmax %q, %q, %q score_mod {
  ^bb0(%s: f32, %b: index, %h: index, %i: index, %j: index):
    %n = tensor.dim %t, %zero : tensor<?xf32>
    attn.yield %s : f32
  } : (!q, !q, !q) -> !q
  return %o : !q
}
