// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A softmax between two products is raised, or a remark says why not.
//
// RUN: mixattn-opt --attn-raise-attention --split-input-file %s -o /dev/null \
// RUN:   --remarks-filter=attn-raise-attention --remark-format=emitRemark 2>&1 | FileCheck %s

// The mask is a number, where something holds for one of three at least.
// CHECK:      raise-attention-remarks.mlir:[[#@LINE+30]]:14: remark: [Missed] raise {{.*}} Reason="attention not raised: what changes scores has sums in it"
// CHECK:      Reason="raised 0 of 1 attentions"
#each = affine_map<(h, i, j) -> (h, i, j)>
#three = affine_map<(h, i, j, r) -> (h, i, j, r)>
#one = affine_map<(h, i, j, r) -> (h, i, j)>
func.func @finite_mask(%q: tensor<4x9x8xf32>, %k: tensor<4x7x8xf32>, %v: tensor<4x7x8xf32>, %holds: tensor<4x9x7x3xi1>) -> tensor<4x9x8xf32> {
  %zero = arith.constant 0.0 : f32
  %square = tensor.empty() : tensor<4x9x7xf32>
  %zeros = linalg.fill ins(%zero : f32) outs(%square : tensor<4x9x7xf32>) -> tensor<4x9x7xf32>
  %scores = linalg.contract
      indexing_maps = [affine_map<(h, i, j, d) -> (h, i, d)>, affine_map<(h, i, j, d) -> (h, j, d)>, affine_map<(h, i, j, d) -> (h, i, j)>]
      ins(%q, %k : tensor<4x9x8xf32>, tensor<4x7x8xf32>) outs(%zeros : tensor<4x9x7xf32>) -> tensor<4x9x7xf32>
  %false = arith.constant false
  %flags = tensor.empty() : tensor<4x9x7xi1>
  %none = linalg.fill ins(%false : i1) outs(%flags : tensor<4x9x7xi1>) -> tensor<4x9x7xi1>
  %seen = linalg.generic {indexing_maps = [#three, #one], iterator_types = ["parallel", "parallel", "parallel", "reduction"]}
      ins(%holds : tensor<4x9x7x3xi1>) outs(%none : tensor<4x9x7xi1>) {
  ^bb0(%is: i1, %out: i1):
    %any = arith.ori %out, %is : i1
    linalg.yield %any : i1
  } -> tensor<4x9x7xi1>
  %hidden = linalg.generic {indexing_maps = [#each, #each, #each], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%seen, %scores : tensor<4x9x7xi1>, tensor<4x9x7xf32>) outs(%square : tensor<4x9x7xf32>) {
  ^bb0(%is: i1, %x: f32, %out: f32):
    %low = arith.constant -100.0 : f32
    %y = arith.select %is, %x, %low : f32
    linalg.yield %y : f32
  } -> tensor<4x9x7xf32>
  %small = tensor.empty() : tensor<4x9x8xf32>
  %start = linalg.fill ins(%zero : f32) outs(%small : tensor<4x9x8xf32>) -> tensor<4x9x8xf32>
  %weights = linalg.softmax dimension(2) ins(%hidden : tensor<4x9x7xf32>) outs(%square : tensor<4x9x7xf32>) -> tensor<4x9x7xf32>
  %o = linalg.batch_matmul ins(%weights, %v : tensor<4x9x7xf32>, tensor<4x7x8xf32>) outs(%start : tensor<4x9x8xf32>) -> tensor<4x9x8xf32>
  return %o : tensor<4x9x8xf32>
}

// -----

// A softmax of a product that no values follow is none of an attention.
// CHECK-NOT: remark
func.func @classes(%x: tensor<9x8xf32>, %w: tensor<8x5xf32>) -> tensor<9x5xf32> {
  %zero = arith.constant 0.0 : f32
  %empty = tensor.empty() : tensor<9x5xf32>
  %zeros = linalg.fill ins(%zero : f32) outs(%empty : tensor<9x5xf32>) -> tensor<9x5xf32>
  %logits = linalg.matmul ins(%x, %w : tensor<9x8xf32>, tensor<8x5xf32>) outs(%zeros : tensor<9x5xf32>) -> tensor<9x5xf32>
  %p = linalg.softmax dimension(1) ins(%logits : tensor<9x5xf32>) outs(%empty : tensor<9x5xf32>) -> tensor<9x5xf32>
  return %p : tensor<9x5xf32>
}
