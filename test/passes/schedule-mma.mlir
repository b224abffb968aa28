// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A kernel on buffers as a kernel of sm_80: two stages of keys and values in
// shared memory, scores and outputs of two groups of 64 queries in registers.
//
// RUN: mixattn-opt --attn-set-target='family=mma chip=sm_80' --attn-schedule-kernels --canonicalize --cse %s | FileCheck %s --check-prefixes=CHECK,MIXED --implicit-check-not=attn.generic --implicit-check-not=attn.kernel
// RUN: mixattn-opt --attn-set-target='family=mma chip=sm_80' --attn-schedule-kernels %s | mixattn-opt --verify-roundtrip -o /dev/null

!q = memref<1x2x?x32xbf16>
!k = memref<1x2x?x32xbf16>

// CHECK:      module attributes {attn.target = #attn.target<mma, chip = "sm_80">}
// CHECK:      func.func @f(
// CHECK-SAME:   %[[Q:arg.]]: memref<1x2x?x32xbf16>, %[[K:arg.]]: memref<1x2x?x32xbf16>, %[[O:arg.]]: memref<1x2x?x32xbf16>)
// CHECK:        %[[BLOCKS:.+]] = arith.divui %{{.+}}, %c128
// CHECK:        tile.grid %[[BLOCKS]], %c2, %c1 threads 128 {
// CHECK:        ^bb0(%[[X:.+]]: index, %[[HEAD:.+]]: index, %{{.+}}: index):
// CHECK:        %[[KEYS:.+]] = tile.shared_tile at 0 : <128x32xbf16, padded>
// CHECK:        %[[VALUES:.+]] = tile.shared_tile at 10240 : <128x32xbf16, padded>
// Under the causal mask late queries see most keys: they begin first.
// CHECK:        %[[LAST:.+]] = arith.subi %[[BLOCKS]], %c1
// CHECK:        %[[OWN:.+]] = arith.subi %[[LAST]], %[[X]]
// CHECK:        %[[FIRST:.+]] = arith.muli %[[OWN]], %c128
// CHECK:        %[[SECOND:.+]] = arith.addi %[[FIRST]], %c64
// CHECK:        %[[A0:.+]] = tile.mma.load %{{.+}}[%[[FIRST]]] rows %{{.+}} -> vector<16xbf16>
// CHECK:        %[[A1:.+]] = tile.mma.load %{{.+}}[%[[SECOND]]] rows %{{.+}} -> vector<16xbf16>
// CHECK:        tile.mma.copy
// CHECK:        tile.mma.copy
// CHECK:        tile.mma.commit
// CHECK:        scf.for
// CHECK-SAME:     -> (index, vector<16xf32>, vector<2xf32>, vector<2xf32>, vector<16xf32>, vector<2xf32>, vector<2xf32>)
// The next block is copied while this one is worked on.
// CHECK:          tile.mma.wait 0
// CHECK:          tile.mma.copy
// CHECK:          tile.mma.copy
// CHECK:          tile.mma.commit
// What is read of keys serves both groups.
// CHECK:          %[[S:.+]]:2 = tile.mma.product %[[A0]], %[[A1]] by %{{.+}} transposed onto {{.*}} vector<32xf32>, vector<32xf32>
// CHECK:          %[[E:.+]] = tile.map[%[[FIRST]], %{{.+}}] of %[[S]]#0
// CHECK:            arith.mulf
// CHECK:            tile.yield
// Only where not all queries see all keys.
// CHECK:          %[[V:.+]] = scf.if
// CHECK:            scf.yield %[[E]]
// CHECK:            tile.map[%[[FIRST]], %{{.+}}] of %[[E]]
// CHECK:              arith.select
// References lag, until some row of the warp exceeds its own by far.
// CHECK:          %[[MAX:.+]] = tile.row_max %[[V]]
// CHECK:          %[[IS_ABOVE:.+]] = arith.cmpf ogt, %[[MAX]], %{{.+}} : vector<2xf32>
// CHECK:          %[[SOME:.+]] = tile.any %[[IS_ABOVE]]
// CHECK:          %[[M:.+]]:2 = scf.if %[[SOME]]
// CHECK:            %[[ROW:.+]] = tile.join_max %[[MAX]]
// CHECK:            arith.select %{{.+}}, %[[ROW]], %{{.+}} : vector<2xi1>, vector<2xf32>
// CHECK:          %[[P:.+]] = tile.map{{.*}} of %[[V]], %[[M]]#0
// CHECK:            math.exp2
// CHECK:          tile.row_sum %[[P]]
// CHECK:          %[[O:.+]] = scf.if %[[SOME]] -> (vector<16xf32>)
// CHECK:            arith.mulf
// CHECK:          %[[W:.+]] = tile.to_operand %[[P]]
// CHECK:          %[[E1:.+]] = tile.map[%[[SECOND]], %{{.+}}] of %[[S]]#1
// CHECK:          %[[V1:.+]] = scf.if
// CHECK:            tile.map[%[[SECOND]], %{{.+}}] of %[[E1]]
// CHECK:          %[[W1:.+]] = tile.to_operand
// CHECK:          tile.mma.product %[[W]], %[[W1]] by %{{.+}} onto %[[O]],
// CHECK-NOT:      transposed
// CHECK:        tile.mma.wait 0 own
// CHECK:        arith.divf
// CHECK:        tile.store %{{.+}} into %{{.+}}[%[[FIRST]]]
// Rows of NaN are computed again, from the values that their queries see.
// CHECK:        %[[PARTS:.+]] = tile.row_sum
// CHECK:        %[[SUMS:.+]] = tile.join_sum %[[PARTS]]
// CHECK:        arith.cmpf uno, %[[SUMS]], %[[SUMS]]
// CHECK:        scf.if
// CHECK-NEXT:     nvvm.bar.warp.sync
// CHECK:          scf.for
// CHECK:            gpu.shuffle idx
// CHECK:            math.fma
// CHECK:            arith.cmpf une
// CHECK:            memref.store
// CHECK:        tile.store %{{.+}} into %{{.+}}[%[[SECOND]]]
// CHECK:        tile.row_sum
// CHECK:        arith.cmpf uno
// CHECK:        scf.if
// CHECK-NEXT:     nvvm.bar.warp.sync
func.func @f(%q: !q, %k: !k, %o: !q) {
  attn.kernel ins(%q, %k : !q, !k) outs(%o : !q) {
  ^bb0(%a: tensor<1x2x?x32xbf16>, %b: tensor<1x2x?x32xbf16>):
    %r = attn.generic
        scores(%a, %b : tensor<1x2x?x32xbf16>, tensor<1x2x?x32xbf16>)
        causal pool(%b : tensor<1x2x?x32xbf16>) -> tensor<1x2x?x32xbf16>
    attn.results %r : tensor<1x2x?x32xbf16>
  }
  return
}

// Heads that are mixed: both channels are scored for a group of heads, whose
// values lie side by side. Registers hold one group of rows.
// MIXED-LABEL: func.func @mixed(
// MIXED:         tile.grid %{{.+}}, %c4, %c1 threads 128 {
// MIXED:         tile.shared_tile at 0 : <256x64xbf16, padded>
// MIXED:         tile.shared_tile at 36864 : <256x64xbf16, padded>
// MIXED:         tile.shared_tile at 73728 : <128x64xbf16, padded>
// MIXED:         scf.for
// MIXED:           %[[S0:.+]] = tile.mma.product {{.*}} transposed {{.*}} : !tile.shared<64x64xbf16, padded>
// MIXED:           %[[S1:.+]] = tile.mma.product {{.*}} transposed
// MIXED:           tile.map{{.*}} of %[[S0]], %[[S1]]
// MIXED:           tile.mma.product
// MIXED:           tile.map{{.*}} of %[[S0]], %[[S1]]
// MIXED:           tile.mma.product
// MIXED-NOT:       tile.mma.product
// MIXED:         tile.store
// MIXED:         tile.store
func.func @mixed(%q: memref<1x2x?x64xbf16>, %v: memref<1x8x?x64xbf16>,
                 %m: memref<2x8xbf16>, %o: memref<1x8x?x64xbf16>) {
  attn.kernel
      ins(%q, %v, %m : memref<1x2x?x64xbf16>, memref<1x8x?x64xbf16>,
                       memref<2x8xbf16>)
      outs(%o : memref<1x8x?x64xbf16>) {
  ^bb0(%a: tensor<1x2x?x64xbf16>, %b: tensor<1x8x?x64xbf16>,
       %c: tensor<2x8xbf16>):
    %r = attn.generic
        scores(%a, %a : tensor<1x2x?x64xbf16>, tensor<1x2x?x64xbf16>)
        premix(%c : tensor<2x8xbf16>) pool(%b : tensor<1x8x?x64xbf16>)
        -> tensor<1x8x?x64xbf16>
    attn.results %r : tensor<1x8x?x64xbf16>
  }
  return
}
