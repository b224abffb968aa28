// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Zeros in place of the weights of a row whose largest score is -inf, as ONNX's
// Attention has them.
//
// RUN: mixattn-opt --attn-raise-attention --canonicalize --split-input-file %s | FileCheck %s
// RUN: mixattn-opt --attn-raise-attention --split-input-file %s -o /dev/null \
// RUN:   --remarks-filter=attn-raise-attention --remark-format=emitRemark 2>&1 | FileCheck %s --check-prefix=SAID

// SAID: Reason="raised 1 of 1 attentions"
// SAID: Reason="raised 1 of 1 attentions"
// SAID: Reason="raised 1 of 1 attentions"

#all = affine_map<(b, h, i, j) -> (b, h, i, j)>
#row = affine_map<(b, h, i, j) -> (b, h, i)>

// CHECK-LABEL: func.func @largest_score
// CHECK-SAME:    %[[Q:.+]]: tensor<2x4x9x8xf32>, %[[K:.+]]: tensor<2x4x7x8xf32>, %[[V:.+]]: tensor<2x4x7x8xf32>, %[[SEEN:.+]]: tensor<2x4x9x7xi1>
// CHECK-NEXT:    %[[O:.+]] = attn.generic scores(%[[Q]], %[[K]] : {{.*}}) scale 1.000000e+00 mask(%[[SEEN]] : {{.*}}) pool(%[[V]] :
// CHECK-NEXT:    return %[[O]]
func.func @largest_score(%q: tensor<2x4x9x8xf32>, %k: tensor<2x4x7x8xf32>, %v: tensor<2x4x7x8xf32>, %seen: tensor<2x4x9x7xi1>) -> tensor<2x4x9x8xf32> {
  %zero = arith.constant 0.0 : f32
  %none = arith.constant 0xFF800000 : f32
  %square = tensor.empty() : tensor<2x4x9x7xf32>
  %zeros = linalg.fill ins(%zero : f32) outs(%square : tensor<2x4x9x7xf32>) -> tensor<2x4x9x7xf32>
  %products = linalg.contract indexing_maps = [affine_map<(b, h, i, j, d) -> (b, h, i, d)>, affine_map<(b, h, i, j, d) -> (b, h, j, d)>, affine_map<(b, h, i, j, d) -> (b, h, i, j)>]
      ins(%q, %k : tensor<2x4x9x8xf32>, tensor<2x4x7x8xf32>) outs(%zeros : tensor<2x4x9x7xf32>) -> tensor<2x4x9x7xf32>
  %scores = linalg.generic {indexing_maps = [#all, #all, #all], iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
      ins(%seen, %products : tensor<2x4x9x7xi1>, tensor<2x4x9x7xf32>) outs(%square : tensor<2x4x9x7xf32>) {
  ^bb0(%is: i1, %x: f32, %out: f32):
    %score = arith.select %is, %x, %none : f32
    linalg.yield %score : f32
  } -> tensor<2x4x9x7xf32>
  %weights = linalg.softmax dimension(3) ins(%scores : tensor<2x4x9x7xf32>) outs(%square : tensor<2x4x9x7xf32>) -> tensor<2x4x9x7xf32>
  %rows = tensor.empty() : tensor<2x4x9xf32>
  %least = linalg.fill ins(%none : f32) outs(%rows : tensor<2x4x9xf32>) -> tensor<2x4x9xf32>
  %largest = linalg.generic {indexing_maps = [#all, #row], iterator_types = ["parallel", "parallel", "parallel", "reduction"]}
      ins(%scores : tensor<2x4x9x7xf32>) outs(%least : tensor<2x4x9xf32>) {
  ^bb0(%x: f32, %out: f32):
    %more = arith.maximumf %out, %x : f32
    linalg.yield %more : f32
  } -> tensor<2x4x9xf32>
  %known = linalg.generic {indexing_maps = [#all, #row, #all], iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
      ins(%weights, %largest : tensor<2x4x9x7xf32>, tensor<2x4x9xf32>) outs(%square : tensor<2x4x9x7xf32>) {
  ^bb0(%x: f32, %most: f32, %out: f32):
    %unseen = arith.cmpf oeq, %most, %none : f32
    %weight = arith.select %unseen, %zero, %x : f32
    linalg.yield %weight : f32
  } -> tensor<2x4x9x7xf32>
  %long = tensor.empty() : tensor<2x4x9x8xf32>
  %start = linalg.fill ins(%zero : f32) outs(%long : tensor<2x4x9x8xf32>) -> tensor<2x4x9x8xf32>
  %o = linalg.contract indexing_maps = [affine_map<(b, h, i, e, j) -> (b, h, i, j)>, affine_map<(b, h, i, e, j) -> (b, h, j, e)>, affine_map<(b, h, i, e, j) -> (b, h, i, e)>]
      ins(%known, %v : tensor<2x4x9x7xf32>, tensor<2x4x7x8xf32>) outs(%start : tensor<2x4x9x8xf32>) -> tensor<2x4x9x8xf32>
  return %o : tensor<2x4x9x8xf32>
}

// -----

#all = affine_map<(b, h, i, j) -> (b, h, i, j)>
#row = affine_map<(b, h, i, j) -> (b, h, i)>

// The largest product, which a mask does not lower, says nothing of the row's
// scores: the result's rows are chosen.
// CHECK-LABEL: func.func @largest_product
// CHECK:         %[[LARGEST:.+]] = linalg.generic
// CHECK:           arith.maximumf
// CHECK:         %[[O:.+]] = attn.generic scores({{.*}}) scale 1.000000e+00 mask(
// CHECK:         linalg.generic {{.*}} ins(%[[LARGEST]], %[[O]] :
// CHECK:           %[[UNSEEN:.+]] = arith.cmpf oeq, %{{.+}}, %{{.+}} : f32
// CHECK-NEXT:      arith.select %[[UNSEEN]], %{{.+}}, %{{.+}} : f32
func.func @largest_product(%q: tensor<2x4x9x8xf32>, %k: tensor<2x4x7x8xf32>, %v: tensor<2x4x7x8xf32>, %seen: tensor<2x4x9x7xi1>) -> tensor<2x4x9x8xf32> {
  %zero = arith.constant 0.0 : f32
  %none = arith.constant 0xFF800000 : f32
  %square = tensor.empty() : tensor<2x4x9x7xf32>
  %zeros = linalg.fill ins(%zero : f32) outs(%square : tensor<2x4x9x7xf32>) -> tensor<2x4x9x7xf32>
  %products = linalg.contract indexing_maps = [affine_map<(b, h, i, j, d) -> (b, h, i, d)>, affine_map<(b, h, i, j, d) -> (b, h, j, d)>, affine_map<(b, h, i, j, d) -> (b, h, i, j)>]
      ins(%q, %k : tensor<2x4x9x8xf32>, tensor<2x4x7x8xf32>) outs(%zeros : tensor<2x4x9x7xf32>) -> tensor<2x4x9x7xf32>
  %scores = linalg.generic {indexing_maps = [#all, #all, #all], iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
      ins(%seen, %products : tensor<2x4x9x7xi1>, tensor<2x4x9x7xf32>) outs(%square : tensor<2x4x9x7xf32>) {
  ^bb0(%is: i1, %x: f32, %out: f32):
    %score = arith.select %is, %x, %none : f32
    linalg.yield %score : f32
  } -> tensor<2x4x9x7xf32>
  %weights = linalg.softmax dimension(3) ins(%scores : tensor<2x4x9x7xf32>) outs(%square : tensor<2x4x9x7xf32>) -> tensor<2x4x9x7xf32>
  %rows = tensor.empty() : tensor<2x4x9xf32>
  %least = linalg.fill ins(%none : f32) outs(%rows : tensor<2x4x9xf32>) -> tensor<2x4x9xf32>
  %largest = linalg.generic {indexing_maps = [#all, #row], iterator_types = ["parallel", "parallel", "parallel", "reduction"]}
      ins(%products : tensor<2x4x9x7xf32>) outs(%least : tensor<2x4x9xf32>) {
  ^bb0(%x: f32, %out: f32):
    %more = arith.maximumf %out, %x : f32
    linalg.yield %more : f32
  } -> tensor<2x4x9xf32>
  %known = linalg.generic {indexing_maps = [#all, #row, #all], iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
      ins(%weights, %largest : tensor<2x4x9x7xf32>, tensor<2x4x9xf32>) outs(%square : tensor<2x4x9x7xf32>) {
  ^bb0(%x: f32, %most: f32, %out: f32):
    %unseen = arith.cmpf oeq, %most, %none : f32
    %weight = arith.select %unseen, %zero, %x : f32
    linalg.yield %weight : f32
  } -> tensor<2x4x9x7xf32>
  %long = tensor.empty() : tensor<2x4x9x8xf32>
  %start = linalg.fill ins(%zero : f32) outs(%long : tensor<2x4x9x8xf32>) -> tensor<2x4x9x8xf32>
  %o = linalg.contract indexing_maps = [affine_map<(b, h, i, e, j) -> (b, h, i, j)>, affine_map<(b, h, i, e, j) -> (b, h, j, e)>, affine_map<(b, h, i, e, j) -> (b, h, i, e)>]
      ins(%known, %v : tensor<2x4x9x7xf32>, tensor<2x4x7x8xf32>) outs(%start : tensor<2x4x9x8xf32>) -> tensor<2x4x9x8xf32>
  return %o : tensor<2x4x9x8xf32>
}

// -----

#all = affine_map<(b, h, i, j) -> (b, h, i, j)>
#row = affine_map<(b, h, i, j) -> (b, h, i)>

// A bias of scores, as ONNX's Attention is expanded.
// CHECK-LABEL: func.func @largest_bias
// CHECK-SAME:    %[[Q:.+]]: tensor<2x4x9x8xf32>, %[[K:.+]]: tensor<2x4x7x8xf32>, %[[V:.+]]: tensor<2x4x7x8xf32>, %[[BIAS:.+]]: tensor<2x4x9x7xf32>
// CHECK-NEXT:    %[[O:.+]] = attn.generic scores(%[[Q]], %[[K]] : {{.*}}) scale 1.000000e+00 bias(%[[BIAS]] : {{.*}}) pool(%[[V]] :
// CHECK-NEXT:    return %[[O]]
func.func @largest_bias(%q: tensor<2x4x9x8xf32>, %k: tensor<2x4x7x8xf32>, %v: tensor<2x4x7x8xf32>, %bias: tensor<2x4x9x7xf32>) -> tensor<2x4x9x8xf32> {
  %zero = arith.constant 0.0 : f32
  %none = arith.constant 0xFF800000 : f32
  %square = tensor.empty() : tensor<2x4x9x7xf32>
  %zeros = linalg.fill ins(%zero : f32) outs(%square : tensor<2x4x9x7xf32>) -> tensor<2x4x9x7xf32>
  %products = linalg.contract indexing_maps = [affine_map<(b, h, i, j, d) -> (b, h, i, d)>, affine_map<(b, h, i, j, d) -> (b, h, j, d)>, affine_map<(b, h, i, j, d) -> (b, h, i, j)>]
      ins(%q, %k : tensor<2x4x9x8xf32>, tensor<2x4x7x8xf32>) outs(%zeros : tensor<2x4x9x7xf32>) -> tensor<2x4x9x7xf32>
  %scores = linalg.generic {indexing_maps = [#all, #all, #all], iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
      ins(%bias, %products : tensor<2x4x9x7xf32>, tensor<2x4x9x7xf32>) outs(%square : tensor<2x4x9x7xf32>) {
  ^bb0(%y: f32, %x: f32, %out: f32):
    %score = arith.addf %x, %y : f32
    linalg.yield %score : f32
  } -> tensor<2x4x9x7xf32>
  %weights = linalg.softmax dimension(3) ins(%scores : tensor<2x4x9x7xf32>) outs(%square : tensor<2x4x9x7xf32>) -> tensor<2x4x9x7xf32>
  %rows = tensor.empty() : tensor<2x4x9xf32>
  %least = linalg.fill ins(%none : f32) outs(%rows : tensor<2x4x9xf32>) -> tensor<2x4x9xf32>
  %largest = linalg.generic {indexing_maps = [#all, #row], iterator_types = ["parallel", "parallel", "parallel", "reduction"]}
      ins(%bias : tensor<2x4x9x7xf32>) outs(%least : tensor<2x4x9xf32>) {
  ^bb0(%x: f32, %out: f32):
    %more = arith.maximumf %out, %x : f32
    linalg.yield %more : f32
  } -> tensor<2x4x9xf32>
  %known = linalg.generic {indexing_maps = [#all, #row, #all], iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
      ins(%weights, %largest : tensor<2x4x9x7xf32>, tensor<2x4x9xf32>) outs(%square : tensor<2x4x9x7xf32>) {
  ^bb0(%x: f32, %most: f32, %out: f32):
    %unseen = arith.cmpf oeq, %most, %none : f32
    %weight = arith.select %unseen, %zero, %x : f32
    linalg.yield %weight : f32
  } -> tensor<2x4x9x7xf32>
  %long = tensor.empty() : tensor<2x4x9x8xf32>
  %start = linalg.fill ins(%zero : f32) outs(%long : tensor<2x4x9x8xf32>) -> tensor<2x4x9x8xf32>
  %o = linalg.contract indexing_maps = [affine_map<(b, h, i, e, j) -> (b, h, i, j)>, affine_map<(b, h, i, e, j) -> (b, h, j, e)>, affine_map<(b, h, i, e, j) -> (b, h, i, e)>]
      ins(%known, %v : tensor<2x4x9x7xf32>, tensor<2x4x7x8xf32>) outs(%start : tensor<2x4x9x8xf32>) -> tensor<2x4x9x8xf32>
  return %o : tensor<2x4x9x8xf32>
}
