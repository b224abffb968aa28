// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Weights of bf16 that heads mix, with an offset for each: the sum of both products
// is f32, and where the graph rounds it to bf16 the attention gives bf16 itself.
//
// RUN: mixattn-opt --inline --attn-raise-attention --canonicalize %s | FileCheck %s

#each = affine_map<(b, h, i, j) -> (b, h, i, j)>
#head = affine_map<(b, h, i, j) -> (h)>
#qk = [affine_map<(b, h, i, j, d) -> (b, h, i, d)>, affine_map<(b, h, i, j, d) -> (b, h, j, d)>, affine_map<(b, h, i, j, d) -> (b, h, i, j)>]
#mix = [affine_map<(b, g, i, j, h) -> (b, h, i, j)>, affine_map<(b, g, i, j, h) -> (h, g)>, affine_map<(b, g, i, j, h) -> (b, g, i, j)>]
#pv = [affine_map<(b, h, i, d, j) -> (b, h, i, j)>, affine_map<(b, h, i, d, j) -> (b, h, j, d)>, affine_map<(b, h, i, d, j) -> (b, h, i, d)>]

// CHECK-LABEL: func.func @rounded
// CHECK:         attn.generic scores({{.*}}) scale 1.0{{.*}} postmix({{.*}}) pool({{.*}}bf16>) -> tensor<2x4x9x8xbf16>
func.func @rounded(%q: tensor<2x4x9x8xbf16>, %k: tensor<2x4x9x8xbf16>, %v: tensor<2x4x9x8xbf16>, %m: tensor<4x4xbf16>, %offset: tensor<4xbf16>) -> tensor<2x4x9x8xbf16> {
  %sum = func.call @pooled(%q, %k, %v, %m, %offset) : (tensor<2x4x9x8xbf16>, tensor<2x4x9x8xbf16>, tensor<2x4x9x8xbf16>, tensor<4x4xbf16>, tensor<4xbf16>) -> tensor<2x4x9x8xf32>
  %narrow = tensor.empty() : tensor<2x4x9x8xbf16>
  %o = linalg.generic {indexing_maps = [#each, #each], iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
      ins(%sum : tensor<2x4x9x8xf32>) outs(%narrow : tensor<2x4x9x8xbf16>) {
  ^bb0(%a: f32, %out: bf16):
    %r = arith.truncf %a : f32 to bf16
    linalg.yield %r : bf16
  } -> tensor<2x4x9x8xbf16>
  return %o : tensor<2x4x9x8xbf16>
}

// Not where the sum is read as f32.
// CHECK-LABEL: func.func @pooled
// CHECK:         attn.generic scores({{.*}}) scale 1.0{{.*}} postmix({{.*}}) pool({{.*}}bf16>) -> tensor<2x4x9x8xf32>
func.func @pooled(%q: tensor<2x4x9x8xbf16>, %k: tensor<2x4x9x8xbf16>, %v: tensor<2x4x9x8xbf16>, %m: tensor<4x4xbf16>, %offset: tensor<4xbf16>) -> tensor<2x4x9x8xf32> {
  %zero = arith.constant 0.0 : f32
  %square = tensor.empty() : tensor<2x4x9x9xf32>
  %zeros = linalg.fill ins(%zero : f32) outs(%square : tensor<2x4x9x9xf32>) -> tensor<2x4x9x9xf32>
  %scores = linalg.contract indexing_maps = #qk ins(%q, %k : tensor<2x4x9x8xbf16>, tensor<2x4x9x8xbf16>) outs(%zeros : tensor<2x4x9x9xf32>) -> tensor<2x4x9x9xf32>
  %weights = linalg.softmax dimension(3) ins(%scores : tensor<2x4x9x9xf32>) outs(%square : tensor<2x4x9x9xf32>) -> tensor<2x4x9x9xf32>
  %mixed = linalg.contract indexing_maps = #mix ins(%weights, %m : tensor<2x4x9x9xf32>, tensor<4x4xbf16>) outs(%zeros : tensor<2x4x9x9xf32>) -> tensor<2x4x9x9xf32>
  %shifted = linalg.generic {indexing_maps = [#each, #head, #each], iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
      ins(%mixed, %offset : tensor<2x4x9x9xf32>, tensor<4xbf16>) outs(%square : tensor<2x4x9x9xf32>) {
  ^bb0(%a: f32, %b: bf16, %out: f32):
    %wide = arith.extf %b : bf16 to f32
    %sum = arith.addf %a, %wide : f32
    linalg.yield %sum : f32
  } -> tensor<2x4x9x9xf32>
  %rows = tensor.empty() : tensor<2x4x9x8xf32>
  %start = linalg.fill ins(%zero : f32) outs(%rows : tensor<2x4x9x8xf32>) -> tensor<2x4x9x8xf32>
  %o = linalg.contract indexing_maps = #pv ins(%shifted, %v : tensor<2x4x9x9xf32>, tensor<2x4x9x8xbf16>) outs(%start : tensor<2x4x9x8xf32>) -> tensor<2x4x9x8xf32>
  return %o : tensor<2x4x9x8xf32>
}
