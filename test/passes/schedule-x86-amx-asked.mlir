// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// By AMX the scores of 32 keys come first, and then their weights. Meanwhile the second
// cache is asked for the values that a block's weights pool, a share of them after each
// unit of work: where the values of all heads of a tile fill more than half of it.
//
// DEFINE: %{plan} = online
// DEFINE: %{scheduled} = mixattn-opt %t/%{plan}.mlir --attn-set-target='chip=graniterapids features=avx512f,fma,avx512bf16,amx-tile,amx-bf16 threads=1' \
// DEFINE:     --attn-generalize --attn-plan='force=%{plan},width=64,block=128' \
// DEFINE:     --attn-form-kernels --attn-bufferize --attn-stage-kernels --attn-schedule-kernels --canonicalize --cse
// RUN: split-file %s %t
// RUN: %{scheduled} | FileCheck %t/online.mlir
// REDEFINE: %{plan} = panel
// RUN: %{scheduled} | FileCheck %t/panel.mlir

//--- online.mlir
// 8 heads of 64 features of 2 bytes: a share of four lines, of 256 of a panel.
// CHECK-LABEL: func.func @admixture(
// CHECK:       scf.for %[[BLOCK:.+]] = %c0 to %[[KEYS:.+]] step %c128 {
// CHECK:         scf.for %[[FEW:.+]] = %c0 to %{{.+}} step %c32 {
// CHECK:           tile.x86.product {{.*}} amx into
// CHECK:           scf.for %[[HEAD:.+]] = %c0 to %c8 step %c1 {
// CHECK-NEXT:        scf.for %[[VECTOR:.+]] = %c0 to %c4 step %c1 {
// CHECK-NEXT:          scf.for %[[PART:.+]] = %c0
// CHECK:                 %[[BEFORE:.+]] = arith.divui %[[FEW]], %c8
// CHECK-NEXT:            %[[OWN:.+]] = arith.addi %[[BEFORE]], %[[PART]]
// CHECK-NEXT:            %[[FIRST:.+]] = arith.muli %[[OWN]], %c4
// CHECK-NEXT:            %[[UNIT:.+]] = arith.addi %[[FIRST]], %[[VECTOR]]
// CHECK-NEXT:            %[[BYTES:.+]] = arith.muli %[[KEYS]], %c1024
// CHECK-NEXT:            %[[FAR:.+]] = arith.cmpi sgt, %[[BYTES]], %c1048576
// CHECK-NEXT:            scf.if %[[FAR]] {
// CHECK-NEXT:              %[[NUMBER:.+]] = arith.divui %[[BLOCK]], %c128
// CHECK-NEXT:              %[[PANEL:.+]] = memref.subview %{{.+}}[%{{.+}}, %[[HEAD]], %[[NUMBER]], 0, 0]
// CHECK-NEXT:              %[[LINE:.+]] = arith.muli %[[UNIT]], %c4
// CHECK-NEXT:              %[[PLACE:.+]] = arith.remui %[[LINE]], %c4
// CHECK-NEXT:              %[[COLUMN:.+]] = arith.muli %[[PLACE]], %c32
// CHECK-NEXT:              %[[ROW:.+]] = arith.divui %[[LINE]], %c4
// CHECK-NEXT:              memref.prefetch %[[PANEL]][%[[ROW]], %[[COLUMN]]], read, locality<2>, data
// CHECK-COUNT-3:           memref.prefetch
// CHECK-NOT:               memref.prefetch
// CHECK:           tile.x86.product {{.*}} amx onto
func.func @admixture(%q: tensor<?x2x?x64xbf16>, %v: tensor<?x8x?x64xbf16>, %mixer: tensor<2x8xf32>)
    -> tensor<?x8x?x64xbf16> {
  %o = attn.admixture_heads %q, %q, %v mixer(%mixer : tensor<2x8xf32>)
      : (tensor<?x2x?x64xbf16>, tensor<?x2x?x64xbf16>, tensor<?x8x?x64xbf16>) -> tensor<?x8x?x64xbf16>
  return %o : tensor<?x8x?x64xbf16>
}

//--- panel.mlir
// Weights that mix are made of two keys at a time, which ask for a line of each head.
// CHECK-LABEL: func.func @mix_heads(
// CHECK:         scf.for %[[ROW:.+]] = %c0 to %{{.+}} step %c2 {
// CHECK:           scf.for %[[LANE:.+]] = %c0 to %c64 step %c16 {
// CHECK:             %[[TWO:.+]] = arith.divui %[[ROW]], %c2
// CHECK-NEXT:        %[[FIRST:.+]] = arith.muli %[[TWO]], %c4
// CHECK-NEXT:        %[[VECTOR:.+]] = arith.divui %[[LANE]], %c16
// CHECK-NEXT:        arith.addi %[[FIRST]], %[[VECTOR]]
// CHECK:             %[[FAR:.+]] = arith.cmpi sgt, %{{.+}}, %c1048576
// CHECK-NEXT:        scf.if %[[FAR]] {
// CHECK-NEXT:          memref.subview %{{.+}}[%{{.+}}, 0, %[[NUMBER:.+]], 0, 0]
// CHECK-COUNT-1:       memref.prefetch {{.*}} locality<2>
// CHECK-NEXT:        }
// CHECK-NEXT:        scf.if %[[FAR]] {
// CHECK-NEXT:          memref.subview %{{.+}}[%{{.+}}, 1, %[[NUMBER]], 0, 0]
// CHECK-COUNT-1:       memref.prefetch {{.*}} locality<2>
// CHECK-NEXT:        }
// CHECK-NOT:         memref.prefetch
// CHECK:           tile.x86.product {{.*}} amx onto
func.func @mix_heads(%q: tensor<?x2x?x64xbf16>, %mixer: tensor<2x2xf32>) -> tensor<?x2x?x64xbf16> {
  %o = attn.mix_heads %q, %q, %q mixer(%mixer : tensor<2x2xf32>)
      : (tensor<?x2x?x64xbf16>, tensor<?x2x?x64xbf16>, tensor<?x2x?x64xbf16>) -> tensor<?x2x?x64xbf16>
  return %o : tensor<?x2x?x64xbf16>
}
