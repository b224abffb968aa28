// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Components are combined; then heads are mixed.
//
// RUN: mixattn-opt --attn-raise-attention --canonicalize --split-input-file %s | FileCheck %s
// RUN: mixattn-opt --attn-raise-attention --split-input-file %s -o /dev/null \
// RUN:   --remarks-filter=attn-raise-attention --remark-format=emitRemark 2>&1 | FileCheck %s --check-prefix=SAID

// SAID: Reason="raised 1 of 1 attentions"
// SAID: Reason="attention not raised: components of mixed scores are combined"

#qk = [affine_map<(b, k, r, i, j, d) -> (b, k, i, d)>, affine_map<(b, k, r, i, j, d) -> (b, k, r, j, d)>, affine_map<(b, k, r, i, j, d) -> (b, k, r, i, j)>]
#each = affine_map<(b, k, r, i, j) -> (b, k, r, i, j)>
#sum = affine_map<(b, k, i, j, r) -> (b, k, r, i, j)>
#all = affine_map<(b, k, i, j, r) -> (b, k, i, j)>
#pair = affine_map<(b, h, i, j) -> (b, h, i, j)>
#mix = [affine_map<(b, h, i, j, k) -> (b, k, i, j)>, affine_map<(b, h, i, j, k) -> (k, h)>, affine_map<(b, h, i, j, k) -> (b, h, i, j)>]
#pv = [affine_map<(b, h, i, e, j) -> (b, h, i, j)>, affine_map<(b, h, i, e, j) -> (b, h, j, e)>, affine_map<(b, h, i, e, j) -> (b, h, i, e)>]

// The logarithm of a sum of exponentials over three keys a position; two heads
// of it are mixed to four, and a half of that is the score.
// CHECK-LABEL: func.func @mixed
// CHECK-SAME:    %[[Q:.+]]: tensor<2x2x9x8xf32>, %[[K:.+]]: tensor<2x2x3x7x8xf32>, %[[V:.+]]: tensor<2x4x7x8xf32>, %[[M:.+]]: tensor<2x4xf32>
// CHECK-NEXT:    %[[O:.+]] = attn.generic scores(%[[Q]], %[[K]] : {{.*}}) variances [1.000000e+00, 1.000000e+00, 1.000000e+00] premix(%[[M]] : tensor<2x4xf32>) scale 5.000000e-01 pool(%[[V]] :
// CHECK-NEXT:    return %[[O]]
func.func @mixed(%q: tensor<2x2x9x8xf32>, %k: tensor<2x2x3x7x8xf32>, %v: tensor<2x4x7x8xf32>, %m: tensor<2x4xf32>) -> tensor<2x4x9x8xf32> {
  %zero = arith.constant 0.0 : f32
  %apart = tensor.empty() : tensor<2x2x3x9x7xf32>
  %none = linalg.fill ins(%zero : f32) outs(%apart : tensor<2x2x3x9x7xf32>) -> tensor<2x2x3x9x7xf32>
  %products = linalg.contract indexing_maps = #qk ins(%q, %k : tensor<2x2x9x8xf32>, tensor<2x2x3x7x8xf32>) outs(%none : tensor<2x2x3x9x7xf32>) -> tensor<2x2x3x9x7xf32>
  %few = tensor.empty() : tensor<2x2x9x7xf32>
  %nothing = linalg.fill ins(%zero : f32) outs(%few : tensor<2x2x9x7xf32>) -> tensor<2x2x9x7xf32>
  %powers = linalg.generic {indexing_maps = [#sum, #all], iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction"]}
      ins(%products : tensor<2x2x3x9x7xf32>) outs(%nothing : tensor<2x2x9x7xf32>) {
  ^bb0(%x: f32, %out: f32):
    %power = math.exp %x : f32
    %more = arith.addf %out, %power : f32
    linalg.yield %more : f32
  } -> tensor<2x2x9x7xf32>
  %combined = linalg.generic {indexing_maps = [#pair, #pair], iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
      ins(%powers : tensor<2x2x9x7xf32>) outs(%few : tensor<2x2x9x7xf32>) {
  ^bb0(%x: f32, %out: f32):
    %log = math.log %x : f32
    linalg.yield %log : f32
  } -> tensor<2x2x9x7xf32>
  %square = tensor.empty() : tensor<2x4x9x7xf32>
  %zeros = linalg.fill ins(%zero : f32) outs(%square : tensor<2x4x9x7xf32>) -> tensor<2x4x9x7xf32>
  %mixed = linalg.contract indexing_maps = #mix ins(%combined, %m : tensor<2x2x9x7xf32>, tensor<2x4xf32>) outs(%zeros : tensor<2x4x9x7xf32>) -> tensor<2x4x9x7xf32>
  %scores = linalg.generic {indexing_maps = [#pair, #pair], iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
      ins(%mixed : tensor<2x4x9x7xf32>) outs(%square : tensor<2x4x9x7xf32>) {
  ^bb0(%x: f32, %out: f32):
    %half = arith.constant 0.5 : f32
    %score = arith.mulf %x, %half : f32
    linalg.yield %score : f32
  } -> tensor<2x4x9x7xf32>
  %weights = linalg.softmax dimension(3) ins(%scores : tensor<2x4x9x7xf32>) outs(%square : tensor<2x4x9x7xf32>) -> tensor<2x4x9x7xf32>
  %small = tensor.empty() : tensor<2x4x9x8xf32>
  %start = linalg.fill ins(%zero : f32) outs(%small : tensor<2x4x9x8xf32>) -> tensor<2x4x9x8xf32>
  %o = linalg.contract indexing_maps = #pv ins(%weights, %v : tensor<2x4x9x7xf32>, tensor<2x4x7x8xf32>) outs(%start : tensor<2x4x9x8xf32>) -> tensor<2x4x9x8xf32>
  return %o : tensor<2x4x9x8xf32>
}

// -----

#qk = [affine_map<(b, k, r, i, j, d) -> (b, k, i, d)>, affine_map<(b, k, r, i, j, d) -> (b, k, r, j, d)>, affine_map<(b, k, r, i, j, d) -> (b, k, r, i, j)>]
#mix = [affine_map<(b, h, r, i, j, k) -> (b, k, r, i, j)>, affine_map<(b, h, r, i, j, k) -> (k, h)>, affine_map<(b, h, r, i, j, k) -> (b, h, r, i, j)>]
#sum = affine_map<(b, h, i, j, r) -> (b, h, r, i, j)>
#all = affine_map<(b, h, i, j, r) -> (b, h, i, j)>
#pair = affine_map<(b, h, i, j) -> (b, h, i, j)>
#pv = [affine_map<(b, h, i, e, j) -> (b, h, i, j)>, affine_map<(b, h, i, e, j) -> (b, h, j, e)>, affine_map<(b, h, i, e, j) -> (b, h, i, e)>]

// Heads of each component are mixed before it is combined with others: no
// clause says that.
// CHECK-LABEL: func.func @mixed_before
// CHECK-NOT:     attn.generic
func.func @mixed_before(%q: tensor<2x2x9x8xf32>, %k: tensor<2x2x3x7x8xf32>, %v: tensor<2x4x7x8xf32>, %m: tensor<2x4xf32>) -> tensor<2x4x9x8xf32> {
  %zero = arith.constant 0.0 : f32
  %apart = tensor.empty() : tensor<2x2x3x9x7xf32>
  %none = linalg.fill ins(%zero : f32) outs(%apart : tensor<2x2x3x9x7xf32>) -> tensor<2x2x3x9x7xf32>
  %products = linalg.contract indexing_maps = #qk ins(%q, %k : tensor<2x2x9x8xf32>, tensor<2x2x3x7x8xf32>) outs(%none : tensor<2x2x3x9x7xf32>) -> tensor<2x2x3x9x7xf32>
  %many = tensor.empty() : tensor<2x4x3x9x7xf32>
  %nothing = linalg.fill ins(%zero : f32) outs(%many : tensor<2x4x3x9x7xf32>) -> tensor<2x4x3x9x7xf32>
  %mixed = linalg.contract indexing_maps = #mix ins(%products, %m : tensor<2x2x3x9x7xf32>, tensor<2x4xf32>) outs(%nothing : tensor<2x4x3x9x7xf32>) -> tensor<2x4x3x9x7xf32>
  %square = tensor.empty() : tensor<2x4x9x7xf32>
  %zeros = linalg.fill ins(%zero : f32) outs(%square : tensor<2x4x9x7xf32>) -> tensor<2x4x9x7xf32>
  %powers = linalg.generic {indexing_maps = [#sum, #all], iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction"]}
      ins(%mixed : tensor<2x4x3x9x7xf32>) outs(%zeros : tensor<2x4x9x7xf32>) {
  ^bb0(%x: f32, %out: f32):
    %power = math.exp %x : f32
    %more = arith.addf %out, %power : f32
    linalg.yield %more : f32
  } -> tensor<2x4x9x7xf32>
  %scores = linalg.generic {indexing_maps = [#pair, #pair], iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
      ins(%powers : tensor<2x4x9x7xf32>) outs(%square : tensor<2x4x9x7xf32>) {
  ^bb0(%x: f32, %out: f32):
    %log = math.log %x : f32
    linalg.yield %log : f32
  } -> tensor<2x4x9x7xf32>
  %weights = linalg.softmax dimension(3) ins(%scores : tensor<2x4x9x7xf32>) outs(%square : tensor<2x4x9x7xf32>) -> tensor<2x4x9x7xf32>
  %small = tensor.empty() : tensor<2x4x9x8xf32>
  %start = linalg.fill ins(%zero : f32) outs(%small : tensor<2x4x9x8xf32>) -> tensor<2x4x9x8xf32>
  %o = linalg.contract indexing_maps = #pv ins(%weights, %v : tensor<2x4x9x7xf32>, tensor<2x4x7x8xf32>) outs(%start : tensor<2x4x9x8xf32>) -> tensor<2x4x9x8xf32>
  return %o : tensor<2x4x9x8xf32>
}
