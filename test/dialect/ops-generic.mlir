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

// Components: in the keys, in shifts, or in terms per query and key.
// CHECK-LABEL: func.func @components
// CHECK:         attn.generic scores(%{{.+}}, %{{.+}} : tensor<?x8x?x64xf32>, tensor<?x8x3x?x64xf32>) pool(
// CHECK:         attn.generic scores({{.*}}) shifted_by(%{{.+}} : tensor<8x3x64xf32>) pool(
// CHECK:         attn.generic scores({{.*}}) query_term(%{{.+}} : tensor<?x8x3x?xf32>) pool(
// CHECK:         attn.generic scores({{.*}}) key_term(%{{.+}} : tensor<?x8x3x?xf32>) pool(
func.func @components(%q: !q, %keys: tensor<?x8x3x?x64xf32>,
                      %shifts: tensor<8x3x64xf32>, %term: tensor<?x8x3x?xf32>) {
  %0 = attn.generic scores(%q, %keys : !q, tensor<?x8x3x?x64xf32>)
      pool(%q : !q) -> !q
  %1 = attn.generic scores(%q, %q : !q, !q)
      shifted_by(%shifts : tensor<8x3x64xf32>) pool(%q : !q) -> !q
  %2 = attn.generic scores(%q, %q : !q, !q)
      query_term(%term : tensor<?x8x3x?xf32>) pool(%q : !q) -> !q
  %3 = attn.generic scores(%q, %q : !q, !q)
      key_term(%term : tensor<?x8x3x?xf32>) pool(%q : !q) -> !q
  return
}

// Clauses that make a score of a component, and one score of all components.
// CHECK-LABEL: func.func @component_scores
// CHECK:         attn.generic scores({{.*}}) gaussian pool(
// CHECK:         attn.generic scores({{.*}}) variances [8.000000e+00, 1.600000e+01, 2.400000e+01] pool(
// CHECK:         attn.generic scores({{.*}}) query_term(%{{.+}} : tensor<?x8x?xf16>) key_term(%{{.+}} : tensor<?x8x3x?xf32>) pool(
// CHECK:         attn.generic scores({{.*}}) maximum pool(
// CHECK:         attn.generic scores({{.*}}) prior(%{{.+}} : tensor<8x3xf32>) pool(
// CHECK:         attn.generic scores({{.*}}) prior(%{{.+}} : tensor<8x3x?xf32>) pool(
func.func @component_scores(%q: !q, %keys: tensor<?x8x3x?x64xf32>,
                            %query_term: tensor<?x8x?xf16>,
                            %key_term: tensor<?x8x3x?xf32>,
                            %prior: tensor<8x3xf32>, %by_key: tensor<8x3x?xf32>) {
  %0 = attn.generic scores(%q, %keys : !q, tensor<?x8x3x?x64xf32>) gaussian
      pool(%q : !q) -> !q
  %1 = attn.generic scores(%q, %keys : !q, tensor<?x8x3x?x64xf32>)
      variances [8.0, 16.0, 24.0] pool(%q : !q) -> !q
  %2 = attn.generic scores(%q, %keys : !q, tensor<?x8x3x?x64xf32>)
      query_term(%query_term : tensor<?x8x?xf16>)
      key_term(%key_term : tensor<?x8x3x?xf32>) pool(%q : !q) -> !q
  %3 = attn.generic scores(%q, %keys : !q, tensor<?x8x3x?x64xf32>) maximum
      pool(%q : !q) -> !q
  %4 = attn.generic scores(%q, %keys : !q, tensor<?x8x3x?x64xf32>)
      prior(%prior : tensor<8x3xf32>) pool(%q : !q) -> !q
  %5 = attn.generic scores(%q, %keys : !q, tensor<?x8x3x?x64xf32>)
      prior(%by_key : tensor<8x3x?xf32>) pool(%q : !q) -> !q
  return
}

// Without components a score still may be a Gaussian's, have a variance and
// terms.
// CHECK-LABEL: func.func @one_component
// CHECK:         attn.generic scores({{.*}}) gaussian variances [2.000000e+00] query_term(%{{.+}} : tensor<?x8x?xf32>) key_term(%{{.+}} : tensor<?x8x?xf32>) pool(
func.func @one_component(%q: !q, %term: tensor<?x8x?xf32>) -> !q {
  %o = attn.generic scores(%q, %q : !q, !q) gaussian variances [2.0]
      query_term(%term : tensor<?x8x?xf32>) key_term(%term : tensor<?x8x?xf32>)
      pool(%q : !q) -> !q
  return %o : !q
}

// Scores mixed over heads: eight into two.
// CHECK-LABEL: func.func @premix
// CHECK:         attn.generic scores({{.*}}) premix(%{{.+}} : tensor<8x2xf32>) pool(%{{.+}} : tensor<?x2x?x64xf32>) -> tensor<?x2x?x64xf32>
// CHECK:         attn.generic scores({{.*}}) premix(%{{.+}} : tensor<8x2xf32>) relu_per_key pool(
// CHECK:         attn.generic scores({{.*}}) premix_mlp(%{{.+}}, %{{.+}}, %{{.+}}, %{{.+}} : tensor<8x3xf32>, tensor<3xf32>, tensor<3x2xf32>, tensor<2xf32>) pool(
// CHECK:         attn.generic scores({{.*}}) premix(%{{.+}} : tensor<8x2xf32>) scale 5.000000e-01 scale_before pool(
func.func @premix(%q: !q, %v: tensor<?x2x?x64xf32>, %m: tensor<8x2xf32>,
                  %w1: tensor<8x3xf32>, %b1: tensor<3xf32>,
                  %w2: tensor<3x2xf32>, %b2: tensor<2xf32>) {
  %0 = attn.generic scores(%q, %q : !q, !q) premix(%m : tensor<8x2xf32>)
      pool(%v : tensor<?x2x?x64xf32>) -> tensor<?x2x?x64xf32>
  %1 = attn.generic scores(%q, %q : !q, !q) premix(%m : tensor<8x2xf32>)
      relu_per_key pool(%v : tensor<?x2x?x64xf32>) -> tensor<?x2x?x64xf32>
  %2 = attn.generic scores(%q, %q : !q, !q)
      premix_mlp(%w1, %b1, %w2, %b2
          : tensor<8x3xf32>, tensor<3xf32>, tensor<3x2xf32>, tensor<2xf32>)
      pool(%v : tensor<?x2x?x64xf32>) -> tensor<?x2x?x64xf32>
  %3 = attn.generic scores(%q, %q : !q, !q) premix(%m : tensor<8x2xf32>)
      scale 0.5 scale_before
      pool(%v : tensor<?x2x?x64xf32>) -> tensor<?x2x?x64xf32>
  return
}

// The promise that no operand holds NaN or infinity.
// CHECK-LABEL: func.func @finite
// CHECK:         attn.generic scores({{.*}}) causal finite pool(
func.func @finite(%q: !q) -> !q {
  %o = attn.generic scores(%q, %q : !q, !q) causal finite pool(%q : !q) -> !q
  return %o : !q
}

// All stages.
// CHECK-LABEL: func.func @everything
// CHECK:         attn.generic scores({{.*}}) gaussian variances [8.000000e+00, 8.000000e+00, 8.000000e+00] query_term({{.*}}) key_term({{.*}}) prior({{.*}}) premix({{.*}}) relu_per_key scale 5.000000e-01 scale_before bias(%{{.+}} : tensor<8x?x?xf32>) score_mod {
// CHECK:         } mask(%{{.+}} : tensor<?x1x?x?xi1>) lengths(%{{.+}} : tensor<?xi64>) causal band <7, 7> postmix({{.*}}) finite pool({{.*}}) {author = "text"} -> tensor<?x8x?x64xf32> weights tensor<?x8x?x?xf32> lse tensor<?x8x?xf32>
func.func @everything(%q: !q, %keys: tensor<?x8x3x?x64xf32>,
                      %term: tensor<?x8x?xf32>, %prior: tensor<8x3xf32>, %m: !m,
                      %bias: tensor<8x?x?xf32>, %mask: tensor<?x1x?x?xi1>,
                      %n: tensor<?xi64>)
    -> (!q, tensor<?x8x?x?xf32>, tensor<?x8x?xf32>) {
  %o, %weights, %lse = attn.generic
      scores(%q, %keys : !q, tensor<?x8x3x?x64xf32>)
      gaussian variances [8.0, 8.0, 8.0] query_term(%term : tensor<?x8x?xf32>)
      key_term(%term : tensor<?x8x?xf32>) prior(%prior : tensor<8x3xf32>)
      premix(%m : !m) relu_per_key scale 0.5 scale_before
      bias(%bias : tensor<8x?x?xf32>) score_mod {
      ^bb0(%s: f32, %b: index, %h: index, %i: index, %j: index):
        attn.yield %s : f32
      }
      mask(%mask : tensor<?x1x?x?xi1>) lengths(%n : tensor<?xi64>) causal
      band <7, 7> postmix(%m : !m) finite pool(%q : !q) {author = "text"}
      -> !q weights tensor<?x8x?x?xf32> lse tensor<?x8x?xf32>
  return %o, %weights, %lse : !q, tensor<?x8x?x?xf32>, tensor<?x8x?xf32>
}

// Static sizes, shared heads, 16-bit features with a mixer in f32.
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

// Scores as logarithms to base 2.
// CHECK-LABEL: func.func @base2
// CHECK:         attn.generic scores({{.*}}) scale 1.000000e+00 causal base2 finite pool(
func.func @base2(%q: !q) -> !q {
  %o = attn.generic scores(%q, %q : !q, !q) scale 1.0 causal base2 finite
      pool(%q : !q) -> !q
  return %o : !q
}

// The pooled result before it is rounded.
// CHECK-LABEL: func.func @wide_result
// CHECK:         pool(%{{.+}} : tensor<1x2x3x4xbf16>) -> tensor<1x2x3x4xf32> lse tensor<1x2x3xf32>
func.func @wide_result(%q: tensor<1x2x3x4xbf16>) -> tensor<1x2x3x4xf32> {
  %o, %lse = attn.generic
      scores(%q, %q : tensor<1x2x3x4xbf16>, tensor<1x2x3x4xbf16>)
      pool(%q : tensor<1x2x3x4xbf16>)
      -> tensor<1x2x3x4xf32> lse tensor<1x2x3xf32>
  return %o : tensor<1x2x3x4xf32>
}

// CHECK-LABEL: func.func @factors
// CHECK:         attn.generic scores({{.*}}) query_term(%[[T:.+]] : tensor<1x4x3x5xf32>) key_term(%[[T]] : tensor<1x4x3x5xf32>) factors(%[[F:.+]], %[[F]] : tensor<1x4x4x5xf32>, tensor<1x4x4x5xf32>) pool(
func.func @factors(%q: tensor<1x4x5x8xf32>, %t: tensor<1x4x3x5xf32>, %f: tensor<1x4x4x5xf32>) -> tensor<1x4x5x8xf32> {
  %o = attn.generic scores(%q, %q : tensor<1x4x5x8xf32>, tensor<1x4x5x8xf32>)
      query_term(%t : tensor<1x4x3x5xf32>) key_term(%t : tensor<1x4x3x5xf32>)
      factors(%f, %f : tensor<1x4x4x5xf32>, tensor<1x4x4x5xf32>)
      pool(%q : tensor<1x4x5x8xf32>) -> tensor<1x4x5x8xf32>
  return %o : tensor<1x4x5x8xf32>
}
