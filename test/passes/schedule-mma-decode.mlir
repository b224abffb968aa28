// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The two kernels of an attention of few queries, on sm_80: four heads that share keys
// have rows of one block.
//
// RUN: mixattn-opt --attn-set-target='family=mma chip=sm_80' --attn-stage-kernels --attn-schedule-kernels --canonicalize --cse %s | FileCheck %s --implicit-check-not=attn.generic --implicit-check-not=attn.kernel
// RUN: mixattn-opt --attn-set-target='family=mma chip=sm_80' --attn-stage-kernels --attn-schedule-kernels %s | mixattn-opt --verify-roundtrip -o /dev/null

!q = memref<1x8x2x64xbf16>
!k = memref<1x2x300x64xbf16>

// 300 keys are four parts of 128 at most, of which each is two blocks, and the last
// has no key: eight rows are a warp's.
// CHECK-LABEL: func.func @few(
// CHECK-SAME:    %[[Q:[a-z0-9]+]]: memref<1x8x2x64xbf16>
// CHECK-DAG:     %[[V:.+]] = memref.alloc() {{.*}} : memref<1x8x2x4x64xf32>
// CHECK:         tile.grid %c4, %c2, %c1 threads 32 {
// CHECK:         ^bb0(%[[PART:.+]]: index, %[[GROUP:.+]]: index,
// CHECK:         %[[HEAD:.+]] = arith.muli %[[GROUP]], %c4
// CHECK:         %[[OFFSET:.+]] = arith.muli %[[PART]], %c128
// CHECK:         %[[FIRST:.+]] = arith.maxsi %[[OFFSET]], %c0
// CHECK:         %[[END:.+]] = arith.minsi %{{.+}}, %c300
// CHECK:         %[[QUERIES:.+]] = memref.subview %[[Q]][%{{.+}}, %[[HEAD]], 0, 0] [1, 4, 2, 64]
// CHECK:         tile.mma.load %[[QUERIES]][%c0] rows %c8 : memref<4x2x64xbf16
// CHECK:         scf.for %{{.+}} = %[[FIRST]] to %[[END]]
// CHECK:           arith.cmpi sle, %{{.+}}, %[[END]]
// CHECK:         %[[OWN:.+]] = memref.subview %[[V]][%{{.+}}, %[[HEAD]], 0, %[[PART]], 0] [1, 4, 2, 1, 64]
// CHECK:         tile.store %{{.+}} into %[[OWN]][%c0] rows %c8 : vector<32xf32>, memref<4x2x64xf32
// CHECK-COUNT-2: tile.store_rows {{.*}} rows %c8 : memref<4x2xf32

// A block for each row goes over its parts.
// CHECK:         tile.grid %c2, %c8, %c1 threads 64 {
// CHECK:         %[[MOST:.+]] = scf.for %{{.+}} = %c0 to %c4
// CHECK:           arith.maxnumf
// CHECK:         scf.for %{{.+}} to %c64 step %c64
// CHECK:           scf.for %{{.+}} = %c0 to %c4
// CHECK:             arith.subf %{{.+}}, %[[MOST]]
// CHECK-COUNT-2:     math.fma
func.func @few(%q: !q, %k: !k, %o: !q) {
  attn.kernel ins(%q, %k : !q, !k) outs(%o : !q) {
  ^bb0(%a: tensor<1x8x2x64xbf16>, %b: tensor<1x2x300x64xbf16>):
    %r = attn.generic scores(%a, %b : tensor<1x8x2x64xbf16>, tensor<1x2x300x64xbf16>)
        pool(%b : tensor<1x2x300x64xbf16>)
        {attn.plan = #attn.plan<[else : decode {split = 128}]>} -> tensor<1x8x2x64xbf16>
    attn.results %r : tensor<1x8x2x64xbf16>
  }
  return
}

// Where weights mix, parts write their powers: those of blocks before are scaled where a
// reference rises. Then come factors, a warp for each row; mixed weights of four heads,
// which pool values; and sums.
// CHECK-LABEL: func.func @mixed(
// CHECK-DAG:     %[[P:.+]] = memref.alloc() {{.*}} : memref<1x4x2x512xf32>
// CHECK-DAG:     %[[F:.+]] = memref.alloc() {{.*}} : memref<1x4x2x4xf32>
// CHECK:         tile.grid %c4, %c4, %c1 threads 32 {
// CHECK:           scf.for {{.*}} -> (index, vector<2xf32>, vector<2xf32>)
// CHECK:             tile.any
// CHECK:             scf.if
// CHECK:               scf.for
// CHECK:                 %[[BEFORE:.+]] = memref.load %[[POWERS:.+]][
// CHECK:                 %[[LESS:.+]] = arith.mulf %[[BEFORE]],
// CHECK:                 memref.store %[[LESS]], %[[POWERS]][
// CHECK:             memref.store %{{.+}}, %[[POWERS]][
// CHECK:         tile.grid %c2, %c4, %c1 threads 32 {
// CHECK-COUNT-5:   gpu.shuffle
// CHECK-COUNT-5:   gpu.shuffle
// CHECK:         tile.grid %c4, %c1, %c1 threads 32 {
// CHECK:           scf.for %{{.+}} to %c32 step %c32
// CHECK:             %[[FACTOR:.+]] = memref.load
// CHECK:             tile.shared_write
// CHECK:           scf.for {{.*}} -> (index, vector<32xf32>, vector<32xf32>, vector<32xf32>, vector<32xf32>)
// CHECK:             tile.mma.wait 0
// CHECK-COUNT-4:     tile.mma.copy
// CHECK:             tile.fetch
// CHECK:             scf.for {{.*}} -> (vector<8xf32>, vector<8xf32>, vector<8xf32>, vector<8xf32>)
// CHECK-COUNT-4:       math.fma
// CHECK-COUNT-4:     tile.mma.product
// CHECK:         tile.grid %c2, %c4, %c1 threads 64 {
// CHECK-NOT:       arith.mulf
// CHECK:           arith.addf
func.func @mixed(%q: memref<1x4x2x64xbf16>, %k: memref<1x4x300x64xbf16>, %m: memref<4x4xbf16>, %o: memref<1x4x2x64xbf16>) {
  attn.kernel ins(%q, %k, %m : memref<1x4x2x64xbf16>, memref<1x4x300x64xbf16>, memref<4x4xbf16>) outs(%o : memref<1x4x2x64xbf16>) {
  ^bb0(%a: tensor<1x4x2x64xbf16>, %b: tensor<1x4x300x64xbf16>, %c: tensor<4x4xbf16>):
    %r = attn.generic scores(%a, %b : tensor<1x4x2x64xbf16>, tensor<1x4x300x64xbf16>)
        postmix(%c : tensor<4x4xbf16>) pool(%b : tensor<1x4x300x64xbf16>)
        {attn.plan = #attn.plan<[else : decode {split = 128}]>} -> tensor<1x4x2x64xbf16>
    attn.results %r : tensor<1x4x2x64xbf16>
  }
  return
}
