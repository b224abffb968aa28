// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Powers over their sum, or over a number where that is less.
//
// RUN: mixattn-opt --attn-raise-attention --canonicalize --split-input-file %s | FileCheck %s
// RUN: mixattn-opt --attn-raise-attention --split-input-file %s -o /dev/null \
// RUN:   --remarks-filter=attn-raise-attention --remark-format=emitRemark 2>&1 | FileCheck %s --check-prefix=SAID

// SAID: Reason="raised 1 of 1 attentions"
#all = affine_map<(h, i, j) -> (h, i, j)>
#row = affine_map<(h, i, j) -> (h, i)>

// The sum of powers, the largest of which is 1, is 1 at least.
// CHECK-LABEL: func.func @at_least_one
// CHECK:         attn.generic scores({{.*}}) scale 1.000000e+00 pool(
func.func @at_least_one(%q: tensor<4x9x8xf32>, %k: tensor<4x7x8xf32>, %v: tensor<4x7x8xf32>) -> tensor<4x9x8xf32> {
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
    %size = math.absf %x : f32
    %more = arith.addf %out, %size : f32
    linalg.yield %more : f32
  } -> tensor<4x9xf32>
  %weights = linalg.generic {indexing_maps = [#all, #row, #all], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%powers, %sum : tensor<4x9x7xf32>, tensor<4x9xf32>) outs(%square : tensor<4x9x7xf32>) {
  ^bb0(%x: f32, %y: f32, %out: f32):
    %least_ = arith.constant 1.0 : f32
    %all = arith.maximumf %y, %least_ : f32
    %z = arith.divf %x, %all : f32
    linalg.yield %z : f32
  } -> tensor<4x9x7xf32>
  %o = linalg.batch_matmul ins(%weights, %v : tensor<4x9x7xf32>, tensor<4x7x8xf32>) outs(%start : tensor<4x9x8xf32>) -> tensor<4x9x8xf32>
  return %o : tensor<4x9x8xf32>
}

// -----

// SAID: Reason="attention not raised: the sum of weights may be less than what they are divided by at least"
// SAID: Reason="raised 0 of 1 attentions"
#all = affine_map<(h, i, j) -> (h, i, j)>
#row = affine_map<(h, i, j) -> (h, i)>

// It may be less than 1.5.
// CHECK-LABEL: func.func @at_least_more
// CHECK-NOT:     attn.generic
func.func @at_least_more(%q: tensor<4x9x8xf32>, %k: tensor<4x7x8xf32>, %v: tensor<4x7x8xf32>) -> tensor<4x9x8xf32> {
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
      ins(%powers, %sum : tensor<4x9x7xf32>, tensor<4x9xf32>) outs(%square : tensor<4x9x7xf32>) {
  ^bb0(%x: f32, %y: f32, %out: f32):
    %least_ = arith.constant 1.5 : f32
    %all = arith.maximumf %y, %least_ : f32
    %z = arith.divf %x, %all : f32
    linalg.yield %z : f32
  } -> tensor<4x9x7xf32>
  %o = linalg.batch_matmul ins(%weights, %v : tensor<4x9x7xf32>, tensor<4x7x8xf32>) outs(%start : tensor<4x9x8xf32>) -> tensor<4x9x8xf32>
  return %o : tensor<4x9x8xf32>
}

// -----

// SAID: Reason="attention not raised: the sum of weights may be less than what they are divided by at least"
// SAID: Reason="raised 0 of 1 attentions"
#all = affine_map<(h, i, j) -> (h, i, j)>
#row = affine_map<(h, i, j) -> (h, i)>

// Powers of scores may be less than any number.
// CHECK-LABEL: func.func @at_least_little
// CHECK-NOT:     attn.generic
func.func @at_least_little(%q: tensor<4x9x8xf32>, %k: tensor<4x7x8xf32>, %v: tensor<4x7x8xf32>) -> tensor<4x9x8xf32> {
  %zero = arith.constant 0.0 : f32
  %square = tensor.empty() : tensor<4x9x7xf32>
  %rows = tensor.empty() : tensor<4x9xf32>
  %long = tensor.empty() : tensor<4x9x8xf32>
  %zeros = linalg.fill ins(%zero : f32) outs(%square : tensor<4x9x7xf32>) -> tensor<4x9x7xf32>
  %start = linalg.fill ins(%zero : f32) outs(%long : tensor<4x9x8xf32>) -> tensor<4x9x8xf32>
  %scores = linalg.contract indexing_maps = [affine_map<(h, i, j, d) -> (h, i, d)>, affine_map<(h, i, j, d) -> (h, j, d)>, affine_map<(h, i, j, d) -> (h, i, j)>]
      ins(%q, %k : tensor<4x9x8xf32>, tensor<4x7x8xf32>) outs(%zeros : tensor<4x9x7xf32>) -> tensor<4x9x7xf32>
  %powers = linalg.generic {indexing_maps = [#all, #all], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%scores : tensor<4x9x7xf32>) outs(%square : tensor<4x9x7xf32>) {
  ^bb0(%x: f32, %out: f32):
    %power = math.exp %x : f32
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
      ins(%powers, %sum : tensor<4x9x7xf32>, tensor<4x9xf32>) outs(%square : tensor<4x9x7xf32>) {
  ^bb0(%x: f32, %y: f32, %out: f32):
    %least_ = arith.constant 1.0e-12 : f32
    %all = arith.maximumf %y, %least_ : f32
    %z = arith.divf %x, %all : f32
    linalg.yield %z : f32
  } -> tensor<4x9x7xf32>
  %o = linalg.batch_matmul ins(%weights, %v : tensor<4x9x7xf32>, tensor<4x7x8xf32>) outs(%start : tensor<4x9x8xf32>) -> tensor<4x9x8xf32>
  return %o : tensor<4x9x8xf32>
}
