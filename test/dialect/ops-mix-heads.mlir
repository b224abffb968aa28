// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// How attn.mix_heads is written: both forms of the mixer, and each clause that
// it shares with attn.softmax.
//
// RUN: mixattn-opt --verify-roundtrip %s | FileCheck %s

!q = tensor<?x8x?x64xf32>
!m = tensor<8x8xf32>
!w = tensor<64x8xf32>

// Form A: one mixer for all positions.
// CHECK-LABEL: func.func @mixer
// CHECK-SAME:    %[[Q:.+]]: tensor<?x8x?x64xf32>, %[[K:.+]]: tensor<?x8x?x64xf32>, %[[V:.+]]: tensor<?x8x?x64xf32>, %[[M:.+]]: tensor<8x8xf32>
// CHECK:         attn.mix_heads %[[Q]], %[[K]], %[[V]] mixer(%[[M]] : tensor<8x8xf32>) : (tensor<?x8x?x64xf32>, tensor<?x8x?x64xf32>, tensor<?x8x?x64xf32>) -> tensor<?x8x?x64xf32>
func.func @mixer(%q: !q, %k: !q, %v: !q, %m: !m) -> !q {
  %o = attn.mix_heads %q, %k, %v mixer(%m : !m) : (!q, !q, !q) -> !q
  return %o : !q
}

// Form B: a mixer per query row.
// CHECK-LABEL: func.func @mixer_by_row
// CHECK-SAME:    %[[Q:.+]]: tensor<?x8x?x64xf32>, %[[K:.+]]: tensor<?x8x?x64xf32>, %[[V:.+]]: tensor<?x8x?x64xf32>, %[[W:.+]]: tensor<64x8xf32>, %[[B:.+]]: tensor<8x8xf32>
// CHECK:         attn.mix_heads %[[Q]], %[[K]], %[[V]] mixer_by_row(%[[Q]], %[[W]], %[[B]] : tensor<?x8x?x64xf32>, tensor<64x8xf32>, tensor<8x8xf32>) :
func.func @mixer_by_row(%q: !q, %k: !q, %v: !q, %w: !w, %b: !m) -> !q {
  %o = attn.mix_heads %q, %k, %v mixer_by_row(%q, %w, %b : !q, !w, !m)
      : (!q, !q, !q) -> !q
  return %o : !q
}

// The mixer may be made from another tensor, of any feature size.
// CHECK-LABEL: func.func @source_of_its_own
// CHECK:         attn.mix_heads {{.*}} mixer_by_row({{.*}} : tensor<?x8x?x3xf32>, tensor<3x8xf32>, tensor<8x8xf32>) :
func.func @source_of_its_own(%q: !q, %k: !q, %v: !q, %x: tensor<?x8x?x3xf32>,
                             %w: tensor<3x8xf32>, %b: !m) -> !q {
  %o = attn.mix_heads %q, %k, %v
      mixer_by_row(%x, %w, %b : tensor<?x8x?x3xf32>, tensor<3x8xf32>, !m)
      : (!q, !q, !q) -> !q
  return %o : !q
}

// The shared clauses, one at a time.
// CHECK-LABEL: func.func @clauses
// CHECK:         attn.mix_heads {{.*}} mixer({{.*}}) scale 1.250000e-01 :
// CHECK:         attn.mix_heads {{.*}} mixer({{.*}}) bias(%{{.+}} : tensor<8x?x?xf32>) :
// CHECK:         attn.mix_heads {{.*}} mixer({{.*}}) score_mod {
// CHECK:           attn.yield %{{.+}} : f32
// CHECK:         } :
// CHECK:         attn.mix_heads {{.*}} mixer({{.*}}) mask(%{{.+}} : tensor<?x1x?x?xi1>) :
// CHECK:         attn.mix_heads {{.*}} mixer({{.*}}) lengths(%{{.+}} : tensor<?xi32>) :
// CHECK:         attn.mix_heads {{.*}} mixer({{.*}}) causal :
// CHECK:         attn.mix_heads {{.*}} mixer({{.*}}) band <0, 2> :
func.func @clauses(%q: !q, %k: !q, %v: !q, %m: !m, %bias: tensor<8x?x?xf32>,
                   %mask: tensor<?x1x?x?xi1>, %n: tensor<?xi32>)
    -> (!q, !q, !q, !q, !q, !q, !q) {
  %0 = attn.mix_heads %q, %k, %v mixer(%m : !m) scale 0.125 : (!q, !q, !q) -> !q
  %1 = attn.mix_heads %q, %k, %v mixer(%m : !m) bias(%bias : tensor<8x?x?xf32>)
      : (!q, !q, !q) -> !q
  %2 = attn.mix_heads %q, %k, %v mixer(%m : !m) score_mod {
  ^bb0(%s: f32, %b: index, %h: index, %i: index, %j: index):
    attn.yield %s : f32
  } : (!q, !q, !q) -> !q
  %3 = attn.mix_heads %q, %k, %v mixer(%m : !m) mask(%mask : tensor<?x1x?x?xi1>)
      : (!q, !q, !q) -> !q
  %4 = attn.mix_heads %q, %k, %v mixer(%m : !m) lengths(%n : tensor<?xi32>)
      : (!q, !q, !q) -> !q
  %5 = attn.mix_heads %q, %k, %v mixer(%m : !m) causal : (!q, !q, !q) -> !q
  %6 = attn.mix_heads %q, %k, %v mixer(%m : !m) band <0, 2> : (!q, !q, !q) -> !q
  return %0, %1, %2, %3, %4, %5, %6 : !q, !q, !q, !q, !q, !q, !q
}

// All clauses, after the mixer.
// CHECK-LABEL: func.func @everything
// CHECK:         attn.mix_heads {{.*}} mixer_by_row({{.*}}) scale 5.000000e-01 bias(%{{.+}} : tensor<8x?x?xf32>) score_mod {
// CHECK:         } mask(%{{.+}} : tensor<?x1x?x?xi1>) lengths(%{{.+}} : tensor<?xi32>) causal band <7, 7> {author = "text"} :
func.func @everything(%q: !q, %k: !q, %v: !q, %w: !w, %m: !m,
                      %bias: tensor<8x?x?xf32>, %mask: tensor<?x1x?x?xi1>,
                      %n: tensor<?xi32>) -> !q {
  %o = attn.mix_heads %q, %k, %v mixer_by_row(%q, %w, %m : !q, !w, !m)
      scale 0.5 bias(%bias : tensor<8x?x?xf32>) score_mod {
      ^bb0(%s: f32, %b: index, %h: index, %i: index, %j: index):
        attn.yield %s : f32
      }
      mask(%mask : tensor<?x1x?x?xi1>) lengths(%n : tensor<?xi32>) causal
      band <7, 7> {author = "text"} : (!q, !q, !q) -> !q
  return %o : !q
}

// A mixer in f32 with queries, keys and values in bf16, of static sizes; the
// heads share keys and values.
// CHECK-LABEL: func.func @narrow
// CHECK:         attn.mix_heads {{.*}} mixer(%{{.+}} : tensor<2x2xf32>) : (tensor<1x2x5x4xbf16>, tensor<1x1x7x4xbf16>, tensor<1x1x7x6xbf16>) -> tensor<1x2x5x6xbf16>
// CHECK:         attn.mix_heads {{.*}} mixer_by_row({{.*}} : tensor<1x2x5x4xbf16>, tensor<4x2xf32>, tensor<2x2xf16>) :
func.func @narrow(%q: tensor<1x2x5x4xbf16>, %k: tensor<1x1x7x4xbf16>,
                  %v: tensor<1x1x7x6xbf16>, %m: tensor<2x2xf32>,
                  %w: tensor<4x2xf32>, %b: tensor<2x2xf16>)
    -> (tensor<1x2x5x6xbf16>, tensor<1x2x5x6xbf16>) {
  %0 = attn.mix_heads %q, %k, %v mixer(%m : tensor<2x2xf32>)
      : (tensor<1x2x5x4xbf16>, tensor<1x1x7x4xbf16>, tensor<1x1x7x6xbf16>)
      -> tensor<1x2x5x6xbf16>
  %1 = attn.mix_heads %q, %k, %v
      mixer_by_row(%q, %w, %b
          : tensor<1x2x5x4xbf16>, tensor<4x2xf32>, tensor<2x2xf16>)
      : (tensor<1x2x5x4xbf16>, tensor<1x1x7x4xbf16>, tensor<1x1x7x6xbf16>)
      -> tensor<1x2x5x6xbf16>
  return %0, %1 : tensor<1x2x5x6xbf16>, tensor<1x2x5x6xbf16>
}
