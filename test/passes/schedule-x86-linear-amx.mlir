// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Linear attention by AMX: numbers of f32 are split into thirds of bf16, whose
// products are terms of one product.
//
// RUN: mixattn-opt %s --split-input-file --attn-set-target='chip=graniterapids features=avx512f,fma,amx-tile,amx-bf16' --attn-stage-kernels --attn-schedule-kernels --canonicalize --cse | FileCheck %s

!q = memref<?x4x?x41xbf16>
!t = tensor<?x4x?x41xbf16>

// 48 columns of features are 64 numbers: 384 terms where both sides are split.
// A chunk of 64 keys has 192 terms, as values are bf16.
// CHECK-LABEL: func.func @causal
// CHECK:         %[[RIGHT:.+]] = memref.view {{.+}} to memref<288x96xbf16>
// CHECK:         %[[KEYS:.+]] = memref.view {{.+}} to memref<192x128xbf16>
// CHECK:         %[[LEFT:.+]] = memref.view {{.+}} to memref<64x576xbf16>
// CHECK:         %[[FEATURES:.+]] = memref.view {{.+}} to memref<48x192xbf16>
// CHECK:         %[[SUMS:.+]] = memref.view {{.+}} to memref<48x48xf32>
// Keys that no query sees: f32 where values are not finite.
// CHECK:         scf.if %{{.+}} {
// CHECK:           tile.x86.product transposed {{.+}} lost
// CHECK-NEXT:    } else {
// CHECK:           tile.x86.product %[[FEATURES]][%c0], %{{.+}} count %{{.+}} amx into %[[SUMS]]
// CHECK:           arith.cmpf ord
// Upper, middle and lower thirds.
// CHECK:         arith.andi %{{.+}}, %{{.+}} : vector<16xi32>
// CHECK:         arith.subf
// A chunk is read by AMX where values and states are finite: scores of 32
// queries, and then the states, and values of keys that they see.
// CHECK:         %[[ARE:.+]] = arith.andi %{{.+}}, %{{.+}} : i1
// CHECK:         scf.if %[[ARE]] {
// CHECK:           scf.for %[[ROW:.+]] = %c0 to %{{.+}} step %c32 {
// CHECK:             tile.x86.product %{{.+}}[%c0], %{{.+}} count %c192 amx into %{{.+}} : memref<32x384xbf16, {{.+}}>, memref<192x128xbf16, {{.+}}>, memref<32x64xf32,
// CHECK:             vector.create_mask
// CHECK:             vector.shuffle
// CHECK:             tile.x86.product %[[LEFT]][%[[ROW]]], %[[RIGHT]] count %{{.+}} amx into %{{.+}} : memref<64x576xbf16>, memref<288x96xbf16>, memref<32x48xf32>
// CHECK:         } else {
// CHECK:           tile.x86.product {{.+}} : memref<64x112xf32>, memref<112x48xf32>, memref<4x48xf32>
func.func @causal(%q: !q, %o: !q) {
  attn.kernel ins(%q : !q) outs(%o : !q) {
  ^bb0(%a: !t):
    %r = attn.linear_generic features(%a, %a : !t, !t) feature_map <relu> causal
        pool(%a : !t) {attn.plan = #attn.plan<[else : chunked_linear {block = 64}]>} -> !t
    attn.results %r : !t
  }
  return
}

// -----

!q = memref<?x4x?x64xbf16>
!t = tensor<?x4x?x64xbf16>

// States are split where queries read them.
// CHECK-LABEL: func.func @all
// CHECK:         tile.grid
// CHECK:           tile.x86.product %{{.+}} amx into %{{.+}} : memref<64x192xbf16>, {{.+}}, memref<64x64xf32>
// CHECK:         tile.grid
// CHECK:           tile.x86.product %{{.+}} count %c192 amx into %{{.+}} : memref<64x384xbf16>, memref<192x128xbf16>, memref<32x64xf32>
func.func @all(%q: !q, %o: !q) {
  attn.kernel ins(%q : !q) outs(%o : !q) {
  ^bb0(%a: !t):
    %r = attn.linear_generic features(%a, %a : !t, !t) feature_map <elu>
        pool(%a : !t) {attn.plan = #attn.plan<[else : chunked_linear {block = 64}]>} -> !t
    attn.results %r : !t
  }
  return
}

// -----

!q = memref<?x4x?x64xbf16>
!t = tensor<?x4x?x64xbf16>

// Chunks of no whole squares: f32.
// CHECK-LABEL: func.func @no_squares
// CHECK-NOT:     tile.x86.product {{.*}} amx
func.func @no_squares(%q: !q, %o: !q) {
  attn.kernel ins(%q : !q) outs(%o : !q) {
  ^bb0(%a: !t):
    %r = attn.linear_generic features(%a, %a : !t, !t) feature_map <elu>
        pool(%a : !t) {attn.plan = #attn.plan<[else : chunked_linear {block = 48}]>} -> !t
    attn.results %r : !t
  }
  return
}

// -----

!q = memref<?x4x?x64xf16>
!t = tensor<?x4x?x64xf16>

// AMX takes no f16.
// CHECK-LABEL: func.func @half
// CHECK-NOT:     tile.x86.product {{.*}} amx
func.func @half(%q: !q, %o: !q) {
  attn.kernel ins(%q : !q) outs(%o : !q) {
  ^bb0(%a: !t):
    %r = attn.linear_generic features(%a, %a : !t, !t) feature_map <elu>
        pool(%a : !t) {attn.plan = #attn.plan<[else : chunked_linear {block = 64}]>} -> !t
    attn.results %r : !t
  }
  return
}
