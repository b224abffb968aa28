// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Products of a few queries: lanes are features, a tail of them is masked.
//
// RUN: mixattn-opt %s --attn-set-target='features=avx512f,fma' --tile-lower-x86 | FileCheck %s
// RUN: mixattn-opt %s --tile-lower-x86 | FileCheck %s --check-prefix=SSE
// RUN: mixattn-opt %s --attn-set-target='chip=znver4 features=avx512f,fma' --tile-lower-x86 | FileCheck %s --check-prefix=ZEN4
// RUN: mixattn-opt %s --attn-set-target='chip=znver5 features=avx512f,fma,avx512bf16' --tile-lower-x86 | FileCheck %s --check-prefix=PAIRS

// Sixteen keys at a time, three vectors of features each, of which two come in
// one load: even ones and odd ones, for both sides. Then the sums of lanes, two
// rows in one each time.
// CHECK-LABEL: func.func @dots
// CHECK-SAME:    %[[KEYS:[a-z0-9]+]]: memref<?x41xbf16>, %[[ROW:[a-z0-9]+]]: index, %[[LAST:[a-z0-9]+]]: index
// CHECK:         vector.load {{.*}} : memref<?x41xbf16>, vector<32xbf16>
// CHECK:         vector.maskedload {{.*}} : memref<?x41xbf16>, vector<16xi1>, vector<16xbf16>
// CHECK:         scf.for
// CHECK:           arith.minsi %{{.*}}, %[[LAST]] : index
// CHECK:           memref.prefetch %[[KEYS]]{{.*}}, read, locality<3>, data
// CHECK:           %[[TWO:.+]] = vector.load %[[KEYS]]{{.*}} : memref<?x41xbf16>, vector<32xbf16>
// CHECK:           %[[BITS:.+]] = vector.bitcast %[[TWO]]
// CHECK:           arith.shli %[[BITS]]
// CHECK:           arith.andi %[[BITS]]
// CHECK:           vector.maskedload %[[KEYS]]
// CHECK:           arith.mulf {{.*}} : vector<16xf32>
// CHECK-COUNT-2:   vector.fma
// CHECK:           vector.load %[[KEYS]]
// CHECK-COUNT-30:  vector.shuffle {{.*}} : vector<16xf32>, vector<16xf32>
// CHECK-NOT:       vector.shuffle
// CHECK:           vector.store {{.*}} : memref<1x64xf32>, vector<16xf32>
// Zen 4 asks for rows into its second cache.
// ZEN4-LABEL:  func.func @dots
// ZEN4:          memref.prefetch {{.*}}, read, locality<2>, data
// Where an instruction adds products of pairs, nothing is widened.
// PAIRS-LABEL: func.func @dots
// PAIRS-NOT:     arith.shli
// PAIRS:         scf.for
// PAIRS-NOT:       arith.shli
// PAIRS:           vector.load {{.*}} : memref<?x41xbf16>, vector<32xbf16>
// PAIRS:           vector.maskedload {{.*}} : memref<?x41xbf16>, vector<32xi1>, vector<32xbf16>
// PAIRS-COUNT-2:   llvm.call_intrinsic "llvm.x86.avx512bf16.dpbf16ps.512"
// PAIRS:           vector.shuffle
// PAIRS-NOT:       arith.shli
// PAIRS:         return
// SSE-LABEL:   func.func @dots
// SSE:           scf.for
// SSE-NOT:       vector.fma
// SSE:           vector.shuffle {{.*}} : vector<4xf32>, vector<4xf32>
func.func @dots(%keys: memref<?x41xbf16>, %row: index, %last: index,
                %queries: memref<?x41xbf16>, %query: index, %scores: memref<1x64xf32>) {
  tile.x86.dot_rows %keys[%row] last %last, %queries[%query] into %scores
      : memref<?x41xbf16>, memref<?x41xbf16>, memref<1x64xf32>
  return
}

// Two queries: a key is read once for both. The queries are of f32 here, and
// their even and odd features are taken apart in front of the loop.
// CHECK-LABEL: func.func @dots_of_two
// CHECK-SAME:    %[[KEYS:[a-z0-9]+]]: memref<?x32xbf16>
// CHECK-COUNT-4: vector.shuffle
// CHECK-NOT:     vector.shuffle
// CHECK:         scf.for
// CHECK:           vector.load %[[KEYS]]
// CHECK-NOT:       vector.load
// CHECK-COUNT-2:   arith.mulf {{.*}} : vector<16xf32>
// CHECK:           vector.load %[[KEYS]]
// CHECK-COUNT-2:   vector.store {{.*}} : memref<2x16xf32>, vector<16xf32>
// CHECK-NOT:       vector.store
// CHECK:         return
func.func @dots_of_two(%keys: memref<?x32xbf16>, %row: index, %last: index,
                       %queries: memref<?x32xf32>, %query: index, %scores: memref<2x16xf32>) {
  tile.x86.dot_rows %keys[%row] last %last, %queries[%query] into %scores
      : memref<?x32xbf16>, memref<?x32xf32>, memref<2x16xf32>
  return
}

// Of wide rows, too, those of the next turn are asked for.
// CHECK-LABEL: func.func @wide_rows
// CHECK-SAME:    %[[KEYS:[a-z0-9]+]]: memref<?x256xf32>
// CHECK:         scf.for
// CHECK:           %[[ROW:.+]] = arith.minsi
// CHECK:           %[[TURN:.+]] = arith.constant 16 : index
// CHECK-NEXT:      %[[NEXT:.+]] = arith.addi %[[ROW]], %[[TURN]]
// CHECK:           memref.prefetch %[[KEYS]][%[[NEXT]]
func.func @wide_rows(%keys: memref<?x256xf32>, %row: index, %last: index, %scores: memref<1x16xf32>) {
  tile.x86.dot_rows %keys[%row] last %last, %keys[%row] into %scores
      : memref<?x256xf32>, memref<?x256xf32>, memref<1x16xf32>
  return
}

// Squares of a row itself; of a row less another, which is loaded once.
// CHECK-LABEL: func.func @squares
// CHECK-SAME:    %[[ROWS:[a-z0-9]+]]: memref<?x64xf32>, %{{[a-z0-9]+}}: index, %{{[a-z0-9]+}}: index, %[[FROM:[a-z0-9]+]]: memref<?x64xf32>
// CHECK:         scf.for
// CHECK:           %[[X:.+]] = vector.load %[[ROWS]]
// CHECK:           arith.mulf %[[X]], %[[X]] : vector<16xf32>
// CHECK:           vector.store
// CHECK:         vector.load %[[FROM]]
// CHECK:         scf.for
// CHECK-NOT:       %[[FROM]]
// CHECK:           %[[D:.+]] = arith.subf %{{.+}}, %{{.+}} : vector<16xf32>
// CHECK-NEXT:      %[[E:.+]] = arith.subf
// CHECK:           arith.mulf %[[D]], %[[D]] : vector<16xf32>
// CHECK-NEXT:      vector.fma %[[E]], %[[E]]
// CHECK:           arith.constant dense<-5.000000e-01>
// CHECK:         scf.for
// CHECK:           arith.addf {{.*}} : vector<16xf32>
func.func @squares(%rows: memref<?x64xf32>, %row: index, %last: index,
                   %other: memref<?x64xf32>, %i: index, %squares: memref<1x64xf32>) {
  tile.x86.square_rows %rows[%row] last %last into %squares
      : memref<?x64xf32> into memref<1x64xf32>
  tile.x86.square_rows %rows[%row] last %last and %other[%i] factor -0.5 into %squares subtracts
      : memref<?x64xf32>, memref<?x64xf32> into memref<1x64xf32>
  tile.x86.square_rows %rows[%row] last %last and %other[%i] into %squares
      : memref<?x64xf32>, memref<?x64xf32> into memref<1x64xf32>
  return
}

// Two keys at a time, so that eight sums do not wait for each other; what is
// left comes one by one.
// CHECK-LABEL: func.func @sums
// CHECK-SAME:    %[[VALUES:[a-z0-9]+]]: memref<?x64xf32>, %{{.*}}: index, %[[COUNT:[a-z0-9]+]]: index, %[[WEIGHTS:[a-z0-9]+]]: memref<1x64xf32>
// CHECK:         %[[REST:.*]] = arith.remui %[[COUNT]]
// CHECK:         %[[WHOLE:.*]] = arith.subi %[[COUNT]], %[[REST]]
// CHECK:         %{{.*}}:8 = scf.for %{{.*}} to %[[WHOLE]]
// CHECK:           memref.prefetch %[[VALUES]]{{.*}}, read, locality<3>, data
// CHECK-COUNT-4:   vector.load %[[VALUES]]
// CHECK:           memref.load %[[WEIGHTS]]
// CHECK-COUNT-4:   vector.load %[[VALUES]]
// CHECK:           memref.load %[[WEIGHTS]]
// CHECK:         %{{.*}}:4 = scf.for %{{.*}} = %[[WHOLE]] to %[[COUNT]]
// CHECK-NOT:       maskedload
func.func @sums(%values: memref<?x64xf32>, %row: index, %count: index,
                %weights: memref<1x64xf32>, %sums: memref<1x64xf32>) {
  tile.x86.sum_rows %values[%row] count %count, %weights into %sums
      : memref<?x64xf32>, memref<1x64xf32>, memref<1x64xf32>
  return
}

// Three rows of sums: a value is read once for all. Even and odd features of
// bf16 are put in turn when they have been summed up.
// CHECK-LABEL: func.func @sums_of_three
// CHECK-SAME:    %[[VALUES:[a-z0-9]+]]: memref<?x32xbf16>
// CHECK:         %{{.*}}:6 = scf.for
// CHECK:           vector.load %[[VALUES]]
// CHECK-COUNT-6:   vector.fma
// CHECK-NOT:       vector.load %[[VALUES]]
// CHECK:           scf.yield
// CHECK-COUNT-3: vector.interleave
// CHECK:         return
func.func @sums_of_three(%values: memref<?x32xbf16>, %row: index, %count: index,
                         %weights: memref<3x64xf32>, %sums: memref<3x32xf32>) {
  tile.x86.sum_rows %values[%row] count %count, %weights into %sums
      : memref<?x32xbf16>, memref<3x64xf32>, memref<3x32xf32>
  return
}

// A value that is not weighed is read, and its product is left out.
// CHECK-LABEL: func.func @seen
// CHECK:         %[[BEFORE:.*]]:8 = scf.for
// CHECK:           %[[ISWEIGHED:.*]] = arith.cmpf une, %{{.*}}, %{{.*}} : vector<16xf32>
// CHECK:           %[[SUM:.*]] = vector.fma %{{.*}}, %{{.*}}, %[[OLD:.*]] : vector<16xf32>
// CHECK:           arith.select %[[ISWEIGHED]], %[[SUM]], %[[OLD]]
func.func @seen(%values: memref<?x64xf32>, %row: index, %count: index,
                %weights: memref<1x64xf32>, %sums: memref<1x64xf32>) {
  tile.x86.sum_rows %values[%row] count %count, %weights into %sums skips_zeros
      : memref<?x64xf32>, memref<1x64xf32>, memref<1x64xf32>
  return
}
