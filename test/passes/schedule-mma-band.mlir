// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Bands on sm_80: a block asks for all the keys of a narrow one at once, and
// pools no block of keys whose weights are dropped.
//
// RUN: mixattn-opt --split-input-file --attn-set-target='family=mma chip=sm_80' --attn-schedule-kernels --canonicalize --cse %s | FileCheck %s --implicit-check-not=attn.generic

// 64 queries see 70 keys: one step of 80, for which there is one stage.
// CHECK-LABEL: func.func @narrow(
// CHECK:         %[[BLOCKS:.+]] = arith.divui %{{.+}}, %c64
// CHECK:         tile.grid %[[BLOCKS]], %c2, %c1 threads 128 {
// CHECK:         tile.shared_tile at 0 : <80x32xbf16, padded>
// CHECK:         tile.shared_tile at 6400 : <80x32xbf16, padded>
// CHECK:         tile.mma.copy
// CHECK:         tile.mma.copy
// CHECK:         tile.mma.commit
// CHECK:         scf.for %{{.+}} = %{{.+}} to %{{.+}} step %c80
// CHECK:           tile.mma.wait 0
// CHECK-NOT:       tile.mma.copy
// CHECK:           tile.mma.product {{.*}} onto {{.*}} vector<40xf32>
// CHECK:         tile.mma.wait 0 own
func.func @narrow(%q: memref<1x2x?x32xbf16>, %k: memref<1x2x?x32xbf16>, %o: memref<1x2x?x32xbf16>) {
  attn.kernel ins(%q, %k : memref<1x2x?x32xbf16>, memref<1x2x?x32xbf16>) outs(%o : memref<1x2x?x32xbf16>) {
  ^bb0(%a: tensor<1x2x?x32xbf16>, %b: tensor<1x2x?x32xbf16>):
    %r = attn.generic
        scores(%a, %b : tensor<1x2x?x32xbf16>, tensor<1x2x?x32xbf16>)
        band <3, 3> pool(%b : tensor<1x2x?x32xbf16>) -> tensor<1x2x?x32xbf16>
    attn.results %r : tensor<1x2x?x32xbf16>
  }
  return
}

// -----

// 64 queries see 97 keys, which two groups of rows share better.
// CHECK-LABEL: func.func @wider(
// CHECK:         %[[BLOCKS:.+]] = arith.divui %{{.+}}, %c128
// CHECK:         tile.grid %[[BLOCKS]], %c2, %c1 threads 128 {
// CHECK:         tile.shared_tile at 0 : <128x32xbf16, padded>
func.func @wider(%q: memref<1x2x?x32xbf16>, %k: memref<1x2x?x32xbf16>, %o: memref<1x2x?x32xbf16>) {
  attn.kernel ins(%q, %k : memref<1x2x?x32xbf16>, memref<1x2x?x32xbf16>) outs(%o : memref<1x2x?x32xbf16>) {
  ^bb0(%a: tensor<1x2x?x32xbf16>, %b: tensor<1x2x?x32xbf16>):
    %r = attn.generic
        scores(%a, %b : tensor<1x2x?x32xbf16>, tensor<1x2x?x32xbf16>)
        band <33, 0> pool(%b : tensor<1x2x?x32xbf16>) -> tensor<1x2x?x32xbf16>
    attn.results %r : tensor<1x2x?x32xbf16>
  }
  return
}

// -----

// The weights of all keys are added up. Blocks of which some are kept drop the
// others, and pool.
// CHECK-LABEL: func.func @kept(
// CHECK:         scf.for
// CHECK:           tile.mma.product {{.*}} transposed
// CHECK:           tile.row_sum
// CHECK:           tile.row_sum
// CHECK:           %[[BEGINS:.+]] = arith.cmpi sgt
// CHECK:           %[[ENDS:.+]] = arith.cmpi slt
// CHECK:           %[[KEPT:.+]] = arith.andi
// CHECK:           scf.if %[[KEPT]] -> (vector<16xf32>, vector<16xf32>) {
// CHECK:             arith.select
// CHECK:             tile.to_operand
// CHECK:             tile.mma.product
// CHECK:           } else {
func.func @kept(%q: memref<1x2x?x32xbf16>, %k: memref<1x2x?x32xbf16>, %o: memref<1x2x?x32xbf16>) {
  attn.kernel ins(%q, %k : memref<1x2x?x32xbf16>, memref<1x2x?x32xbf16>) outs(%o : memref<1x2x?x32xbf16>) {
  ^bb0(%a: tensor<1x2x?x32xbf16>, %b: tensor<1x2x?x32xbf16>):
    %r = attn.generic
        scores(%a, %b : tensor<1x2x?x32xbf16>, tensor<1x2x?x32xbf16>)
        keep <3, 3> pool(%b : tensor<1x2x?x32xbf16>) -> tensor<1x2x?x32xbf16>
    attn.results %r : tensor<1x2x?x32xbf16>
  }
  return
}
