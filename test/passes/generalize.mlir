// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Named attention ops in the normal form: every clause keeps its place, the
// scale and the variances are written out.
//
// RUN: mixattn-opt --attn-generalize %s | FileCheck %s

!q = tensor<?x2x?x4xf32>
!m = tensor<2x2xf32>

// The scale is 1/sqrt(4) where the op does not give one.
// CHECK-LABEL: func.func @default_scale
// CHECK-SAME:    %[[Q:[a-z0-9]+]]: tensor<?x2x?x4xf32>, %[[K:[a-z0-9]+]]: tensor<?x2x?x4xf32>, %[[V:[a-z0-9]+]]: tensor<?x2x?x4xf32>
// CHECK:         %[[O:.+]] = attn.generic scores(%[[Q]], %[[K]] : tensor<?x2x?x4xf32>, tensor<?x2x?x4xf32>) scale 5.000000e-01 pool(%[[V]] : tensor<?x2x?x4xf32>) -> tensor<?x2x?x4xf32>
// CHECK:         return %[[O]]
func.func @default_scale(%q: !q, %k: !q, %v: !q) -> !q {
  %o = attn.softmax %q, %k, %v : (!q, !q, !q) -> !q
  return %o : !q
}

// Without features every product is 0, and any scale will do.
// CHECK-LABEL: func.func @no_features
// CHECK:         attn.generic {{.*}} scale 1.000000e+00 pool(
func.func @no_features(%q: tensor<1x2x3x0xf32>, %v: tensor<1x2x3x4xf32>)
    -> tensor<1x2x3x4xf32> {
  %o = attn.softmax %q, %q, %v
      : (tensor<1x2x3x0xf32>, tensor<1x2x3x0xf32>, tensor<1x2x3x4xf32>)
      -> tensor<1x2x3x4xf32>
  return %o : tensor<1x2x3x4xf32>
}

// CHECK-LABEL: func.func @every_clause
// CHECK-SAME:    %[[Q:[a-z0-9]+]]: tensor<?x2x?x4xf32>, %[[BIAS:[a-z0-9]+]]: tensor<2x?x?xf32>, %[[MASK:[a-z0-9]+]]: tensor<?xi1>, %[[N:[a-z0-9]+]]: tensor<?xi64>
// CHECK-NOT:     attn.softmax
// CHECK:         attn.generic scores({{.*}}) scale 3.000000e+00 bias(%[[BIAS]] : tensor<2x?x?xf32>) score_mod {
// CHECK-NEXT:    ^bb0(%[[SCORE:[a-z0-9]+]]: f32, %{{.+}}: index, %{{.+}}: index, %{{.+}}: index, %{{.+}}: index):
// CHECK-NEXT:      attn.yield %[[SCORE]] : f32
// CHECK-NEXT:    } mask(%[[MASK]] : tensor<?xi1>) lengths(%[[N]] : tensor<?xi64>) causal band <1, 2> pool(%[[Q]] : tensor<?x2x?x4xf32>) {author = "text"} ->
func.func @every_clause(%q: !q, %bias: tensor<2x?x?xf32>, %mask: tensor<?xi1>,
                        %n: tensor<?xi64>) -> !q {
  %o = attn.softmax %q, %q, %q scale 3.0 bias(%bias : tensor<2x?x?xf32>)
      score_mod {
      ^bb0(%s: f32, %b: index, %h: index, %i: index, %j: index):
        attn.yield %s : f32
      }
      mask(%mask : tensor<?xi1>) lengths(%n : tensor<?xi64>) causal
      band <1, 2> {author = "text"} : (!q, !q, !q) -> !q
  return %o : !q
}

// The mixer becomes the stage postmix.
// CHECK-LABEL: func.func @mixer
// CHECK-SAME:    %[[M:[a-z0-9]+]]: tensor<2x2xf32>)
// CHECK-NOT:     attn.mix_heads
// CHECK:         attn.generic {{.*}} causal postmix(%[[M]] : tensor<2x2xf32>) pool(
func.func @mixer(%q: !q, %m: !m) -> !q {
  %o = attn.mix_heads %q, %q, %q mixer(%m : !m) causal : (!q, !q, !q) -> !q
  return %o : !q
}

// CHECK-LABEL: func.func @mixer_by_row
// CHECK-SAME:    %[[Q:[a-z0-9]+]]: tensor<?x2x?x4xf32>, %[[W:[a-z0-9]+]]: tensor<4x2xf32>, %[[B:[a-z0-9]+]]: tensor<2x2xf32>)
// CHECK-NOT:     attn.mix_heads
// CHECK:         attn.generic {{.*}} postmix_by_row(%[[Q]], %[[W]], %[[B]] : tensor<?x2x?x4xf32>, tensor<4x2xf32>, tensor<2x2xf32>) pool(
func.func @mixer_by_row(%q: !q, %w: tensor<4x2xf32>, %b: !m) -> !q {
  %o = attn.mix_heads %q, %q, %q
      mixer_by_row(%q, %w, %b : !q, tensor<4x2xf32>, !m) : (!q, !q, !q) -> !q
  return %o : !q
}

// Several ops, in regions too, and one that is in the normal form already.
// CHECK-LABEL: func.func @several
// CHECK:         scf.if
// CHECK:           attn.generic
// CHECK:         else
// CHECK:           attn.generic
// CHECK:         attn.generic {{.*}} scale 2.000000e+00 pool(
// CHECK-NOT:     attn.
func.func @several(%q: !q, %which: i1) -> !q {
  %a = scf.if %which -> !q {
    %0 = attn.softmax %q, %q, %q : (!q, !q, !q) -> !q
    scf.yield %0 : !q
  } else {
    %0 = attn.softmax %q, %q, %q causal : (!q, !q, !q) -> !q
    scf.yield %0 : !q
  }
  %b = attn.generic scores(%a, %a : !q, !q) scale 2.0 pool(%a : !q) -> !q
  return %b : !q
}

// A Gaussian has one variance, sqrt(4), and no scale.
// CHECK-LABEL: func.func @gaussian
// CHECK:         attn.generic scores({{.*}}) gaussian variances [2.000000e+00] scale 1.000000e+00 causal pool(
func.func @gaussian(%q: !q) -> !q {
  %o = attn.softmax %q, %q, %q gaussian causal : (!q, !q, !q) -> !q
  return %o : !q
}

// Keys of a mixture have a variance each, sqrt(4) where the op gives none, of
// Gaussians and of products.
// CHECK-LABEL: func.func @mixture_of_keys
// CHECK-SAME:    %[[Q:[a-z0-9]+]]: tensor<?x2x?x4xf32>, %[[KEYS:[a-z0-9]+]]: tensor<?x2x3x?x4xf32>)
// CHECK-NOT:     attn.mixture_of_keys
// CHECK:         attn.generic scores(%[[Q]], %[[KEYS]] : {{.*}}) gaussian variances [2.000000e+00, 2.000000e+00, 2.000000e+00] scale 1.000000e+00 pool(%[[Q]] :
// CHECK:         attn.generic scores(%[[Q]], %[[KEYS]] : {{.*}}) variances [2.000000e+00, 2.000000e+00, 2.000000e+00] scale 1.000000e+00 pool(%[[Q]] :
// CHECK:         attn.generic scores(%[[Q]], %[[KEYS]] : {{.*}}) variances [1.000000e+00, 5.000000e-01, 3.000000e+00] maximum scale 1.000000e+00 pool(%[[Q]] :
!keys = tensor<?x2x3x?x4xf32>
func.func @mixture_of_keys(%q: !q, %keys: !keys) -> (!q, !q, !q) {
  %0 = attn.mixture_of_keys %q, %keys, %q : (!q, !keys, !q) -> !q
  %1 = attn.mixture_of_keys %q, %keys, %q dot : (!q, !keys, !q) -> !q
  %2 = attn.mixture_of_keys %q, %keys, %q dot variances [1.0, 0.5, 3.0] maximum
      : (!q, !keys, !q) -> !q
  return %0, %1, %2 : !q, !q, !q
}

// CHECK-LABEL: func.func @every_clause_of_a_mixture
// CHECK-SAME:    %[[Q:[a-z0-9]+]]: tensor<?x2x?x4xf32>, %[[SHIFTS:[a-z0-9]+]]: tensor<2x3x4xf32>, %[[PRIOR:[a-z0-9]+]]: tensor<2x3xf32>, %[[BIAS:[a-z0-9]+]]: tensor<2x?x?xf32>, %[[MASK:[a-z0-9]+]]: tensor<?xi1>, %[[N:[a-z0-9]+]]: tensor<?xi64>
// CHECK:         attn.generic scores({{.*}}) shifted_by(%[[SHIFTS]] : tensor<2x3x4xf32>) gaussian variances [8.000000e+00, 8.000000e+00, 8.000000e+00] prior(%[[PRIOR]] : tensor<2x3xf32>) scale 1.000000e+00 bias(%[[BIAS]] : tensor<2x?x?xf32>) score_mod {
// CHECK-NEXT:    ^bb0(%[[SCORE:[a-z0-9]+]]: f32,
// CHECK-NEXT:      attn.yield %[[SCORE]] : f32
// CHECK-NEXT:    } mask(%[[MASK]] : tensor<?xi1>) lengths(%[[N]] : tensor<?xi64>) causal band <1, 2> pool(%[[Q]] : tensor<?x2x?x4xf32>) {author = "text"} ->
func.func @every_clause_of_a_mixture(
    %q: !q, %shifts: tensor<2x3x4xf32>, %prior: tensor<2x3xf32>,
    %bias: tensor<2x?x?xf32>, %mask: tensor<?xi1>, %n: tensor<?xi64>) -> !q {
  %o = attn.mixture_of_keys %q, %q, %q shifted_by(%shifts : tensor<2x3x4xf32>)
      variances [8.0, 8.0, 8.0] prior(%prior : tensor<2x3xf32>)
      bias(%bias : tensor<2x?x?xf32>) score_mod {
      ^bb0(%s: f32, %b: index, %h: index, %i: index, %j: index):
        attn.yield %s : f32
      }
      mask(%mask : tensor<?xi1>) lengths(%n : tensor<?xi64>) causal
      band <1, 2> {author = "text"} : (!q, !q, !q) -> !q
  return %o : !q
}

// The mixers of scores become the stage premix.
// CHECK-LABEL: func.func @admixture_heads
// CHECK-SAME:    %[[M:[a-z0-9]+]]: tensor<2x6xf32>, %[[W1:[a-z0-9]+]]: tensor<2x3xf32>, %[[B1:[a-z0-9]+]]: tensor<3xf32>, %[[W2:[a-z0-9]+]]: tensor<3x6xf32>, %[[B2:[a-z0-9]+]]: tensor<6xf32>)
// CHECK-NOT:     attn.admixture_heads
// CHECK:         attn.generic scores({{.*}}) premix(%[[M]] : tensor<2x6xf32>) scale 5.000000e-01 causal pool(
// CHECK:         attn.generic scores({{.*}}) premix(%[[M]] : tensor<2x6xf32>) relu_per_key scale 3.000000e+00 scale_before pool(
// CHECK:         attn.generic scores({{.*}}) premix_mlp(%[[W1]], %[[B1]], %[[W2]], %[[B2]] : tensor<2x3xf32>, tensor<3xf32>, tensor<3x6xf32>, tensor<6xf32>) scale 5.000000e-01 scale_before pool(
!v = tensor<?x6x?x4xf32>
func.func @admixture_heads(%q: !q, %v: !v, %m: tensor<2x6xf32>,
                           %w1: tensor<2x3xf32>, %b1: tensor<3xf32>,
                           %w2: tensor<3x6xf32>, %b2: tensor<6xf32>)
    -> (!v, !v, !v) {
  %0 = attn.admixture_heads %q, %q, %v mixer(%m : tensor<2x6xf32>) causal
      : (!q, !q, !v) -> !v
  %1 = attn.admixture_heads %q, %q, %v mixer(%m : tensor<2x6xf32>) relu_per_key
      scale 3.0 scale_before : (!q, !q, !v) -> !v
  %2 = attn.admixture_heads %q, %q, %v
      mlp(%w1, %b1, %w2, %b2
          : tensor<2x3xf32>, tensor<3xf32>, tensor<3x6xf32>, tensor<6xf32>)
      scale_before : (!q, !q, !v) -> !v
  return %0, %1, %2 : !v, !v, !v
}

// Results on request stay, one by one.
// CHECK-LABEL: func.func @results
// CHECK:         %{{.+}}, %[[WEIGHTS:.+]] = attn.generic {{.*}} -> tensor<?x2x?x4xf32> weights tensor<?x2x?x?xf32>{{$}}
// CHECK:         %{{.+}}, %[[LSE:.+]] = attn.generic {{.*}} -> tensor<?x2x?x4xf32> lse tensor<?x2x?xf32>{{$}}
// CHECK:         return %[[WEIGHTS]], %[[LSE]]
func.func @results(%q: !q, %m: !m) -> (tensor<?x2x?x?xf32>, tensor<?x2x?xf32>) {
  %0:2 = attn.mix_heads %q, %q, %q mixer(%m : !m)
      : (!q, !q, !q) -> !q weights tensor<?x2x?x?xf32>
  %1:2 = attn.softmax %q, %q, %q : (!q, !q, !q) -> !q lse tensor<?x2x?xf32>
  return %0#1, %1#1 : tensor<?x2x?x?xf32>, tensor<?x2x?xf32>
}

// Without features every difference is 0, and any variance will do.
// CHECK-LABEL: func.func @no_features_of_a_gaussian
// CHECK:         attn.generic {{.*}} gaussian variances [1.000000e+00] scale 1.000000e+00 pool(
// CHECK:         attn.generic {{.*}}) variances [1.000000e+00, 1.000000e+00] scale 1.000000e+00 pool(
func.func @no_features_of_a_gaussian(
    %q: tensor<1x2x3x0xf32>, %keys: tensor<1x2x2x3x0xf32>,
    %v: tensor<1x2x3x4xf32>) -> (tensor<1x2x3x4xf32>, tensor<1x2x3x4xf32>) {
  %0 = attn.softmax %q, %q, %v gaussian
      : (tensor<1x2x3x0xf32>, tensor<1x2x3x0xf32>, tensor<1x2x3x4xf32>)
      -> tensor<1x2x3x4xf32>
  %1 = attn.mixture_of_keys %q, %keys, %v dot
      : (tensor<1x2x3x0xf32>, tensor<1x2x2x3x0xf32>, tensor<1x2x3x4xf32>)
      -> tensor<1x2x3x4xf32>
  return %0, %1 : tensor<1x2x3x4xf32>, tensor<1x2x3x4xf32>
}
