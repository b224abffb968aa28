// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// x86: kernels as loops over tiles of 8 queries, blocks of 64
// keys and 4 keys at a time.
//
// RUN: mixattn-opt --attn-schedule-kernels --canonicalize --cse --split-input-file %s \
// RUN:   | FileCheck %s --implicit-check-not=attn.

// Each thread has its part of one buffer. Queries that do not fill a tile of 8
// are in tiles of 4; the last tile comes first.
// CHECK-LABEL: func.func @online(
// CHECK-SAME:    %[[Q:[a-z0-9]+]]: memref<?x2x?x8xf32>, %[[K:[a-z0-9]+]]: memref<?x2x?x8xf32>, %[[V:[a-z0-9]+]]: memref<?x2x?x8xf32>, %[[LENGTHS:[a-z0-9]+]]: memref<?xi64>, %[[O:[a-z0-9]+]]: memref<?x2x?x8xf32>)
// CHECK-DAG:     %[[LOWEST:.+]] = arith.constant dense<-3.40282347E+38> : vector<4xf32>
// CHECK-DAG:     %[[SLACK:.+]] = arith.constant dense<1.600000e+01> : vector<4xf32>
// CHECK-DAG:     %[[NEVER:.+]] = arith.constant dense<0xFF800000> : vector<4xf32>
// CHECK-DAG:     %[[N:.+]] = memref.dim %[[Q]], %c2
// CHECK-DAG:     %[[S:.+]] = memref.dim %[[K]], %c2
// CHECK:         %[[WHOLE:.+]] = arith.divui %[[N]], %c8
// CHECK:         %[[REST:.+]] = arith.remui %[[N]], %c8
// CHECK:         %[[ITEMS:.+]] = arith.muli
// CHECK:         %[[LARGE:.+]] = arith.cmpi sgt, %{{.+}}, %c16384
// CHECK:         tile.grid %{{.+}} shared_if %[[LARGE]] scratch %{{.+}} {
// CHECK:         ^bb0(%{{.+}}: index, %{{.+}}: memref<?xi8>):
// CHECK:               %[[FULL:.+]] = arith.cmpi slt, %{{.+}}, %[[WHOLE]]
// CHECK:               scf.if %[[FULL]] {
// Keys end at the batch's length and at the last query's own position.
// CHECK:                 %[[GIVEN:.+]] = memref.load %[[LENGTHS]]
// CHECK:                 %[[WIDE:.+]] = arith.index_cast %[[S]] : index to i64
// CHECK:                 %[[POSITIVE:.+]] = arith.maxsi %[[GIVEN]], %c0_i64
// CHECK:                 %[[HELD:.+]] = arith.minsi %[[POSITIVE]], %[[WIDE]]
// CHECK:                 %[[LENGTH:.+]] = arith.index_cast %[[HELD]] : i64 to index
// CHECK:                 %[[END:.+]] = arith.minsi %[[LENGTH]],
// CHECK:                 %[[INSIDE:.+]] = arith.minsi %[[LENGTH]],
// The scale is multiplied into the queries.
// CHECK:                 tile.x86.pack %{{.+}}[%{{.+}}, %c0] sizes[%c8, %c8] factor 5.000000e-01 into
// CHECK:                 vector.store %[[LOWEST]], %[[STATISTICS:.+]][%c0, %{{.+}}]
// CHECK:                 %[[ANY:.+]] = arith.cmpi sgt, %[[END]], %c0
// CHECK:                 scf.if %[[ANY]] {
// The first products; then those of the next keys hide the exponentials.
// CHECK:                   %[[LAST:.+]] = arith.subi %[[S]], %c1
// CHECK:                   tile.x86.product %{{.+}}[%c0] last %[[LAST]], {{.*}}
// CHECK:                   scf.for %[[BLOCK:.+]] = %c0 to %[[END]] step %c64 {
// CHECK:                     %[[REMAIN:.+]] = arith.subi %[[END]], %[[BLOCK]]
// CHECK:                     %[[KEYS:.+]] = arith.minsi %[[REMAIN]], %c64
// CHECK:                     scf.for %{{.+}} = %c0 to %[[KEYS]] step %c4 {
// CHECK:                       tile.x86.product %{{.+}}[%{{.+}}] last %[[LAST]], {{.*}} units 4
// Only keys at the end are compared one by one.
// CHECK:                         %[[ALL:.+]]:2 = scf.if
// CHECK-NEXT:                      scf.yield
// CHECK-NEXT:                    } else {
// CHECK:                           arith.select %{{.+}}, %{{.+}}, %[[NEVER]]
// The reference moves where an exponent is 16 above it: what was summed up is
// multiplied by the power of the difference, and the weights of the block and
// the outputs, too.
// CHECK:                         %[[REFERENCE:.+]] = vector.load %[[STATISTICS]][%c0,
// CHECK:                         arith.subf %[[ALL]]#0, %[[REFERENCE]]
// CHECK:                         %[[ABOVE:.+]] = arith.cmpf ogt, %{{.+}}, %[[SLACK]]
// CHECK:                         vector.reduction <or>, %[[ABOVE]]
// CHECK:                         scf.if
// CHECK:                           vector.store %[[MOST:.+]], %[[STATISTICS]][%c0,
// CHECK:                           %[[DIFFERENCE:.+]] = arith.subf %[[REFERENCE]], %[[MOST]]
// CHECK:                           %[[FACTOR:.+]] = tile.x86.exp2 %[[DIFFERENCE]]
// CHECK-COUNT-5:                   arith.mulf %{{.+}}, %[[FACTOR]]
// CHECK:                         tile.x86.exp2
// Where not all queries see all keys, values that are not finite are left out
// of the pool, and added to those queries that weigh them.
// CHECK:                       %[[FINITE:.+]] = scf.if %{{.+}} -> (i1) {
// CHECK-NEXT:                    scf.yield %true
// CHECK:                         arith.maxsi
// CHECK:                       %[[VALUES:.+]] = arith.select %[[FINITE]], {{.*}} : memref
// CHECK:                       %[[FIRST:.+]] = arith.select %[[FINITE]], %[[BLOCK]], %c0
// CHECK:                       tile.x86.product transposed %[[VALUES]][%[[FIRST]]], %{{.+}} count %[[KEYS]] onto
// CHECK:                         arith.cmpf uno
// CHECK:                         arith.cmpf une
// CHECK:                 tile.x86.unpack %{{.+}} rows %c8
// CHECK:               } else {
// CHECK:                 tile.x86.product {{.*}} into %{{.+}} : {{.*}}, memref<8x4xf32{{.*}}, memref<8x4xf32
// CHECK:                 tile.x86.unpack
!q = memref<?x2x?x8xf32>
!t = tensor<?x2x?x8xf32>
func.func @online(%q: !q, %k: !q, %v: !q, %n: memref<?xi64>, %o: !q) {
  attn.kernel ins(%q, %k, %v, %n : !q, !q, !q, memref<?xi64>) outs(%o : !q) {
  ^bb0(%a: !t, %b: !t, %c: !t, %m: tensor<?xi64>):
    %r = attn.generic scores(%a, %b : !t, !t) scale 0.5 lengths(%m : tensor<?xi64>)
        causal base2 pool(%c : !t) -> !t
    attn.results %r : !t
  }
  return
}

// -----

// A mask per query and key is read once, as a tile, and hides; the same key
// is read for all queries. No key beyond the last is read.
// CHECK-LABEL: func.func @operands(
// CHECK-SAME:    %{{.+}}, %[[MASK:[a-z0-9]+]]: memref<?x?xi8>, %[[BIAS:[a-z0-9]+]]: memref<?xf32>
// CHECK:         tile.x86.pack %[[MASK]][%{{.+}}, %{{.+}}] sizes[%{{.+}}, %{{.+}}] factor 1.000000e+00 into
// CHECK:         memref.prefetch %[[MASK]]
// CHECK:         tile.x86.product {{.*}} last %[[LAST:.+]], {{.*}} units
// CHECK:           %[[KEY:.+]] = arith.minsi %{{.+}}, %[[LAST]]
// CHECK:           memref.load %[[BIAS]][%[[KEY]]]
// CHECK:           arith.fptosi
!q = memref<1x1x?x8xf32>
!t = tensor<1x1x?x8xf32>
func.func @operands(%q: !q, %mask: memref<?x?xi8>, %bias: memref<?xf32>, %o: !q) {
  attn.kernel ins(%q, %mask, %bias : !q, memref<?x?xi8>, memref<?xf32>) outs(%o : !q) {
  ^bb0(%a: !t, %m: tensor<?x?xi1>, %b: tensor<?xf32>):
    %r = attn.generic scores(%a, %a : !t, !t) bias(%b : tensor<?xf32>)
        mask(%m : tensor<?x?xi1>) pool(%a : !t) -> !t
    attn.results %r : !t
  }
  return
}

// -----

// Heads whose weights mix keep their powers of all keys; a tile holds both.
// CHECK-LABEL: func.func @panel(
// CHECK-SAME:    %{{.+}}, %[[M:[a-z0-9]+]]: memref<2x2xf32>
// CHECK:         scf.for %[[HEAD:.+]] = %c0 to %c2 step %c1 {
// CHECK:           tile.x86.pack
// CHECK:           tile.x86.product %{{.+}} last
// CHECK-NOT:       tile.x86.product transposed
// CHECK:         memref.load %[[M]][%c0, %{{.+}}]
// CHECK:         memref.load %[[M]][%c1, %{{.+}}]
// CHECK:         tile.x86.product transposed
!q = memref<1x2x?x8xf32>
!t = tensor<1x2x?x8xf32>
func.func @panel(%q: !q, %m: memref<2x2xf32>, %o: !q) {
  attn.kernel ins(%q, %m : !q, memref<2x2xf32>) outs(%o : !q) {
  ^bb0(%a: !t, %b: tensor<2x2xf32>):
    %r = attn.generic scores(%a, %a : !t, !t) scale 1.0 postmix(%b : tensor<2x2xf32>)
        base2 pool(%a : !t) -> !t
    attn.results %r : !t
  }
  return
}

// -----

// Heads that share their values pool them first, and mix what they pooled, each
// output times the inverse of its sum.
// CHECK-LABEL: func.func @shared(
// CHECK-SAME:    %{{.+}}, %{{.+}}, %[[M:[a-z0-9]+]]: memref<2x2xf32>
// CHECK:         tile.x86.product %{{.+}} last
// CHECK:         tile.x86.product transposed
// CHECK:         arith.divf
// CHECK:         memref.load %[[M]][%c0, %{{.+}}]
// CHECK:         memref.load %[[M]][%c1, %{{.+}}]
// CHECK:         arith.mulf {{.*}} fastmath<contract>
// CHECK-NOT:     tile.x86.product transposed
// CHECK:         tile.x86.unpack
!q = memref<1x2x?x8xf32>
!v = memref<1x1x?x8xf32>
!t = tensor<1x2x?x8xf32>
!w = tensor<1x1x?x8xf32>
func.func @shared(%q: !q, %v: !v, %m: memref<2x2xf32>, %o: !q) {
  attn.kernel ins(%q, %v, %m : !q, !v, memref<2x2xf32>) outs(%o : !q) {
  ^bb0(%a: !t, %c: !w, %b: tensor<2x2xf32>):
    %r = attn.generic scores(%a, %a : !t, !t) scale 1.0 postmix(%b : tensor<2x2xf32>)
        base2 pool(%c : !w) {attn.plan = #attn.plan<[else : online {width = 8, block = 64}]>} -> !t
    attn.results %r : !t
  }
  return
}

// -----

// Two channels of 8 features are few steps for the weights of four heads: each
// head's are made while the head before it is pooled, if both blocks are whole.
// Rows of 16 bits are converted once.
// CHECK-LABEL: func.func @heads(
// CHECK:         scf.for %[[BLOCK:.+]] = %c0 to %{{.+}} step %c64 {
// CHECK:           %[[KEYS:.+]] = arith.minsi %{{.+}}, %c64
// CHECK:           scf.for %{{.+}} = %c0 to %[[KEYS]] step %c4 {
// CHECK:             tile.x86.widen %{{.+}}[%{{.+}}] last %{{.+}} rows %c4 into %[[FOUR:.+]] : {{.*}}, memref<4x8xf32
// CHECK:             tile.x86.product %[[FOUR]][%c0] last %c3, {{.*}}
// CHECK:           scf.for %[[HEAD:.+]] = %c0 to %c4 step %c1 {
// CHECK:             %[[BEFORE:.+]] = arith.select %{{.+}}, %c3, %{{.+}}
// CHECK:             %[[WHOLE:.+]] = arith.cmpi eq, %{{.+}}, %c64
// CHECK:             scf.if %[[WHOLE]] {
// CHECK:               tile.x86.widen {{.*}} rows %c64 into %[[VALUES:.+]] :
// CHECK:               tile.x86.product transposed %[[VALUES]][%c0], %{{.+}} onto %{{.+}} units 64
// CHECK:                 tile.x86.exp2
// CHECK:             } else {
// CHECK:               tile.x86.exp2
// CHECK:               tile.x86.product transposed
// CHECK-NOT:           units
// CHECK:         tile.x86.product transposed
// CHECK:         tile.x86.unpack
!q = memref<1x2x?x8xf16>
!v = memref<1x4x?x8xf16>
!o = memref<1x4x?x8xf16>
func.func @heads(%q: !q, %v: !v, %m: memref<2x4xf32>, %o: !o) {
  attn.kernel ins(%q, %v, %m : !q, !v, memref<2x4xf32>) outs(%o : !o) {
  ^bb0(%a: tensor<1x2x?x8xf16>, %c: tensor<1x4x?x8xf16>, %b: tensor<2x4xf32>):
    %r = attn.generic scores(%a, %a : tensor<1x2x?x8xf16>, tensor<1x2x?x8xf16>)
        premix(%b : tensor<2x4xf32>) scale 1.0 base2
        pool(%c : tensor<1x4x?x8xf16>) -> tensor<1x4x?x8xf16>
    attn.results %r : tensor<1x4x?x8xf16>
  }
  return
}
