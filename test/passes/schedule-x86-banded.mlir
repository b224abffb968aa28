// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The banded schedule: pieces of rows whose weights are given.
//
// RUN: mixattn-opt %s --split-input-file --attn-set-target='features=avx512f' --attn-schedule-kernels --canonicalize | FileCheck %s

!v = memref<?x2x?x64xf32>
!t = tensor<?x2x?x64xf32>

// Four rows and 64 features at once. Keys that not all rows see are tested for,
// before and after those that all rows see.
// CHECK-LABEL: func.func @band
// CHECK-SAME:    %[[V:.*]]: memref<?x2x?x64xf32>, %[[BAND:.*]]: memref<2x?x7xf32>
// CHECK-NOT:     memref.alloc({{.*}}xindex>
// CHECK:         tile.grid
// CHECK:           scf.if
// CHECK:             memref.load %[[BAND]]
// CHECK-NOT:         memref.load
// CHECK:             %[[COUNTS:.*]] = arith.cmpf une
// CHECK:             arith.mulf {{.*}} fastmath<contract>
// CHECK:             %[[ADDED:.*]] = arith.addf %{{.*}}, %[[SUM:.*]] fastmath<contract>
// CHECK:             arith.select %[[COUNTS]], %[[ADDED]], %[[SUM]]
// CHECK:             scf.yield
// CHECK:           } else {
// CHECK:           scf.if
// CHECK:           scf.if
// CHECK:           scf.for {{.*}} -> (vector<16xf32>, {{.*}})
// CHECK-COUNT-4:     memref.load %[[BAND]]
// CHECK-NOT:         memref.load
// CHECK:             scf.yield
// CHECK-COUNT-3:   scf.if
// CHECK:           vector.store {{.*}} : memref<16x64xf32>
// CHECK-NOT:       divf
// CHECK-NOT:     memref.dealloc {{.*}}xindex>
func.func @band(%v: !v, %band: memref<2x?x7xf32>, %o: !v) {
  attn.kernel ins(%v, %band : !v, memref<2x?x7xf32>) outs(%o : !v) {
  ^bb0(%a: !t, %b: tensor<2x?x7xf32>):
    %r = attn.structured_pool %a band(%b : tensor<2x?x7xf32>)
        {attn.plan = #attn.plan<[else : banded {block = 16}]>} : !t -> !t
    attn.results %r : !t
  }
  return
}

// -----

!v = memref<?x2x?x40xbf16>
!t = tensor<?x2x?x40xbf16>

// Windows as a table of columns; errors counted, and dealt to the pieces; sums
// of rows in f64.
// CHECK-LABEL: func.func @windows
// CHECK:         %[[COLUMNS:.*]] = memref.alloc({{.*}}) : memref<?xindex>
// CHECK:         scf.for
// CHECK:           memref.store {{.*}}, %[[COLUMNS]]
// CHECK:         %[[ENDS:.*]] = memref.alloc({{.*}}) : memref<?xindex>
// CHECK:         %[[ORDER:.*]] = memref.alloc({{.*}}) : memref<?xindex>
// CHECK:         tile.grid
// CHECK:           memref.load %[[COLUMNS]]
// CHECK:           arith.extf {{.*}} : vector<16xbf16> to vector<16xf32>
// CHECK:           memref.load %[[ENDS]]
// CHECK:           memref.load %[[ORDER]]
// CHECK:           arith.addf {{.*}} : f64
// CHECK:           arith.divf {{.*}} : f64
// CHECK:           arith.truncf {{.*}} : vector<16xf32> to vector<16xbf16>
// CHECK:           vector.maskedstore
// CHECK:         memref.dealloc %[[COLUMNS]]
// CHECK:         memref.dealloc %[[ORDER]]
// CHECK:         memref.dealloc %[[ENDS]]
func.func @windows(%v: !v, %windows: memref<?x3xi64>, %index: memref<?x3xi32>, %error: memref<?xf32>, %o: !v) {
  attn.kernel ins(%v, %windows, %index, %error : !v, memref<?x3xi64>, memref<?x3xi32>, memref<?xf32>) outs(%o : !v) {
  ^bb0(%a: !t, %w: tensor<?x3xi64>, %i: tensor<?x3xi32>, %e: tensor<?xf32>):
    %r = attn.structured_pool %a windows(%w : tensor<?x3xi64>)
        error(%i, %e : tensor<?x3xi32>, tensor<?xf32>) row_normalise
        {attn.plan = #attn.plan<[else : banded {block = 16}]>} : !t -> !t
    attn.results %r : !t
  }
  return
}
