// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The linear schedule: states over chunks of keys, read by chunks of queries.
//
// RUN: mixattn-opt %s --split-input-file --attn-set-target='features=avx512f' --attn-stage-kernels --attn-schedule-kernels --canonicalize | FileCheck %s

!q = memref<?x4x?x64xf32>
!t = tensor<?x4x?x64xf32>

// All keys, then all queries: two loops that threads share.
// CHECK-LABEL: func.func @all
// CHECK-SAME:    %[[Q:.*]]: memref<?x4x?x64xf32>, %[[K:.*]]: memref<?x2x?x64xf32>
// CHECK:         %[[STATES:.*]] = memref.alloc(%{{.*}}) {alignment = 64 : i64} : memref<?x128x64xf32>
// CHECK:         %[[COUNTS:.*]] = memref.alloc(%{{.*}}) {alignment = 64 : i64} : memref<?xi32>
// CHECK:         tile.grid
// CHECK:           scf.for
// CHECK:             vector.load {{.*}} : memref<?x64xf32, strided<[64, 1], offset: ?>>, vector<16xf32>
// CHECK:             math.exp {{.*}} : vector<16xf32>
// CHECK:             tile.x86.product transposed %{{.*}}[%{{.*}}], %{{.*}} count %{{.*}} onto %{{.*}} lost
// CHECK:           memref.store %{{.*}}, %[[COUNTS]]
// CHECK:         tile.grid
// CHECK:           memref.load %[[COUNTS]]
// CHECK:           math.exp {{.*}} : vector<16xf32>
// CHECK-NOT:       tile.x86.pack
// CHECK:           scf.for
// CHECK:             tile.x86.product %
// CHECK:             vector.reduction <add>
// CHECK:         memref.dealloc
func.func @all(%q: !q, %k: memref<?x2x?x64xf32>, %o: !q) {
  attn.kernel ins(%q, %k : !q, memref<?x2x?x64xf32>) outs(%o : !q) {
  ^bb0(%a: !t, %b: tensor<?x2x?x64xf32>):
    %r = attn.linear_generic features(%a, %b : !t, tensor<?x2x?x64xf32>) feature_map <elu>
        pool(%b : tensor<?x2x?x64xf32>) {attn.plan = #attn.plan<[else : chunked_linear {block = 64}]>} -> !t
    attn.results %r : !t
  }
  return
}

// -----

!q = memref<?x4x?x41xbf16>
!t = tensor<?x4x?x41xbf16>

// Chunk by chunk: keys transposed for scores, queries next to the scores, then
// the state. Rows of 41 features take 48 columns.
// CHECK-LABEL: func.func @causal
// CHECK:         tile.grid
// CHECK:           arith.extf {{.*}} : vector<16xbf16> to vector<16xf32>
// CHECK:           tile.x86.product transposed {{.*}} lost
// CHECK:           tile.x86.pack {{.*}} : memref<32x48xf32, {{.*}}, memref<48x32xf32
// CHECK:           tile.x86.product %{{.*}} : memref<32x48xf32, strided<[80, 1]{{.*}}, memref<4x32xf32, strided<[80, 1]
// CHECK:           vector.create_mask
// CHECK:           tile.x86.product %{{.*}} : memref<32x80xf32>, memref<80x48xf32>, memref<4x48xf32>
// CHECK:           memref.prefetch {{.*}}, write, locality<3>, data
// CHECK:           arith.truncf {{.*}} : vector<16xf32> to vector<16xbf16>
// CHECK:           tile.x86.product transposed {{.*}} lost
func.func @causal(%q: !q, %o: !q) {
  attn.kernel ins(%q : !q) outs(%o : !q) {
  ^bb0(%a: !t):
    %r = attn.linear_generic features(%a, %a : !t, !t) feature_map <relu> causal
        pool(%a : !t) {attn.plan = #attn.plan<[else : chunked_linear {block = 32}]>} -> !t
    attn.results %r : !t
  }
  return
}

// -----

!q = memref<1x4x?x32xf32>
!k = memref<1x2x?x32xf32>

// An MLP of states: each head makes its own of those of both key heads, then
// its queries read it.
// CHECK-LABEL: func.func @perceptron
// CHECK-SAME:    %{{.+}}, %{{.+}}, %[[W1:[a-z0-9]+]]: memref<2x3xf32>
// CHECK:         tile.grid
// CHECK:           tile.x86.product transposed {{.*}} lost
// CHECK:         %[[MIXED:.+]] = memref.alloc() {alignment = 64 : i64} : memref<1x128x32xf32>
// CHECK:         %[[TOTALS:.+]] = memref.alloc() {alignment = 64 : i64} : memref<1x128xf32>
// CHECK:         tile.grid
// CHECK:           scf.for %[[UNIT:.+]] = %c0 to %c3 step
// CHECK:             memref.load %[[W1]][%c0, %[[UNIT]]]
// CHECK:             memref.load %[[W1]][%c1, %[[UNIT]]]
// CHECK:             arith.cmpf ogt
// CHECK:           vector.store %{{.+}}, %[[TOTALS]]
// CHECK:         tile.grid
// CHECK:           tile.x86.product %
// CHECK-COUNT-5: memref.dealloc
func.func @perceptron(%q: !q, %k: !k, %w1: memref<2x3xf32>, %b1: memref<3xf32>, %w2: memref<3x4xf32>,
                      %b2: memref<4xf32>, %n: memref<2x4xf32>, %o: !q) {
  attn.kernel ins(%q, %k, %w1, %b1, %w2, %b2, %n
      : !q, !k, memref<2x3xf32>, memref<3xf32>, memref<3x4xf32>, memref<4xf32>, memref<2x4xf32>) outs(%o : !q) {
  ^bb0(%a: tensor<1x4x?x32xf32>, %b: tensor<1x2x?x32xf32>, %c: tensor<2x3xf32>, %d: tensor<3xf32>,
       %e: tensor<3x4xf32>, %f: tensor<4xf32>, %g: tensor<2x4xf32>):
    %r = attn.linear_generic features(%a, %b : tensor<1x4x?x32xf32>, tensor<1x2x?x32xf32>) feature_map <elu>
        premix_mlp(%c, %d, %e, %f : tensor<2x3xf32>, tensor<3xf32>, tensor<3x4xf32>, tensor<4xf32>)
        normaliser(%g : tensor<2x4xf32>)
        pool(%b : tensor<1x2x?x32xf32>) {attn.plan = #attn.plan<[else : chunked_linear {block = 64}]>} -> tensor<1x4x?x32xf32>
    attn.results %r : tensor<1x4x?x32xf32>
  }
  return
}
