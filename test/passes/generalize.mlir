// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Named attention ops in the normal form: every clause keeps its place, the
// scale is written out.
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
