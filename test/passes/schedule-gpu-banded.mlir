// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Pools whose weights are given, on a GPU: grids of warps, and the tables in front.
//
// RUN: split-file %s %t
// RUN: mixattn-opt --attn-set-target='family=mma chip=sm_80' --attn-schedule-kernels --canonicalize --cse %t/kernels.mlir | FileCheck %t/kernels.mlir --implicit-check-not=attn.structured_pool
// RUN: mixattn-opt --attn-set-target='family=wgmma chip=sm_90a' --attn-schedule-kernels %t/kernels.mlir | mixattn-opt --verify-roundtrip -o /dev/null
// RUN: mixattn-opt --attn-set-target='family=mma chip=sm_80' --attn-plan %t/plans.mlir --verify-diagnostics=only-expected \
// RUN:   --remarks-filter=attn-plan --remark-format=emitRemark

//--- kernels.mlir
!v = memref<2x4x?x64xbf16>
!t = tensor<2x4x?x64xbf16>
!places = tensor<?x3xi64>

// Two features a lane, side by side; six rows of values that a band keeps, and weights
// and values that the next eight rows will need. Sums that are NaN are made again.
// CHECK-LABEL: func.func @band(
// CHECK:         tile.grid %{{.+}}, %c4, %c2 threads 128 resident 5 {
// CHECK:           scf.for {{.*}} -> (f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, vector<2xbf16>, vector<2xbf16>, vector<2xbf16>, vector<2xbf16>, vector<2xbf16>, vector<2xbf16>, vector<2xbf16>, vector<2xbf16>)
// CHECK-COUNT-8:     vector.load
// CHECK-COUNT-56:    gpu.shuffle idx
// CHECK-NOT:         gpu.shuffle
// CHECK:             tile.any
// CHECK-COUNT-56:    gpu.shuffle idx
// CHECK-NOT:         gpu.shuffle
// CHECK-COUNT-8:     vector.store
// CHECK-NOT:       memref.alloc
func.func @band(%v: !v, %band: memref<4x?x7xbf16>, %o: !v) {
  attn.kernel ins(%v, %band : !v, memref<4x?x7xbf16>) outs(%o : !v) {
  ^bb0(%a: !t, %b: tensor<4x?x7xbf16>):
    %r = attn.structured_pool %a band(%b : tensor<4x?x7xbf16>) : !t -> !t
    attn.results %r : !t
  }
  return
}

// Places that the entry looks at come in order, and its windows are disjoint: a block
// writes each of these.
// CHECK-LABEL: func.func @known(
// CHECK:         %[[COLUMNS:.+]] = memref.alloc
// CHECK:         tile.grid %{{.+}} threads 128 {
// CHECK-NOT:       scf.for
// CHECK:           memref.store %{{.+}}, %[[COLUMNS]]
// CHECK:         tile.grid %{{.+}} threads 128 {
// CHECK:           scf.for
// CHECK:             memref.store %{{.+}}, %[[COLUMNS]]
// CHECK:         tile.grid %{{.+}}, %c4, %c2 threads 128 resident 5 {
// CHECK:           scf.while
// CHECK:         memref.dealloc %[[COLUMNS]]
func.func @known(%v: !v, %w: memref<?x3xi64> {attn.name = "w", attn.holds = {kind = "windows", extents = ["N"]}},
                 %e: memref<?x3xi64> {attn.name = "e", attn.holds = {kind = "coordinates", extents = [4, "N", "N"]}},
                 %x: memref<?xbf16>, %o: !v) {
  attn.kernel ins(%v, %w, %e, %x : !v, memref<?x3xi64>, memref<?x3xi64>, memref<?xbf16>) outs(%o : !v) {
  ^bb0(%a: !t, %b: !places, %c: !places, %d: tensor<?xbf16>):
    %r = attn.structured_pool %a windows(%b : !places) error(%c, %d : !places, tensor<?xbf16>) : !t -> !t
    attn.results %r : !t
  }
  return
}

// Others get an order first: two tables, of which a thread makes each number.
// CHECK-LABEL: func.func @computed(
// CHECK:         %[[COLUMNS:.+]] = memref.alloc
// CHECK:         tile.grid %{{.+}} threads 128 {
// CHECK:           %[[COLUMN:.+]] = scf.for
// CHECK:           arith.trunci %[[COLUMN]]
// CHECK:         %[[ORDER:.+]] = memref.alloc
// CHECK:         tile.grid %{{.+}} threads 128 {
// CHECK:           %[[PLACE:.+]] = scf.for
// CHECK:           memref.store %{{.+}}, %[[ORDER]][%[[PLACE]]]
// CHECK:         tile.grid %{{.+}}, %c4, %c2 threads 128 resident 5 {
// CHECK:           memref.load %[[ORDER]]
func.func @computed(%v: !v, %w: memref<?x3xi64>, %e: memref<?x3xi64>, %x: memref<?xbf16>, %o: !v) {
  attn.kernel ins(%v, %w, %e, %x : !v, memref<?x3xi64>, memref<?x3xi64>, memref<?xbf16>) outs(%o : !v) {
  ^bb0(%a: !t, %b: !places, %c: !places, %d: tensor<?xbf16>):
    %r = attn.structured_pool %a windows(%b : !places) error(%c, %d : !places, tensor<?xbf16>) row_normalise : !t -> !t
    attn.results %r : !t
  }
  return
}

//--- plans.mlir
!v = tensor<1x2x512x64xbf16>
!f = tensor<1x2x512x64xf32>
func.func @plans(%v: !v, %near: tensor<2x512x31xbf16>, %far: tensor<2x512x33xbf16>, %f: !f) {
  // expected-remark-re @below {{[Passed] banded | Category:attn-plan | {{.*}}Remark="[else : banded]"}}
  %0 = attn.structured_pool %v band(%near : tensor<2x512x31xbf16>) : !v -> !v
  // expected-remark @below {{[Missed] unfused | Category:attn-plan | Reason="the plain path is taken: banded: registers hold 15 rows of values next to each, but the band has 16"}}
  %1 = attn.structured_pool %v band(%far : tensor<2x512x33xbf16>) : !v -> !v
  return
}
