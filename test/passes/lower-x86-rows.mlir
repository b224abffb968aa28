// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Products of one query: lanes are features, a tail of them is masked.
//
// RUN: mixattn-opt %s --attn-set-target='features=avx512f,fma' --tile-lower-x86 | FileCheck %s
// RUN: mixattn-opt %s --tile-lower-x86 | FileCheck %s --check-prefix=SSE
// RUN: mixattn-opt %s --attn-set-target='chip=znver4 features=avx512f,fma' --tile-lower-x86 | FileCheck %s --check-prefix=ZEN4

// Sixteen keys at a time, three vectors of features each; then the sums of
// lanes, two rows in one each time.
// CHECK-LABEL: func.func @dots
// CHECK-SAME:    %[[KEYS:[a-z0-9]+]]: memref<?x41xbf16>, %[[ROW:[a-z0-9]+]]: index, %[[LAST:[a-z0-9]+]]: index
// CHECK:         vector.maskedload {{.*}} : memref<?x41xbf16>, vector<16xi1>, vector<16xbf16>
// CHECK:         scf.for
// CHECK:           arith.minsi %{{.*}}, %[[LAST]] : index
// CHECK:           memref.prefetch %[[KEYS]]{{.*}}, read, locality<3>, data
// CHECK:           arith.mulf {{.*}} : vector<16xf32>
// CHECK:           vector.fma
// CHECK:           vector.maskedload %[[KEYS]]
// CHECK:           vector.fma
// CHECK-COUNT-15:  vector.shuffle {{.*}} : vector<16xf32>, vector<16xf32>
// CHECK:           vector.store {{.*}} : memref<1x64xf32>, vector<16xf32>
// Zen 4 asks for rows into its second cache.
// ZEN4-LABEL:  func.func @dots
// ZEN4:          memref.prefetch {{.*}}, read, locality<2>, data
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

// Squares of a row itself; of a row less another, which is loaded once.
// CHECK-LABEL: func.func @squares
// CHECK-SAME:    %[[ROWS:[a-z0-9]+]]: memref<?x64xf32>, %{{[a-z0-9]+}}: index, %{{[a-z0-9]+}}: index, %[[FROM:[a-z0-9]+]]: memref<?x64xf32>
// CHECK:         scf.for
// CHECK:           %[[X:.+]] = vector.load %[[ROWS]]
// CHECK-NEXT:      arith.mulf %[[X]], %[[X]] : vector<16xf32>
// CHECK:           vector.store
// CHECK:         vector.load %[[FROM]]
// CHECK:         scf.for
// CHECK-NOT:       %[[FROM]]
// CHECK:           %[[D:.+]] = arith.subf %{{.+}}, %{{.+}} : vector<16xf32>
// CHECK:           arith.mulf %[[D]], %[[D]] : vector<16xf32>
// CHECK:           %[[E:.+]] = arith.subf
// CHECK:           vector.fma %[[E]], %[[E]]
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
// CHECK:           memref.load %[[WEIGHTS]]
// CHECK-COUNT-4:   vector.load %[[VALUES]]
// CHECK:           memref.load %[[WEIGHTS]]
// CHECK-COUNT-4:   vector.load %[[VALUES]]
// CHECK:         %{{.*}}:4 = scf.for %{{.*}} = %[[WHOLE]] to %[[COUNT]]
// CHECK-NOT:       maskedload
func.func @sums(%values: memref<?x64xf32>, %row: index, %count: index,
                %weights: memref<1x64xf32>, %sums: memref<1x64xf32>) {
  tile.x86.sum_rows %values[%row] count %count, %weights into %sums
      : memref<?x64xf32>, memref<1x64xf32>, memref<1x64xf32>
  return
}

// CHECK-LABEL: func.func @seen
// CHECK:         %[[ISREAD:.*]] = arith.cmpf une, %{{.*}}, %{{.*}} : vector<16xf32>
// CHECK:         %[[MASK:.*]] = arith.andi %{{.*}}, %[[ISREAD]] : vector<16xi1>
// CHECK:         vector.maskedload %{{.*}}, %[[MASK]], %{{.*}}
func.func @seen(%values: memref<?x64xf32>, %row: index, %count: index,
                %weights: memref<1x64xf32>, %sums: memref<1x64xf32>) {
  tile.x86.sum_rows %values[%row] count %count, %weights into %sums skips_zeros
      : memref<?x64xf32>, memref<1x64xf32>, memref<1x64xf32>
  return
}
