// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Powers over their sum in several orders.
//
// RUN: mixattn-opt --attn-raise-attention --canonicalize --split-input-file %s | FileCheck %s
// RUN: mixattn-opt --attn-raise-attention --split-input-file %s -o /dev/null \
// RUN:   --remarks-filter=attn-raise-attention --remark-format=emitRemark 2>&1 | FileCheck %s --check-prefix=SAID

// SAID: Reason="raised 1 of 1 attentions"
#all = affine_map<(h, i, j) -> (h, i, j)>
#row = affine_map<(h, i, j) -> (h, i)>

// The sum divides what is pooled.
// CHECK-LABEL: func.func @divided_later
// CHECK:         attn.generic scores({{.*}}) scale 1.000000e+00 pool(
// CHECK-NEXT:    %[[O:.+]] = tensor.collapse_shape
// CHECK-NEXT:    return %[[O]]
func.func @divided_later(%q: tensor<4x9x8xf32>, %k: tensor<4x7x8xf32>, %v: tensor<4x7x8xf32>) -> tensor<4x9x8xf32> {
  %zero = arith.constant 0.0 : f32
  %square = tensor.empty() : tensor<4x9x7xf32>
  %rows = tensor.empty() : tensor<4x9xf32>
  %long = tensor.empty() : tensor<4x9x8xf32>
  %zeros = linalg.fill ins(%zero : f32) outs(%square : tensor<4x9x7xf32>) -> tensor<4x9x7xf32>
  %start = linalg.fill ins(%zero : f32) outs(%long : tensor<4x9x8xf32>) -> tensor<4x9x8xf32>
  %scores = linalg.contract indexing_maps = [affine_map<(h, i, j, d) -> (h, i, d)>, affine_map<(h, i, j, d) -> (h, j, d)>, affine_map<(h, i, j, d) -> (h, i, j)>]
      ins(%q, %k : tensor<4x9x8xf32>, tensor<4x7x8xf32>) outs(%zeros : tensor<4x9x7xf32>) -> tensor<4x9x7xf32>
  %none = arith.constant 0xFF800000 : f32
  %least = linalg.fill ins(%none : f32) outs(%rows : tensor<4x9xf32>) -> tensor<4x9xf32>
  %largest = linalg.generic {indexing_maps = [#all, #row], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%scores : tensor<4x9x7xf32>) outs(%least : tensor<4x9xf32>) {
  ^bb0(%x: f32, %out: f32):
    %most = arith.maximumf %out, %x : f32
    linalg.yield %most : f32
  } -> tensor<4x9xf32>
  %powers = linalg.generic {indexing_maps = [#all, #row, #all], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%scores, %largest : tensor<4x9x7xf32>, tensor<4x9xf32>) outs(%square : tensor<4x9x7xf32>) {
  ^bb0(%x: f32, %m: f32, %out: f32):
    %less = arith.subf %x, %m : f32
    %power = math.exp %less : f32
    linalg.yield %power : f32
  } -> tensor<4x9x7xf32>
  %firstsum = linalg.fill ins(%zero : f32) outs(%rows : tensor<4x9xf32>) -> tensor<4x9xf32>
  %sum = linalg.generic {indexing_maps = [#all, #row], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%powers : tensor<4x9x7xf32>) outs(%firstsum : tensor<4x9xf32>) {
  ^bb0(%x: f32, %out: f32):
    %more = arith.addf %out, %x : f32
    linalg.yield %more : f32
  } -> tensor<4x9xf32>
  %pooled = linalg.batch_matmul ins(%powers, %v : tensor<4x9x7xf32>, tensor<4x7x8xf32>) outs(%start : tensor<4x9x8xf32>) -> tensor<4x9x8xf32>
  %o = linalg.generic {indexing_maps = [#all, #row, #all], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%pooled, %sum : tensor<4x9x8xf32>, tensor<4x9xf32>) outs(%long : tensor<4x9x8xf32>) {
  ^bb0(%x: f32, %y: f32, %out: f32):
    %z = arith.divf %x, %y : f32
    linalg.yield %z : f32
  } -> tensor<4x9x8xf32>
  return %o : tensor<4x9x8xf32>
}

// -----

// SAID: Reason="attention not raised: exponentials are divided by something other than their sum"
// SAID: Reason="raised 0 of 1 attentions"
#all = affine_map<(h, i, j) -> (h, i, j)>
#row = affine_map<(h, i, j) -> (h, i)>

// By the sum of their squares.
// CHECK-LABEL: func.func @divided_by_squares
// CHECK-NOT:     attn.generic
func.func @divided_by_squares(%q: tensor<4x9x8xf32>, %k: tensor<4x7x8xf32>, %v: tensor<4x7x8xf32>) -> tensor<4x9x8xf32> {
  %zero = arith.constant 0.0 : f32
  %square = tensor.empty() : tensor<4x9x7xf32>
  %rows = tensor.empty() : tensor<4x9xf32>
  %long = tensor.empty() : tensor<4x9x8xf32>
  %zeros = linalg.fill ins(%zero : f32) outs(%square : tensor<4x9x7xf32>) -> tensor<4x9x7xf32>
  %start = linalg.fill ins(%zero : f32) outs(%long : tensor<4x9x8xf32>) -> tensor<4x9x8xf32>
  %scores = linalg.contract indexing_maps = [affine_map<(h, i, j, d) -> (h, i, d)>, affine_map<(h, i, j, d) -> (h, j, d)>, affine_map<(h, i, j, d) -> (h, i, j)>]
      ins(%q, %k : tensor<4x9x8xf32>, tensor<4x7x8xf32>) outs(%zeros : tensor<4x9x7xf32>) -> tensor<4x9x7xf32>
  %none = arith.constant 0xFF800000 : f32
  %least = linalg.fill ins(%none : f32) outs(%rows : tensor<4x9xf32>) -> tensor<4x9xf32>
  %largest = linalg.generic {indexing_maps = [#all, #row], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%scores : tensor<4x9x7xf32>) outs(%least : tensor<4x9xf32>) {
  ^bb0(%x: f32, %out: f32):
    %most = arith.maximumf %out, %x : f32
    linalg.yield %most : f32
  } -> tensor<4x9xf32>
  %powers = linalg.generic {indexing_maps = [#all, #row, #all], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%scores, %largest : tensor<4x9x7xf32>, tensor<4x9xf32>) outs(%square : tensor<4x9x7xf32>) {
  ^bb0(%x: f32, %m: f32, %out: f32):
    %less = arith.subf %x, %m : f32
    %power = math.exp %less : f32
    linalg.yield %power : f32
  } -> tensor<4x9x7xf32>
  %firstsum = linalg.fill ins(%zero : f32) outs(%rows : tensor<4x9xf32>) -> tensor<4x9xf32>
  %sum = linalg.generic {indexing_maps = [#all, #row], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%powers : tensor<4x9x7xf32>) outs(%firstsum : tensor<4x9xf32>) {
  ^bb0(%x: f32, %out: f32):
    %square_ = arith.mulf %x, %x : f32
    %more = arith.addf %out, %square_ : f32
    linalg.yield %more : f32
  } -> tensor<4x9xf32>
  %pooled = linalg.batch_matmul ins(%powers, %v : tensor<4x9x7xf32>, tensor<4x7x8xf32>) outs(%start : tensor<4x9x8xf32>) -> tensor<4x9x8xf32>
  %o = linalg.generic {indexing_maps = [#all, #row, #all], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%pooled, %sum : tensor<4x9x8xf32>, tensor<4x9xf32>) outs(%long : tensor<4x9x8xf32>) {
  ^bb0(%x: f32, %y: f32, %out: f32):
    %z = arith.divf %x, %y : f32
    linalg.yield %z : f32
  } -> tensor<4x9x8xf32>
  return %o : tensor<4x9x8xf32>
}

// -----

// SAID: Reason="attention not raised: more than weights is summed up in what divides them"
// SAID: Reason="raised 0 of 1 attentions"
#all = affine_map<(h, i, j) -> (h, i, j)>
#row = affine_map<(h, i, j) -> (h, i)>

// A key without a value has a power, too.
// CHECK-LABEL: func.func @one_more
// CHECK-NOT:     attn.generic
func.func @one_more(%q: tensor<4x9x8xf32>, %k: tensor<4x7x8xf32>, %v: tensor<4x7x8xf32>) -> tensor<4x9x8xf32> {
  %zero = arith.constant 0.0 : f32
  %square = tensor.empty() : tensor<4x9x7xf32>
  %rows = tensor.empty() : tensor<4x9xf32>
  %long = tensor.empty() : tensor<4x9x8xf32>
  %zeros = linalg.fill ins(%zero : f32) outs(%square : tensor<4x9x7xf32>) -> tensor<4x9x7xf32>
  %start = linalg.fill ins(%zero : f32) outs(%long : tensor<4x9x8xf32>) -> tensor<4x9x8xf32>
  %scores = linalg.contract indexing_maps = [affine_map<(h, i, j, d) -> (h, i, d)>, affine_map<(h, i, j, d) -> (h, j, d)>, affine_map<(h, i, j, d) -> (h, i, j)>]
      ins(%q, %k : tensor<4x9x8xf32>, tensor<4x7x8xf32>) outs(%zeros : tensor<4x9x7xf32>) -> tensor<4x9x7xf32>
  %none = arith.constant 0xFF800000 : f32
  %least = linalg.fill ins(%none : f32) outs(%rows : tensor<4x9xf32>) -> tensor<4x9xf32>
  %largest = linalg.generic {indexing_maps = [#all, #row], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%scores : tensor<4x9x7xf32>) outs(%least : tensor<4x9xf32>) {
  ^bb0(%x: f32, %out: f32):
    %most = arith.maximumf %out, %x : f32
    linalg.yield %most : f32
  } -> tensor<4x9xf32>
  %powers = linalg.generic {indexing_maps = [#all, #row, #all], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%scores, %largest : tensor<4x9x7xf32>, tensor<4x9xf32>) outs(%square : tensor<4x9x7xf32>) {
  ^bb0(%x: f32, %m: f32, %out: f32):
    %less = arith.subf %x, %m : f32
    %power = math.exp %less : f32
    linalg.yield %power : f32
  } -> tensor<4x9x7xf32>
  %firstsum = linalg.fill ins(%zero : f32) outs(%rows : tensor<4x9xf32>) -> tensor<4x9xf32>
  %sum = linalg.generic {indexing_maps = [#all, #row], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%powers : tensor<4x9x7xf32>) outs(%firstsum : tensor<4x9xf32>) {
  ^bb0(%x: f32, %out: f32):
    %more = arith.addf %out, %x : f32
    linalg.yield %more : f32
  } -> tensor<4x9xf32>
  %pooled = linalg.batch_matmul ins(%powers, %v : tensor<4x9x7xf32>, tensor<4x7x8xf32>) outs(%start : tensor<4x9x8xf32>) -> tensor<4x9x8xf32>
  %o = linalg.generic {indexing_maps = [#all, #row, #row, #all], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%pooled, %sum, %largest : tensor<4x9x8xf32>, tensor<4x9xf32>, tensor<4x9xf32>) outs(%long : tensor<4x9x8xf32>) {
  ^bb0(%x: f32, %y: f32, %m: f32, %out: f32):
    %minus = arith.negf %m : f32
    %power = math.exp %minus : f32
    %all = arith.addf %power, %y : f32
    %z = arith.divf %x, %all : f32
    linalg.yield %z : f32
  } -> tensor<4x9x8xf32>
  return %o : tensor<4x9x8xf32>
}

// -----

// SAID: Reason="attention not raised: exponentials are divided by something other than their sum"
// SAID: Reason="raised 0 of 1 attentions"
#all = affine_map<(h, i, j) -> (h, i, j)>
#row = affine_map<(h, i, j) -> (h, i)>

// By the sum of another row.
// CHECK-LABEL: func.func @divided_by_others
// CHECK-NOT:     attn.generic
func.func @divided_by_others(%q: tensor<4x4x8xf32>, %k: tensor<4x7x8xf32>, %v: tensor<4x7x8xf32>) -> tensor<4x4x8xf32> {
  %zero = arith.constant 0.0 : f32
  %square = tensor.empty() : tensor<4x4x7xf32>
  %rows = tensor.empty() : tensor<4x4xf32>
  %long = tensor.empty() : tensor<4x4x8xf32>
  %zeros = linalg.fill ins(%zero : f32) outs(%square : tensor<4x4x7xf32>) -> tensor<4x4x7xf32>
  %start = linalg.fill ins(%zero : f32) outs(%long : tensor<4x4x8xf32>) -> tensor<4x4x8xf32>
  %scores = linalg.contract indexing_maps = [affine_map<(h, i, j, d) -> (h, i, d)>, affine_map<(h, i, j, d) -> (h, j, d)>, affine_map<(h, i, j, d) -> (h, i, j)>]
      ins(%q, %k : tensor<4x4x8xf32>, tensor<4x7x8xf32>) outs(%zeros : tensor<4x4x7xf32>) -> tensor<4x4x7xf32>
  %none = arith.constant 0xFF800000 : f32
  %least = linalg.fill ins(%none : f32) outs(%rows : tensor<4x4xf32>) -> tensor<4x4xf32>
  %largest = linalg.generic {indexing_maps = [#all, #row], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%scores : tensor<4x4x7xf32>) outs(%least : tensor<4x4xf32>) {
  ^bb0(%x: f32, %out: f32):
    %most = arith.maximumf %out, %x : f32
    linalg.yield %most : f32
  } -> tensor<4x4xf32>
  %powers = linalg.generic {indexing_maps = [#all, #row, #all], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%scores, %largest : tensor<4x4x7xf32>, tensor<4x4xf32>) outs(%square : tensor<4x4x7xf32>) {
  ^bb0(%x: f32, %m: f32, %out: f32):
    %less = arith.subf %x, %m : f32
    %power = math.exp %less : f32
    linalg.yield %power : f32
  } -> tensor<4x4x7xf32>
  %firstsum = linalg.fill ins(%zero : f32) outs(%rows : tensor<4x4xf32>) -> tensor<4x4xf32>
  %sum = linalg.generic {indexing_maps = [#all, #row], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%powers : tensor<4x4x7xf32>) outs(%firstsum : tensor<4x4xf32>) {
  ^bb0(%x: f32, %out: f32):
    %more = arith.addf %out, %x : f32
    linalg.yield %more : f32
  } -> tensor<4x4xf32>
  %pooled = linalg.batch_matmul ins(%powers, %v : tensor<4x4x7xf32>, tensor<4x7x8xf32>) outs(%start : tensor<4x4x8xf32>) -> tensor<4x4x8xf32>
  %o = linalg.generic {indexing_maps = [#all, affine_map<(h, i, j) -> (i, h)>, #all], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%pooled, %sum : tensor<4x4x8xf32>, tensor<4x4xf32>) outs(%long : tensor<4x4x8xf32>) {
  ^bb0(%x: f32, %y: f32, %out: f32):
    %z = arith.divf %x, %y : f32
    linalg.yield %z : f32
  } -> tensor<4x4x8xf32>
  return %o : tensor<4x4x8xf32>
}

// -----

// SAID: Reason="raised 1 of 1 attentions"
#all = affine_map<(h, i, j) -> (h, i, j)>
#row = affine_map<(h, i, j) -> (h, i)>

// The exponent is less by the sum's logarithm, whose terms come in another order.
// CHECK-LABEL: func.func @less_a_logarithm
// CHECK:         attn.generic scores({{.*}}) scale 1.000000e+00 pool(
func.func @less_a_logarithm(%q: tensor<4x9x8xf32>, %k: tensor<4x7x8xf32>, %v: tensor<4x7x8xf32>) -> tensor<4x9x8xf32> {
  %zero = arith.constant 0.0 : f32
  %square = tensor.empty() : tensor<4x9x7xf32>
  %rows = tensor.empty() : tensor<4x9xf32>
  %long = tensor.empty() : tensor<4x9x8xf32>
  %zeros = linalg.fill ins(%zero : f32) outs(%square : tensor<4x9x7xf32>) -> tensor<4x9x7xf32>
  %start = linalg.fill ins(%zero : f32) outs(%long : tensor<4x9x8xf32>) -> tensor<4x9x8xf32>
  %scores = linalg.contract indexing_maps = [affine_map<(h, i, j, d) -> (h, i, d)>, affine_map<(h, i, j, d) -> (h, j, d)>, affine_map<(h, i, j, d) -> (h, i, j)>]
      ins(%q, %k : tensor<4x9x8xf32>, tensor<4x7x8xf32>) outs(%zeros : tensor<4x9x7xf32>) -> tensor<4x9x7xf32>
  %none = arith.constant 0xFF800000 : f32
  %least = linalg.fill ins(%none : f32) outs(%rows : tensor<4x9xf32>) -> tensor<4x9xf32>
  %largest = linalg.generic {indexing_maps = [#all, #row], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%scores : tensor<4x9x7xf32>) outs(%least : tensor<4x9xf32>) {
  ^bb0(%x: f32, %out: f32):
    %most = arith.maximumf %out, %x : f32
    linalg.yield %most : f32
  } -> tensor<4x9xf32>
  %powers = linalg.generic {indexing_maps = [#all, #row, #all], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%scores, %largest : tensor<4x9x7xf32>, tensor<4x9xf32>) outs(%square : tensor<4x9x7xf32>) {
  ^bb0(%x: f32, %m: f32, %out: f32):
    %less = arith.subf %x, %m : f32
    %power = math.exp %less : f32
    linalg.yield %power : f32
  } -> tensor<4x9x7xf32>
  %firstsum = linalg.fill ins(%zero : f32) outs(%rows : tensor<4x9xf32>) -> tensor<4x9xf32>
  %sum = linalg.generic {indexing_maps = [#all, #row], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%powers : tensor<4x9x7xf32>) outs(%firstsum : tensor<4x9xf32>) {
  ^bb0(%x: f32, %out: f32):
    %more = arith.addf %out, %x : f32
    linalg.yield %more : f32
  } -> tensor<4x9xf32>
  %weights = linalg.generic {indexing_maps = [#all, #row, #row, #all], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%scores, %sum, %largest : tensor<4x9x7xf32>, tensor<4x9xf32>, tensor<4x9xf32>) outs(%square : tensor<4x9x7xf32>) {
  ^bb0(%x: f32, %y: f32, %m: f32, %out: f32):
    %log = math.log %y : f32
    %all = arith.addf %m, %log : f32
    %less = arith.subf %x, %all : f32
    %z = math.exp %less : f32
    linalg.yield %z : f32
  } -> tensor<4x9x7xf32>
  %o = linalg.batch_matmul ins(%weights, %v : tensor<4x9x7xf32>, tensor<4x7x8xf32>) outs(%start : tensor<4x9x8xf32>) -> tensor<4x9x8xf32>
  return %o : tensor<4x9x8xf32>
}

// -----

#all = affine_map<(h, i, j) -> (h, i, j)>
#row = affine_map<(h, i, j) -> (h, i)>

// Twice the sum's logarithm is none of a softmax.
// CHECK-LABEL: func.func @less_two_logarithms
// CHECK-NOT:     attn.generic
func.func @less_two_logarithms(%q: tensor<4x9x8xf32>, %k: tensor<4x7x8xf32>, %v: tensor<4x7x8xf32>) -> tensor<4x9x8xf32> {
  %zero = arith.constant 0.0 : f32
  %square = tensor.empty() : tensor<4x9x7xf32>
  %rows = tensor.empty() : tensor<4x9xf32>
  %long = tensor.empty() : tensor<4x9x8xf32>
  %zeros = linalg.fill ins(%zero : f32) outs(%square : tensor<4x9x7xf32>) -> tensor<4x9x7xf32>
  %start = linalg.fill ins(%zero : f32) outs(%long : tensor<4x9x8xf32>) -> tensor<4x9x8xf32>
  %scores = linalg.contract indexing_maps = [affine_map<(h, i, j, d) -> (h, i, d)>, affine_map<(h, i, j, d) -> (h, j, d)>, affine_map<(h, i, j, d) -> (h, i, j)>]
      ins(%q, %k : tensor<4x9x8xf32>, tensor<4x7x8xf32>) outs(%zeros : tensor<4x9x7xf32>) -> tensor<4x9x7xf32>
  %none = arith.constant 0xFF800000 : f32
  %least = linalg.fill ins(%none : f32) outs(%rows : tensor<4x9xf32>) -> tensor<4x9xf32>
  %largest = linalg.generic {indexing_maps = [#all, #row], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%scores : tensor<4x9x7xf32>) outs(%least : tensor<4x9xf32>) {
  ^bb0(%x: f32, %out: f32):
    %most = arith.maximumf %out, %x : f32
    linalg.yield %most : f32
  } -> tensor<4x9xf32>
  %powers = linalg.generic {indexing_maps = [#all, #row, #all], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%scores, %largest : tensor<4x9x7xf32>, tensor<4x9xf32>) outs(%square : tensor<4x9x7xf32>) {
  ^bb0(%x: f32, %m: f32, %out: f32):
    %less = arith.subf %x, %m : f32
    %power = math.exp %less : f32
    linalg.yield %power : f32
  } -> tensor<4x9x7xf32>
  %firstsum = linalg.fill ins(%zero : f32) outs(%rows : tensor<4x9xf32>) -> tensor<4x9xf32>
  %sum = linalg.generic {indexing_maps = [#all, #row], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%powers : tensor<4x9x7xf32>) outs(%firstsum : tensor<4x9xf32>) {
  ^bb0(%x: f32, %out: f32):
    %more = arith.addf %out, %x : f32
    linalg.yield %more : f32
  } -> tensor<4x9xf32>
  %weights = linalg.generic {indexing_maps = [#all, #row, #row, #all], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%scores, %sum, %largest : tensor<4x9x7xf32>, tensor<4x9xf32>, tensor<4x9xf32>) outs(%square : tensor<4x9x7xf32>) {
  ^bb0(%x: f32, %y: f32, %m: f32, %out: f32):
    %two = arith.constant 2.0 : f32
    %log = math.log %y : f32
    %twice = arith.mulf %two, %log : f32
    %all = arith.addf %m, %twice : f32
    %less = arith.subf %x, %all : f32
    %z = math.exp %less : f32
    linalg.yield %z : f32
  } -> tensor<4x9x7xf32>
  %o = linalg.batch_matmul ins(%weights, %v : tensor<4x9x7xf32>, tensor<4x7x8xf32>) outs(%start : tensor<4x9x8xf32>) -> tensor<4x9x8xf32>
  return %o : tensor<4x9x8xf32>
}

// -----

#all = affine_map<(h, i, j) -> (h, i, j)>
#row = affine_map<(h, i, j) -> (h, i)>

// The largest score is taken off what is summed up alone.
// CHECK-LABEL: func.func @less_the_largest_once
// CHECK-NOT:     attn.generic
func.func @less_the_largest_once(%q: tensor<4x9x8xf32>, %k: tensor<4x7x8xf32>, %v: tensor<4x7x8xf32>) -> tensor<4x9x8xf32> {
  %zero = arith.constant 0.0 : f32
  %square = tensor.empty() : tensor<4x9x7xf32>
  %rows = tensor.empty() : tensor<4x9xf32>
  %long = tensor.empty() : tensor<4x9x8xf32>
  %zeros = linalg.fill ins(%zero : f32) outs(%square : tensor<4x9x7xf32>) -> tensor<4x9x7xf32>
  %start = linalg.fill ins(%zero : f32) outs(%long : tensor<4x9x8xf32>) -> tensor<4x9x8xf32>
  %scores = linalg.contract indexing_maps = [affine_map<(h, i, j, d) -> (h, i, d)>, affine_map<(h, i, j, d) -> (h, j, d)>, affine_map<(h, i, j, d) -> (h, i, j)>]
      ins(%q, %k : tensor<4x9x8xf32>, tensor<4x7x8xf32>) outs(%zeros : tensor<4x9x7xf32>) -> tensor<4x9x7xf32>
  %none = arith.constant 0xFF800000 : f32
  %least = linalg.fill ins(%none : f32) outs(%rows : tensor<4x9xf32>) -> tensor<4x9xf32>
  %largest = linalg.generic {indexing_maps = [#all, #row], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%scores : tensor<4x9x7xf32>) outs(%least : tensor<4x9xf32>) {
  ^bb0(%x: f32, %out: f32):
    %most = arith.maximumf %out, %x : f32
    linalg.yield %most : f32
  } -> tensor<4x9xf32>
  %powers = linalg.generic {indexing_maps = [#all, #row, #all], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%scores, %largest : tensor<4x9x7xf32>, tensor<4x9xf32>) outs(%square : tensor<4x9x7xf32>) {
  ^bb0(%x: f32, %m: f32, %out: f32):
    %less = arith.subf %x, %m : f32
    %power = math.exp %less : f32
    linalg.yield %power : f32
  } -> tensor<4x9x7xf32>
  %firstsum = linalg.fill ins(%zero : f32) outs(%rows : tensor<4x9xf32>) -> tensor<4x9xf32>
  %sum = linalg.generic {indexing_maps = [#all, #row], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%powers : tensor<4x9x7xf32>) outs(%firstsum : tensor<4x9xf32>) {
  ^bb0(%x: f32, %out: f32):
    %more = arith.addf %out, %x : f32
    linalg.yield %more : f32
  } -> tensor<4x9xf32>
  %weights = linalg.generic {indexing_maps = [#all, #row, #all], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%scores, %sum : tensor<4x9x7xf32>, tensor<4x9xf32>) outs(%square : tensor<4x9x7xf32>) {
  ^bb0(%x: f32, %y: f32, %out: f32):
    %log = math.log %y : f32
    %less = arith.subf %x, %log : f32
    %z = math.exp %less : f32
    linalg.yield %z : f32
  } -> tensor<4x9x7xf32>
  %o = linalg.batch_matmul ins(%weights, %v : tensor<4x9x7xf32>, tensor<4x7x8xf32>) outs(%start : tensor<4x9x8xf32>) -> tensor<4x9x8xf32>
  return %o : tensor<4x9x8xf32>
}
