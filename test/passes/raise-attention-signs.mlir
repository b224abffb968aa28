// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Roots that are squared, and factors that have logarithms: of what is at least
// 0. A softmax that mixes heads is none of keys.
//
// RUN: mixattn-opt --attn-raise-attention --canonicalize --split-input-file %s | FileCheck %s
// RUN: mixattn-opt --attn-raise-attention --split-input-file %s -o /dev/null \
// RUN:   --remarks-filter=attn-raise-attention --remark-format=emitRemark 2>&1 | FileCheck %s --check-prefix=SAID

// SAID: Reason="raised 1 of 1 attentions"
// SAID: Reason="raised 1 of 1 attentions"
// SAID: Reason="attention not raised: the number of a query's features is open"
// SAID: Reason="attention not raised: queries and keys meet in several places"

#q = affine_map<(h, i, j, d) -> (h, i, d)>
#k = affine_map<(h, i, j, d) -> (h, j, d)>
#s = affine_map<(h, i, j, d) -> (h, i, j)>
#pair = affine_map<(h, i, j) -> (h, i, j)>

// exp(-|q - k|^2 / 2): the distance is a root, and -|k|^2 / 2 a term of keys.
// CHECK-LABEL: func.func @squared_root
// CHECK-NOT:     math.sqrt
// CHECK:         attn.generic scores({{.*}}) scale 1.000000e+00 bias({{.*}} : tensor<1x4x1x7xf32>) pool(
func.func @squared_root(%q: tensor<4x9x8xf32>, %k: tensor<4x7x8xf32>, %v: tensor<4x7x8xf32>) -> tensor<4x9x8xf32> {
  %zero = arith.constant 0.0 : f32
  %square = tensor.empty() : tensor<4x9x7xf32>
  %zeros = linalg.fill ins(%zero : f32) outs(%square : tensor<4x9x7xf32>) -> tensor<4x9x7xf32>
  %squares = linalg.generic {indexing_maps = [#q, #k, #s], iterator_types = ["parallel", "parallel", "parallel", "reduction"]}
      ins(%q, %k : tensor<4x9x8xf32>, tensor<4x7x8xf32>) outs(%zeros : tensor<4x9x7xf32>) {
  ^bb0(%x: f32, %y: f32, %out: f32):
    %apart = arith.subf %x, %y : f32
    %each = arith.mulf %apart, %apart : f32
    %sum = arith.addf %out, %each : f32
    linalg.yield %sum : f32
  } -> tensor<4x9x7xf32>
  %scores = linalg.generic {indexing_maps = [#pair, #pair], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%squares : tensor<4x9x7xf32>) outs(%square : tensor<4x9x7xf32>) {
  ^bb0(%x: f32, %out: f32):
    %minus = arith.constant -0.5 : f32
    %distance = math.sqrt %x : f32
    %again = arith.mulf %distance, %distance : f32
    %score = arith.mulf %again, %minus : f32
    linalg.yield %score : f32
  } -> tensor<4x9x7xf32>
  %weights = linalg.softmax dimension(2) ins(%scores : tensor<4x9x7xf32>) outs(%square : tensor<4x9x7xf32>) -> tensor<4x9x7xf32>
  %small = tensor.empty() : tensor<4x9x8xf32>
  %start = linalg.fill ins(%zero : f32) outs(%small : tensor<4x9x8xf32>) -> tensor<4x9x8xf32>
  %o = linalg.batch_matmul ins(%weights, %v : tensor<4x9x7xf32>, tensor<4x7x8xf32>) outs(%start : tensor<4x9x8xf32>) -> tensor<4x9x8xf32>
  return %o : tensor<4x9x8xf32>
}

// -----

// The mixer comes first, and is a softmax of parameters itself.
// CHECK-LABEL: func.func @softmax_mixer
// CHECK:         %[[M:.+]] = linalg.softmax
// CHECK:         attn.generic scores({{.*}}) {{.*}}mix({{.*}}) pool({{.*}})
// CHECK-NOT:     attn.generic
func.func @softmax_mixer(%q: tensor<4x9x8xf32>, %k: tensor<4x9x8xf32>, %v: tensor<4x9x8xf32>, %m: tensor<4x4xf32>) -> tensor<4x9x8xf32> {
  %zero = arith.constant 0.0 : f32
  %few = tensor.empty() : tensor<4x4xf32>
  %mixer = linalg.softmax dimension(1) ins(%m : tensor<4x4xf32>) outs(%few : tensor<4x4xf32>) -> tensor<4x4xf32>
  %square = tensor.empty() : tensor<4x9x9xf32>
  %zeros = linalg.fill ins(%zero : f32) outs(%square : tensor<4x9x9xf32>) -> tensor<4x9x9xf32>
  %scores = linalg.contract
      indexing_maps = [affine_map<(h, i, j, d) -> (h, i, d)>, affine_map<(h, i, j, d) -> (h, j, d)>, affine_map<(h, i, j, d) -> (h, i, j)>]
      ins(%q, %k : tensor<4x9x8xf32>, tensor<4x9x8xf32>) outs(%zeros : tensor<4x9x9xf32>) -> tensor<4x9x9xf32>
  %weights = linalg.softmax dimension(2) ins(%scores : tensor<4x9x9xf32>) outs(%square : tensor<4x9x9xf32>) -> tensor<4x9x9xf32>
  %mixed = linalg.contract
      indexing_maps = [affine_map<(h, i, j, g) -> (h, g)>, affine_map<(h, i, j, g) -> (g, i, j)>, affine_map<(h, i, j, g) -> (h, i, j)>]
      ins(%mixer, %weights : tensor<4x4xf32>, tensor<4x9x9xf32>) outs(%zeros : tensor<4x9x9xf32>) -> tensor<4x9x9xf32>
  %small = tensor.empty() : tensor<4x9x8xf32>
  %start = linalg.fill ins(%zero : f32) outs(%small : tensor<4x9x8xf32>) -> tensor<4x9x8xf32>
  %o = linalg.batch_matmul ins(%mixed, %v : tensor<4x9x9xf32>, tensor<4x9x8xf32>) outs(%start : tensor<4x9x8xf32>) -> tensor<4x9x8xf32>
  return %o : tensor<4x9x8xf32>
}

// -----

// Features attend to features, over rows whose number is open.
// CHECK-LABEL: func.func @covariance
// CHECK-NOT:     attn.generic
func.func @covariance(%q: tensor<4x8x?xf32>, %k: tensor<4x8x?xf32>, %v: tensor<4x8x?xf32>) -> tensor<4x8x?xf32> {
  %zero = arith.constant 0.0 : f32
  %two = arith.constant 2 : index
  %n = tensor.dim %q, %two : tensor<4x8x?xf32>
  %square = tensor.empty() : tensor<4x8x8xf32>
  %zeros = linalg.fill ins(%zero : f32) outs(%square : tensor<4x8x8xf32>) -> tensor<4x8x8xf32>
  %scores = linalg.contract
      indexing_maps = [affine_map<(h, i, j, d) -> (h, i, d)>, affine_map<(h, i, j, d) -> (h, j, d)>, affine_map<(h, i, j, d) -> (h, i, j)>]
      ins(%q, %k : tensor<4x8x?xf32>, tensor<4x8x?xf32>) outs(%zeros : tensor<4x8x8xf32>) -> tensor<4x8x8xf32>
  %weights = linalg.softmax dimension(2) ins(%scores : tensor<4x8x8xf32>) outs(%square : tensor<4x8x8xf32>) -> tensor<4x8x8xf32>
  %small = tensor.empty(%n) : tensor<4x8x?xf32>
  %start = linalg.fill ins(%zero : f32) outs(%small : tensor<4x8x?xf32>) -> tensor<4x8x?xf32>
  %o = linalg.batch_matmul ins(%weights, %v : tensor<4x8x8xf32>, tensor<4x8x?xf32>) outs(%start : tensor<4x8x?xf32>) -> tensor<4x8x?xf32>
  return %o : tensor<4x8x?xf32>
}

// -----

#q = affine_map<(h, i, j, d) -> (h, i, d)>
#k = affine_map<(h, i, j, d) -> (h, j, d)>
#s = affine_map<(h, i, j, d) -> (h, i, j)>
#pair = affine_map<(h, i, j) -> (h, i, j)>

// A product may be below 0, and then its root is no number: it stays.
// CHECK-LABEL: func.func @root_of_product
// CHECK-NOT:     attn.generic
// CHECK:         math.sqrt
// CHECK-NOT:     attn.generic
func.func @root_of_product(%q: tensor<4x9x8xf32>, %k: tensor<4x7x8xf32>, %v: tensor<4x7x8xf32>) -> tensor<4x9x8xf32> {
  %zero = arith.constant 0.0 : f32
  %square = tensor.empty() : tensor<4x9x7xf32>
  %zeros = linalg.fill ins(%zero : f32) outs(%square : tensor<4x9x7xf32>) -> tensor<4x9x7xf32>
  %products = linalg.contract indexing_maps = [#q, #k, #s] ins(%q, %k : tensor<4x9x8xf32>, tensor<4x7x8xf32>) outs(%zeros : tensor<4x9x7xf32>) -> tensor<4x9x7xf32>
  %scores = linalg.generic {indexing_maps = [#pair, #pair], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%products : tensor<4x9x7xf32>) outs(%square : tensor<4x9x7xf32>) {
  ^bb0(%x: f32, %out: f32):
    %root = math.sqrt %x : f32
    %score = arith.mulf %root, %root : f32
    linalg.yield %score : f32
  } -> tensor<4x9x7xf32>
  %weights = linalg.softmax dimension(2) ins(%scores : tensor<4x9x7xf32>) outs(%square : tensor<4x9x7xf32>) -> tensor<4x9x7xf32>
  %small = tensor.empty() : tensor<4x9x8xf32>
  %start = linalg.fill ins(%zero : f32) outs(%small : tensor<4x9x8xf32>) -> tensor<4x9x8xf32>
  %o = linalg.batch_matmul ins(%weights, %v : tensor<4x9x7xf32>, tensor<4x7x8xf32>) outs(%start : tensor<4x9x8xf32>) -> tensor<4x9x8xf32>
  return %o : tensor<4x9x8xf32>
}
