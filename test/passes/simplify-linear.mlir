// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Rewrites of linear attentions, and why they do not apply.
//
// RUN: mixattn-opt --attn-simplify --canonicalize --cse %s | FileCheck %s
// RUN: mixattn-opt --attn-simplify %s --remarks-filter=attn-simplify \
// RUN:   --remark-format=emitRemark 2>&1 >/dev/null | FileCheck --check-prefix=REMARK %s

!q = tensor<?x4x?x8xbf16>
!keys = tensor<?x2x3x?x8xbf16>
!k = tensor<?x2x?x8xbf16>
!prior = tensor<2x3xf32>

// MixFeatures: the components of a key make one vector of features; the op
// keeps what comes after. Its features are operands, which two ops share.
// CHECK-DAG: #[[KEY:.+]] = affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d2, d3, d4)>
// CHECK-DAG: #[[PRIOR:.+]] = affine_map<(d0, d1, d2, d3, d4) -> (d1, d2)>
// CHECK-DAG: #[[MIXED:.+]] = affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d3, d4)>
// CHECK-LABEL: func.func @mix_features
// CHECK-SAME:    %[[Q:[a-z0-9]+]]: tensor<?x4x?x8xbf16>, %[[KEYS:[a-z0-9]+]]: tensor<?x2x3x?x8xbf16>, %[[V:[a-z0-9]+]]: tensor<?x2x?x8xbf16>, %[[P:[a-z0-9]+]]: tensor<2x3xf32>)
// CHECK:         linalg.generic {{.*}} ins(%[[KEYS]] :
// CHECK:           arith.extf %{{.+}} : bf16 to f32
// CHECK:         %[[FEATURES:.+]] = linalg.generic
// CHECK:           math.exp
// CHECK:         %[[MIXTURE:.+]] = linalg.generic {indexing_maps = [#[[KEY]], #[[PRIOR]], #[[MIXED]]], iterator_types = ["parallel", "parallel", "reduction", "parallel", "parallel"]} ins(%[[FEATURES]], %[[P]] :
// CHECK-NEXT:    ^bb0(%[[FEATURE:.+]]: f32, %[[WEIGHT:.+]]: f32, %[[SUM:.+]]: f32):
// CHECK-NEXT:      %[[TERM:.+]] = arith.mulf %[[FEATURE]], %[[WEIGHT]] : f32
// CHECK-NEXT:      arith.addf %[[SUM]], %[[TERM]] : f32
// CHECK:         %[[WIDE:.+]] = linalg.generic {{.*}} ins(%[[Q]] :
// CHECK:         %[[QUERIES:.+]] = linalg.generic {{.*}} ins(%[[WIDE]] :
// CHECK:           math.exp
// CHECK-NOT:     linalg.generic
// CHECK:         attn.linear_generic features(%[[QUERIES]], %[[MIXTURE]] : tensor<?x4x?x8xf32>, tensor<?x2x?x8xf32>) causal eps 1.000000e+00 pool(%[[V]] : tensor<?x2x?x8xbf16>) -> tensor<?x4x?x8xbf16>
// CHECK:         attn.linear_generic features(%[[QUERIES]], %[[MIXTURE]] : tensor<?x4x?x8xf32>, tensor<?x2x?x8xf32>) output_scale 2.000000e+00 pool(%[[V]] : tensor<?x2x?x8xbf16>) -> tensor<?x4x?x8xbf16>
// REMARK:      [Passed] MixFeatures
// REMARK:      [Passed] MixFeatures
func.func @mix_features(%q: !q, %keys: !keys, %v: !k, %prior: !prior) -> (!q, !q) {
  %0 = attn.linear_generic features(%q, %keys : !q, !keys) feature_map <elu>
      prior(%prior : !prior) causal eps 1.0 pool(%v : !k) -> !q
  %1 = attn.linear_generic features(%q, %keys : !q, !keys) feature_map <elu>
      prior(%prior : !prior) output_scale 2.0 pool(%v : !k) -> !q
  return %0, %1 : !q, !q
}

// Shifted keys have components, too.
// CHECK-LABEL: func.func @shifted
// CHECK-NOT:     shifted_by
// CHECK:         attn.linear_generic features(%{{.+}}, %{{.+}} : tensor<?x4x?x8xf32>, tensor<?x2x?x8xf32>) premix(
// REMARK:      [Passed] MixFeatures
func.func @shifted(%q: !q, %k: !k, %shifts: tensor<2x3x8xbf16>, %m: tensor<2x4xf32>) -> !q {
  %o = attn.linear_generic features(%q, %k : !q, !k) shifted_by(%shifts : tensor<2x3x8xbf16>)
      feature_map <relu> premix(%m : tensor<2x4xf32>) pool(%k : !k) -> !q
  return %o : !q
}

// One component, or values of one feature: the state is no more than the
// mixture.
// CHECK-LABEL: func.func @nothing_saved
// CHECK:         attn.linear_generic features({{.*}}) feature_map <elu> pool(
// CHECK:         attn.linear_generic features({{.*}}) feature_map <elu> pool(
// REMARK-COUNT-2: [Missed] MixFeatures {{.*}} Reason="mixing the features first saves no products"
// REMARK-NOT:  MixFeatures
func.func @nothing_saved(%q: !q, %one: tensor<?x2x1x?x8xbf16>, %k: !k, %keys: !keys,
                         %v: tensor<?x2x?x1xf32>) -> (!q, tensor<?x4x?x1xf32>) {
  %0 = attn.linear_generic features(%q, %one : !q, tensor<?x2x1x?x8xbf16>)
      feature_map <elu> pool(%k : !k) -> !q
  %1 = attn.linear_generic features(%q, %keys : !q, !keys) feature_map <elu>
      pool(%v : tensor<?x2x?x1xf32>) -> tensor<?x4x?x1xf32>
  return %0, %1 : !q, tensor<?x4x?x1xf32>
}

// CHECK-LABEL: func.func @no_components
// CHECK-NEXT:    attn.linear_generic features({{.*}}) feature_map <elu> pool(
func.func @no_components(%q: !q, %k: !k) -> !q {
  %o = attn.linear_generic features(%q, %k : !q, !k) feature_map <elu> pool(%k : !k) -> !q
  return %o : !q
}
