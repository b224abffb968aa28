// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The second kernel of an attention whose weights mix, where a block has all 8 heads:
// 4 teams have two heads each.
//
// RUN: mixattn-opt --attn-set-target='family=mma chip=sm_90' --attn-stage-kernels --attn-schedule-kernels --canonicalize --cse %s | FileCheck %s --implicit-check-not=attn.generic --implicit-check-not=attn.kernel
// RUN: mixattn-opt --attn-set-target='family=mma chip=sm_90' --attn-stage-kernels --attn-schedule-kernels %s | mixattn-opt --verify-roundtrip -o /dev/null

!t = memref<1x8x?x64xbf16>
!m = memref<8x8xbf16>

// CHECK-LABEL: func.func @mixed(
// CHECK:         tile.grid %{{.+}}, %c8, %c1 threads 128 {
// CHECK:         tile.grid %{{.+}}, %c1, %c1 threads 128 teams 4 {
// Keys, values, queries, weights of 64 queries and 8 heads with their rests, and the
// mixer for each warp of a team, twice side by side.
// CHECK:         tile.shared_tile at 0 : <128x64xbf16, padded>
// CHECK:         tile.shared_tile at 18432 : <128x64xbf16, padded>
// CHECK:         tile.shared_tile at 36864 : <512x64xbf16, padded>
// CHECK:         %[[WEIGHTS:.+]] = tile.shared_tile at 110592 : <1088x16xbf16, padded>
// CHECK:         %[[MIXERS:.+]] = tile.shared_tile at 162816 : <64x16xbf16, padded>
// CHECK:         %[[TEAM:.+]] = gpu.thread_id y
// CHECK:         tile.shared_write %{{.+}} into %[[MIXERS]]
// CHECK:         math.log2
// CHECK:         scf.for {{.*}} -> (vector<32xf32>, vector<32xf32>)
// CHECK:           tile.mma.wait 0
// CHECK-COUNT-2:   tile.mma.copy
// CHECK:           tile.mma.commit
// Each head's weights go to rows that have those of all heads of a query.
// CHECK:           tile.mma.product {{.*}} transposed
// CHECK:           math.exp2
// CHECK:           %[[PARTS:.+]]:2 = tile.map
// CHECK:             %[[PART:.+]] = arith.bitcast %{{.+}} : i32 to f32
// CHECK:             arith.subf %{{.+}}, %[[PART]]
// CHECK:           tile.put %[[PARTS]]#0 into %{{.+}} : vector<8xf32>, <64x16xbf16, padded every = 17>
// CHECK:           tile.put %[[PARTS]]#1 into
// CHECK:           tile.mma.product {{.*}} transposed
// CHECK-COUNT-2:   tile.put
// CHECK:           tile.mma.wait 1
// CHECK-COUNT-2:   tile.mma.copy
// CHECK:           tile.mma.commit
// A warp mixes four queries.
// CHECK-COUNT-4:   tile.mma.product %[[MIXERS]] by
// CHECK:           tile.put
// CHECK:           tile.mma.wait 1
// CHECK-COUNT-2:   tile.mma.product
// CHECK-COUNT-2: tile.store %
func.func @mixed(%q: !t, %k: !t, %m: !m, %o: !t) {
  attn.kernel ins(%q, %k, %m : !t, !t, !m) outs(%o : !t) {
  ^bb0(%a: tensor<1x8x?x64xbf16>, %b: tensor<1x8x?x64xbf16>, %c: tensor<8x8xbf16>):
    %r = attn.generic scores(%a, %b : tensor<1x8x?x64xbf16>, tensor<1x8x?x64xbf16>)
        postmix(%c : tensor<8x8xbf16>) pool(%b : tensor<1x8x?x64xbf16>)
        {attn.plan = #attn.plan<[else : two_pass]>} -> tensor<1x8x?x64xbf16>
    attn.results %r : tensor<1x8x?x64xbf16>
  }
  return
}
