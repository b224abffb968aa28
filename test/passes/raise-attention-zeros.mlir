// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Factors of weights between the softmax and values, and zeros there.
//
// RUN: mixattn-opt --attn-raise-attention --canonicalize --split-input-file %s | FileCheck %s
// RUN: mixattn-opt --attn-raise-attention --split-input-file %s -o /dev/null \
// RUN:   --remarks-filter=attn-raise-attention --remark-format=emitRemark 2>&1 | FileCheck %s --check-prefix=SAID

// SAID: Reason="raised 1 of 1 attentions"
#all = affine_map<(h, i, j) -> (h, i, j)>
#row = affine_map<(h, i, j) -> (h, i)>

// Rows of zeros, where something holds, are those of the result.
// CHECK-LABEL: func.func @rows_of_zeros
// CHECK-SAME:    %[[NONE:[a-z0-9]+]]: tensor<4x9xi1>
// CHECK:         attn.generic
// CHECK:         linalg.generic {{.*}} ins(%[[NONE]], 
// CHECK:           arith.select %{{.+}}, %{{.+}}, %{{.+}} : f32
func.func @rows_of_zeros(%q: tensor<4x9x8xf32>, %k: tensor<4x7x8xf32>, %v: tensor<4x7x8xf32>, %none: tensor<4x9xi1>) -> tensor<4x9x8xf32> {
  %zero = arith.constant 0.0 : f32
  %square = tensor.empty() : tensor<4x9x7xf32>
  %rows = tensor.empty() : tensor<4x9xf32>
  %long = tensor.empty() : tensor<4x9x8xf32>
  %zeros = linalg.fill ins(%zero : f32) outs(%square : tensor<4x9x7xf32>) -> tensor<4x9x7xf32>
  %start = linalg.fill ins(%zero : f32) outs(%long : tensor<4x9x8xf32>) -> tensor<4x9x8xf32>
  %scores = linalg.contract indexing_maps = [affine_map<(h, i, j, d) -> (h, i, d)>, affine_map<(h, i, j, d) -> (h, j, d)>, affine_map<(h, i, j, d) -> (h, i, j)>]
      ins(%q, %k : tensor<4x9x8xf32>, tensor<4x7x8xf32>) outs(%zeros : tensor<4x9x7xf32>) -> tensor<4x9x7xf32>
  %weights = linalg.softmax dimension(2) ins(%scores : tensor<4x9x7xf32>) outs(%square : tensor<4x9x7xf32>) -> tensor<4x9x7xf32>
  %known = linalg.generic {indexing_maps = [#all, #row, #all], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%weights, %none : tensor<4x9x7xf32>, tensor<4x9xi1>) outs(%square : tensor<4x9x7xf32>) {
  ^bb0(%x: f32, %is: i1, %out: f32):
    %z = arith.select %is, %zero, %x : f32
    linalg.yield %z : f32
  } -> tensor<4x9x7xf32>
  %o = linalg.batch_matmul ins(%known, %v : tensor<4x9x7xf32>, tensor<4x7x8xf32>) outs(%start : tensor<4x9x8xf32>) -> tensor<4x9x8xf32>
  return %o : tensor<4x9x8xf32>
}

// -----

// SAID: Reason="attention not raised: weights of some heads are made 0 before heads are mixed"
// SAID: Reason="raised 0 of 1 attentions"
#all = affine_map<(h, i, j) -> (h, i, j)>
#row = affine_map<(h, i, j) -> (h, i)>

// Heads are mixed once rows of some are zeros.
// CHECK-LABEL: func.func @rows_of_heads
// CHECK-NOT:     attn.generic
func.func @rows_of_heads(%q: tensor<4x9x8xf32>, %k: tensor<4x7x8xf32>, %v: tensor<4x7x8xf32>, %none: tensor<4x9xi1>, %mixer: tensor<4x4xf32>) -> tensor<4x9x8xf32> {
  %zero = arith.constant 0.0 : f32
  %square = tensor.empty() : tensor<4x9x7xf32>
  %rows = tensor.empty() : tensor<4x9xf32>
  %long = tensor.empty() : tensor<4x9x8xf32>
  %zeros = linalg.fill ins(%zero : f32) outs(%square : tensor<4x9x7xf32>) -> tensor<4x9x7xf32>
  %start = linalg.fill ins(%zero : f32) outs(%long : tensor<4x9x8xf32>) -> tensor<4x9x8xf32>
  %scores = linalg.contract indexing_maps = [affine_map<(h, i, j, d) -> (h, i, d)>, affine_map<(h, i, j, d) -> (h, j, d)>, affine_map<(h, i, j, d) -> (h, i, j)>]
      ins(%q, %k : tensor<4x9x8xf32>, tensor<4x7x8xf32>) outs(%zeros : tensor<4x9x7xf32>) -> tensor<4x9x7xf32>
  %weights = linalg.softmax dimension(2) ins(%scores : tensor<4x9x7xf32>) outs(%square : tensor<4x9x7xf32>) -> tensor<4x9x7xf32>
  %known = linalg.generic {indexing_maps = [#all, #row, #all], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%weights, %none : tensor<4x9x7xf32>, tensor<4x9xi1>) outs(%square : tensor<4x9x7xf32>) {
  ^bb0(%x: f32, %is: i1, %out: f32):
    %z = arith.select %is, %zero, %x : f32
    linalg.yield %z : f32
  } -> tensor<4x9x7xf32>
  %mixed = linalg.contract indexing_maps = [affine_map<(g, i, j, h) -> (h, i, j)>, affine_map<(g, i, j, h) -> (h, g)>, affine_map<(g, i, j, h) -> (g, i, j)>]
      ins(%known, %mixer : tensor<4x9x7xf32>, tensor<4x4xf32>) outs(%zeros : tensor<4x9x7xf32>) -> tensor<4x9x7xf32>
  %o = linalg.batch_matmul ins(%mixed, %v : tensor<4x9x7xf32>, tensor<4x7x8xf32>) outs(%start : tensor<4x9x8xf32>) -> tensor<4x9x8xf32>
  return %o : tensor<4x9x8xf32>
}

// -----

// SAID: Reason="raised 1 of 1 attentions"
#all = affine_map<(h, i, j) -> (h, i, j)>
#row = affine_map<(h, i, j) -> (h, i)>

// The lowest number hides keys where the same have no weights then: a row
// without keys has zeros.
// CHECK-LABEL: func.func @zeros_where_lowest
// CHECK:         attn.generic scores({{.*}}) scale 1.000000e+00 mask({{.*}} : tensor<1x1x9x7xi1>) pool(
func.func @zeros_where_lowest(%q: tensor<4x9x8xf32>, %k: tensor<4x7x8xf32>, %v: tensor<4x7x8xf32>, %hidden: tensor<9x7xi1>) -> tensor<4x9x8xf32> {
  %zero = arith.constant 0.0 : f32
  %square = tensor.empty() : tensor<4x9x7xf32>
  %rows = tensor.empty() : tensor<4x9xf32>
  %long = tensor.empty() : tensor<4x9x8xf32>
  %zeros = linalg.fill ins(%zero : f32) outs(%square : tensor<4x9x7xf32>) -> tensor<4x9x7xf32>
  %start = linalg.fill ins(%zero : f32) outs(%long : tensor<4x9x8xf32>) -> tensor<4x9x8xf32>
  %scores = linalg.contract indexing_maps = [affine_map<(h, i, j, d) -> (h, i, d)>, affine_map<(h, i, j, d) -> (h, j, d)>, affine_map<(h, i, j, d) -> (h, i, j)>]
      ins(%q, %k : tensor<4x9x8xf32>, tensor<4x7x8xf32>) outs(%zeros : tensor<4x9x7xf32>) -> tensor<4x9x7xf32>
  %low = arith.constant 0xFF7FFFFF : f32
  %filled = linalg.generic {indexing_maps = [#all, affine_map<(h, i, j) -> (i, j)>, #all], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%scores, %hidden : tensor<4x9x7xf32>, tensor<9x7xi1>) outs(%square : tensor<4x9x7xf32>) {
  ^bb0(%x: f32, %is: i1, %out: f32):
    %z = arith.select %is, %low, %x : f32
    linalg.yield %z : f32
  } -> tensor<4x9x7xf32>
  %weights = linalg.softmax dimension(2) ins(%filled : tensor<4x9x7xf32>) outs(%square : tensor<4x9x7xf32>) -> tensor<4x9x7xf32>
  %known = linalg.generic {indexing_maps = [#all, affine_map<(h, i, j) -> (i, j)>, #all], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%weights, %hidden : tensor<4x9x7xf32>, tensor<9x7xi1>) outs(%square : tensor<4x9x7xf32>) {
  ^bb0(%x: f32, %is: i1, %out: f32):
    %z = arith.select %is, %zero, %x : f32
    linalg.yield %z : f32
  } -> tensor<4x9x7xf32>
  %o = linalg.batch_matmul ins(%known, %v : tensor<4x9x7xf32>, tensor<4x7x8xf32>) outs(%start : tensor<4x9x8xf32>) -> tensor<4x9x8xf32>
  return %o : tensor<4x9x8xf32>
}

// -----

// SAID: Reason="attention not raised: weights are made 0 where scores do not hide keys"
// SAID: Reason="raised 0 of 1 attentions"
#all = affine_map<(h, i, j) -> (h, i, j)>
#row = affine_map<(h, i, j) -> (h, i)>

// The others are zeros.
// CHECK-LABEL: func.func @zeros_of_others
// CHECK-NOT:     attn.generic
func.func @zeros_of_others(%q: tensor<4x9x8xf32>, %k: tensor<4x7x8xf32>, %v: tensor<4x7x8xf32>, %hidden: tensor<9x7xi1>) -> tensor<4x9x8xf32> {
  %zero = arith.constant 0.0 : f32
  %square = tensor.empty() : tensor<4x9x7xf32>
  %rows = tensor.empty() : tensor<4x9xf32>
  %long = tensor.empty() : tensor<4x9x8xf32>
  %zeros = linalg.fill ins(%zero : f32) outs(%square : tensor<4x9x7xf32>) -> tensor<4x9x7xf32>
  %start = linalg.fill ins(%zero : f32) outs(%long : tensor<4x9x8xf32>) -> tensor<4x9x8xf32>
  %scores = linalg.contract indexing_maps = [affine_map<(h, i, j, d) -> (h, i, d)>, affine_map<(h, i, j, d) -> (h, j, d)>, affine_map<(h, i, j, d) -> (h, i, j)>]
      ins(%q, %k : tensor<4x9x8xf32>, tensor<4x7x8xf32>) outs(%zeros : tensor<4x9x7xf32>) -> tensor<4x9x7xf32>
  %low = arith.constant 0xFF800000 : f32
  %filled = linalg.generic {indexing_maps = [#all, affine_map<(h, i, j) -> (i, j)>, #all], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%scores, %hidden : tensor<4x9x7xf32>, tensor<9x7xi1>) outs(%square : tensor<4x9x7xf32>) {
  ^bb0(%x: f32, %is: i1, %out: f32):
    %z = arith.select %is, %low, %x : f32
    linalg.yield %z : f32
  } -> tensor<4x9x7xf32>
  %weights = linalg.softmax dimension(2) ins(%filled : tensor<4x9x7xf32>) outs(%square : tensor<4x9x7xf32>) -> tensor<4x9x7xf32>
  %known = linalg.generic {indexing_maps = [#all, affine_map<(h, i, j) -> (i, j)>, #all], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%weights, %hidden : tensor<4x9x7xf32>, tensor<9x7xi1>) outs(%square : tensor<4x9x7xf32>) {
  ^bb0(%x: f32, %is: i1, %out: f32):
    %z = arith.select %is, %x, %zero : f32
    linalg.yield %z : f32
  } -> tensor<4x9x7xf32>
  %o = linalg.batch_matmul ins(%known, %v : tensor<4x9x7xf32>, tensor<4x7x8xf32>) outs(%start : tensor<4x9x8xf32>) -> tensor<4x9x8xf32>
  return %o : tensor<4x9x8xf32>
}

// -----

// SAID: Reason="attention not raised: weights are made 0 where scores do not hide keys"
// SAID: Reason="raised 0 of 1 attentions"
#all = affine_map<(h, i, j) -> (h, i, j)>
#row = affine_map<(h, i, j) -> (h, i)>

// A number that leaves weights hides nothing.
// CHECK-LABEL: func.func @zeros_where_low
// CHECK-NOT:     attn.generic
func.func @zeros_where_low(%q: tensor<4x9x8xf32>, %k: tensor<4x7x8xf32>, %v: tensor<4x7x8xf32>, %hidden: tensor<9x7xi1>) -> tensor<4x9x8xf32> {
  %zero = arith.constant 0.0 : f32
  %square = tensor.empty() : tensor<4x9x7xf32>
  %rows = tensor.empty() : tensor<4x9xf32>
  %long = tensor.empty() : tensor<4x9x8xf32>
  %zeros = linalg.fill ins(%zero : f32) outs(%square : tensor<4x9x7xf32>) -> tensor<4x9x7xf32>
  %start = linalg.fill ins(%zero : f32) outs(%long : tensor<4x9x8xf32>) -> tensor<4x9x8xf32>
  %scores = linalg.contract indexing_maps = [affine_map<(h, i, j, d) -> (h, i, d)>, affine_map<(h, i, j, d) -> (h, j, d)>, affine_map<(h, i, j, d) -> (h, i, j)>]
      ins(%q, %k : tensor<4x9x8xf32>, tensor<4x7x8xf32>) outs(%zeros : tensor<4x9x7xf32>) -> tensor<4x9x7xf32>
  %low = arith.constant -1.0e+09 : f32
  %filled = linalg.generic {indexing_maps = [#all, affine_map<(h, i, j) -> (i, j)>, #all], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%scores, %hidden : tensor<4x9x7xf32>, tensor<9x7xi1>) outs(%square : tensor<4x9x7xf32>) {
  ^bb0(%x: f32, %is: i1, %out: f32):
    %z = arith.select %is, %low, %x : f32
    linalg.yield %z : f32
  } -> tensor<4x9x7xf32>
  %weights = linalg.softmax dimension(2) ins(%filled : tensor<4x9x7xf32>) outs(%square : tensor<4x9x7xf32>) -> tensor<4x9x7xf32>
  %known = linalg.generic {indexing_maps = [#all, affine_map<(h, i, j) -> (i, j)>, #all], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%weights, %hidden : tensor<4x9x7xf32>, tensor<9x7xi1>) outs(%square : tensor<4x9x7xf32>) {
  ^bb0(%x: f32, %is: i1, %out: f32):
    %z = arith.select %is, %zero, %x : f32
    linalg.yield %z : f32
  } -> tensor<4x9x7xf32>
  %o = linalg.batch_matmul ins(%known, %v : tensor<4x9x7xf32>, tensor<4x7x8xf32>) outs(%start : tensor<4x9x8xf32>) -> tensor<4x9x8xf32>
  return %o : tensor<4x9x8xf32>
}

// -----

// SAID: Reason="raised 1 of 1 attentions"
#all = affine_map<(h, i, j) -> (h, i, j)>
#row = affine_map<(h, i, j) -> (h, i)>

// Factors of heads and of queries are the result's.
// CHECK-LABEL: func.func @factors_of_rows
// CHECK-SAME:    %[[F:[a-z0-9]+]]: tensor<4x9xf32>
// CHECK:         attn.generic scores({{.*}}) scale 1.000000e+00 pool(
// CHECK:         linalg.generic {{.*}} ins(%{{.+}}, %[[F]] :
// CHECK:           arith.mulf
func.func @factors_of_rows(%q: tensor<4x9x8xf32>, %k: tensor<4x7x8xf32>, %v: tensor<4x7x8xf32>, %factors: tensor<4x9xf32>) -> tensor<4x9x8xf32> {
  %zero = arith.constant 0.0 : f32
  %square = tensor.empty() : tensor<4x9x7xf32>
  %rows = tensor.empty() : tensor<4x9xf32>
  %long = tensor.empty() : tensor<4x9x8xf32>
  %zeros = linalg.fill ins(%zero : f32) outs(%square : tensor<4x9x7xf32>) -> tensor<4x9x7xf32>
  %start = linalg.fill ins(%zero : f32) outs(%long : tensor<4x9x8xf32>) -> tensor<4x9x8xf32>
  %scores = linalg.contract indexing_maps = [affine_map<(h, i, j, d) -> (h, i, d)>, affine_map<(h, i, j, d) -> (h, j, d)>, affine_map<(h, i, j, d) -> (h, i, j)>]
      ins(%q, %k : tensor<4x9x8xf32>, tensor<4x7x8xf32>) outs(%zeros : tensor<4x9x7xf32>) -> tensor<4x9x7xf32>
  %weights = linalg.softmax dimension(2) ins(%scores : tensor<4x9x7xf32>) outs(%square : tensor<4x9x7xf32>) -> tensor<4x9x7xf32>
  %known = linalg.generic {indexing_maps = [#all, #row, #all], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%weights, %factors : tensor<4x9x7xf32>, tensor<4x9xf32>) outs(%square : tensor<4x9x7xf32>) {
  ^bb0(%x: f32, %y: f32, %out: f32):
    %z = arith.mulf %x, %y : f32
    linalg.yield %z : f32
  } -> tensor<4x9x7xf32>
  %o = linalg.batch_matmul ins(%known, %v : tensor<4x9x7xf32>, tensor<4x7x8xf32>) outs(%start : tensor<4x9x8xf32>) -> tensor<4x9x8xf32>
  return %o : tensor<4x9x8xf32>
}

// -----

// SAID: Reason="attention not raised: weights are multiplied by what depends on queries and keys"
// SAID: Reason="raised 0 of 1 attentions"
#all = affine_map<(h, i, j) -> (h, i, j)>
#row = affine_map<(h, i, j) -> (h, i)>

// A factor of pairs is none of values.
// CHECK-LABEL: func.func @factors_of_pairs
// CHECK-NOT:     attn.generic
func.func @factors_of_pairs(%q: tensor<4x9x8xf32>, %k: tensor<4x7x8xf32>, %v: tensor<4x7x8xf32>, %factors: tensor<9x7xf32>) -> tensor<4x9x8xf32> {
  %zero = arith.constant 0.0 : f32
  %square = tensor.empty() : tensor<4x9x7xf32>
  %rows = tensor.empty() : tensor<4x9xf32>
  %long = tensor.empty() : tensor<4x9x8xf32>
  %zeros = linalg.fill ins(%zero : f32) outs(%square : tensor<4x9x7xf32>) -> tensor<4x9x7xf32>
  %start = linalg.fill ins(%zero : f32) outs(%long : tensor<4x9x8xf32>) -> tensor<4x9x8xf32>
  %scores = linalg.contract indexing_maps = [affine_map<(h, i, j, d) -> (h, i, d)>, affine_map<(h, i, j, d) -> (h, j, d)>, affine_map<(h, i, j, d) -> (h, i, j)>]
      ins(%q, %k : tensor<4x9x8xf32>, tensor<4x7x8xf32>) outs(%zeros : tensor<4x9x7xf32>) -> tensor<4x9x7xf32>
  %weights = linalg.softmax dimension(2) ins(%scores : tensor<4x9x7xf32>) outs(%square : tensor<4x9x7xf32>) -> tensor<4x9x7xf32>
  %known = linalg.generic {indexing_maps = [#all, affine_map<(h, i, j) -> (i, j)>, #all], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%weights, %factors : tensor<4x9x7xf32>, tensor<9x7xf32>) outs(%square : tensor<4x9x7xf32>) {
  ^bb0(%x: f32, %y: f32, %out: f32):
    %z = arith.mulf %x, %y : f32
    linalg.yield %z : f32
  } -> tensor<4x9x7xf32>
  %o = linalg.batch_matmul ins(%known, %v : tensor<4x9x7xf32>, tensor<4x7x8xf32>) outs(%start : tensor<4x9x8xf32>) -> tensor<4x9x8xf32>
  return %o : tensor<4x9x8xf32>
}

// -----

// SAID: Reason="raised 1 of 1 attentions"
#all = affine_map<(h, i, j) -> (h, i, j)>
#row = affine_map<(h, i, j) -> (h, i)>

// A factor of pairs before the softmax changes scores; it is read as it lies each time.
// CHECK-LABEL: func.func @factors_of_scores
// CHECK-SAME:    %[[F:[a-z0-9]+]]: tensor<4x9x7xf32>
// CHECK:         attn.generic scores({{.*}}) scale 1.000000e+00 score_mod {
// CHECK:           %[[X:.+]] = tensor.extract %[[F]]
// CHECK-NEXT:      %[[Y:.+]] = arith.mulf %{{.+}}, %[[X]] : f32
// CHECK:           %[[Z:.+]] = tensor.extract %[[F]]
// CHECK-NEXT:      %{{.+}} = arith.addf %[[Y]], %[[Z]] : f32
func.func @factors_of_scores(%q: tensor<4x9x8xf32>, %k: tensor<4x7x8xf32>, %v: tensor<4x7x8xf32>, %factors: tensor<4x9x7xf32>) -> tensor<4x9x8xf32> {
  %zero = arith.constant 0.0 : f32
  %square = tensor.empty() : tensor<4x9x7xf32>
  %rows = tensor.empty() : tensor<4x9xf32>
  %long = tensor.empty() : tensor<4x9x8xf32>
  %zeros = linalg.fill ins(%zero : f32) outs(%square : tensor<4x9x7xf32>) -> tensor<4x9x7xf32>
  %start = linalg.fill ins(%zero : f32) outs(%long : tensor<4x9x8xf32>) -> tensor<4x9x8xf32>
  %scores = linalg.contract indexing_maps = [affine_map<(h, i, j, d) -> (h, i, d)>, affine_map<(h, i, j, d) -> (h, j, d)>, affine_map<(h, i, j, d) -> (h, i, j)>]
      ins(%q, %k : tensor<4x9x8xf32>, tensor<4x7x8xf32>) outs(%zeros : tensor<4x9x7xf32>) -> tensor<4x9x7xf32>
  %changed = linalg.generic {indexing_maps = [#all, #all, #all], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%scores, %factors : tensor<4x9x7xf32>, tensor<4x9x7xf32>) outs(%square : tensor<4x9x7xf32>) {
  ^bb0(%x: f32, %y: f32, %out: f32):
    %product = arith.mulf %x, %y : f32
    %z = arith.addf %product, %y : f32
    linalg.yield %z : f32
  } -> tensor<4x9x7xf32>
  %weights = linalg.softmax dimension(2) ins(%changed : tensor<4x9x7xf32>) outs(%square : tensor<4x9x7xf32>) -> tensor<4x9x7xf32>
  %o = linalg.batch_matmul ins(%weights, %v : tensor<4x9x7xf32>, tensor<4x7x8xf32>) outs(%start : tensor<4x9x8xf32>) -> tensor<4x9x8xf32>
  return %o : tensor<4x9x8xf32>
}

// -----

// Weights of experts, each row with values of its own: none of an attention.
// SAID-NOT: remark
// CHECK-LABEL: func.func @experts
func.func @experts(%x: tensor<9x8xf32>, %w: tensor<8x5xf32>, %outputs: tensor<9x5x6xf32>) -> tensor<9x6xf32> {
  %zero = arith.constant 0.0 : f32
  %empty = tensor.empty() : tensor<9x5xf32>
  %zeros = linalg.fill ins(%zero : f32) outs(%empty : tensor<9x5xf32>) -> tensor<9x5xf32>
  %logits = linalg.matmul ins(%x, %w : tensor<9x8xf32>, tensor<8x5xf32>) outs(%zeros : tensor<9x5xf32>) -> tensor<9x5xf32>
  %p = linalg.softmax dimension(1) ins(%logits : tensor<9x5xf32>) outs(%empty : tensor<9x5xf32>) -> tensor<9x5xf32>
  %more = linalg.generic {indexing_maps = [affine_map<(i, e) -> (i, e)>, affine_map<(i, e) -> (i, e)>], iterator_types = ["parallel", "parallel"]}
      ins(%p : tensor<9x5xf32>) outs(%empty : tensor<9x5xf32>) {
  ^bb0(%y: f32, %out: f32):
    %root = math.sqrt %y : f32
    linalg.yield %root : f32
  } -> tensor<9x5xf32>
  %small = tensor.empty() : tensor<9x6xf32>
  %start = linalg.fill ins(%zero : f32) outs(%small : tensor<9x6xf32>) -> tensor<9x6xf32>
  %o = linalg.contract indexing_maps = [affine_map<(i, d, e) -> (i, e)>, affine_map<(i, d, e) -> (i, e, d)>, affine_map<(i, d, e) -> (i, d)>]
      ins(%more, %outputs : tensor<9x5xf32>, tensor<9x5x6xf32>) outs(%start : tensor<9x6xf32>) -> tensor<9x6xf32>
  return %o : tensor<9x6xf32>
}
