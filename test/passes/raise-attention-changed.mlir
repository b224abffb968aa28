// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A tensor of pairs is added after a soft cap.
//
// RUN: mixattn-opt --attn-raise-attention --canonicalize %s | FileCheck %s

#qk = [affine_map<(h, i, j, d) -> (h, i, d)>, affine_map<(h, i, j, d) -> (h, j, d)>, affine_map<(h, i, j, d) -> (h, i, j)>]
#each = affine_map<(h, i, j) -> (h, i, j)>

// The bias is read where it lies, at its three dims.
// CHECK-LABEL: func.func @capped
// CHECK-SAME:    %{{[^ ]+}}: tensor<4x9x8xf32>, %{{[^ ]+}}: tensor<4x7x8xf32>, %{{[^ ]+}}: tensor<4x7x8xf32>, %[[BIAS:[^ ]+]]: tensor<4x9x7xf32>)
// CHECK-NOT:     tensor.collapse_shape %[[BIAS]]
// CHECK:         attn.generic scores({{.*}}) scale 1.000000e+00 score_mod {
// CHECK-NEXT:    ^bb0(%[[S:.+]]: f32, %{{.+}}: index, %[[H:.+]]: index, %[[I:.+]]: index, %[[J:.+]]: index):
// CHECK-NEXT:      %[[CAPPED:.+]] = math.tanh %[[S]] : f32
// CHECK-NEXT:      %[[TERM:.+]] = tensor.extract %[[BIAS]][%[[H]], %[[I]], %[[J]]] : tensor<4x9x7xf32>
// CHECK-NEXT:      %[[SUM:.+]] = arith.addf %[[CAPPED]], %[[TERM]] : f32
// CHECK-NEXT:      attn.yield %[[SUM]] : f32
func.func @capped(%q: tensor<4x9x8xf32>, %k: tensor<4x7x8xf32>, %v: tensor<4x7x8xf32>, %bias: tensor<4x9x7xf32>) -> tensor<4x9x8xf32> {
  %zero = arith.constant 0.0 : f32
  %square = tensor.empty() : tensor<4x9x7xf32>
  %zeros = linalg.fill ins(%zero : f32) outs(%square : tensor<4x9x7xf32>) -> tensor<4x9x7xf32>
  %products = linalg.contract indexing_maps = #qk ins(%q, %k : tensor<4x9x8xf32>, tensor<4x7x8xf32>) outs(%zeros : tensor<4x9x7xf32>) -> tensor<4x9x7xf32>
  %scores = linalg.generic {indexing_maps = [#each, #each, #each], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%products, %bias : tensor<4x9x7xf32>, tensor<4x9x7xf32>) outs(%square : tensor<4x9x7xf32>) {
  ^bb0(%x: f32, %term: f32, %out: f32):
    %capped = math.tanh %x : f32
    %score = arith.addf %capped, %term : f32
    linalg.yield %score : f32
  } -> tensor<4x9x7xf32>
  %weights = linalg.softmax dimension(2) ins(%scores : tensor<4x9x7xf32>) outs(%square : tensor<4x9x7xf32>) -> tensor<4x9x7xf32>
  %small = tensor.empty() : tensor<4x9x8xf32>
  %start = linalg.fill ins(%zero : f32) outs(%small : tensor<4x9x8xf32>) -> tensor<4x9x8xf32>
  %o = linalg.batch_matmul ins(%weights, %v : tensor<4x9x7xf32>, tensor<4x7x8xf32>) outs(%start : tensor<4x9x8xf32>) -> tensor<4x9x8xf32>
  return %o : tensor<4x9x8xf32>
}
