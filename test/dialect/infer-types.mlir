// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Type and sizes of a result: its type may say less or more than the operands,
// and its sizes are those of the operands.
//
// RUN: mixattn-opt %s --resolve-ranked-shaped-type-result-dims --canonicalize --cse \
// RUN:   | FileCheck %s

// Batch and length are the query's; heads and features are known.
// CHECK-LABEL: func.func @sizes
// CHECK-SAME:    %[[Q:[a-z0-9]+]]: tensor<?x8x?x64xf32>, %[[K:[a-z0-9]+]]:
// CHECK-DAG:     %[[ZERO:.+]] = arith.constant 0 : index
// CHECK-DAG:     %[[TWO:.+]] = arith.constant 2 : index
// CHECK-DAG:     %[[HEADS:.+]] = arith.constant 8 : index
// CHECK-DAG:     %[[FEATURES:.+]] = arith.constant 96 : index
// CHECK-DAG:     %[[B:.+]] = tensor.dim %[[Q]], %[[ZERO]]
// CHECK-DAG:     %[[N:.+]] = tensor.dim %[[Q]], %[[TWO]]
// CHECK:         return %[[B]], %[[HEADS]], %[[N]], %[[FEATURES]]
func.func @sizes(%q: tensor<?x8x?x64xf32>, %k: tensor<?x2x?x64xf32>,
                 %v: tensor<?x2x?x96xf32>) -> (index, index, index, index) {
  %0 = arith.constant 0 : index
  %1 = arith.constant 1 : index
  %2 = arith.constant 2 : index
  %3 = arith.constant 3 : index
  %o = attn.softmax %q, %k, %v
      : (tensor<?x8x?x64xf32>, tensor<?x2x?x64xf32>, tensor<?x2x?x96xf32>)
      -> tensor<?x8x?x96xf32>
  %b = tensor.dim %o, %0 : tensor<?x8x?x96xf32>
  %h = tensor.dim %o, %1 : tensor<?x8x?x96xf32>
  %n = tensor.dim %o, %2 : tensor<?x8x?x96xf32>
  %e = tensor.dim %o, %3 : tensor<?x8x?x96xf32>
  return %b, %h, %n, %e : index, index, index, index
}

// The features of a result whose type leaves them open are the value's.
// CHECK-LABEL: func.func @features
// CHECK:         %[[FEATURES:.+]] = arith.constant 96 : index
// CHECK:         return %[[FEATURES]]
func.func @features(%q: tensor<1x8x5x64xf32>, %v: tensor<1x8x5x96xf32>) -> index {
  %3 = arith.constant 3 : index
  %o = attn.softmax %q, %q, %v
      : (tensor<1x8x5x64xf32>, tensor<1x8x5x64xf32>, tensor<1x8x5x96xf32>)
      -> tensor<1x8x5x?xf32>
  %e = tensor.dim %o, %3 : tensor<1x8x5x?xf32>
  return %e : index
}

// The same of attn.mix_heads and attn.generic.
// CHECK-LABEL: func.func @other_ops
// CHECK-SAME:    %[[Q:[a-z0-9]+]]: tensor<1x2x?x4xf32>
// CHECK:         %[[TWO:.+]] = arith.constant 2 : index
// CHECK:         %[[N:.+]] = tensor.dim %[[Q]], %[[TWO]]
// CHECK-NOT:     tensor.dim
// CHECK:         return %[[N]], %[[N]]
!q = tensor<1x2x?x4xf32>
func.func @other_ops(%q: !q, %m: tensor<2x2xf32>) -> (index, index) {
  %2 = arith.constant 2 : index
  %mixed = attn.mix_heads %q, %q, %q mixer(%m : tensor<2x2xf32>) : (!q, !q, !q) -> !q
  %generic = attn.generic scores(%q, %q : !q, !q) pool(%q : !q) -> !q
  %n0 = tensor.dim %mixed, %2 : !q
  %n1 = tensor.dim %generic, %2 : !q
  return %n0, %n1 : index, index
}

// A result's type may leave open what the operands say, and say what they
// leave open.
// CHECK-LABEL: func.func @less_and_more
// CHECK:         attn.softmax {{.*}} -> tensor<?x?x?x?xf32>
// CHECK:         attn.softmax {{.*}} -> tensor<2x2x3x4xf32>
func.func @less_and_more(%q: !q, %k: tensor<?x2x?x4xf32>)
    -> (tensor<?x?x?x?xf32>, tensor<2x2x3x4xf32>) {
  %less = attn.softmax %q, %q, %q : (!q, !q, !q) -> tensor<?x?x?x?xf32>
  %more = attn.softmax %k, %k, %k
      : (tensor<?x2x?x4xf32>, tensor<?x2x?x4xf32>, tensor<?x2x?x4xf32>)
      -> tensor<2x2x3x4xf32>
  return %less, %more : tensor<?x?x?x?xf32>, tensor<2x2x3x4xf32>
}

// Weights have the heads of the result and the keys' length, wherever the keys
// keep it; lse has the queries'.
// CHECK-LABEL: func.func @weights_and_lse
// CHECK-SAME:    %[[Q:[a-z0-9]+]]: tensor<?x2x?x4xf32>, %[[KEYS:[a-z0-9]+]]: tensor<?x2x3x?x4xf32>
// CHECK-DAG:     %[[ZERO:.+]] = arith.constant 0 : index
// CHECK-DAG:     %[[TWO:.+]] = arith.constant 2 : index
// CHECK-DAG:     %[[THREE:.+]] = arith.constant 3 : index
// CHECK-DAG:     %[[HEADS:.+]] = arith.constant 6 : index
// CHECK-DAG:     %[[B:.+]] = tensor.dim %[[Q]], %[[ZERO]]
// CHECK-DAG:     %[[N:.+]] = tensor.dim %[[Q]], %[[TWO]]
// CHECK-DAG:     %[[S:.+]] = tensor.dim %[[KEYS]], %[[THREE]]
// CHECK:         return %[[B]], %[[HEADS]], %[[N]], %[[S]], %[[B]], %[[HEADS]], %[[N]]
func.func @weights_and_lse(%q: tensor<?x2x?x4xf32>, %keys: tensor<?x2x3x?x4xf32>,
                           %v: tensor<?x6x?x4xf32>, %m: tensor<2x6xf32>)
    -> (index, index, index, index, index, index, index) {
  %0 = arith.constant 0 : index
  %1 = arith.constant 1 : index
  %2 = arith.constant 2 : index
  %3 = arith.constant 3 : index
  %o, %weights, %lse = attn.generic
      scores(%q, %keys : tensor<?x2x?x4xf32>, tensor<?x2x3x?x4xf32>)
      premix(%m : tensor<2x6xf32>) pool(%v : tensor<?x6x?x4xf32>)
      -> tensor<?x6x?x4xf32> weights tensor<?x6x?x?xf32> lse tensor<?x6x?xf32>
  %wb = tensor.dim %weights, %0 : tensor<?x6x?x?xf32>
  %wh = tensor.dim %weights, %1 : tensor<?x6x?x?xf32>
  %wn = tensor.dim %weights, %2 : tensor<?x6x?x?xf32>
  %ws = tensor.dim %weights, %3 : tensor<?x6x?x?xf32>
  %lb = tensor.dim %lse, %0 : tensor<?x6x?xf32>
  %lh = tensor.dim %lse, %1 : tensor<?x6x?xf32>
  %ln = tensor.dim %lse, %2 : tensor<?x6x?xf32>
  return %wb, %wh, %wn, %ws, %lb, %lh, %ln
      : index, index, index, index, index, index, index
}

// The heads of a result are the columns of a linear mixer, or of an MLP's
// second layer; results on request may say less of them, too.
// CHECK-LABEL: func.func @mixed_heads
// CHECK:         attn.admixture_heads {{.*}} -> tensor<1x6x3x4xf32>
// CHECK:         attn.admixture_heads {{.*}} -> tensor<1x6x3x4xf32> weights tensor<?x?x?x?xf32> lse tensor<1x6x3xf32>
func.func @mixed_heads(%q: tensor<1x2x3x4xf32>, %v: tensor<1x6x3x4xf32>,
                       %m: tensor<2x6xf32>, %w1: tensor<2x5xf32>,
                       %b1: tensor<5xf32>, %w2: tensor<5x6xf32>,
                       %b2: tensor<6xf32>)
    -> (tensor<1x6x3x4xf32>, tensor<1x6x3x4xf32>, tensor<?x?x?x?xf32>) {
  %0 = attn.admixture_heads %q, %q, %v mixer(%m : tensor<2x6xf32>)
      : (tensor<1x2x3x4xf32>, tensor<1x2x3x4xf32>, tensor<1x6x3x4xf32>)
      -> tensor<1x6x3x4xf32>
  %1:3 = attn.admixture_heads %q, %q, %v
      mlp(%w1, %b1, %w2, %b2
          : tensor<2x5xf32>, tensor<5xf32>, tensor<5x6xf32>, tensor<6xf32>)
      : (tensor<1x2x3x4xf32>, tensor<1x2x3x4xf32>, tensor<1x6x3x4xf32>)
      -> tensor<1x6x3x4xf32> weights tensor<?x?x?x?xf32> lse tensor<1x6x3xf32>
  return %0, %1#0, %1#1
      : tensor<1x6x3x4xf32>, tensor<1x6x3x4xf32>, tensor<?x?x?x?xf32>
}

// Heads that a type leaves open are those of the mixer all the same.
// CHECK-LABEL: func.func @open_heads
// CHECK:         %[[HEADS:.+]] = arith.constant 6 : index
// CHECK:         return %[[HEADS]], %[[HEADS]], %[[HEADS]]
func.func @open_heads(%q: tensor<1x2x3x4xf32>, %v: tensor<1x6x3x4xf32>,
                      %m: tensor<2x6xf32>) -> (index, index, index) {
  %1 = arith.constant 1 : index
  %o, %weights, %lse = attn.admixture_heads %q, %q, %v mixer(%m : tensor<2x6xf32>)
      : (tensor<1x2x3x4xf32>, tensor<1x2x3x4xf32>, tensor<1x6x3x4xf32>)
      -> tensor<1x?x3x4xf32> weights tensor<1x?x3x3xf32> lse tensor<1x?x3xf32>
  %oh = tensor.dim %o, %1 : tensor<1x?x3x4xf32>
  %wh = tensor.dim %weights, %1 : tensor<1x?x3x3xf32>
  %lh = tensor.dim %lse, %1 : tensor<1x?x3xf32>
  return %oh, %wh, %lh : index, index, index
}

// Pools, shares, means and penalties have sizes of their operands.
// CHECK-LABEL: func.func @other_sizes
// CHECK-SAME:    %[[V:[a-z0-9]+]]: tensor<?x2x?x4xf32>, %[[K:[a-z0-9]+]]: tensor<?x2x3x?x4xf32>
// CHECK-DAG:     %[[ZERO:.+]] = arith.constant 0 : index
// CHECK-DAG:     %[[TWO:.+]] = arith.constant 2 : index
// CHECK-DAG:     %[[THREE:.+]] = arith.constant 3 : index
// CHECK-DAG:     %[[HEADS:.+]] = arith.constant 6 : index
// CHECK-DAG:     %[[B:.+]] = tensor.dim %[[V]], %[[ZERO]]
// CHECK-DAG:     %[[N:.+]] = tensor.dim %[[V]], %[[TWO]]
// CHECK-DAG:     %[[S:.+]] = tensor.dim %[[K]], %[[THREE]]
// CHECK:         return %[[B]], %[[HEADS]], %[[N]], %[[B]], %[[THREE]], %[[N]], %[[S]], %[[THREE]], %[[S]]
func.func @other_sizes(%v: tensor<?x2x?x4xf32>, %k: tensor<?x2x3x?x4xf32>,
                       %band: tensor<6x?x3xf32>)
    -> (index, index, index, index, index, index, index, index, index) {
  %0 = arith.constant 0 : index
  %1 = arith.constant 1 : index
  %2 = arith.constant 2 : index
  %3 = arith.constant 3 : index
  %4 = arith.constant 4 : index
  %o = attn.structured_pool %v band(%band : tensor<6x?x3xf32>)
      : tensor<?x2x?x4xf32> -> tensor<?x?x?x4xf32>
  %gamma = attn.responsibilities %v, %k
      : (tensor<?x2x?x4xf32>, tensor<?x2x3x?x4xf32>) -> tensor<?x2x3x?x?xf32>
  %prior = attn.prior_update %gamma per_key
      : tensor<?x2x3x?x?xf32> -> tensor<2x?x?xf32>
  %ob = tensor.dim %o, %0 : tensor<?x?x?x4xf32>
  %oh = tensor.dim %o, %1 : tensor<?x?x?x4xf32>
  %on = tensor.dim %o, %2 : tensor<?x?x?x4xf32>
  %gb = tensor.dim %gamma, %0 : tensor<?x2x3x?x?xf32>
  %gr = tensor.dim %gamma, %2 : tensor<?x2x3x?x?xf32>
  %gn = tensor.dim %gamma, %3 : tensor<?x2x3x?x?xf32>
  %gs = tensor.dim %gamma, %4 : tensor<?x2x3x?x?xf32>
  %pr = tensor.dim %prior, %1 : tensor<2x?x?xf32>
  %ps = tensor.dim %prior, %2 : tensor<2x?x?xf32>
  return %ob, %oh, %on, %gb, %gr, %gn, %gs, %pr, %ps
      : index, index, index, index, index, index, index, index, index
}
