// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Weights that are a result take the place of their powers in the panel, block by
// block, and are written transposed; then those of keys that no query of the tile
// sees.
//
// RUN: mixattn-opt %s --attn-set-target='chip=znver4 features=avx512f,fma threads=1' --attn-generalize --attn-plan='force=panel,width=32,block=64' \
// RUN:     --attn-form-kernels --attn-bufferize --attn-stage-kernels --attn-schedule-kernels --canonicalize --cse \
// RUN:   | FileCheck %s

// CHECK:       %[[PANEL:.+]] = memref.view %{{.+}} : memref<?xi8> to memref<?x32xf32>
// CHECK:       scf.for
// CHECK:         %[[POWER:.+]] = vector.load %[[PANEL]][%[[ROW:.+]], %[[LANE:.+]]]
// CHECK:         %[[WEIGHT:.+]] = arith.mulf %[[POWER]],
// CHECK:         vector.store %[[WEIGHT]], %[[PANEL]][%[[ROW]], %[[LANE]]]
// CHECK:       tile.x86.product {{.*}} onto
// CHECK:       scf.if %{{.+}} {
// CHECK:         %[[BLOCK:.+]] = memref.subview %{{.+}}[0, %[[START:.+]]] [{{.+}}, 64]
// CHECK:         tile.x86.unpack %{{.+}}, %[[ONES:[a-z0-9_]+]] into %[[BLOCK]][%{{.+}}] rows %{{[a-z0-9_]+}} :
// CHECK:       } else {
// CHECK:         %[[PART:.+]] = memref.subview %{{.+}}[0, %[[START]]] [{{.+}}, %[[KEYS:[a-z0-9_]+]]]
// CHECK:         tile.x86.unpack %{{.+}}, %[[ONES]] into %[[PART]][%{{.+}}] rows %{{.+}} columns %[[KEYS]]
// CHECK:       vector.maskedstore
// CHECK:       vector.maskedstore
// CHECK:       tile.x86.unpack
func.func @softmax(%q: tensor<?x2x?x64xf32>, %k: tensor<?x2x?x64xf32>)
    -> (tensor<?x2x?x64xf32>, tensor<?x2x?x?xf32>) {
  %o, %w = attn.softmax %q, %k, %k causal
      : (tensor<?x2x?x64xf32>, tensor<?x2x?x64xf32>, tensor<?x2x?x64xf32>)
      -> tensor<?x2x?x64xf32> weights tensor<?x2x?x?xf32>
  return %o, %w : tensor<?x2x?x64xf32>, tensor<?x2x?x?xf32>
}
