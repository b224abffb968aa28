// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The kernels of linear attention on sm_80: a state and what queries read of it;
// one kernel where it is causal.
//
// RUN: mixattn-opt --attn-set-target='family=mma chip=sm_80' --attn-stage-kernels --attn-schedule-kernels --canonicalize --cse %s | FileCheck %s --implicit-check-not=attn.linear --implicit-check-not=attn.kernel
// RUN: mixattn-opt --attn-set-target='family=mma chip=sm_80' --attn-stage-kernels --attn-schedule-kernels %s | mixattn-opt --verify-roundtrip -o /dev/null

!t = memref<1x4x?x64xbf16>

// A block a head, with all columns. Sums are in registers, what they lose is not.
// Values are copied while features of keys are made, the next keys while products
// are; both are one part of bf16, and the ones another tile.
// CHECK-LABEL: func.func @all(
// CHECK:         tile.grid %c1, %c4, %c1 threads 128 {
// CHECK:           tile.shared_tile at 0 : <64x64xbf16, padded>
// CHECK:           %[[LOST:.+]] = tile.shared_tile at {{.+}} : <64x80xf32, padded>
// CHECK:           %[[ROWS:.+]] = tile.shared_tile at {{.+}} : <64x64xbf16, padded>
// CHECK:           tile.mma.copy %{{.+}} into %[[ROWS]]
// CHECK:           scf.for {{.*}} step %c64 {{.*}} -> (vector<40xf32>)
// CHECK:             tile.mma.wait 0
// CHECK:             tile.mma.copy
// CHECK-COUNT-8:     tile.shared_read %[[ROWS]]
// CHECK-COUNT-2:     tile.shared_write_row {{.*}} : vector<8xbf16>
// CHECK:             tile.mma.wait 0
// CHECK:             tile.mma.copy %{{.+}} into %[[ROWS]]
// CHECK-COUNT-4:     tile.mma.product turned
// CHECK:             tile.shared_read %[[LOST]]
// CHECK:             tile.shared_write %{{.+}} into %[[LOST]]
// CHECK:           tile.store
// CHECK:         tile.grid %{{.+}}, %c4, %c1 threads 128 {
// CHECK:           tile.mma.copy
// CHECK:           memref.load
// CHECK:           scf.for
// CHECK:           tile.mma.wait 0
// CHECK:           tile.mma.copy
// CHECK-COUNT-3:   tile.mma.product
// CHECK:           tile.join_sum
// CHECK:           arith.divf
// CHECK:           tile.store
func.func @all(%q: !t, %k: !t, %v: !t, %o: !t) {
  attn.kernel ins(%q, %k, %v : !t, !t, !t) outs(%o : !t) {
  ^bb0(%a: tensor<1x4x?x64xbf16>, %b: tensor<1x4x?x64xbf16>,
       %c: tensor<1x4x?x64xbf16>):
    %0 = attn.linear_generic
        features(%a, %b : tensor<1x4x?x64xbf16>, tensor<1x4x?x64xbf16>)
        feature_map <elu> pool(%c : tensor<1x4x?x64xbf16>)
        {attn.plan = #attn.plan<[else : chunked_linear]>}
        -> tensor<1x4x?x64xbf16>
    attn.results %0 : tensor<1x4x?x64xbf16>
  }
  return
}

// Totals that heads mix may cancel: numbers are in three parts. Three products for
// values of one part, and for ones; six for a state.
// CHECK-LABEL: func.func @mixed(
// CHECK:         tile.grid
// CHECK-COUNT-3:   tile.shared_write_row {{.*}} : vector<8xbf16>
// CHECK-COUNT-6:   tile.mma.product turned
// CHECK-NOT:       tile.mma.product
// CHECK:         tile.grid
// CHECK-COUNT-3:   tile.shared_write_row {{.*}} : vector<8xbf16>
// CHECK-COUNT-6:   tile.mma.product
// CHECK-NOT:       tile.mma.product
// CHECK:           arith.divf
func.func @mixed(%q: !t, %k: !t, %v: !t, %m: memref<4x4xbf16>, %o: !t) {
  attn.kernel ins(%q, %k, %v, %m : !t, !t, !t, memref<4x4xbf16>) outs(%o : !t) {
  ^bb0(%a: tensor<1x4x?x64xbf16>, %b: tensor<1x4x?x64xbf16>,
       %c: tensor<1x4x?x64xbf16>, %d: tensor<4x4xbf16>):
    %0 = attn.linear_generic
        features(%a, %b : tensor<1x4x?x64xbf16>, tensor<1x4x?x64xbf16>)
        feature_map <elu> premix(%d : tensor<4x4xbf16>)
        pool(%c : tensor<1x4x?x64xbf16>)
        {attn.plan = #attn.plan<[else : chunked_linear]>}
        -> tensor<1x4x?x64xbf16>
    attn.results %0 : tensor<1x4x?x64xbf16>
  }
  return
}

// Features of f32 that no map makes do not fit two parts: three of keys, and six
// products of each state.
// CHECK-LABEL: func.func @wide(
// CHECK:         tile.grid
// CHECK-COUNT-3:   tile.shared_write_row {{.*}} : vector<8xbf16>
// CHECK-COUNT-6:   tile.mma.product turned
// CHECK-NOT:       tile.mma.product
// CHECK:         tile.grid
// CHECK-COUNT-6:   tile.mma.product
// CHECK-NOT:       tile.mma.product
// CHECK:           arith.divf
func.func @wide(%q: memref<1x4x?x64xf32>, %k: memref<1x4x?x64xf32>, %v: !t, %o: !t) {
  attn.kernel ins(%q, %k, %v : memref<1x4x?x64xf32>, memref<1x4x?x64xf32>, !t) outs(%o : !t) {
  ^bb0(%a: tensor<1x4x?x64xf32>, %b: tensor<1x4x?x64xf32>,
       %c: tensor<1x4x?x64xbf16>):
    %0 = attn.linear_generic
        features(%a, %b : tensor<1x4x?x64xf32>, tensor<1x4x?x64xf32>)
        pool(%c : tensor<1x4x?x64xbf16>)
        {attn.plan = #attn.plan<[else : chunked_linear]>}
        -> tensor<1x4x?x64xbf16>
    attn.results %0 : tensor<1x4x?x64xbf16>
  }
  return
}

// Scores of 16 keys of a chunk at a time, their values, the state before, and its
// update. Queries are copied once their features were read.
// CHECK-LABEL: func.func @causal(
// CHECK:         tile.grid %c1, %c4, %c1 threads 128 {
// CHECK:           %[[STATE:.+]] = scf.for {{.*}} -> (vector<40xf32>)
// CHECK-COUNT-4:     tile.mma.product turned
// CHECK:           scf.for {{.*}} iter_args(%{{.+}} = %[[STATE]]) -> (vector<40xf32>)
// CHECK:             tile.mma.wait 1
// CHECK:             tile.mma.wait 0
// CHECK-COUNT-3:     tile.mma.product {{.*}} transposed
// CHECK:             arith.cmpi sle
// CHECK-COUNT-4:     tile.mma.product
// CHECK-COUNT-3:     tile.mma.product {{.*}} transposed
// CHECK:             tile.store
// CHECK:             gpu.barrier
// CHECK:             tile.mma.copy
// CHECK-COUNT-4:     tile.mma.product turned
func.func @causal(%q: !t, %k: !t, %v: !t, %o: !t) {
  attn.kernel ins(%q, %k, %v : !t, !t, !t) outs(%o : !t) {
  ^bb0(%a: tensor<1x4x?x64xbf16>, %b: tensor<1x4x?x64xbf16>,
       %c: tensor<1x4x?x64xbf16>):
    %0 = attn.linear_generic
        features(%a, %b : tensor<1x4x?x64xbf16>, tensor<1x4x?x64xbf16>)
        feature_map <elu> causal pool(%c : tensor<1x4x?x64xbf16>)
        {attn.plan = #attn.plan<[else : chunked_linear]>}
        -> tensor<1x4x?x64xbf16>
    attn.results %0 : tensor<1x4x?x64xbf16>
  }
  return
}

!ss = tensor<1x?x64x64xf32>
!sz = tensor<1x?x64xf32>
!mss = memref<1x?x64x64xf32>
!msz = memref<1x?x64xf32>

// Sums of spans keep what they lose: first of totals, then of states, eight of
// which are loaded at a time.
// CHECK-LABEL: func.func @before(
// CHECK:         tile.grid %c64, %c1, %c1 threads 64 {
// CHECK-COUNT-2:   scf.for {{.*}} -> (f32, f32)
// CHECK:             %[[OWN:.+]] = memref.load
// CHECK-COUNT-7:     memref.load
// CHECK:             memref.store %[[SUM:[^,]+]], %{{.+}} : memref<1x?x64x64xf32>
// CHECK:             %[[TERM:.+]] = arith.subf %[[OWN]], %[[LOSS:.+]] : f32
// CHECK:             %[[NEXT:.+]] = arith.addf %[[SUM]], %[[TERM]] : f32
// CHECK:             %[[GAINED:.+]] = arith.subf %[[NEXT]], %[[SUM]] : f32
// CHECK:             %[[AFTER:.+]] = arith.subf %[[GAINED]], %[[TERM]] : f32
// CHECK:             %[[NAN:.+]] = arith.cmpf uno, %[[AFTER]], %[[AFTER]] : f32
// CHECK:             %[[KEPT:.+]] = arith.select %[[NAN]], %{{.+}}, %[[AFTER]] : f32
// CHECK:             arith.select %[[THERE:.+]], %[[NEXT]], %[[SUM]] : f32
// CHECK:             arith.select %[[THERE]], %[[KEPT]], %[[LOSS]] : f32
// CHECK-COUNT-7:     memref.store
// CHECK:             arith.cmpf uno
// CHECK:             arith.select
// CHECK:             %[[LAST:.+]] = arith.select %[[HAS:[^,]+]],
// CHECK-NEXT:        %[[LEFT:.+]] = arith.select %[[HAS]],
// CHECK:             scf.yield %[[LAST]], %[[LEFT]] : f32, f32
func.func @before(%s: !mss, %z: !msz, %t: !mss, %y: !msz) {
  attn.kernel ins(%s, %z : !mss, !msz) outs(%t, %y : !mss, !msz) {
  ^bb0(%a: !ss, %b: !sz):
    %0:2 = attn.linear_add_states %a, %b before : !ss, !sz -> !ss, !sz
    attn.results %0#0, %0#1 : !ss, !sz
  }
  return
}
