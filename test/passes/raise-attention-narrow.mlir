// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Attention in floats of 16 and of 64 bits.
//
// RUN: mixattn-opt --attn-raise-attention --canonicalize --split-input-file %s | FileCheck %s
// RUN: mixattn-opt --attn-raise-attention --split-input-file %s -o /dev/null \
// RUN:   --remarks-filter=attn-raise-attention --remark-format=emitRemark 2>&1 | FileCheck %s --check-prefix=SAID

// SAID: Reason="raised 1 of 1 attentions"
// SAID: Reason="raised 1 of 1 attentions"
// SAID: Reason="attention not raised: weights are of 64 bits, and are computed in 32"
// SAID: Reason="raised 0 of 1 attentions"

#qk = [affine_map<(b, h, i, j, d) -> (b, h, i, d)>, affine_map<(b, h, i, j, d) -> (b, h, j, d)>, affine_map<(b, h, i, j, d) -> (b, h, i, j)>]
#pv = [affine_map<(b, h, i, e, j) -> (b, h, i, j)>, affine_map<(b, h, i, e, j) -> (b, h, j, e)>, affine_map<(b, h, i, e, j) -> (b, h, i, e)>]
#each = affine_map<(b, h, i, j) -> (b, h, i, j)>

// A term of 16 bits is computed in f32; rows that see no key have zeros.
// CHECK-LABEL: func.func @chosen
// CHECK-SAME:    %[[Q:.+]]: tensor<2x4x9x8xf16>, %[[K:.+]]: tensor<2x4x7x8xf16>, %[[V:.+]]: tensor<2x4x7x8xf16>
// CHECK:         attn.generic scores(%[[Q]], %[[K]] : {{.*}}) scale 1.000000e+00 score_mod {
// CHECK-NEXT:    ^bb0(%[[S:.+]]: f32, %{{.+}}: index, %{{.+}}: index, %[[I:.+]]: index, %[[J:.+]]: index):
// CHECK-NEXT:      %[[LATER:.+]] = arith.cmpi sgt, %[[J]], %[[I]] : index
// CHECK-NEXT:      %[[TERM:.+]] = arith.select %[[LATER]], %{{.+}}, %{{.+}} : f32
// CHECK-NEXT:      %[[SUM:.+]] = arith.addf %[[S]], %[[TERM]] : f32
// CHECK-NEXT:      attn.yield %[[SUM]] : f32
// CHECK-NEXT:    } pool(%[[V]] : tensor<2x4x7x8xf16>) -> tensor<2x4x9x8xf16>
func.func @chosen(%q: tensor<2x4x9x8xf16>, %k: tensor<2x4x7x8xf16>, %v: tensor<2x4x7x8xf16>) -> tensor<2x4x9x8xf16> {
  %zero = arith.constant 0.0 : f16
  %square = tensor.empty() : tensor<2x4x9x7xf16>
  %zeros = linalg.fill ins(%zero : f16) outs(%square : tensor<2x4x9x7xf16>) -> tensor<2x4x9x7xf16>
  %products = linalg.contract indexing_maps = #qk ins(%q, %k : tensor<2x4x9x8xf16>, tensor<2x4x7x8xf16>) outs(%zeros : tensor<2x4x9x7xf16>) -> tensor<2x4x9x7xf16>
  %scores = linalg.generic {indexing_maps = [#each, #each], iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
      ins(%products : tensor<2x4x9x7xf16>) outs(%square : tensor<2x4x9x7xf16>) {
  ^bb0(%x: f16, %out: f16):
    %i = linalg.index 2 : index
    %j = linalg.index 3 : index
    %less = arith.constant -2.0 : f16
    %more = arith.constant 1.5 : f16
    %later = arith.cmpi sgt, %j, %i : index
    %term = arith.select %later, %less, %more : f16
    %score = arith.addf %x, %term : f16
    linalg.yield %score : f16
  } -> tensor<2x4x9x7xf16>
  %weights = linalg.softmax dimension(3) ins(%scores : tensor<2x4x9x7xf16>) outs(%square : tensor<2x4x9x7xf16>) -> tensor<2x4x9x7xf16>
  %known = linalg.generic {indexing_maps = [#each, #each], iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
      ins(%weights : tensor<2x4x9x7xf16>) outs(%square : tensor<2x4x9x7xf16>) {
  ^bb0(%x: f16, %out: f16):
    %none = arith.cmpf uno, %x, %x : f16
    %number = arith.select %none, %zero, %x : f16
    linalg.yield %number : f16
  } -> tensor<2x4x9x7xf16>
  %long = tensor.empty() : tensor<2x4x9x8xf16>
  %start = linalg.fill ins(%zero : f16) outs(%long : tensor<2x4x9x8xf16>) -> tensor<2x4x9x8xf16>
  %o = linalg.contract indexing_maps = #pv ins(%known, %v : tensor<2x4x9x7xf16>, tensor<2x4x7x8xf16>) outs(%start : tensor<2x4x9x8xf16>) -> tensor<2x4x9x8xf16>
  return %o : tensor<2x4x9x8xf16>
}

// -----

#qk = [affine_map<(b, h, i, j, d) -> (b, h, i, d)>, affine_map<(b, h, i, j, d) -> (b, h, j, d)>, affine_map<(b, h, i, j, d) -> (b, h, i, j)>]
#pv = [affine_map<(b, h, i, e, j) -> (b, h, i, j)>, affine_map<(b, h, i, e, j) -> (b, h, j, e)>, affine_map<(b, h, i, e, j) -> (b, h, i, e)>]
#each = affine_map<(b, h, i, j) -> (b, h, i, j)>

// So is a soft cap.
// CHECK-LABEL: func.func @capped
// CHECK:         attn.generic scores({{.*}}) scale 1.000000e+00 score_mod {
// CHECK-NEXT:    ^bb0(%[[S:.+]]: f32,
// CHECK-NEXT:      %[[CAPPED:.+]] = math.tanh %[[S]] : f32
// CHECK-NEXT:      attn.yield %[[CAPPED]] : f32
func.func @capped(%q: tensor<2x4x9x8xf16>, %k: tensor<2x4x7x8xf16>, %v: tensor<2x4x7x8xf16>) -> tensor<2x4x9x8xf16> {
  %zero = arith.constant 0.0 : f16
  %square = tensor.empty() : tensor<2x4x9x7xf16>
  %zeros = linalg.fill ins(%zero : f16) outs(%square : tensor<2x4x9x7xf16>) -> tensor<2x4x9x7xf16>
  %products = linalg.contract indexing_maps = #qk ins(%q, %k : tensor<2x4x9x8xf16>, tensor<2x4x7x8xf16>) outs(%zeros : tensor<2x4x9x7xf16>) -> tensor<2x4x9x7xf16>
  %scores = linalg.generic {indexing_maps = [#each, #each], iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
      ins(%products : tensor<2x4x9x7xf16>) outs(%square : tensor<2x4x9x7xf16>) {
  ^bb0(%x: f16, %out: f16):
    %capped = math.tanh %x : f16
    linalg.yield %capped : f16
  } -> tensor<2x4x9x7xf16>
  %weights = linalg.softmax dimension(3) ins(%scores : tensor<2x4x9x7xf16>) outs(%square : tensor<2x4x9x7xf16>) -> tensor<2x4x9x7xf16>
  %long = tensor.empty() : tensor<2x4x9x8xf16>
  %start = linalg.fill ins(%zero : f16) outs(%long : tensor<2x4x9x8xf16>) -> tensor<2x4x9x8xf16>
  %o = linalg.contract indexing_maps = #pv ins(%weights, %v : tensor<2x4x9x7xf16>, tensor<2x4x7x8xf16>) outs(%start : tensor<2x4x9x8xf16>) -> tensor<2x4x9x8xf16>
  return %o : tensor<2x4x9x8xf16>
}

// -----

#qk = [affine_map<(h, i, j, d) -> (h, i, d)>, affine_map<(h, i, j, d) -> (h, j, d)>, affine_map<(h, i, j, d) -> (h, i, j)>]

// A softmax of 64 bits would lose half of them.
// CHECK-LABEL: func.func @wide
// CHECK-NOT:     attn.generic
func.func @wide(%q: tensor<4x9x8xf64>, %k: tensor<4x7x8xf64>, %v: tensor<4x7x8xf64>) -> tensor<4x9x8xf64> {
  %zero = arith.constant 0.0 : f64
  %square = tensor.empty() : tensor<4x9x7xf64>
  %zeros = linalg.fill ins(%zero : f64) outs(%square : tensor<4x9x7xf64>) -> tensor<4x9x7xf64>
  %products = linalg.contract indexing_maps = #qk ins(%q, %k : tensor<4x9x8xf64>, tensor<4x7x8xf64>) outs(%zeros : tensor<4x9x7xf64>) -> tensor<4x9x7xf64>
  %weights = linalg.softmax dimension(2) ins(%products : tensor<4x9x7xf64>) outs(%square : tensor<4x9x7xf64>) -> tensor<4x9x7xf64>
  %long = tensor.empty() : tensor<4x9x8xf64>
  %start = linalg.fill ins(%zero : f64) outs(%long : tensor<4x9x8xf64>) -> tensor<4x9x8xf64>
  %o = linalg.batch_matmul ins(%weights, %v : tensor<4x9x7xf64>, tensor<4x7x8xf64>) outs(%start : tensor<4x9x8xf64>) -> tensor<4x9x8xf64>
  return %o : tensor<4x9x8xf64>
}
