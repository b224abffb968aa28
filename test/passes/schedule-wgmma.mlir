// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A kernel on buffers as a kernel of sm_90a: one thread fills rings of queries,
// keys and values; two warpgroups score one block while they pool the one before.
//
// RUN: mixattn-opt --attn-set-target='family=wgmma chip=sm_90a' --attn-schedule-kernels --canonicalize --cse %s | FileCheck %s --implicit-check-not=attn.generic --implicit-check-not=attn.kernel
// RUN: mixattn-opt --attn-set-target='family=wgmma chip=sm_90a' --attn-schedule-kernels %s | mixattn-opt --verify-roundtrip -o /dev/null

!q = memref<1x2x?x64xbf16>
!k = memref<1x2x?x64xbf16>

// CHECK:      func.func @f(
// CHECK-SAME:   %[[Q:arg.]]: memref<1x2x?x64xbf16>, %[[K:arg.]]: memref<1x2x?x64xbf16>, %[[O:arg.]]: memref<1x2x?x64xbf16>)
// CHECK:        %[[BLOCKS:.+]] = arith.divui %{{.+}}, %c128
// A block of threads for each multiprocessor, or for each item if they are fewer.
// CHECK:        %[[ITEMS:.+]] = arith.muli %[[BLOCKS]], %c2
// CHECK:        %[[MOST:.+]] = tile.multiprocessors : index
// CHECK:        %[[GRID:.+]] = arith.minsi %[[ITEMS]], %[[MOST]]
// CHECK:        tile.grid %[[GRID]] threads 384 {
// CHECK-NEXT:   ^bb0(%[[OWN:.+]]: index):
// CHECK:        %[[QUERIES:.+]] = tile.wgmma.ring at 0 : <1x128x64xbf16, swizzle = 128>
// CHECK:        %[[KEYS:.+]] = tile.wgmma.ring at 17408 : <2x128x64xbf16, swizzle = 128>
// CHECK:        %[[VALUES:.+]] = tile.wgmma.ring at 51200 : <2x128x64xbf16, swizzle = 128>
// CHECK:        %[[QMAP:.+]] = tile.tensor_map %[[Q]] box 128 x 64 swizzle 128
// CHECK:        %[[KMAP:.+]] = tile.tensor_map %[[K]] box 128 x 64 swizzle 128
// CHECK:        %[[TILE:.+]] = tile.shared_tile at 84992 : <128x64xbf16, swizzle = 128>
// CHECK:        %[[OMAP:.+]] = tile.tensor_map %[[O]] box 16 x 64 swizzle 128
// CHECK:        tile.wgmma.open %[[QUERIES]], %[[KEYS]], %[[VALUES]] consumers 2
// CHECK:        tile.wgmma.roles producer registers 24 {
// Every other round of items goes backwards; some blocks have none in the last one.
// CHECK:          %[[OTHERS:.+]] = gpu.grid_dim x
// CHECK:          %[[ROUNDS:.+]] = arith.divui %[[ITEMS]], %[[OTHERS]]
// CHECK:          %[[OWNITEMS:.+]] = arith.addi %[[ROUNDS]], %{{.+}}
// CHECK:          scf.for %[[DONE:.+]] = %c0 to %[[OWNITEMS]] step %c1 iter_args(%[[FILLED0:.+]] = %c0, %[[FILLED1:.+]] = %c0)
// CHECK:            %[[BEFORE:.+]] = arith.muli %[[DONE]], %[[OTHERS]]
// CHECK:            %[[PLACE:.+]] = arith.select %{{.+}}, %[[OWN]], %{{.+}}
// CHECK:            %[[ITEM:.+]] = arith.addi %[[BEFORE]], %[[PLACE]]
// CHECK:            %[[BLOCK:.+]] = arith.remui %[[ITEM]], %[[BLOCKS]]
// Under the causal mask late queries see most keys: they begin first.
// CHECK:            %[[LAST:.+]] = arith.subi %[[BLOCKS]], %c1
// CHECK:            %[[BACK:.+]] = arith.subi %[[LAST]], %[[BLOCK]]
// CHECK:            arith.muli %[[BACK]], %c128
// CHECK:            tile.wgmma.fill %[[QUERIES]][%c0] turn %[[DONE]] from %[[QMAP]]
// CHECK:            scf.for %[[I:.+]] = %c0
// CHECK:              %[[STAGE:.+]] = arith.remui %[[I]], %c2
// CHECK:              %[[ROUND:.+]] = arith.divui %[[I]], %c2
// CHECK:              %[[FILLED:.+]] = arith.select %{{.+}}, %[[FILLED0]], %[[FILLED1]]
// CHECK:              %[[TURN:.+]] = arith.addi %[[FILLED]], %[[ROUND]]
// CHECK:              tile.wgmma.fill %[[KEYS]][%[[STAGE]]] turn %[[TURN]] from %[[KMAP]]
// CHECK:            tile.wgmma.fill %[[VALUES]][%[[STAGE]]] turn %[[TURN]]
// CHECK:        } consumers 2 registers 240 {
// CHECK:          tile.wgmma.open_turns
// The first block has nothing to overlap with. Values that no query sees become 0.
// CHECK:          scf.for %[[DONE:.+]] = %c0 {{.*}} iter_args(%[[FILLED0:.+]] = %c0, %[[FILLED1:.+]] = %c0)
// CHECK:          %[[A:.+]] = tile.wgmma.await %[[QUERIES]][%c0] turn %[[DONE]]
// CHECK:          tile.wgmma.await %[[KEYS]][%c0] turn %[[FILLED0]]
// CHECK:          tile.wgmma.product %[[A]], %{{.+}} transposed
// CHECK:          tile.wgmma.wait 0
// CHECK:          tile.wgmma.release %[[KEYS]][%c0]
// CHECK:          scf.if
// CHECK:            tile.wgmma.await %[[VALUES]][%c0]
// CHECK:            tile.wgmma.clear
// CHECK:          tile.to_operand
// CHECK:          scf.for %[[ROUND:.+]] = %c0
// CHECK-SAME:       -> (vector<32xf32>, vector<2xf32>, vector<2xf32>, vector<64xbf16>)
// One step for each stage: scores of a block, values of the one before.
// CHECK-DAG:        %[[TURN0:.+]] = arith.addi %[[FILLED0]], %[[ROUND]]
// CHECK-DAG:        %[[TURN1:.+]] = arith.addi %[[FILLED1]], %[[ROUND]]
// CHECK:            tile.wgmma.take_turn
// CHECK:            %[[K1:.+]] = tile.wgmma.await %[[KEYS]][%c1] turn %[[TURN1]]
// CHECK:            %[[S:.+]] = tile.wgmma.product %[[A]], %[[K1]] transposed
// CHECK:            %[[V0:.+]] = tile.wgmma.await %[[VALUES]][%c0] turn %[[TURN0]]
// CHECK:            %[[P:.+]] = tile.wgmma.product %{{.+}}, %[[V0]] onto
// CHECK:            tile.wgmma.pass_turn
// CHECK:            tile.wgmma.wait 1 for %[[S]]
// CHECK:            tile.wgmma.release %[[KEYS]][%c1]
// CHECK:            math.exp2
// CHECK:            tile.wgmma.boundary
// CHECK:            tile.wgmma.wait 0 for %[[P]]
// CHECK:            tile.wgmma.release %[[VALUES]][%c0]
// CHECK:            tile.wgmma.await %[[KEYS]][%c0]
// CHECK:            tile.wgmma.await %[[VALUES]][%c1] turn %[[TURN1]]
// CHECK:            tile.wgmma.boundary
// CHECK:            scf.yield
// What is left of a round, and the last block's values. The next item's queries
// may come when the last ones have been read.
// CHECK:          scf.if
// CHECK:            tile.wgmma.boundary
// CHECK:          tile.wgmma.release %[[QUERIES]][%c0]
// CHECK:          tile.wgmma.product
// CHECK:          tile.wgmma.wait 0
// CHECK:          tile.wgmma.release %[[VALUES]]
// CHECK:        } else {
// CHECK-NEXT:     tile.wgmma.release %[[QUERIES]][%c0]
// CHECK:          arith.divf
// CHECK:          tile.wgmma.store %{{.+}} by %[[TILE]] to %[[OMAP]][
// Rows of NaN are computed again, from the values that their queries see.
// CHECK:          %[[PARTS:.+]] = tile.row_sum
// CHECK:          %[[SUMS:.+]] = tile.join_sum %[[PARTS]]
// CHECK:          arith.cmpf uno, %[[SUMS]], %[[SUMS]]
// CHECK:          scf.if
// CHECK-NEXT:       tile.wgmma.stored
// CHECK:            scf.for
// CHECK:              gpu.shuffle idx
// CHECK:              math.fma
// CHECK:              arith.cmpf une
// CHECK:              memref.store
// CHECK:            scf.yield
// CHECK:          }
// CHECK-NEXT:     tile.wgmma.stored
// CHECK-NEXT:     tile.wgmma.close_turns
// CHECK-NEXT:   }
func.func @f(%q: !q, %k: !k, %o: !q) {
  attn.kernel ins(%q, %k : !q, !k) outs(%o : !q) {
  ^bb0(%a: tensor<1x2x?x64xbf16>, %b: tensor<1x2x?x64xbf16>):
    %r = attn.generic
        scores(%a, %b : tensor<1x2x?x64xbf16>, tensor<1x2x?x64xbf16>)
        causal pool(%b : tensor<1x2x?x64xbf16>) -> tensor<1x2x?x64xbf16>
    attn.results %r : tensor<1x2x?x64xbf16>
  }
  return
}

// Rings of 256 columns leave room for half of the outputs.
!w = memref<1x2x?x256xbf16>
// CHECK-LABEL: func.func @half_a_tile(
// CHECK:         tile.shared_tile at 199680 : <128x128xbf16, swizzle = 128>
// CHECK:         tile.wgmma.store %{{.+}} : vector<128xf32>, <128x128xbf16, swizzle = 128>
func.func @half_a_tile(%q: !w, %k: !w, %o: !w) {
  attn.kernel ins(%q, %k : !w, !w) outs(%o : !w) {
  ^bb0(%a: tensor<1x2x?x256xbf16>, %b: tensor<1x2x?x256xbf16>):
    %r = attn.generic
        scores(%a, %b : tensor<1x2x?x256xbf16>, tensor<1x2x?x256xbf16>)
        pool(%b : tensor<1x2x?x256xbf16>) -> tensor<1x2x?x256xbf16>
    attn.results %r : tensor<1x2x?x256xbf16>
  }
  return
}
