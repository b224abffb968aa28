// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Products of keys whose rows are long ask for those of the step after the next, a
// share of them in each unit of work on weights; never those of short rows, nor
// where reading takes time anyway.
//
// DEFINE: %{target} = chip=znver4 features=avx512f,fma threads=1
// DEFINE: %{scheduled} = mixattn-opt %s --attn-set-target='%{target}' --attn-generalize --attn-plan='force=online,width=64,block=64' \
// DEFINE:     --attn-form-kernels --attn-bufferize --attn-stage-kernels --attn-schedule-kernels --canonicalize --cse
// RUN: %{scheduled} | FileCheck %s
// REDEFINE: %{target} = chip=graniterapids features=avx512f,fma threads=1
// RUN: %{scheduled} | FileCheck %s --check-prefix=NEVER --implicit-check-not=prefetch

// NEVER: tile.x86.product
// CHECK-LABEL: func.func @long(
// CHECK:       tile.x86.product %[[KEYS:[a-z0-9_]+]][%{{[a-z0-9_]+}}] {{.*}} units 4 {{.*}} {
// CHECK-NEXT:  ^bb0(%[[UNIT:.+]]: index):
// CHECK:         %[[AHEAD:.+]] = arith.addi %{{.+}}, %c12
// CHECK:         %[[FIRST:.+]] = arith.addi %[[AHEAD]], %[[UNIT]]
// CHECK:         %[[ROW:.+]] = arith.minsi %[[FIRST]], %{{.+}}
// CHECK:         scf.for %[[COLUMN:.+]] = %c0 to %c128 step %c16
// CHECK:           memref.prefetch %[[KEYS]][%[[ROW]], %[[COLUMN]]], read, locality<3>, data
func.func @long(%q: tensor<?x2x?x128xf32>) -> tensor<?x2x?x128xf32> {
  %o = attn.softmax %q, %q, %q : (tensor<?x2x?x128xf32>, tensor<?x2x?x128xf32>, tensor<?x2x?x128xf32>)
      -> tensor<?x2x?x128xf32>
  return %o : tensor<?x2x?x128xf32>
}

// CHECK-LABEL: func.func @short(
// CHECK-NOT:   memref.prefetch
func.func @short(%q: tensor<?x2x?x64xf32>) -> tensor<?x2x?x64xf32> {
  %o = attn.softmax %q, %q, %q : (tensor<?x2x?x64xf32>, tensor<?x2x?x64xf32>, tensor<?x2x?x64xf32>)
      -> tensor<?x2x?x64xf32>
  return %o : tensor<?x2x?x64xf32>
}

// Heads that share scores have more units of work than a step has keys: no key is
// asked for twice.
// CHECK-LABEL: func.func @admixture(
// CHECK:       tile.x86.product %{{.+}} units 16 {{.*}} {
// CHECK-NEXT:  ^bb0(%[[UNIT:.+]]: index):
// CHECK:         %[[THERE:.+]] = arith.cmpi slt, %[[UNIT]], %c4
// CHECK:         scf.if %[[THERE]] {
// CHECK:           memref.prefetch
// CHECK-NEXT:      }
// CHECK-NEXT:    }
// CHECK-NOT:     memref.prefetch
// CHECK:       tile.x86.product
func.func @admixture(%q: tensor<?x2x?x128xf32>, %v: tensor<?x8x?x128xf32>, %mixer: tensor<2x8xf32>)
    -> tensor<?x8x?x128xf32> {
  %o = attn.admixture_heads %q, %q, %v mixer(%mixer : tensor<2x8xf32>)
      : (tensor<?x2x?x128xf32>, tensor<?x2x?x128xf32>, tensor<?x8x?x128xf32>) -> tensor<?x8x?x128xf32>
  return %o : tensor<?x8x?x128xf32>
}
