// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// How attn.generic is written: the stages in the order in which they act.
//
// RUN: mixattn-opt --verify-roundtrip %s | FileCheck %s

!q = tensor<?x8x?x64xf32>
!m = tensor<8x8xf32>
!w = tensor<64x8xf32>

// Scores and pool are there always.
// CHECK-LABEL: func.func @plain
// CHECK-SAME:    %[[Q:.+]]: tensor<?x8x?x64xf32>, %[[K:.+]]: tensor<?x8x?x64xf32>, %[[V:.+]]: tensor<?x8x?x64xf32>
// CHECK:         attn.generic scores(%[[Q]], %[[K]] : tensor<?x8x?x64xf32>, tensor<?x8x?x64xf32>) pool(%[[V]] : tensor<?x8x?x64xf32>) -> tensor<?x8x?x64xf32>
func.func @plain(%q: !q, %k: !q, %v: !q) -> !q {
  %o = attn.generic scores(%q, %k : !q, !q) pool(%v : !q) -> !q
  return %o : !q
}

// Weights mixed over heads, alike at every position.
// CHECK-LABEL: func.func @postmix
// CHECK:         attn.generic scores({{.*}}) postmix(%{{.+}} : tensor<8x8xf32>) pool(
func.func @postmix(%q: !q, %k: !q, %v: !q, %m: !m) -> !q {
  %o = attn.generic scores(%q, %k : !q, !q) postmix(%m : !m) pool(%v : !q) -> !q
  return %o : !q
}

// Weights mixed over heads, each query row choosing its mixer.
// CHECK-LABEL: func.func @postmix_by_row
// CHECK-SAME:    %[[Q:.+]]: tensor<?x8x?x64xf32>, %{{.+}}: tensor<?x8x?x64xf32>, %{{.+}}: tensor<?x8x?x64xf32>, %[[W:.+]]: tensor<64x8xf32>, %[[B:.+]]: tensor<8x8xf32>
// CHECK:         attn.generic scores({{.*}}) postmix_by_row(%[[Q]], %[[W]], %[[B]] : tensor<?x8x?x64xf32>, tensor<64x8xf32>, tensor<8x8xf32>) pool(
func.func @postmix_by_row(%q: !q, %k: !q, %v: !q, %w: !w, %b: !m) -> !q {
  %o = attn.generic scores(%q, %k : !q, !q)
      postmix_by_row(%q, %w, %b : !q, !w, !m) pool(%v : !q) -> !q
  return %o : !q
}

// The clauses between scores and postmix, one at a time.
// CHECK-LABEL: func.func @clauses
// CHECK:         attn.generic scores({{.*}}) scale 1.250000e-01 pool(
// CHECK:         attn.generic scores({{.*}}) bias(%{{.+}} : tensor<8x?x?xf32>) pool(
// CHECK:         attn.generic scores({{.*}}) score_mod {
// CHECK:           attn.yield %{{.+}} : f32
// CHECK:         } pool(
// CHECK:         attn.generic scores({{.*}}) mask(%{{.+}} : tensor<?x1x?x?xi1>) pool(
// CHECK:         attn.generic scores({{.*}}) lengths(%{{.+}} : tensor<?xi64>) pool(
// CHECK:         attn.generic scores({{.*}}) causal pool(
// CHECK:         attn.generic scores({{.*}}) band <0, 2> pool(
func.func @clauses(%q: !q, %k: !q, %v: !q, %bias: tensor<8x?x?xf32>,
                   %mask: tensor<?x1x?x?xi1>, %n: tensor<?xi64>)
    -> (!q, !q, !q, !q, !q, !q, !q) {
  %0 = attn.generic scores(%q, %k : !q, !q) scale 0.125 pool(%v : !q) -> !q
  %1 = attn.generic scores(%q, %k : !q, !q) bias(%bias : tensor<8x?x?xf32>)
      pool(%v : !q) -> !q
  %2 = attn.generic scores(%q, %k : !q, !q) score_mod {
  ^bb0(%s: f32, %b: index, %h: index, %i: index, %j: index):
    attn.yield %s : f32
  } pool(%v : !q) -> !q
  %3 = attn.generic scores(%q, %k : !q, !q) mask(%mask : tensor<?x1x?x?xi1>)
      pool(%v : !q) -> !q
  %4 = attn.generic scores(%q, %k : !q, !q) lengths(%n : tensor<?xi64>)
      pool(%v : !q) -> !q
  %5 = attn.generic scores(%q, %k : !q, !q) causal pool(%v : !q) -> !q
  %6 = attn.generic scores(%q, %k : !q, !q) band <0, 2> pool(%v : !q) -> !q
  return %0, %1, %2, %3, %4, %5, %6 : !q, !q, !q, !q, !q, !q, !q
}

// All stages.
// CHECK-LABEL: func.func @everything
// CHECK:         attn.generic scores({{.*}}) scale 5.000000e-01 bias(%{{.+}} : tensor<8x?x?xf32>) score_mod {
// CHECK:         } mask(%{{.+}} : tensor<?x1x?x?xi1>) lengths(%{{.+}} : tensor<?xi64>) causal band <7, 7> postmix({{.*}}) pool({{.*}}) {author = "text"} ->
func.func @everything(%q: !q, %k: !q, %v: !q, %m: !m, %bias: tensor<8x?x?xf32>,
                      %mask: tensor<?x1x?x?xi1>, %n: tensor<?xi64>) -> !q {
  %o = attn.generic scores(%q, %k : !q, !q)
      scale 0.5 bias(%bias : tensor<8x?x?xf32>) score_mod {
      ^bb0(%s: f32, %b: index, %h: index, %i: index, %j: index):
        attn.yield %s : f32
      }
      mask(%mask : tensor<?x1x?x?xi1>) lengths(%n : tensor<?xi64>) causal
      band <7, 7> postmix(%m : !m) pool(%v : !q) {author = "text"} -> !q
  return %o : !q
}

// Static sizes, shared heads, 16-bit features beside a mixer in f32.
// CHECK-LABEL: func.func @narrow
// CHECK:         attn.generic scores({{.*}} : tensor<1x2x5x4xf16>, tensor<1x1x7x4xf16>) postmix(%{{.+}} : tensor<2x2xf32>) pool(%{{.+}} : tensor<1x2x7x6xbf16>) -> tensor<1x2x5x6xbf16>
func.func @narrow(%q: tensor<1x2x5x4xf16>, %k: tensor<1x1x7x4xf16>,
                  %v: tensor<1x2x7x6xbf16>, %m: tensor<2x2xf32>)
    -> tensor<1x2x5x6xbf16> {
  %o = attn.generic
      scores(%q, %k : tensor<1x2x5x4xf16>, tensor<1x1x7x4xf16>)
      postmix(%m : tensor<2x2xf32>)
      pool(%v : tensor<1x2x7x6xbf16>) -> tensor<1x2x5x6xbf16>
  return %o : tensor<1x2x5x6xbf16>
}
