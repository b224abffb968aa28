// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// tile-lower-x86: each tile op as vectors of 4 lanes, with and without FMA.
//
// RUN: mixattn-opt --attn-set-target="features=fma" --tile-lower-x86 --canonicalize --cse %s \
// RUN:   | FileCheck %s --check-prefixes=CHECK,FMA --implicit-check-not=tile.x86
// RUN: mixattn-opt --tile-lower-x86 --canonicalize --cse %s \
// RUN:   | FileCheck %s --check-prefixes=CHECK,APART --implicit-check-not=tile.x86 --implicit-check-not=vector.fma

// Squares of 4 rows and 4 columns, read up to the last column and transposed
// in two steps; rows beyond `rows` are the last one again. Rows of the tile
// beyond the last column are not written.
// CHECK-LABEL: func.func @pack(
// CHECK-SAME:    %[[Q:.+]]: memref<?x6xbf16>, %[[ROW:.+]]: index, %[[ROWS:.+]]: index, %[[TILE:.+]]: memref<6x4xf32>)
// CHECK-DAG:     %[[HALF:.+]] = arith.constant dense<5.000000e-01>
// CHECK:         %[[LAST:.+]] = arith.subi %[[ROWS]], %c1
// CHECK:         %[[OWN:.+]] = arith.minsi %[[LAST]], %c0
// CHECK:         %[[I:.+]] = arith.addi %[[ROW]], %[[OWN]]
// CHECK:         vector.load %[[Q]][%[[I]], %c0]
// CHECK-NEXT:    arith.extf {{.*}} to vector<4xf32>
// CHECK-COUNT-3: vector.load
// CHECK:         vector.shuffle {{.*}} [0, 4, 2, 6]
// CHECK-NEXT:    vector.shuffle {{.*}} [1, 5, 3, 7]
// CHECK:         vector.shuffle {{.*}} [0, 1, 4, 5]
// CHECK-NEXT:    vector.shuffle {{.*}} [2, 3, 6, 7]
// CHECK:         %[[VALUE:.+]] = arith.mulf %{{.+}}, %[[HALF]]
// CHECK-NEXT:    vector.store %[[VALUE]], %[[TILE]][%c0, %c0]
// CHECK-COUNT-3: vector.store
// CHECK:         %[[MASK:.+]] = vector.constant_mask [2]
// CHECK:         vector.maskedload %[[Q]][%[[I]], %c4], %[[MASK]]
// CHECK-COUNT-3: vector.maskedload
// CHECK-COUNT-2: vector.store
// CHECK-NOT:     vector.store
func.func @pack(%q: memref<?x6xbf16>, %row: index, %rows: index, %tile: memref<6x4xf32>) {
  %c0 = arith.constant 0 : index
  %c6 = arith.constant 6 : index
  tile.x86.pack %q[%row, %c0] sizes [%rows, %c6] factor 0.5 into %tile
      : memref<?x6xbf16>, memref<6x4xf32>
  return
}

// Bytes become numbers; a factor of 1 multiplies nothing.
// CHECK-LABEL: func.func @pack_bytes(
// CHECK:         arith.uitofp %{{.+}} : vector<4xi8> to vector<4xf32>
// CHECK-NOT:     arith.mulf
func.func @pack_bytes(%mask: memref<?x?xi8>, %n: index, %tile: memref<64x4xf32>) {
  tile.x86.pack %mask[%n, %n] sizes [%n, %n] factor 1.0 into %tile
      : memref<?x?xi8>, memref<64x4xf32>
  return
}

// The way back, up to the last column. Rows after the last are written to the
// last row, from the last to the first: its own values come last.
// CHECK-LABEL: func.func @unpack(
// CHECK-SAME:    %[[TILE:.+]]: memref<6x4xf32>, %[[F:.+]]: memref<1x4xf32>, %[[O:.+]]: memref<?x6xbf16>, %[[ROW:.+]]: index, %[[ROWS:.+]]: index)
// CHECK:         %[[LAST:.+]] = arith.subi %[[ROWS]], %c1
// CHECK:         scf.for %[[LANE:.+]] = %c0 to %[[ROWS]] step %c4 {
// CHECK:           %[[FACTORS:.+]] = vector.load %[[F]][%c0, %[[LANE]]]
// CHECK:           %[[X:.+]] = vector.load %[[TILE]][%c0, %[[LANE]]]
// CHECK:           arith.mulf %[[X]], %[[FACTORS]]
// CHECK:           arith.truncf %{{.+}} : vector<4xf32> to vector<4xbf16>
// CHECK:           %[[FOURTH:.+]] = arith.addi %[[LANE]], %c3
// CHECK:           %[[OWN:.+]] = arith.minsi %[[FOURTH]], %[[LAST]]
// CHECK:           %[[I:.+]] = arith.addi %[[ROW]], %[[OWN]]
// CHECK:           vector.store %{{.+}}, %[[O]][%[[I]], %c0]
// CHECK-COUNT-2:   vector.store
// CHECK:           %[[OWN:.+]] = arith.minsi %[[LANE]], %[[LAST]]
// CHECK:           %[[FIRST:.+]] = arith.addi %[[ROW]], %[[OWN]]
// CHECK:           vector.store %{{.+}}, %[[O]][%[[FIRST]], %c0]
// CHECK:           %[[MASK:.+]] = vector.constant_mask [2]
// CHECK:           vector.maskedstore %[[O]][%[[I]], %c4], %[[MASK]]
// CHECK-COUNT-3:   vector.maskedstore
// CHECK-NOT:       vector.maskedstore
func.func @unpack(%tile: memref<6x4xf32>, %f: memref<1x4xf32>, %o: memref<?x6xbf16>,
                  %row: index, %rows: index) {
  tile.x86.unpack %tile, %f into %o[%row] rows %rows
      : memref<6x4xf32>, memref<1x4xf32>, memref<?x6xbf16>
  return
}

// As many columns as are given, in a matrix that may have fewer than the tile has
// rows: any of these does beyond the last.
// CHECK-LABEL: func.func @unpack_some(
// CHECK-SAME:    %[[TILE:.+]]: memref<6x4xf32>, %[[F:.+]]: memref<1x4xf32>, %[[O:.+]]: memref<?x?xf32>, %[[ROWS:.+]]: index, %[[COLUMNS:.+]]: index)
// CHECK:         scf.for %[[COLUMN:.+]] = %c0 to %[[COLUMNS]] step %c4 {
// CHECK:           %[[LEFT:.+]] = arith.subi %[[COLUMNS]], %[[COLUMN]]
// CHECK:           %[[OWN:.+]] = arith.minsi %[[COLUMN]], %c5
// CHECK:           vector.load %[[TILE]][%[[OWN]], %{{.+}}]
// CHECK:           %[[MASK:.+]] = vector.create_mask %[[LEFT]]
// CHECK:           vector.maskedstore %[[O]][%{{.+}}, %[[COLUMN]]], %[[MASK]]
// CHECK-NOT:       vector.store
func.func @unpack_some(%tile: memref<6x4xf32>, %f: memref<1x4xf32>, %o: memref<?x?xf32>,
                       %rows: index, %columns: index) {
  tile.x86.unpack %tile, %f into %o[%rows] rows %rows columns %columns
      : memref<6x4xf32>, memref<1x4xf32>, memref<?x?xf32>
  return
}

// No row beyond the last is read, and what does not fill a row of lanes is
// masked.
// CHECK-LABEL: func.func @widen(
// CHECK-SAME:    %[[K:.+]]: memref<?x6xf16>, %[[ROW:.+]]: index, %[[LAST:.+]]: index, %[[ROWS:.+]]: index, %[[T:.+]]: memref<8x6xf32>)
// CHECK:         scf.for %[[R:.+]] = %c0 to %[[ROWS]] step %c1 {
// CHECK:           %[[NEXT:.+]] = arith.addi %[[ROW]], %[[R]]
// CHECK:           %[[I:.+]] = arith.minsi %[[NEXT]], %[[LAST]]
// CHECK:           %[[FOUR:.+]] = vector.load %[[K]][%[[I]], %c0]
// CHECK-NEXT:      %[[WIDE:.+]] = arith.extf %[[FOUR]]
// CHECK-NEXT:      vector.store %[[WIDE]], %[[T]][%[[R]], %c0]
// CHECK:           vector.maskedload %[[K]][%[[I]], %c4]
// CHECK:           vector.maskedstore %[[T]][%[[R]], %c4]
func.func @widen(%k: memref<?x6xf16>, %row: index, %last: index, %rows: index,
                 %t: memref<8x6xf32>) {
  tile.x86.widen %k[%row] last %last rows %rows into %t : memref<?x6xf16>, memref<8x6xf32>
  return
}

// Sums stay in registers; no key beyond the last is read. Two of 16 units of
// other work run after each group of four steps; three steps are left.
// CHECK-LABEL: func.func @scores(
// CHECK-SAME:    %[[K:.+]]: memref<?x35xf32>, %[[ROW:.+]]: index, %[[LAST:.+]]: index, %[[Q:.+]]: memref<35x4xf32>, %[[S:.+]]: memref<2x4xf32>, %[[OTHER:.+]]: memref<?xindex>)
// CHECK:         %[[K0:.+]] = arith.minsi %[[ROW]], %[[LAST]]
// CHECK:         %[[NEXT:.+]] = arith.addi %[[ROW]], %c1
// CHECK:         %[[K1:.+]] = arith.minsi %[[NEXT]], %[[LAST]]
// CHECK:         %[[MOST:.+]]:2 = scf.for %[[GROUP:.+]] = %c0 to %c8 step %c1 iter_args(
// CHECK:           %[[FROM:.+]] = arith.muli %[[GROUP]], %c4
// CHECK:           %[[UNIT:.+]] = arith.muli %[[GROUP]], %c2
// CHECK:           %[[TO:.+]] = arith.addi %[[FROM]], %c4
// CHECK:           %[[SOME:.+]]:2 = scf.for %[[D:.+]] = %[[FROM]] to %[[TO]] step %c1 iter_args(
// CHECK:             vector.load %[[Q]][%[[D]], %c0]
// CHECK:             memref.load %[[K]][%[[K0]], %[[D]]]
// CHECK:             vector.broadcast
// FMA-NEXT:          vector.fma
// APART-NEXT:        arith.mulf
// APART-NEXT:        arith.addf
// CHECK:             memref.load %[[K]][%[[K1]], %[[D]]]
// CHECK:             scf.yield
// CHECK-NEXT:      }
// CHECK:           %[[END:.+]] = arith.addi %[[UNIT]], %c2
// CHECK:           scf.for %[[U:.+]] = %[[UNIT]] to
// CHECK:             memref.store %[[U]], %[[OTHER]][%[[U]]]
// CHECK:           scf.yield %[[SOME]]#0, %[[SOME]]#1
// CHECK:         scf.for %[[D:.+]] = %c32 to %c35 step %c1 iter_args(
// CHECK:         vector.store %{{.+}}, %[[S]][%c0, %c0]
// CHECK:         vector.store %{{.+}}, %[[S]][%c1, %c0]
func.func @scores(%k: memref<?x35xf32>, %row: index, %last: index, %q: memref<35x4xf32>,
                  %s: memref<2x4xf32>, %other: memref<?xindex>) {
  tile.x86.product %k[%row] last %last, %q into %s units 16
      : memref<?x35xf32>, memref<35x4xf32>, memref<2x4xf32> {
  ^bb0(%unit: index):
    memref.store %unit, %other[%unit] : memref<?xindex>
  }
  return
}

// One unit a group: its ops after its last branch lie among the group's last
// four steps.
// CHECK-LABEL: func.func @woven(
// CHECK-SAME:    %[[K:.+]]: memref<?x32xf32>, %{{.+}}: index, %[[Q:.+]]: memref<32x4xf32>, %{{.+}}: memref<1x4xf32>, %[[OTHER:.+]]: memref<?xindex>)
// CHECK:         scf.for %[[GROUP:.+]] = %c0 to %c4 step %c1 iter_args(
// CHECK:           %[[FROM:.+]] = arith.muli %[[GROUP]], %c8
// CHECK:           %[[TO:.+]] = arith.addi %[[FROM]], %c4
// CHECK:           scf.for %{{.+}} = %[[FROM]] to %[[TO]] step %c1 iter_args(
// CHECK:           scf.if
// CHECK-NEXT:        memref.store %c0, %[[OTHER]][%c0]
// CHECK:           memref.store %[[GROUP]], %[[OTHER]][%[[GROUP]]]
// CHECK-COUNT-2:   vector.load %[[Q]]
// CHECK:           memref.store %[[TO]], %[[OTHER]][%[[GROUP]]]
// CHECK:           vector.load %[[Q]]
// CHECK-NOT:       memref.store
// CHECK:           scf.yield
func.func @woven(%k: memref<?x32xf32>, %row: index, %q: memref<32x4xf32>,
                 %s: memref<1x4xf32>, %other: memref<?xindex>) {
  %c0 = arith.constant 0 : index
  %c4 = arith.constant 4 : index
  %c8 = arith.constant 8 : index
  tile.x86.product %k[%row] last %row, %q into %s units 4
      : memref<?x32xf32>, memref<32x4xf32>, memref<1x4xf32> {
  ^bb0(%unit: index):
    %from = arith.muli %unit, %c8 : index
    %is = arith.cmpi eq, %unit, %row : index
    scf.if %is {
      memref.store %c0, %other[%c0] : memref<?xindex>
    }
    memref.store %unit, %other[%unit] : memref<?xindex>
    %to = arith.addi %from, %c4 : index
    memref.store %to, %other[%unit] : memref<?xindex>
  }
  return
}

// Few steps are one group: all units come after it. A factor multiplies sums.
// CHECK-LABEL: func.func @few_steps(
// CHECK:         scf.for %{{.+}} = %c0 to %c3 step %c1 iter_args(
// CHECK:         scf.for %{{.+}} = %c0 to %c4 step %c1 {
// CHECK:           memref.store
// CHECK-COUNT-2: arith.mulf %{{.+}}, %[[HALF:.+]] : vector<4xf32>
func.func @few_steps(%k: memref<?x3xf32>, %row: index, %q: memref<3x4xf32>,
                     %s: memref<2x4xf32>, %other: memref<?xindex>) {
  tile.x86.product %k[%row] last %row, %q factor 0.5 into %s units 4
      : memref<?x3xf32>, memref<3x4xf32>, memref<2x4xf32> {
  ^bb0(%unit: index):
    memref.store %unit, %other[%unit] : memref<?xindex>
  }
  return
}

// Two rows of lanes of six features at a time, then of what is left.
// CHECK-LABEL: func.func @pool(
// CHECK-SAME:    %[[V:.+]]: memref<?x7xf32>, %[[ROW:.+]]: index, %[[COUNT:.+]]: index, %[[W:.+]]: memref<64x8xf32>, %[[O:.+]]: memref<7x8xf32>)
// CHECK:         %[[ODD:.+]] = arith.remui %[[COUNT]], %c2
// CHECK:         %[[EVEN:.+]] = arith.subi %[[COUNT]], %[[ODD]]
// CHECK:         scf.for %[[J:.+]] = %c0 to %[[EVEN]] step %c2 iter_args({{.*}}) -> (vector<4xf32>, vector<4xf32>, vector<4xf32>, vector<4xf32>, vector<4xf32>, vector<4xf32>, vector<4xf32>, vector<4xf32>, vector<4xf32>, vector<4xf32>, vector<4xf32>, vector<4xf32>) {
// CHECK:           %[[KEY:.+]] = arith.addi %[[ROW]], %[[J]]
// CHECK:           vector.load %[[W]][%[[J]], %c0]
// CHECK:           vector.load %[[W]][%[[J]], %c4]
// CHECK:           memref.load %[[V]][%[[KEY]], %c0]
// CHECK:           %[[NEXT:.+]] = arith.addi %[[J]], %c1
// CHECK:           vector.load %[[W]][%[[NEXT]], %c0]
// CHECK:         scf.for %{{.+}} = %[[EVEN]] to %[[COUNT]] step %c1 iter_args(
// CHECK-COUNT-12: vector.store %{{.+}}, %[[O]]
// CHECK:         scf.for %{{.+}} = %c0 to %[[EVEN]] step %c2 iter_args({{.*}}) -> (vector<4xf32>, vector<4xf32>) {
// CHECK-COUNT-2: vector.store %{{.+}}, %[[O]][%c6,
func.func @pool(%v: memref<?x7xf32>, %row: index, %count: index, %w: memref<64x8xf32>,
                %o: memref<7x8xf32>) {
  tile.x86.product transposed %v[%row], %w count %count onto %o
      : memref<?x7xf32>, memref<64x8xf32>, memref<7x8xf32>
  return
}

// 5 units over three times 12 features, of 16 steps each: two run during the
// first, two during the second, one during the third.
// CHECK-LABEL: func.func @pool_units(
// CHECK-SAME:    memref<36x4xf32>, %[[OTHER:.+]]: memref<?xindex>)
// CHECK:         scf.for %[[FIRST:.+]] = %c0 to %c36 step %c12 {
// CHECK:           %[[PART:.+]] = arith.divui %[[FIRST]], %c12
// CHECK:           %[[BEGIN:.+]] = arith.muli %[[PART]], %c2
// CHECK:           %[[MOST:.+]] = arith.addi %[[BEGIN]], %c2
// CHECK:           %[[LAST:.+]] = arith.minsi %[[MOST]], %c5
// CHECK:           scf.for %[[GROUP:.+]] = %c0 to %c2 step %c1 iter_args(
// CHECK:             %[[FROM:.+]] = arith.muli %[[GROUP]], %c8
// CHECK:             %[[UNIT:.+]] = arith.addi %[[BEGIN]], %[[GROUP]]
// CHECK:             %[[TO:.+]] = arith.addi %[[FROM]], %c8
// CHECK:             scf.for %{{.+}} = %[[FROM]] to %[[TO]] step %c1 iter_args(
// CHECK:             %[[NEXT:.+]] = arith.addi %[[UNIT]], %c1
// CHECK:             %[[END:.+]] = arith.minsi %[[NEXT]], %[[LAST]]
// CHECK:             scf.for %[[U:.+]] = %[[UNIT]] to %[[END]] step %c1 {
// CHECK-NEXT:          memref.store %[[U]], %[[OTHER]][%[[U]]]
func.func @pool_units(%v: memref<?x36xf32>, %row: index, %w: memref<16x4xf32>,
                      %o: memref<36x4xf32>, %other: memref<?xindex>) {
  tile.x86.product transposed %v[%row], %w onto %o units 5
      : memref<?x36xf32>, memref<16x4xf32>, memref<36x4xf32> {
  ^bb0(%unit: index):
    memref.store %unit, %other[%unit] : memref<?xindex>
  }
  return
}

// Numbers below -127 become -127, whose power has no bits; NaN passes on.
// CHECK-LABEL: func.func @exp2(
// CHECK-SAME:    %[[X:.+]]: vector<4xf32>
// CHECK-DAG:     %[[LOWEST:.+]] = arith.constant dense<-1.270000e+02>
// CHECK:         %[[BELOW:.+]] = arith.cmpf ogt, %[[LOWEST]], %[[X]]
// CHECK:         %[[CLAMPED:.+]] = arith.select %[[BELOW]], %[[LOWEST]], %[[X]]
// CHECK:         arith.bitcast {{.*}} to vector<4xi32>
// CHECK:         arith.shli
func.func @exp2(%x: vector<4xf32>) -> vector<4xf32> {
  %0 = tile.x86.exp2 %x : vector<4xf32>
  return %0 : vector<4xf32>
}
