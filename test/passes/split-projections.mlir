// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Projected keys and values in front of a GPU's attention.
//
// RUN: mixattn-opt %s --attn-set-target='family=mma chip=sm_80' --attn-split-projections --split-input-file --canonicalize | FileCheck %s
// RUN: mixattn-opt %s --attn-set-target=chip=znver4 --attn-split-projections --split-input-file | FileCheck %s --check-prefix=SAME
// SAME-COUNT-5: projected_by

!q = tensor<?x4x?x64xbf16>
!k = tensor<?x2x?x64xbf16>
!e = tensor<48x?xbf16>

// A key is a bf16 and what that leaves out, in f32 until then; the query is
// there twice, and the scale is that of 64 features. Other clauses stay.
// CHECK-DAG:   #[[HALVES:.+]] = affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3 mod 64)>
// CHECK-LABEL: func.func @split
// CHECK-SAME:    %[[Q:[a-z0-9]+]]: tensor<?x4x?x64xbf16>, %[[K:[a-z0-9]+]]: tensor<?x2x?x64xbf16>, %[[V:[a-z0-9]+]]: tensor<?x2x?x64xbf16>, %[[E:[a-z0-9]+]]: tensor<48x?xbf16>, %[[F:[a-z0-9]+]]: tensor<48x?xbf16>
// CHECK:         %[[QUERIES:.+]] = linalg.generic {indexing_maps = [#[[HALVES]], {{.*}} ins(%[[Q]] : tensor<?x4x?x64xbf16>) outs(%{{.+}} : tensor<?x4x?x128xbf16>)
// CHECK:         %[[KEYS:.+]] = attn.project %[[K]] by %[[E]] : {{.*}} -> tensor<?x2x48x64xf32>
// CHECK:         %[[KEY:.+]] = linalg.generic {indexing_maps = [#[[HALVES]], {{.*}} ins(%[[KEYS]] : {{.*}} outs(%{{.+}} : tensor<?x2x48x128xbf16>)
// CHECK:           %[[HIGH:.+]] = arith.truncf %[[X:.+]] : f32 to bf16
// CHECK:           %[[BACK:.+]] = arith.extf %[[HIGH]] : bf16 to f32
// CHECK:           %[[REST:.+]] = arith.subf %[[X]], %[[BACK]] : f32
// CHECK:           %[[IS_NUMBER:.+]] = arith.cmpf ord, %[[REST]], %[[REST]] : f32
// CHECK:           %[[KEPT:.+]] = arith.select %[[IS_NUMBER]], %[[REST]], %{{.+}} : f32
// CHECK:           %[[LOW:.+]] = arith.truncf %[[KEPT]] : f32 to bf16
// CHECK:           %[[FEATURE:.+]] = linalg.index 3
// CHECK:           %[[IS_FIRST:.+]] = arith.cmpi ult, %[[FEATURE]], %c64
// CHECK:           arith.select %[[IS_FIRST]], %[[HIGH]], %[[LOW]] : bf16
// CHECK:         %[[VALUES:.+]] = attn.project %[[V]] by %[[F]] : {{.*}} -> tensor<?x2x48x64xf32>
// CHECK:         %[[ROUNDED:.+]] = linalg.generic {{.*}} ins(%[[VALUES]] : {{.*}} outs(%{{.+}} : tensor<?x2x48x64xbf16>)
// CHECK:         attn.generic scores(%[[QUERIES]], %[[KEY]] : {{.*}}) scale 1.250000e-01 mask({{.*}}) pool(%[[ROUNDED]] : tensor<?x2x48x64xbf16>) -> tensor<?x4x?x64xbf16>
func.func @split(%q: !q, %k: !k, %v: !k, %e: !e, %f: !e, %m: tensor<1x1x?x48xi1>) -> !q {
  %o = attn.generic scores(%q, %k : !q, !k) projected_by(%e, %f : !e, !e)
      mask(%m : tensor<1x1x?x48xi1>) pool(%v : !k) -> !q
  return %o : !q
}

// -----

// f16 does not hold all sums of f32.
!q = tensor<?x4x?x64xf16>
!e = tensor<48x?xf16>
// CHECK-LABEL: func.func @half
// CHECK-NOT:     linalg.generic
// CHECK:         projected_by
func.func @half(%q: !q, %e: !e) -> !q {
  %o = attn.generic scores(%q, %q : !q, !q) projected_by(%e, %e : !e, !e) pool(%q : !q) -> !q
  return %o : !q
}

// -----

// There is no kernel for twice 256 features: nothing is left of the try.
!q = tensor<?x4x?x256xbf16>
!e = tensor<48x?xbf16>
// CHECK-LABEL: func.func @wide
// CHECK-NOT:     linalg.generic
// CHECK-NOT:     tensor.empty
// CHECK-NOT:     attn.project
// CHECK:         projected_by
// CHECK-NOT:     attn.generic
func.func @wide(%q: !q, %e: !e) -> !q {
  %o = attn.generic scores(%q, %q : !q, !q) projected_by(%e, %e : !e, !e) pool(%q : !q) -> !q
  return %o : !q
}

// -----

// A Gaussian's norms are not those of halves.
!q = tensor<?x4x?x64xbf16>
!e = tensor<48x?xbf16>
// CHECK-LABEL: func.func @gaussian
// CHECK-NOT:     linalg.generic
// CHECK:         projected_by
func.func @gaussian(%q: !q, %e: !e) -> !q {
  %o = attn.generic scores(%q, %q : !q, !q) projected_by(%e, %e : !e, !e) gaussian variances [8.0]
      pool(%q : !q) -> !q
  return %o : !q
}

// -----

// f32 has no schedule on a GPU.
!q = tensor<?x4x?x64xf32>
!e = tensor<48x?xf32>
// CHECK-LABEL: func.func @single
// CHECK:         projected_by
func.func @single(%q: !q, %e: !e) -> !q {
  %o = attn.generic scores(%q, %q : !q, !q) projected_by(%e, %e : !e, !e) pool(%q : !q) -> !q
  return %o : !q
}
