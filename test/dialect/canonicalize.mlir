// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Mixers that do nothing, or depend on less than they could; and those that
// must stay.
//
// RUN: mixattn-opt --canonicalize --split-input-file %s | FileCheck %s

!q = tensor<1x2x3x4xf32>

// A constant identity mixes nothing: what is left is attn.softmax, with every
// clause.
// CHECK-LABEL: func.func @identity_mixer
// CHECK-SAME:    %[[Q:[a-z0-9]+]]: tensor<1x2x3x4xf32>, %[[BIAS:[a-z0-9]+]]: tensor<3x3xf32>, %[[MASK:[a-z0-9]+]]: tensor<i1>, %[[N:[a-z0-9]+]]: tensor<1xi64>
// CHECK-NOT:     mixer
// CHECK:         attn.softmax %[[Q]], %[[Q]], %[[Q]] scale 3.000000e+00 bias(%[[BIAS]] : tensor<3x3xf32>) score_mod {
// CHECK:           attn.yield
// CHECK:         } mask(%[[MASK]] : tensor<i1>) lengths(%[[N]] : tensor<1xi64>) causal band <1, 2> {author = "text"} :
func.func @identity_mixer(%q: !q, %bias: tensor<3x3xf32>, %mask: tensor<i1>,
                          %n: tensor<1xi64>) -> !q {
  %m = arith.constant dense<[[1.0, 0.0], [0.0, 1.0]]> : tensor<2x2xf32>
  %o = attn.mix_heads %q, %q, %q mixer(%m : tensor<2x2xf32>) scale 3.0
      bias(%bias : tensor<3x3xf32>) score_mod {
      ^bb0(%s: f32, %b: index, %h: index, %i: index, %j: index):
        %t = arith.negf %s : f32
        attn.yield %t : f32
      }
      mask(%mask : tensor<i1>) lengths(%n : tensor<1xi64>) causal band <1, 2>
      {author = "text"} : (!q, !q, !q) -> !q
  return %o : !q
}

// -----

// One head mixed with itself by one, in any element type.
!q = tensor<1x1x3x4xf32>
// CHECK-LABEL: func.func @one_head
// CHECK-NOT:     mixer
// CHECK:         attn.softmax
func.func @one_head(%q: !q) -> !q {
  %m = arith.constant dense<1.0> : tensor<1x1xbf16>
  %o = attn.mix_heads %q, %q, %q mixer(%m : tensor<1x1xbf16>) : (!q, !q, !q) -> !q
  return %o : !q
}

// -----

// In the normal form the stage vanishes.
!q = tensor<1x2x3x4xf32>
// CHECK-LABEL: func.func @identity_postmix
// CHECK-NOT:     postmix
// CHECK:         attn.generic scores({{.*}}) causal pool(
func.func @identity_postmix(%q: !q) -> !q {
  %m = arith.constant dense<[[1.0, -0.0], [0.0, 1.0]]> : tensor<2x2xf16>
  %o = attn.generic scores(%q, %q : !q, !q) causal postmix(%m : tensor<2x2xf16>)
      pool(%q : !q) -> !q
  return %o : !q
}

// -----

// With weights of zero, the mixers of all rows are the offset.
!q = tensor<?x2x?x4xf32>
// CHECK-LABEL: func.func @zero_weights
// CHECK-SAME:    %[[Q:[a-z0-9]+]]: tensor<?x2x?x4xf32>, %[[B:[a-z0-9]+]]: tensor<2x2xf32>
// CHECK-NOT:     by_row
// CHECK:         attn.mix_heads %[[Q]], %[[Q]], %[[Q]] mixer(%[[B]] : tensor<2x2xf32>) causal :
// CHECK:         attn.generic scores({{.*}}) postmix(%[[B]] : tensor<2x2xf32>) pool(
func.func @zero_weights(%q: !q, %b: tensor<2x2xf32>) -> (!q, !q) {
  %w = arith.constant dense<0.0> : tensor<4x2xf32>
  %0 = attn.mix_heads %q, %q, %q
      mixer_by_row(%q, %w, %b : !q, tensor<4x2xf32>, tensor<2x2xf32>) causal
      : (!q, !q, !q) -> !q
  %1 = attn.generic scores(%q, %q : !q, !q)
      postmix_by_row(%q, %w, %b : !q, tensor<4x2xf32>, tensor<2x2xf32>)
      pool(%q : !q) -> !q
  return %0, %1 : !q, !q
}

// -----

// Both at once: zero weights, and an offset that is the identity.
!q = tensor<1x2x3x4xf32>
// CHECK-LABEL: func.func @zero_weights_and_identity
// CHECK-NOT:     mixer
// CHECK:         attn.softmax
func.func @zero_weights_and_identity(%q: !q) -> !q {
  %w = arith.constant dense<0.0> : tensor<4x2xf32>
  %b = arith.constant dense<[[1.0, 0.0], [0.0, 1.0]]> : tensor<2x2xf32>
  %o = attn.mix_heads %q, %q, %q
      mixer_by_row(%q, %w, %b : !q, tensor<4x2xf32>, tensor<2x2xf32>)
      : (!q, !q, !q) -> !q
  return %o : !q
}

// -----

// Mixers that change something stay: a permutation, a matrix of ones, another
// factor, NaN off the diagonal, and one that is not known.
!q = tensor<1x2x3x4xf32>
// CHECK-LABEL: func.func @mixers_that_stay
// CHECK-COUNT-5: attn.mix_heads {{.*}} mixer(
func.func @mixers_that_stay(%q: !q, %unknown: tensor<2x2xf32>)
    -> (!q, !q, !q, !q, !q) {
  %swap = arith.constant dense<[[0.0, 1.0], [1.0, 0.0]]> : tensor<2x2xf32>
  %ones = arith.constant dense<1.0> : tensor<2x2xf32>
  %two = arith.constant dense<[[2.0, 0.0], [0.0, 1.0]]> : tensor<2x2xf32>
  %nan = arith.constant dense<[[1.0, 0x7FC00000], [0.0, 1.0]]> : tensor<2x2xf32>
  %0 = attn.mix_heads %q, %q, %q mixer(%swap : tensor<2x2xf32>) : (!q, !q, !q) -> !q
  %1 = attn.mix_heads %q, %q, %q mixer(%ones : tensor<2x2xf32>) : (!q, !q, !q) -> !q
  %2 = attn.mix_heads %q, %q, %q mixer(%two : tensor<2x2xf32>) : (!q, !q, !q) -> !q
  %3 = attn.mix_heads %q, %q, %q mixer(%nan : tensor<2x2xf32>) : (!q, !q, !q) -> !q
  %4 = attn.mix_heads %q, %q, %q mixer(%unknown : tensor<2x2xf32>) : (!q, !q, !q) -> !q
  return %0, %1, %2, %3, %4 : !q, !q, !q, !q, !q
}

// -----

// Weights that are not zero, or not known, keep a mixer per row; so does an
// identity as offset.
!q = tensor<1x2x3x4xf32>
// CHECK-LABEL: func.func @rows_that_stay
// CHECK-COUNT-2: attn.mix_heads {{.*}} mixer_by_row(
// CHECK:         attn.generic {{.*}} postmix_by_row(
func.func @rows_that_stay(%q: !q, %unknown: tensor<4x2xf32>) -> (!q, !q, !q) {
  %b = arith.constant dense<[[1.0, 0.0], [0.0, 1.0]]> : tensor<2x2xf32>
  %w = arith.constant dense<[[0.0, 0.0], [0.0, 0.0], [0.0, 0.5], [0.0, 0.0]]> : tensor<4x2xf32>
  %0 = attn.mix_heads %q, %q, %q
      mixer_by_row(%q, %w, %b : !q, tensor<4x2xf32>, tensor<2x2xf32>)
      : (!q, !q, !q) -> !q
  %1 = attn.mix_heads %q, %q, %q
      mixer_by_row(%q, %unknown, %b : !q, tensor<4x2xf32>, tensor<2x2xf32>)
      : (!q, !q, !q) -> !q
  %2 = attn.generic scores(%q, %q : !q, !q)
      postmix_by_row(%q, %unknown, %b : !q, tensor<4x2xf32>, tensor<2x2xf32>)
      pool(%q : !q) -> !q
  return %0, %1, %2 : !q, !q, !q
}

// -----

// An attention whose result nobody reads has no effect.
!q = tensor<1x2x3x4xf32>
// CHECK-LABEL: func.func @unused
// CHECK-NEXT:    return
func.func @unused(%q: !q) {
  %o = attn.softmax %q, %q, %q : (!q, !q, !q) -> !q
  return
}

// -----

// Results on request stay with the op that takes over.
!q = tensor<1x2x3x4xf32>
// CHECK-LABEL: func.func @results
// CHECK:         %[[O:.+]], %[[WEIGHTS:.+]], %[[LSE:.+]] = attn.softmax {{.*}} weights tensor<1x2x3x3xf32> lse tensor<1x2x3xf32>
// CHECK:         return %[[O]], %[[WEIGHTS]], %[[LSE]]
func.func @results(%q: !q) -> (!q, tensor<1x2x3x3xf32>, tensor<1x2x3xf32>) {
  %m = arith.constant dense<[[1.0, 0.0], [0.0, 1.0]]> : tensor<2x2xf32>
  %o, %weights, %lse = attn.mix_heads %q, %q, %q mixer(%m : tensor<2x2xf32>)
      : (!q, !q, !q) -> !q weights tensor<1x2x3x3xf32> lse tensor<1x2x3xf32>
  return %o, %weights, %lse : !q, tensor<1x2x3x3xf32>, tensor<1x2x3xf32>
}

// -----

// The size of a cast tensor is that of what was cast, within a score_mod too.
!q = tensor<?x2x3x4xf32>
// CHECK-LABEL: func.func @size_of_a_cast
// CHECK-SAME:    %[[Q:[a-z0-9]+]]: tensor<?x2x?x4xf32>)
// CHECK:         attn.softmax {{.*}} score_mod {
// CHECK:           tensor.dim %[[Q]],
func.func @size_of_a_cast(%open: tensor<?x2x?x4xf32>) -> !q {
  %c0 = arith.constant 0 : index
  %q = tensor.cast %open : tensor<?x2x?x4xf32> to !q
  %o = attn.softmax %q, %q, %q score_mod {
  ^bb0(%s: f32, %b: index, %h: index, %i: index, %j: index):
    %size = tensor.dim %q, %c0 : !q
    %wide = arith.index_cast %size : index to i32
    %x = arith.sitofp %wide : i32 to f32
    %t = arith.addf %s, %x : f32
    attn.yield %t : f32
  } : (!q, !q, !q) -> !q
  return %o : !q
}
