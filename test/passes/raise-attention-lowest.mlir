// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The lowest number hides keys as -inf does where every query sees a key, and
// nothing else is added.
//
// RUN: mixattn-opt --attn-raise-attention --canonicalize --split-input-file %s | FileCheck %s

#each = affine_map<(h, i, j) -> (h, i, j)>

// Added, the key being at most at the query.
// CHECK-LABEL: func.func @added
// CHECK:         attn.generic scores({{.*}}) scale 1.000000e+00 causal pool(
func.func @added(%q: tensor<4x9x8xf32>, %k: tensor<4x9x8xf32>, %v: tensor<4x9x8xf32>) -> tensor<4x9x8xf32> {
  %zero = arith.constant 0.0 : f32
  %lowest = arith.constant 0xFF7FFFFF : f32
  %square = tensor.empty() : tensor<4x9x9xf32>
  %zeros = linalg.fill ins(%zero : f32) outs(%square : tensor<4x9x9xf32>) -> tensor<4x9x9xf32>
  %products = linalg.contract indexing_maps = [affine_map<(h, i, j, d) -> (h, i, d)>, affine_map<(h, i, j, d) -> (h, j, d)>, affine_map<(h, i, j, d) -> (h, i, j)>]
      ins(%q, %k : tensor<4x9x8xf32>, tensor<4x9x8xf32>) outs(%zeros : tensor<4x9x9xf32>) -> tensor<4x9x9xf32>
  %scores = linalg.generic {indexing_maps = [#each, #each], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%products : tensor<4x9x9xf32>) outs(%square : tensor<4x9x9xf32>) {
  ^bb0(%x: f32, %out: f32):
    %i = linalg.index 1 : index
    %j = linalg.index 2 : index
    %seen = arith.cmpi sle, %j, %i : index
    %term = arith.select %seen, %zero, %lowest : f32
    %score = arith.addf %x, %term : f32
    linalg.yield %score : f32
  } -> tensor<4x9x9xf32>
  %weights = linalg.softmax dimension(2) ins(%scores : tensor<4x9x9xf32>) outs(%square : tensor<4x9x9xf32>) -> tensor<4x9x9xf32>
  %small = tensor.empty() : tensor<4x9x8xf32>
  %none = linalg.fill ins(%zero : f32) outs(%small : tensor<4x9x8xf32>) -> tensor<4x9x8xf32>
  %o = linalg.batch_matmul ins(%weights, %v : tensor<4x9x9xf32>, tensor<4x9x8xf32>) outs(%none : tensor<4x9x8xf32>) -> tensor<4x9x8xf32>
  return %o : tensor<4x9x8xf32>
}

// -----

#each = affine_map<(h, i, j) -> (h, i, j)>

// In place of the score, where the key comes later or lies too far back.
// CHECK-LABEL: func.func @replaced
// CHECK:         attn.generic scores({{.*}}) scale 1.000000e+00 causal band <3, 0> pool(
func.func @replaced(%q: tensor<4x9x8xf32>, %k: tensor<4x9x8xf32>, %v: tensor<4x9x8xf32>) -> tensor<4x9x8xf32> {
  %zero = arith.constant 0.0 : f32
  %lowest = arith.constant 0xFF7FFFFF : f32
  %square = tensor.empty() : tensor<4x9x9xf32>
  %zeros = linalg.fill ins(%zero : f32) outs(%square : tensor<4x9x9xf32>) -> tensor<4x9x9xf32>
  %products = linalg.contract indexing_maps = [affine_map<(h, i, j, d) -> (h, i, d)>, affine_map<(h, i, j, d) -> (h, j, d)>, affine_map<(h, i, j, d) -> (h, i, j)>]
      ins(%q, %k : tensor<4x9x8xf32>, tensor<4x9x8xf32>) outs(%zeros : tensor<4x9x9xf32>) -> tensor<4x9x9xf32>
  %scores = linalg.generic {indexing_maps = [#each, #each], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%products : tensor<4x9x9xf32>) outs(%square : tensor<4x9x9xf32>) {
  ^bb0(%x: f32, %out: f32):
    %i = linalg.index 1 : index
    %j = linalg.index 2 : index
    %back = arith.subi %i, %j : index
    %three = arith.constant 3 : index
    %later = arith.cmpi sgt, %j, %i : index
    %far = arith.cmpi sgt, %back, %three : index
    %hidden = arith.ori %later, %far : i1
    %score = arith.select %hidden, %lowest, %x : f32
    linalg.yield %score : f32
  } -> tensor<4x9x9xf32>
  %weights = linalg.softmax dimension(2) ins(%scores : tensor<4x9x9xf32>) outs(%square : tensor<4x9x9xf32>) -> tensor<4x9x9xf32>
  %small = tensor.empty() : tensor<4x9x8xf32>
  %none = linalg.fill ins(%zero : f32) outs(%small : tensor<4x9x8xf32>) -> tensor<4x9x8xf32>
  %o = linalg.batch_matmul ins(%weights, %v : tensor<4x9x9xf32>, tensor<4x9x8xf32>) outs(%none : tensor<4x9x8xf32>) -> tensor<4x9x8xf32>
  return %o : tensor<4x9x8xf32>
}

// -----

#each = affine_map<(h, i, j) -> (h, i, j)>

// A number that is not as low.
// CHECK-LABEL: func.func @other_number
// CHECK-NOT:     causal
// CHECK:         attn.generic scores({{.*}}) scale 1.000000e+00 score_mod
func.func @other_number(%q: tensor<4x9x8xf32>, %k: tensor<4x9x8xf32>, %v: tensor<4x9x8xf32>) -> tensor<4x9x8xf32> {
  %zero = arith.constant 0.0 : f32
  %lowest = arith.constant 0xFF7FFFFF : f32
  %square = tensor.empty() : tensor<4x9x9xf32>
  %zeros = linalg.fill ins(%zero : f32) outs(%square : tensor<4x9x9xf32>) -> tensor<4x9x9xf32>
  %products = linalg.contract indexing_maps = [affine_map<(h, i, j, d) -> (h, i, d)>, affine_map<(h, i, j, d) -> (h, j, d)>, affine_map<(h, i, j, d) -> (h, i, j)>]
      ins(%q, %k : tensor<4x9x8xf32>, tensor<4x9x8xf32>) outs(%zeros : tensor<4x9x9xf32>) -> tensor<4x9x9xf32>
  %scores = linalg.generic {indexing_maps = [#each, #each], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%products : tensor<4x9x9xf32>) outs(%square : tensor<4x9x9xf32>) {
  ^bb0(%x: f32, %out: f32):
    %i = linalg.index 1 : index
    %j = linalg.index 2 : index
    %seen = arith.cmpi sle, %j, %i : index
    %low = arith.constant -1.0e+38 : f32
    %term = arith.select %seen, %zero, %low : f32
    %score = arith.addf %x, %term : f32
    linalg.yield %score : f32
  } -> tensor<4x9x9xf32>
  %weights = linalg.softmax dimension(2) ins(%scores : tensor<4x9x9xf32>) outs(%square : tensor<4x9x9xf32>) -> tensor<4x9x9xf32>
  %small = tensor.empty() : tensor<4x9x8xf32>
  %none = linalg.fill ins(%zero : f32) outs(%small : tensor<4x9x8xf32>) -> tensor<4x9x8xf32>
  %o = linalg.batch_matmul ins(%weights, %v : tensor<4x9x9xf32>, tensor<4x9x8xf32>) outs(%none : tensor<4x9x8xf32>) -> tensor<4x9x8xf32>
  return %o : tensor<4x9x8xf32>
}

// -----

#each = affine_map<(h, i, j) -> (h, i, j)>

// Queries and keys are not aligned: the first two of nine queries see no key.
// CHECK-LABEL: func.func @other_lengths
// CHECK-NOT:     causal
// CHECK:         attn.generic scores({{.*}}) scale 1.000000e+00 score_mod
func.func @other_lengths(%q: tensor<4x9x8xf32>, %k: tensor<4x7x8xf32>, %v: tensor<4x7x8xf32>) -> tensor<4x9x8xf32> {
  %zero = arith.constant 0.0 : f32
  %lowest = arith.constant 0xFF7FFFFF : f32
  %square = tensor.empty() : tensor<4x9x7xf32>
  %zeros = linalg.fill ins(%zero : f32) outs(%square : tensor<4x9x7xf32>) -> tensor<4x9x7xf32>
  %products = linalg.contract indexing_maps = [affine_map<(h, i, j, d) -> (h, i, d)>, affine_map<(h, i, j, d) -> (h, j, d)>, affine_map<(h, i, j, d) -> (h, i, j)>]
      ins(%q, %k : tensor<4x9x8xf32>, tensor<4x7x8xf32>) outs(%zeros : tensor<4x9x7xf32>) -> tensor<4x9x7xf32>
  %scores = linalg.generic {indexing_maps = [#each, #each], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%products : tensor<4x9x7xf32>) outs(%square : tensor<4x9x7xf32>) {
  ^bb0(%x: f32, %out: f32):
    %i = linalg.index 1 : index
    %j = linalg.index 2 : index
    %two = arith.constant 2 : index
    %own = arith.subi %i, %two : index
    %seen = arith.cmpi sle, %j, %own : index
    %term = arith.select %seen, %zero, %lowest : f32
    %score = arith.addf %x, %term : f32
    linalg.yield %score : f32
  } -> tensor<4x9x7xf32>
  %weights = linalg.softmax dimension(2) ins(%scores : tensor<4x9x7xf32>) outs(%square : tensor<4x9x7xf32>) -> tensor<4x9x7xf32>
  %small = tensor.empty() : tensor<4x9x8xf32>
  %none = linalg.fill ins(%zero : f32) outs(%small : tensor<4x9x8xf32>) -> tensor<4x9x8xf32>
  %o = linalg.batch_matmul ins(%weights, %v : tensor<4x9x7xf32>, tensor<4x7x8xf32>) outs(%none : tensor<4x9x8xf32>) -> tensor<4x9x8xf32>
  return %o : tensor<4x9x8xf32>
}

// -----

#each = affine_map<(h, i, j) -> (h, i, j)>

// The first query sees no key: all that it has is alike.
// CHECK-LABEL: func.func @earlier
// CHECK-NOT:     causal
// CHECK:         attn.generic scores({{.*}}) scale 1.000000e+00 score_mod
func.func @earlier(%q: tensor<4x9x8xf32>, %k: tensor<4x9x8xf32>, %v: tensor<4x9x8xf32>) -> tensor<4x9x8xf32> {
  %zero = arith.constant 0.0 : f32
  %lowest = arith.constant 0xFF7FFFFF : f32
  %square = tensor.empty() : tensor<4x9x9xf32>
  %zeros = linalg.fill ins(%zero : f32) outs(%square : tensor<4x9x9xf32>) -> tensor<4x9x9xf32>
  %products = linalg.contract indexing_maps = [affine_map<(h, i, j, d) -> (h, i, d)>, affine_map<(h, i, j, d) -> (h, j, d)>, affine_map<(h, i, j, d) -> (h, i, j)>]
      ins(%q, %k : tensor<4x9x8xf32>, tensor<4x9x8xf32>) outs(%zeros : tensor<4x9x9xf32>) -> tensor<4x9x9xf32>
  %scores = linalg.generic {indexing_maps = [#each, #each], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%products : tensor<4x9x9xf32>) outs(%square : tensor<4x9x9xf32>) {
  ^bb0(%x: f32, %out: f32):
    %i = linalg.index 1 : index
    %j = linalg.index 2 : index
    %seen = arith.cmpi slt, %j, %i : index
    %term = arith.select %seen, %zero, %lowest : f32
    %score = arith.addf %x, %term : f32
    linalg.yield %score : f32
  } -> tensor<4x9x9xf32>
  %weights = linalg.softmax dimension(2) ins(%scores : tensor<4x9x9xf32>) outs(%square : tensor<4x9x9xf32>) -> tensor<4x9x9xf32>
  %small = tensor.empty() : tensor<4x9x8xf32>
  %none = linalg.fill ins(%zero : f32) outs(%small : tensor<4x9x8xf32>) -> tensor<4x9x8xf32>
  %o = linalg.batch_matmul ins(%weights, %v : tensor<4x9x9xf32>, tensor<4x9x8xf32>) outs(%none : tensor<4x9x8xf32>) -> tensor<4x9x8xf32>
  return %o : tensor<4x9x8xf32>
}

// -----

#each = affine_map<(h, i, j) -> (h, i, j)>

// A bias may be as low for the keys that are seen.
// CHECK-LABEL: func.func @with_a_bias
// CHECK-NOT:     causal
// CHECK:         attn.generic scores({{.*}}) scale 1.000000e+00 bias({{.*}}) score_mod
func.func @with_a_bias(%q: tensor<4x9x8xf32>, %k: tensor<4x9x8xf32>, %v: tensor<4x9x8xf32>, %bias: tensor<4x9x9xf32>) -> tensor<4x9x8xf32> {
  %zero = arith.constant 0.0 : f32
  %lowest = arith.constant 0xFF7FFFFF : f32
  %square = tensor.empty() : tensor<4x9x9xf32>
  %zeros = linalg.fill ins(%zero : f32) outs(%square : tensor<4x9x9xf32>) -> tensor<4x9x9xf32>
  %products = linalg.contract indexing_maps = [affine_map<(h, i, j, d) -> (h, i, d)>, affine_map<(h, i, j, d) -> (h, j, d)>, affine_map<(h, i, j, d) -> (h, i, j)>]
      ins(%q, %k : tensor<4x9x8xf32>, tensor<4x9x8xf32>) outs(%zeros : tensor<4x9x9xf32>) -> tensor<4x9x9xf32>
  %scores = linalg.generic {indexing_maps = [#each, #each, #each], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%products, %bias : tensor<4x9x9xf32>, tensor<4x9x9xf32>) outs(%square : tensor<4x9x9xf32>) {
  ^bb0(%x: f32, %y: f32, %out: f32):
    %i = linalg.index 1 : index
    %j = linalg.index 2 : index
    %seen = arith.cmpi sle, %j, %i : index
    %term = arith.select %seen, %zero, %lowest : f32
    %sum = arith.addf %x, %term : f32
    %score = arith.addf %sum, %y : f32
    linalg.yield %score : f32
  } -> tensor<4x9x9xf32>
  %weights = linalg.softmax dimension(2) ins(%scores : tensor<4x9x9xf32>) outs(%square : tensor<4x9x9xf32>) -> tensor<4x9x9xf32>
  %small = tensor.empty() : tensor<4x9x8xf32>
  %none = linalg.fill ins(%zero : f32) outs(%small : tensor<4x9x8xf32>) -> tensor<4x9x8xf32>
  %o = linalg.batch_matmul ins(%weights, %v : tensor<4x9x9xf32>, tensor<4x9x8xf32>) outs(%none : tensor<4x9x8xf32>) -> tensor<4x9x8xf32>
  return %o : tensor<4x9x8xf32>
}

// -----

#each = affine_map<(h, i, j) -> (h, i, j)>

// A tensor says which keys are seen, too: there may be none.
// CHECK-LABEL: func.func @with_a_tensor
// CHECK-NOT:     causal
// CHECK:         attn.generic scores({{.*}}) scale 1.000000e+00 bias({{.*}}) pool(
func.func @with_a_tensor(%q: tensor<4x9x8xf32>, %k: tensor<4x9x8xf32>, %v: tensor<4x9x8xf32>, %mask: tensor<4x9x9xi1>) -> tensor<4x9x8xf32> {
  %zero = arith.constant 0.0 : f32
  %lowest = arith.constant 0xFF7FFFFF : f32
  %square = tensor.empty() : tensor<4x9x9xf32>
  %zeros = linalg.fill ins(%zero : f32) outs(%square : tensor<4x9x9xf32>) -> tensor<4x9x9xf32>
  %products = linalg.contract indexing_maps = [affine_map<(h, i, j, d) -> (h, i, d)>, affine_map<(h, i, j, d) -> (h, j, d)>, affine_map<(h, i, j, d) -> (h, i, j)>]
      ins(%q, %k : tensor<4x9x8xf32>, tensor<4x9x8xf32>) outs(%zeros : tensor<4x9x9xf32>) -> tensor<4x9x9xf32>
  %scores = linalg.generic {indexing_maps = [#each, #each, #each], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%products, %mask : tensor<4x9x9xf32>, tensor<4x9x9xi1>) outs(%square : tensor<4x9x9xf32>) {
  ^bb0(%x: f32, %y: i1, %out: f32):
    %i = linalg.index 1 : index
    %j = linalg.index 2 : index
    %before = arith.cmpi sle, %j, %i : index
    %seen = arith.andi %before, %y : i1
    %term = arith.select %seen, %zero, %lowest : f32
    %score = arith.addf %x, %term : f32
    linalg.yield %score : f32
  } -> tensor<4x9x9xf32>
  %weights = linalg.softmax dimension(2) ins(%scores : tensor<4x9x9xf32>) outs(%square : tensor<4x9x9xf32>) -> tensor<4x9x9xf32>
  %small = tensor.empty() : tensor<4x9x8xf32>
  %none = linalg.fill ins(%zero : f32) outs(%small : tensor<4x9x8xf32>) -> tensor<4x9x8xf32>
  %o = linalg.batch_matmul ins(%weights, %v : tensor<4x9x9xf32>, tensor<4x9x8xf32>) outs(%none : tensor<4x9x8xf32>) -> tensor<4x9x8xf32>
  return %o : tensor<4x9x8xf32>
}
