// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The two kernels of an attention whose weights mix, on sm_80.
//
// RUN: mixattn-opt --attn-set-target='family=mma chip=sm_80' --attn-stage-kernels --attn-schedule-kernels --canonicalize --cse %s | FileCheck %s --implicit-check-not=attn.generic --implicit-check-not=attn.kernel
// RUN: mixattn-opt --attn-set-target='family=mma chip=sm_80' --attn-stage-kernels --attn-schedule-kernels %s | mixattn-opt --verify-roundtrip -o /dev/null

!t = memref<1x4x?x64xbf16>
!m = memref<4x4xbf16>

// The first is the online loop without values: a head a block.
// CHECK-LABEL: func.func @mixed(
// CHECK:         tile.grid %{{.+}}, %c4, %c1 threads 128 {
// CHECK:         tile.shared_tile at 0 : <128x64xbf16, padded>
// CHECK:         tile.shared_tile at 18432 : <64x64xbf16, padded>
// CHECK:         scf.for {{.*}} -> (index, vector<2xf32>, vector<2xf32>)
// CHECK:           tile.mma.wait 0
// CHECK:           tile.mma.copy
// CHECK:           tile.mma.commit
// CHECK:           tile.mma.product {{.*}} transposed
// CHECK:           tile.row_max
// CHECK:           tile.row_sum
// CHECK-NOT:       tile.mma.product
// CHECK:         %[[SUM:.+]] = tile.join_sum
// CHECK:         %[[IS_EMPTY:.+]] = arith.cmpf oeq, %[[SUM]], %cst
// CHECK:         %[[INVERSE:.+]] = arith.divf
// CHECK:         %[[FACTOR:.+]] = arith.select %[[IS_EMPTY]], %cst{{.*}}, %[[INVERSE]]
// CHECK:         tile.store_rows %{{.+}} into %[[R:.+]][
// CHECK:         tile.store_rows %[[FACTOR]] into %[[F:.+]][

// The second has four output heads, and queries of all heads in shared memory.
// CHECK:         tile.grid %{{.+}}, %c1, %c1 threads 128 {
// CHECK:         tile.shared_tile at 0 : <32x64xbf16, padded>
// CHECK:         tile.shared_tile at 4608 : <256x64xbf16, padded>
// CHECK:         tile.shared_tile at 41472 : <64x64xbf16, padded>
// CHECK:         scf.for {{.*}} -> (index, vector<32xf32>, vector<32xf32>, vector<32xf32>, vector<32xf32>)
// CHECK:           %[[MIXED:.+]]:5 = scf.for %[[C:.+]] = %c0 to %c4 {{.*}} -> (index, vector<8xf32>, vector<8xf32>, vector<8xf32>, vector<8xf32>)
// Values of a block come with the keys of its second head.
// CHECK:             tile.mma.wait 0
// CHECK:             scf.if
// CHECK-COUNT-4:       tile.mma.copy
// CHECK:               tile.mma.commit
// CHECK:             tile.mma.copy
// CHECK:             tile.mma.commit
// CHECK:             %[[S:.+]] = tile.mma.product {{.*}} transposed
// CHECK:             %[[REFERENCE:.+]] = tile.load_rows %[[R]][%{{.+}}, %[[C]], %{{.+}}]
// CHECK:             %[[P:.+]] = tile.map{{.*}} of {{.*}}, %[[REFERENCE]]
// CHECK:               math.exp2
// CHECK:             %[[OF_ROWS:.+]] = tile.load_rows %[[F]][%{{.+}}, %[[C]], %{{.+}}]
// CHECK:             memref.load %{{.+}}[%[[C]], %{{.+}}] : memref<4x4xbf16>
// CHECK:             arith.mulf %[[OF_ROWS]],
// CHECK:             tile.map{{.*}} of %[[P]]
// CHECK-COUNT-4:       math.fma
// CHECK:           } {llvm.loop_annotation = #[[NEVER:.+]]}
// CHECK:           tile.mma.wait 1
// CHECK:           tile.to_operand %[[MIXED]]#1
// CHECK-COUNT-4:   tile.mma.product
// CHECK-COUNT-4: tile.store %
func.func @mixed(%q: !t, %k: !t, %m: !m, %o: !t) {
  attn.kernel ins(%q, %k, %m : !t, !t, !m) outs(%o : !t) {
  ^bb0(%a: tensor<1x4x?x64xbf16>, %b: tensor<1x4x?x64xbf16>, %c: tensor<4x4xbf16>):
    %r = attn.generic scores(%a, %b : tensor<1x4x?x64xbf16>, tensor<1x4x?x64xbf16>)
        postmix(%c : tensor<4x4xbf16>) pool(%b : tensor<1x4x?x64xbf16>)
        {attn.plan = #attn.plan<[else : two_pass]>} -> tensor<1x4x?x64xbf16>
    attn.results %r : tensor<1x4x?x64xbf16>
  }
  return
}
