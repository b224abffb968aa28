// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Factors on products of queries and keys of 16 bits: for a GPU, whose kernels read
// 16 bits alone, a score_mod has them; for a CPU queries do, in f32.
//
// RUN: mixattn-opt --attn-set-target='family=mma chip=sm_80' --attn-raise-attention --canonicalize --split-input-file --mlir-print-local-scope %s | FileCheck %s
// RUN: mixattn-opt --attn-raise-attention --canonicalize --split-input-file --mlir-print-local-scope %s | FileCheck %s --check-prefix=CPU

#each = affine_map<(b, h, i, j) -> (b, h, i, j)>
#head = affine_map<(b, h, i, j) -> (h)>
#pair = affine_map<(b, h, i, j) -> (h, i, j)>
#qk = [affine_map<(b, h, i, j, d) -> (b, h, i, d)>, affine_map<(b, h, i, j, d) -> (b, h, j, d)>, affine_map<(b, h, i, j, d) -> (b, h, i, j)>]
#pv = [affine_map<(b, h, i, d, j) -> (b, h, i, j)>, affine_map<(b, h, i, d, j) -> (b, h, j, d)>, affine_map<(b, h, i, d, j) -> (b, h, i, d)>]

// A scale for each head, as cosine attention has it, and what is added to scaled
// scores: a bias would be scaled, too.
// CHECK-LABEL: func.func @heads
// CHECK-SAME:    %[[Q:[^ ]+]]: tensor<2x4x9x8xbf16>, %[[K:[^ ]+]]: tensor<2x4x7x8xbf16>, %[[V:[^ ]+]]: tensor<2x4x7x8xbf16>, %[[SCALE:[^ ]+]]: tensor<4xf32>, %[[BIAS:[^ ]+]]: tensor<4x9x7xbf16>)
// CHECK:         %[[FACTOR:.+]] = linalg.generic {{.*}} ins(%[[SCALE]] : tensor<4xf32>)
// CHECK:           math.exp
// CHECK:         attn.generic scores(%[[Q]], %[[K]] : {{.*}}bf16>) scale 5.000000e-01 score_mod {
// CHECK-NEXT:    ^bb0(%[[S:.+]]: f32, %{{.+}}: index, %[[H:.+]]: index, %[[I:.+]]: index, %[[J:.+]]: index):
// CHECK-NEXT:      %[[TIMES:.+]] = tensor.extract %[[FACTOR]][%[[H]]] : tensor<4xf32>
// CHECK-NEXT:      %[[SCALED:.+]] = arith.mulf %[[S]], %[[TIMES]] : f32
// CHECK-NEXT:      %[[ADDED:.+]] = tensor.extract %[[BIAS]][%[[H]], %[[I]], %[[J]]] : tensor<4x9x7xbf16>
// CHECK-NEXT:      %[[TERM:.+]] = arith.extf %[[ADDED]] : bf16 to f32
// CHECK-NEXT:      %[[SUM:.+]] = arith.addf %[[SCALED]], %[[TERM]] : f32
// CHECK-NEXT:      attn.yield %[[SUM]] : f32
// CHECK-NEXT:    } pool(%[[V]] : {{.*}}
// CPU-LABEL: func.func @heads
// CPU:         attn.generic scores(%{{.+}}, %{{.+}} : tensor<2x4x9x8xf32>, tensor<2x4x7x8xf32>) scale 5.000000e-01 bias(%{{.+}} : tensor<1x4x9x7xbf16>) pool
func.func @heads(%q: tensor<2x4x9x8xbf16>, %k: tensor<2x4x7x8xbf16>, %v: tensor<2x4x7x8xbf16>, %scale: tensor<4xf32>, %bias: tensor<4x9x7xbf16>) -> tensor<2x4x9x8xbf16> {
  %zero = arith.constant 0.0 : f32
  %square = tensor.empty() : tensor<2x4x9x7xf32>
  %zeros = linalg.fill ins(%zero : f32) outs(%square : tensor<2x4x9x7xf32>) -> tensor<2x4x9x7xf32>
  %products = linalg.contract indexing_maps = #qk ins(%q, %k : tensor<2x4x9x8xbf16>, tensor<2x4x7x8xbf16>) outs(%zeros : tensor<2x4x9x7xf32>) -> tensor<2x4x9x7xf32>
  %scores = linalg.generic {indexing_maps = [#each, #head, #pair, #each], iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
      ins(%products, %scale, %bias : tensor<2x4x9x7xf32>, tensor<4xf32>, tensor<4x9x7xbf16>) outs(%square : tensor<2x4x9x7xf32>) {
  ^bb0(%x: f32, %logarithm: f32, %term: bf16, %out: f32):
    %half = arith.constant 0.5 : f32
    %factor = math.exp %logarithm : f32
    %halved = arith.mulf %x, %half : f32
    %scaled = arith.mulf %halved, %factor : f32
    %wide = arith.extf %term : bf16 to f32
    %score = arith.addf %scaled, %wide : f32
    linalg.yield %score : f32
  } -> tensor<2x4x9x7xf32>
  %weights = linalg.softmax dimension(3) ins(%scores : tensor<2x4x9x7xf32>) outs(%square : tensor<2x4x9x7xf32>) -> tensor<2x4x9x7xf32>
  %small = tensor.empty() : tensor<2x4x9x8xbf16>
  %none = arith.constant 0.0 : bf16
  %start = linalg.fill ins(%none : bf16) outs(%small : tensor<2x4x9x8xbf16>) -> tensor<2x4x9x8xbf16>
  %o = linalg.contract indexing_maps = #pv ins(%weights, %v : tensor<2x4x9x7xf32>, tensor<2x4x7x8xbf16>) outs(%start : tensor<2x4x9x8xbf16>) -> tensor<2x4x9x8xbf16>
  return %o : tensor<2x4x9x8xbf16>
}

// -----

#each = affine_map<(b, h, i, j) -> (b, h, i, j)>
#once = affine_map<(b, h, i, j) -> ()>
#query = affine_map<(b, h, i, j) -> (b, h, i)>
#key = affine_map<(b, h, i, j) -> (j)>
#same = affine_map<(b, h, i, d) -> (b, h, i, d)>
#qk = [affine_map<(b, h, i, j, d) -> (b, h, i, d)>, affine_map<(b, h, i, j, d) -> (b, h, j, d)>, affine_map<(b, h, i, j, d) -> (b, h, i, j)>]
#pv = [affine_map<(b, h, i, d, j) -> (b, h, i, j)>, affine_map<(b, h, i, d, j) -> (b, h, j, d)>, affine_map<(b, h, i, d, j) -> (b, h, i, d)>]

// A factor for all, one of queries and one of keys, before a soft cap. Queries and keys that are widened
// from 16 bits count as 16 bits.
// CHECK-LABEL: func.func @others
// CHECK:         attn.generic scores(%[[Q:.+]], %[[Q]] : tensor<2x4x9x8xf32>, tensor<2x4x9x8xf32>) scale 1.000000e+00 score_mod {
// CHECK-NEXT:    ^bb0(%[[S:.+]]: f32, %{{.+}}: index, %{{.+}}: index, %{{.+}}: index, %[[J:.+]]: index):
// CHECK-DAG:       tensor.extract %{{.+}}[] : tensor<f32>
// CHECK-DAG:       tensor.extract %{{.+}}[%{{.+}}, %{{.+}}, %{{.+}}] : tensor<2x4x9xbf16>
// CHECK-DAG:       tensor.extract %{{.+}}[%[[J]]] : tensor<9xf32>
// CHECK-COUNT-3:   arith.mulf
// CHECK-NEXT:      %[[CAPPED:.+]] = math.tanh
// CHECK-NEXT:      attn.yield %[[CAPPED]] : f32
// CPU-LABEL: func.func @others
// CPU:         attn.generic scores(%[[Q:.+]], %[[K:.+]] : tensor<2x4x9x8xf32>, tensor<2x4x9x8xf32>) scale 1.000000e+00 score_mod {
// CPU-NEXT:    ^bb0(%[[S:.+]]: f32, {{.*}}):
// CPU-NEXT:      %[[CAPPED:.+]] = math.tanh %[[S]]
// CPU-NEXT:      attn.yield %[[CAPPED]] : f32
func.func @others(%x: tensor<2x4x9x8xbf16>, %of_all: tensor<f32>, %of_query: tensor<2x4x9xbf16>, %of_key: tensor<9xf32>) -> tensor<2x4x9x8xf32> {
  %zero = arith.constant 0.0 : f32
  %square = tensor.empty() : tensor<2x4x9x9xf32>
  %zeros = linalg.fill ins(%zero : f32) outs(%square : tensor<2x4x9x9xf32>) -> tensor<2x4x9x9xf32>
  %small = tensor.empty() : tensor<2x4x9x8xf32>
  %wide = linalg.generic {indexing_maps = [#same, #same], iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
      ins(%x : tensor<2x4x9x8xbf16>) outs(%small : tensor<2x4x9x8xf32>) {
  ^bb0(%a: bf16, %out: f32):
    %w = arith.extf %a : bf16 to f32
    linalg.yield %w : f32
  } -> tensor<2x4x9x8xf32>
  %products = linalg.contract indexing_maps = #qk ins(%wide, %wide : tensor<2x4x9x8xf32>, tensor<2x4x9x8xf32>) outs(%zeros : tensor<2x4x9x9xf32>) -> tensor<2x4x9x9xf32>
  %scores = linalg.generic {indexing_maps = [#each, #once, #query, #key, #each], iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
      ins(%products, %of_all, %of_query, %of_key : tensor<2x4x9x9xf32>, tensor<f32>, tensor<2x4x9xbf16>, tensor<9xf32>) outs(%square : tensor<2x4x9x9xf32>) {
  ^bb0(%a: f32, %all: f32, %query: bf16, %key: f32, %out: f32):
    %first = arith.mulf %a, %all : f32
    %w = arith.extf %query : bf16 to f32
    %second = arith.mulf %first, %w : f32
    %third = arith.mulf %second, %key : f32
    %capped = math.tanh %third : f32
    linalg.yield %capped : f32
  } -> tensor<2x4x9x9xf32>
  %weights = linalg.softmax dimension(3) ins(%scores : tensor<2x4x9x9xf32>) outs(%square : tensor<2x4x9x9xf32>) -> tensor<2x4x9x9xf32>
  %start = linalg.fill ins(%zero : f32) outs(%small : tensor<2x4x9x8xf32>) -> tensor<2x4x9x8xf32>
  %o = linalg.contract indexing_maps = #pv ins(%weights, %wide : tensor<2x4x9x9xf32>, tensor<2x4x9x8xf32>) outs(%start : tensor<2x4x9x8xf32>) -> tensor<2x4x9x8xf32>
  return %o : tensor<2x4x9x8xf32>
}

// -----

#each = affine_map<(h, i, j) -> (h, i, j)>
#head = affine_map<(h, i, j) -> (h)>
#qk = [affine_map<(h, i, j, d) -> (h, i, d)>, affine_map<(h, i, j, d) -> (h, j, d)>, affine_map<(h, i, j, d) -> (h, i, j)>]
#pv = [affine_map<(h, i, d, j) -> (h, i, j)>, affine_map<(h, i, d, j) -> (h, j, d)>, affine_map<(h, i, d, j) -> (h, i, d)>]

// Numbers of f32, and of two types, stay with the queries.
// CHECK-LABEL: func.func @wide
// CHECK:         attn.generic scores({{.*}}) scale 1.000000e+00 pool
// CHECK-LABEL: func.func @mixed
// CHECK:         attn.generic scores({{.*}}) scale 1.000000e+00 pool
func.func @wide(%q: tensor<4x9x8xf32>, %k: tensor<4x7x8xf32>, %scale: tensor<4xf32>) -> tensor<4x9x8xf32> {
  %zero = arith.constant 0.0 : f32
  %square = tensor.empty() : tensor<4x9x7xf32>
  %zeros = linalg.fill ins(%zero : f32) outs(%square : tensor<4x9x7xf32>) -> tensor<4x9x7xf32>
  %products = linalg.contract indexing_maps = #qk ins(%q, %k : tensor<4x9x8xf32>, tensor<4x7x8xf32>) outs(%zeros : tensor<4x9x7xf32>) -> tensor<4x9x7xf32>
  %scores = linalg.generic {indexing_maps = [#each, #head, #each], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%products, %scale : tensor<4x9x7xf32>, tensor<4xf32>) outs(%square : tensor<4x9x7xf32>) {
  ^bb0(%x: f32, %factor: f32, %out: f32):
    %score = arith.mulf %x, %factor : f32
    linalg.yield %score : f32
  } -> tensor<4x9x7xf32>
  %weights = linalg.softmax dimension(2) ins(%scores : tensor<4x9x7xf32>) outs(%square : tensor<4x9x7xf32>) -> tensor<4x9x7xf32>
  %small = tensor.empty() : tensor<4x9x8xf32>
  %start = linalg.fill ins(%zero : f32) outs(%small : tensor<4x9x8xf32>) -> tensor<4x9x8xf32>
  %o = linalg.contract indexing_maps = #pv ins(%weights, %k : tensor<4x9x7xf32>, tensor<4x7x8xf32>) outs(%start : tensor<4x9x8xf32>) -> tensor<4x9x8xf32>
  return %o : tensor<4x9x8xf32>
}

func.func @mixed(%q: tensor<4x9x8xbf16>, %k: tensor<4x7x8xf16>, %scale: tensor<4xf32>) -> tensor<4x9x8xf32> {
  %zero = arith.constant 0.0 : f32
  %square = tensor.empty() : tensor<4x9x7xf32>
  %zeros = linalg.fill ins(%zero : f32) outs(%square : tensor<4x9x7xf32>) -> tensor<4x9x7xf32>
  %products = linalg.contract indexing_maps = #qk ins(%q, %k : tensor<4x9x8xbf16>, tensor<4x7x8xf16>) outs(%zeros : tensor<4x9x7xf32>) -> tensor<4x9x7xf32>
  %scores = linalg.generic {indexing_maps = [#each, #head, #each], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%products, %scale : tensor<4x9x7xf32>, tensor<4xf32>) outs(%square : tensor<4x9x7xf32>) {
  ^bb0(%x: f32, %factor: f32, %out: f32):
    %score = arith.mulf %x, %factor : f32
    linalg.yield %score : f32
  } -> tensor<4x9x7xf32>
  %weights = linalg.softmax dimension(2) ins(%scores : tensor<4x9x7xf32>) outs(%square : tensor<4x9x7xf32>) -> tensor<4x9x7xf32>
  %small = tensor.empty() : tensor<4x9x8xf32>
  %start = linalg.fill ins(%zero : f32) outs(%small : tensor<4x9x8xf32>) -> tensor<4x9x8xf32>
  %o = linalg.contract indexing_maps = #pv ins(%weights, %k : tensor<4x9x7xf32>, tensor<4x7x8xf16>) outs(%start : tensor<4x9x8xf32>) -> tensor<4x9x8xf32>
  return %o : tensor<4x9x8xf32>
}

// -----

#each = affine_map<(h, i, j) -> (h, i, j)>
#head = affine_map<(h, i, j) -> (h)>
#same = affine_map<(h, i, d) -> (h, i, d)>
#feature = affine_map<(h, i, d) -> (d)>
#qk = [affine_map<(h, i, j, d) -> (h, i, d)>, affine_map<(h, i, j, d) -> (h, j, d)>, affine_map<(h, i, j, d) -> (h, i, j)>]
#pv = [affine_map<(h, i, d, j) -> (h, i, j)>, affine_map<(h, i, d, j) -> (h, j, d)>, affine_map<(h, i, d, j) -> (h, i, d)>]

// A factor of one product of two is none of their sum, and one of features is none of scores.
// CHECK-LABEL: func.func @of_one_product
// CHECK-NOT:     score_mod
// CHECK:         attn.generic
// CHECK-NOT:     score_mod
// CHECK-LABEL: func.func @of_features
// CHECK-NOT:     score_mod
// CHECK:         attn.generic
// CHECK-NOT:     score_mod
func.func @of_one_product(%q: tensor<4x9x8xbf16>, %k: tensor<4x7x8xbf16>, %p: tensor<4x9x8xbf16>, %l: tensor<4x7x8xbf16>, %scale: tensor<4xf32>) -> tensor<4x9x8xf32> {
  %zero = arith.constant 0.0 : f32
  %square = tensor.empty() : tensor<4x9x7xf32>
  %zeros = linalg.fill ins(%zero : f32) outs(%square : tensor<4x9x7xf32>) -> tensor<4x9x7xf32>
  %products = linalg.contract indexing_maps = #qk ins(%q, %k : tensor<4x9x8xbf16>, tensor<4x7x8xbf16>) outs(%zeros : tensor<4x9x7xf32>) -> tensor<4x9x7xf32>
  %others = linalg.contract indexing_maps = #qk ins(%p, %l : tensor<4x9x8xbf16>, tensor<4x7x8xbf16>) outs(%zeros : tensor<4x9x7xf32>) -> tensor<4x9x7xf32>
  %scores = linalg.generic {indexing_maps = [#each, #each, #head, #each], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%products, %others, %scale : tensor<4x9x7xf32>, tensor<4x9x7xf32>, tensor<4xf32>) outs(%square : tensor<4x9x7xf32>) {
  ^bb0(%x: f32, %y: f32, %factor: f32, %out: f32):
    %scaled = arith.mulf %x, %factor : f32
    %score = arith.addf %scaled, %y : f32
    linalg.yield %score : f32
  } -> tensor<4x9x7xf32>
  %weights = linalg.softmax dimension(2) ins(%scores : tensor<4x9x7xf32>) outs(%square : tensor<4x9x7xf32>) -> tensor<4x9x7xf32>
  %small = tensor.empty() : tensor<4x9x8xf32>
  %start = linalg.fill ins(%zero : f32) outs(%small : tensor<4x9x8xf32>) -> tensor<4x9x8xf32>
  %o = linalg.contract indexing_maps = #pv ins(%weights, %k : tensor<4x9x7xf32>, tensor<4x7x8xbf16>) outs(%start : tensor<4x9x8xf32>) -> tensor<4x9x8xf32>
  return %o : tensor<4x9x8xf32>
}

func.func @of_features(%q: tensor<4x9x8xbf16>, %k: tensor<4x7x8xbf16>, %gain: tensor<8xf32>, %scale: tensor<4xf32>) -> tensor<4x9x8xf32> {
  %zero = arith.constant 0.0 : f32
  %square = tensor.empty() : tensor<4x9x7xf32>
  %small = tensor.empty() : tensor<4x9x8xf32>
  %gained = linalg.generic {indexing_maps = [#same, #feature, #same], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%q, %gain : tensor<4x9x8xbf16>, tensor<8xf32>) outs(%small : tensor<4x9x8xf32>) {
  ^bb0(%x: bf16, %factor: f32, %out: f32):
    %wide = arith.extf %x : bf16 to f32
    %times = arith.mulf %wide, %factor : f32
    linalg.yield %times : f32
  } -> tensor<4x9x8xf32>
  %zeros = linalg.fill ins(%zero : f32) outs(%square : tensor<4x9x7xf32>) -> tensor<4x9x7xf32>
  %products = linalg.contract indexing_maps = #qk ins(%gained, %k : tensor<4x9x8xf32>, tensor<4x7x8xbf16>) outs(%zeros : tensor<4x9x7xf32>) -> tensor<4x9x7xf32>
  %scores = linalg.generic {indexing_maps = [#each, #head, #each], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%products, %scale : tensor<4x9x7xf32>, tensor<4xf32>) outs(%square : tensor<4x9x7xf32>) {
  ^bb0(%x: f32, %factor: f32, %out: f32):
    %score = arith.mulf %x, %factor : f32
    linalg.yield %score : f32
  } -> tensor<4x9x7xf32>
  %weights = linalg.softmax dimension(2) ins(%scores : tensor<4x9x7xf32>) outs(%square : tensor<4x9x7xf32>) -> tensor<4x9x7xf32>
  %start = linalg.fill ins(%zero : f32) outs(%small : tensor<4x9x8xf32>) -> tensor<4x9x8xf32>
  %o = linalg.contract indexing_maps = #pv ins(%weights, %k : tensor<4x9x7xf32>, tensor<4x7x8xbf16>) outs(%start : tensor<4x9x8xf32>) -> tensor<4x9x8xf32>
  return %o : tensor<4x9x8xf32>
}
