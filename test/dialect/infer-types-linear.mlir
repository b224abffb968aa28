// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The type and the sizes of a linear attention's result.
//
// RUN: mixattn-opt %s --resolve-ranked-shaped-type-result-dims --canonicalize --cse \
// RUN:   | FileCheck %s

// Batch and length are the query's, also after a mixer; heads and features are
// known.
// CHECK-LABEL: func.func @sizes
// CHECK-SAME:    %[[Q:[a-z0-9]+]]: tensor<?x8x?x64xf32>, %[[K:[a-z0-9]+]]:
// CHECK-DAG:     %[[ZERO:.+]] = arith.constant 0 : index
// CHECK-DAG:     %[[TWO:.+]] = arith.constant 2 : index
// CHECK-DAG:     %[[HEADS:.+]] = arith.constant 8 : index
// CHECK-DAG:     %[[FEATURES:.+]] = arith.constant 96 : index
// CHECK-DAG:     %[[B:.+]] = tensor.dim %[[Q]], %[[ZERO]]
// CHECK-DAG:     %[[N:.+]] = tensor.dim %[[Q]], %[[TWO]]
// CHECK:         return %[[B]], %[[HEADS]], %[[N]], %[[FEATURES]]
!v = tensor<?x3x?x96xf32>
!o = tensor<?x8x?x96xf32>
func.func @sizes(%q: tensor<?x8x?x64xf32>, %k: tensor<?x3x?x64xf32>, %v: !v,
                 %p: tensor<3x8xf32>) -> (index, index, index, index) {
  %0 = arith.constant 0 : index
  %1 = arith.constant 1 : index
  %2 = arith.constant 2 : index
  %3 = arith.constant 3 : index
  %o = attn.linear_admixture_heads %q, %k, %v mixer(%p : tensor<3x8xf32>) feature_map <elu>
      : (tensor<?x8x?x64xf32>, tensor<?x3x?x64xf32>, !v) -> !o
  %b = tensor.dim %o, %0 : !o
  %h = tensor.dim %o, %1 : !o
  %n = tensor.dim %o, %2 : !o
  %e = tensor.dim %o, %3 : !o
  return %b, %h, %n, %e : index, index, index, index
}

// Where the keys alone tell the batch it is known; a type that says more holds.
// CHECK-LABEL: func.func @batch
// CHECK-DAG:     %[[BATCH:.+]] = arith.constant 3 : index
// CHECK-DAG:     %[[LENGTH:.+]] = arith.constant 5 : index
// CHECK:         return %[[BATCH]], %[[LENGTH]]
func.func @batch(%q: tensor<?x2x?x4xf32>, %k: tensor<3x2x7x4xf32>) -> (index, index) {
  %0 = arith.constant 0 : index
  %2 = arith.constant 2 : index
  %o = attn.linear %q, %k, %k feature_map <elu>
      : (tensor<?x2x?x4xf32>, tensor<3x2x7x4xf32>, tensor<3x2x7x4xf32>) -> tensor<?x2x5x4xf32>
  %b = tensor.dim %o, %0 : tensor<?x2x5x4xf32>
  %n = tensor.dim %o, %2 : tensor<?x2x5x4xf32>
  return %b, %n : index, index
}
