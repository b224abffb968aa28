// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The decode schedule: lanes are keys, parts of them are put together at last.
//
// RUN: mixattn-opt %s --split-input-file --attn-set-target='features=avx512f' --attn-stage-kernels --attn-schedule-kernels --canonicalize | FileCheck %s

!q = memref<?x8x?x41xbf16>
!k = memref<?x2x?x41xbf16>
!m = memref<?x?xi8>

// Eight heads share two of keys: an item is what reads the same keys. Four rows
// of queries, of whatever head, read a key or value together, then two, then
// one. A mask hides keys, so values of weight 0 are skipped, and is read key by
// key.
// CHECK-LABEL: func.func @grouped
// CHECK:         %[[VALUES:.+]] = memref.alloc(%{{.*}}, %{{.*}}, %{{.*}}) {alignment = 64 : i64} : memref<?x8x?x?x48xf32>
// CHECK:         %[[REFERENCES:.+]] = memref.alloc(%{{.*}}, %{{.*}}, %{{.*}}) {alignment = 64 : i64} : memref<?x8x?x?xf32>
// CHECK:         %[[SUMS:.+]] = memref.alloc(%{{.*}}, %{{.*}}, %{{.*}}) {alignment = 64 : i64} : memref<?x8x?x?xf32>
// CHECK:         tile.grid
// CHECK:           tile.x86.widen {{.*}} : memref<?x41xbf16{{.*}}, memref<1x48xbf16,
// CHECK:           scf.for %[[ROW:.+]] = %c0 to %{{.+}} step %c4
// CHECK:             tile.x86.dot_rows %{{.*}}[%{{.*}}] last %{{.*}}, %{{.*}}[%[[ROW]]] factor {{.*}} into {{.*}}, memref<?x48xbf16>, memref<4x64xf32,
// CHECK:           scf.for {{.*}} step %c2
// CHECK:             tile.x86.dot_rows {{.*}}, memref<2x64xf32,
// CHECK:           scf.for {{.*}} step %c1
// CHECK:             tile.x86.dot_rows {{.*}}, memref<1x64xf32,
// CHECK:             vector.maskedload {{.*}} : memref<?x?xi8>, vector<16xi1>, vector<16xi8> into vector<16xi8>
// CHECK:             vector.reduction <or>
// CHECK:             scf.if
// CHECK:               vector.reduction <maxnumf>
// CHECK:             tile.x86.exp2
// CHECK:           scf.for {{.*}} step %c4
// CHECK:             tile.x86.sum_rows %{{.*}}[%{{.*}}] count %{{.*}}, %{{.*}} into %{{.*}} skips_zeros : {{.*}}, memref<4x64xf32, {{.*}}, memref<4x48xf32,
// CHECK:           scf.for {{.*}} step %c2
// CHECK:           scf.for {{.*}} step %c1
// CHECK:           vector.store {{.*}} : memref<?x48xf32, strided
// CHECK:           memref.store %{{.*}}, %[[REFERENCES]]
// CHECK:           memref.store %{{.*}}, %[[SUMS]]
// CHECK:         tile.grid
// CHECK:           memref.load %[[REFERENCES]]
// CHECK:           tile.x86.exp2
// CHECK:           arith.divf
// CHECK:           vector.maskedstore {{.*}} : memref<?x41xbf16,
// CHECK-NOT:     tile.grid
func.func @grouped(%q: !q, %k: !k, %m: !m, %o: !q) {
  attn.kernel ins(%q, %k, %m : !q, !k, !m) outs(%o : !q) {
  ^bb0(%a: tensor<?x8x?x41xbf16>, %b: tensor<?x2x?x41xbf16>, %c: tensor<?x?xi1>):
    %r = attn.generic scores(%a, %b : tensor<?x8x?x41xbf16>, tensor<?x2x?x41xbf16>) mask(%c : tensor<?x?xi1>)
        pool(%b : tensor<?x2x?x41xbf16>)
        {attn.plan = #attn.plan<[else : decode {width = 16, block = 64, split = 128}]>} -> tensor<?x8x?x41xbf16>
    attn.results %r : tensor<?x8x?x41xbf16>
  }
  return
}

// -----

!q = memref<1x4x?x64xf32>
!t = tensor<1x4x?x64xf32>

// Weights mix: powers of all keys are kept until the sums of all parts are
// known, then mixed and pooled. All keys of a part are read for one head before
// the next head's. A query that is alone has code of its own.
// CHECK-LABEL: func.func @mixed
// CHECK:         %[[ISALONE:.+]] = arith.cmpi eq, %{{.+}}, %c1 : index
// CHECK:         scf.if %[[ISALONE]]
// CHECK:         tile.grid
// CHECK-COUNT-2:   scf.for %{{.+}} = %c0 to %c4 step %c1 {
// CHECK:             tile.x86.widen
// CHECK:             scf.for %[[BLOCK:.+]] = %{{.+}} to %{{.+}} step %c64 {
// CHECK-NOT:           scf.for {{.*}} to %c4
// CHECK-NOT:           scf.for {{.*}} step %c4
// CHECK:               tile.x86.dot_rows %{{.+}}[%[[BLOCK]]] {{.*}}, memref<1x64xf32,
// CHECK-NOT:           tile.x86.dot_rows
// CHECK:         } else {
// CHECK:         tile.grid
// CHECK:               tile.x86.dot_rows {{.*}}, memref<4x64xf32,
// CHECK-NOT:       tile.x86.sum_rows
// CHECK:         tile.grid
// CHECK:           arith.divf
// CHECK:         tile.grid
// CHECK-COUNT-4:   arith.mulf {{.*}} : vector<16xf32>
// CHECK:           tile.x86.sum_rows
// CHECK-NOT:       skips_zeros
// CHECK:         tile.grid
// CHECK:           vector.maskedstore
func.func @mixed(%q: !q, %m: memref<4x4xf32>, %o: !q) {
  attn.kernel ins(%q, %m : !q, memref<4x4xf32>) outs(%o : !q) {
  ^bb0(%a: !t, %b: tensor<4x4xf32>):
    %r = attn.generic scores(%a, %a : !t, !t) postmix(%b : tensor<4x4xf32>) pool(%a : !t)
        {attn.plan = #attn.plan<[else : decode {width = 16, block = 64, split = 128}]>} -> !t
    attn.results %r : !t
  }
  return
}

// -----

!q = memref<?x2x?x41xf32>
!s = memref<2x3x41xf32>

// Gaussians are distances: keys are read once, and no term of them is made.
// Queries less each shift come first.
// CHECK-LABEL: func.func @distances
// CHECK-NOT:     memref<?x2x3x?xf32>
// CHECK:         tile.grid
// CHECK:           arith.subf {{.*}} : vector<16xf32>
// CHECK:           vector.store {{.*}} : memref<?x48xf32>, vector<16xf32>
// CHECK-COUNT-9:   tile.x86.square_rows %{{.+}}[%{{.+}}] last %{{.+}} and %{{.+}}[%{{.+}}] factor -6.250000e-02 into %{{.+}} subtracts : memref<?x41xf32{{.*}}>, memref<?x48xf32>
// CHECK-NOT:       dot_rows
// CHECK:           tile.x86.sum_rows
func.func @distances(%q: !q, %s: !s, %o: !q) {
  attn.kernel ins(%q, %s : !q, !s) outs(%o : !q) {
  ^bb0(%a: tensor<?x2x?x41xf32>, %b: tensor<2x3x41xf32>):
    %r = attn.generic scores(%a, %a : tensor<?x2x?x41xf32>, tensor<?x2x?x41xf32>)
        shifted_by(%b : tensor<2x3x41xf32>) gaussian variances [8.0, 8.0, 8.0] pool(%a : tensor<?x2x?x41xf32>)
        {attn.plan = #attn.plan<[else : decode {width = 16, block = 64, split = 128}]>} -> tensor<?x2x?x41xf32>
    attn.results %r : tensor<?x2x?x41xf32>
  }
  return
}
