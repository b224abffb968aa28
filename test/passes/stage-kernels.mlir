// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A kernel for each case of a plan, and kernels of what an attention needs
// first. schedule-x86-terms.mlir and -projections.mlir have their code.
//
// RUN: mixattn-opt %s --attn-set-target=features=avx512f --attn-stage-kernels --split-input-file --canonicalize | FileCheck %s
// The kernels are text that parses again.
// RUN: mixattn-opt %s --attn-set-target=features=avx512f --attn-stage-kernels --split-input-file --verify-roundtrip -o /dev/null

!q = memref<?x4x?x16xf32>
!k = memref<?x2x?x16xf32>

// A test for each case but the last, with one kernel; each is planned by its
// case alone. Gaussians have a term of keys under `online`, and none under
// `decode`. Buffers live as long as they are read.
// CHECK-LABEL: func.func @cases
// CHECK-SAME:    %[[Q:[a-z0-9]+]]: memref<?x4x?x16xf32>, %[[K:[a-z0-9]+]]: memref<?x2x?x16xf32>, %[[O:[a-z0-9]+]]: memref<?x4x?x16xf32>)
// CHECK-NOT:     attn.kernel
// CHECK:         %[[QUERIES:.+]] = memref.dim %[[Q]], %c2
// CHECK:         %[[FEW:.+]] = arith.cmpi sle, %[[QUERIES]], %c8
// CHECK:         %[[KEYS:.+]] = memref.dim %[[K]], %c2
// CHECK:         %[[MANY:.+]] = arith.cmpi sgt, %[[KEYS]], %c512
// CHECK:         %[[BOTH:.+]] = arith.andi %[[FEW]], %[[MANY]]
// CHECK:         scf.if %[[BOTH]] {
// CHECK-NOT:       attn.row_term
// CHECK:           attn.kernel ins(%[[Q]], %[[K]] : {{.*}}) outs(%{{.+}}, %{{.+}}, %{{.+}} :
// CHECK:             attn.parts split 256 block 64 {
// CHECK-NEXT:          attn.generic scores({{[^)]*}}) gaussian variances [8.000000e+00] pool({{[^)]*}}) ->
// CHECK:           attn.kernel {{.*}} outs(%[[O]] :
// CHECK:             attn.merge_parts
// CHECK:         } else {
// CHECK:           %[[QUERIES2:.+]] = memref.dim %[[Q]], %c2
// CHECK:           %[[WIDE:.+]] = arith.cmpi sgt, %[[QUERIES2]], %c64
// CHECK:           scf.if %[[WIDE]] {
// CHECK-DAG:         %[[BATCH:.+]] = memref.dim %[[K]], %c0
// CHECK-DAG:         %[[LENGTH:.+]] = memref.dim %[[K]], %c2
// CHECK:             %[[TERM:.+]] = memref.alloc(%[[BATCH]], %[[LENGTH]]) {alignment = 64 : i64} : memref<?x2x1x?xf32>
// CHECK-NEXT:        attn.kernel ins(%[[K]] : memref<?x2x?x16xf32>) outs(%[[TERM]] : memref<?x2x1x?xf32>) {
// CHECK-NEXT:        ^bb0(%[[ROWS:.+]]: tensor<?x2x?x16xf32>):
// CHECK-NEXT:          %[[R:.+]] = attn.row_term %[[ROWS]] factors [1.250000e-01] of_keys has_square :
// CHECK-NEXT:          attn.results %[[R]] : tensor<?x2x1x?xf32>
// CHECK:             attn.kernel ins(%[[Q]], %[[K]], %[[TERM]] : {{.*}}) outs(%[[O]] : {{.*}}) {
// CHECK-NEXT:        ^bb0(%[[A:.+]]: {{.*}}, %[[B:.+]]: {{.*}}, %[[T:.+]]: tensor<?x2x1x?xf32>):
// CHECK-NEXT:          attn.generic scores(%[[A]], %[[B]] : {{[^)]*}}) variances [8.000000e+00] key_term(%[[T]] : tensor<?x2x1x?xf32>) scale 1.000000e+00 pool(%[[B]] : {{[^)]*}}) {attn.plan = #attn.plan<[else : online {width = 64}]>}
// CHECK:             memref.dealloc %[[TERM]]
// CHECK-NEXT:      } else {
// CHECK:             %[[TERM2:.+]] = memref.alloc(
// CHECK-NEXT:        attn.kernel {{.*}} outs(%[[TERM2]] :
// CHECK:               attn.row_term
// CHECK:             attn.kernel ins(%[[Q]], %[[K]], %[[TERM2]] : {{.*}}) outs(%[[O]] :
// CHECK:               attn.generic {{.*}} {attn.plan = #attn.plan<[else : online]>}
// CHECK:             memref.dealloc %[[TERM2]]
// CHECK-NOT:     attn.kernel
// CHECK:         return
func.func @cases(%q: !q, %k: !k, %o: !q) {
  attn.kernel ins(%q, %k : !q, !k) outs(%o : !q) {
  ^bb0(%a: tensor<?x4x?x16xf32>, %b: tensor<?x2x?x16xf32>):
    %r = attn.generic
        scores(%a, %b : tensor<?x4x?x16xf32>, tensor<?x2x?x16xf32>)
        gaussian variances [8.0] pool(%b : tensor<?x2x?x16xf32>)
        {attn.plan = #attn.plan<[
            queries at_most 8 and keys above 512 : decode {block = 64, split = 256},
            queries above 64 : online {width = 64}, else : online]>}
        -> tensor<?x4x?x16xf32>
    attn.results %r : tensor<?x4x?x16xf32>
  }
  return
}

// -----

!q = memref<?x4x?x16xf32>
!k = memref<?x2x?x16xf32>
!v = memref<?x2x?x8xf32>
!e = memref<24x?xf32>

// Keys and values are projected once, before the tests, and read by all cases;
// a term is one of projected keys.
// CHECK-LABEL: func.func @projected
// CHECK-SAME:    %[[Q:[a-z0-9]+]]: memref<?x4x?x16xf32>, %[[K:[a-z0-9]+]]: memref<?x2x?x16xf32>, %[[V:[a-z0-9]+]]: memref<?x2x?x8xf32>, %[[E:[a-z0-9]+]]: memref<24x?xf32>, %[[F:[a-z0-9]+]]: memref<24x?xf32>
// CHECK:         %[[BATCH:.+]] = memref.dim %[[K]], %c0
// CHECK:         %[[KEYS:.+]] = memref.alloc(%[[BATCH]]) {alignment = 64 : i64} : memref<?x2x24x16xf32>
// CHECK-NEXT:    attn.kernel ins(%[[K]], %[[E]] : {{.*}}) outs(%[[KEYS]] :
// CHECK-NEXT:    ^bb0(%[[SEQUENCE:.+]]: tensor<?x2x?x16xf32>, %[[BY:.+]]: tensor<24x?xf32>):
// CHECK-NEXT:      attn.project %[[SEQUENCE]] by %[[BY]] :
// CHECK:         %[[BATCH2:.+]] = memref.dim %[[V]], %c0
// CHECK:         %[[VALUES:.+]] = memref.alloc(%[[BATCH2]]) {alignment = 64 : i64} : memref<?x2x24x8xf32>
// CHECK-NEXT:    attn.kernel ins(%[[V]], %[[F]] : {{.*}}) outs(%[[VALUES]] :
// CHECK:           attn.project
// CHECK-NOT:     attn.project
// CHECK:         scf.if
// CHECK:           attn.kernel ins(%[[Q]], %[[KEYS]], %[[VALUES]] :
// CHECK:             attn.generic scores({{[^)]*}}) gaussian pool(
// CHECK:         } else {
// CHECK:           %[[TERM:.+]] = memref.alloc(%{{.+}}) {alignment = 64 : i64} : memref<?x2x1x24xf32>
// CHECK-NEXT:      attn.kernel ins(%[[KEYS]] : {{.*}}) outs(%[[TERM]] :
// CHECK:             attn.row_term
// CHECK:           attn.kernel ins(%[[Q]], %[[KEYS]], %[[VALUES]], %[[TERM]] :
// CHECK:           memref.dealloc %[[TERM]]
// CHECK-NEXT:    }
// CHECK-NEXT:    memref.dealloc %[[VALUES]]
// CHECK-NEXT:    memref.dealloc %[[KEYS]]
func.func @projected(%q: !q, %k: !k, %v: !v, %e: !e, %f: !e, %o: memref<?x4x?x8xf32>) {
  attn.kernel ins(%q, %k, %v, %e, %f : !q, !k, !v, !e, !e)
      outs(%o : memref<?x4x?x8xf32>) {
  ^bb0(%a: tensor<?x4x?x16xf32>, %b: tensor<?x2x?x16xf32>,
       %c: tensor<?x2x?x8xf32>, %d: tensor<24x?xf32>, %g: tensor<24x?xf32>):
    %r = attn.generic
        scores(%a, %b : tensor<?x4x?x16xf32>, tensor<?x2x?x16xf32>)
        projected_by(%d, %g : tensor<24x?xf32>, tensor<24x?xf32>) gaussian
        pool(%c : tensor<?x2x?x8xf32>)
        {attn.plan = #attn.plan<[queries at_most 8 : decode, else : online]>}
        -> tensor<?x4x?x8xf32>
    attn.results %r : tensor<?x4x?x8xf32>
  }
  return
}

// -----

!q = memref<1x2x3x16xf32>
!k = memref<1x2x2x5x16xf32>
!v = memref<1x2x5x16xf32>
!t = tensor<1x2x3x16xf32>
!s = tensor<1x2x2x5x16xf32>
!u = tensor<1x2x5x16xf32>

// Different variances: queries have a term, too. Known sizes need no operand.
// CHECK-LABEL: func.func @different_variances
// CHECK-SAME:    %[[Q:[a-z0-9]+]]: memref<1x2x3x16xf32>, %[[K:[a-z0-9]+]]: memref<1x2x2x5x16xf32>, %[[V:[a-z0-9]+]]: memref<1x2x5x16xf32>, %[[P:[a-z0-9]+]]: memref<2x2xf32>
// CHECK:         %[[OF_QUERY:.+]] = memref.alloc() {alignment = 64 : i64} : memref<1x2x2x3xf32>
// CHECK-NEXT:    attn.kernel ins(%[[Q]] : {{.*}}) outs(%[[OF_QUERY]] :
// CHECK:           attn.row_term %{{.+}} factors [1.250000e-01, 6.250000e-02] has_square :
// CHECK:         %[[OF_KEY:.+]] = memref.alloc() {alignment = 64 : i64} : memref<1x2x2x5xf32>
// CHECK-NEXT:    attn.kernel ins(%[[K]], %[[P]] : {{.*}}) outs(%[[OF_KEY]] :
// CHECK:           attn.row_term %{{.+}} prior({{.*}}) factors [1.250000e-01, 6.250000e-02] of_keys has_square :
// CHECK:         attn.kernel ins(%[[Q]], %[[K]], %[[V]], %[[OF_QUERY]], %[[OF_KEY]] :
// CHECK:           attn.generic scores({{[^)]*}}) variances [8.000000e+00, 1.600000e+01] query_term({{[^)]*}}) key_term({{[^)]*}}) scale 1.000000e+00 pool(
// CHECK:         memref.dealloc %[[OF_KEY]]
// CHECK-NEXT:    memref.dealloc %[[OF_QUERY]]
func.func @different_variances(%q: !q, %k: !k, %v: !v, %p: memref<2x2xf32>,
                               %o: !q) {
  attn.kernel ins(%q, %k, %v, %p : !q, !k, !v, memref<2x2xf32>) outs(%o : !q) {
  ^bb0(%a: !t, %b: !s, %d: !u, %c: tensor<2x2xf32>):
    %r = attn.generic scores(%a, %b : !t, !s) gaussian variances [8.0, 16.0]
        prior(%c : tensor<2x2xf32>) pool(%d : !u)
        {attn.plan = #attn.plan<[else : online]>} -> !t
    attn.results %r : !t
  }
  return
}

// -----

!q = memref<1x2x?x16xf32>
!t = tensor<1x2x?x16xf32>
!l = tensor<1x2x?xf32>

// A logsumexp sees the squares of queries. The kernel without a plan takes the
// first schedule that is for it. What a score_mod takes goes with the attention.
// CHECK-LABEL: func.func @logsumexp
// CHECK-SAME:    %[[Q:[a-z0-9]+]]: memref<1x2x?x16xf32>, %[[C:[a-z0-9]+]]: f32, %[[O:[a-z0-9]+]]: memref<1x2x?x16xf32>, %[[L:[a-z0-9]+]]: memref<1x2x?xf32>
// CHECK:         %[[OF_QUERY:.+]] = memref.alloc(
// CHECK-NEXT:    attn.kernel ins(%[[Q]] : {{.*}}) outs(%[[OF_QUERY]] :
// CHECK:           attn.row_term %{{.+}} factors [2.500000e-01] has_square :
// CHECK:         %[[OF_KEY:.+]] = memref.alloc(
// CHECK-NEXT:    attn.kernel ins(%[[Q]] : {{.*}}) outs(%[[OF_KEY]] :
// CHECK:           attn.row_term %{{.+}} factors [2.500000e-01] of_keys has_square :
// CHECK:         attn.kernel ins(%[[Q]], %[[OF_QUERY]], %[[OF_KEY]], %[[C]] : {{.*}}) outs(%[[O]], %[[L]] :
// CHECK-NEXT:    ^bb0({{.*}}, %[[SHIFT:.+]]: f32):
// CHECK:           attn.generic scores({{[^)]*}}) variances [4.000000e+00] query_term({{[^)]*}}) key_term({{[^)]*}}) scale 1.000000e+00 score_mod {
// CHECK:             arith.addf %{{.+}}, %[[SHIFT]] : f32
// CHECK:           attn.results %{{.+}}, %{{.+}} : tensor<1x2x?x16xf32>, tensor<1x2x?xf32>
func.func @logsumexp(%q: !q, %c: f32, %o: !q, %l: memref<1x2x?xf32>) {
  attn.kernel ins(%q, %c : !q, f32) outs(%o, %l : !q, memref<1x2x?xf32>) {
  ^bb0(%a: !t, %d: f32):
    %r, %s = attn.generic scores(%a, %a : !t, !t) gaussian score_mod {
    ^bb0(%x: f32, %b: index, %h: index, %i: index, %j: index):
      %y = arith.addf %x, %d : f32
      attn.yield %y : f32
    } pool(%a : !t) -> !t lse !l
    attn.results %r, %s : !t, !l
  }
  return
}

// -----

!q = memref<?x4x?x16xf32>
!k = memref<?x2x?x16xf32>
!s = memref<2x3x16xf32>
!x = tensor<?x4x?x16xf32>
!y = tensor<?x2x?x16xf32>

// Products with shifted keys: under decode, too, queries have a term.
// CHECK-LABEL: func.func @shifted
// CHECK-SAME:    %[[Q:[a-z0-9]+]]: memref<?x4x?x16xf32>, %[[K:[a-z0-9]+]]: memref<?x2x?x16xf32>, %[[S:[a-z0-9]+]]: memref<2x3x16xf32>
// CHECK-DAG:     %[[BATCH:.+]] = memref.dim %[[Q]], %c0
// CHECK-DAG:     %[[LENGTH:.+]] = memref.dim %[[Q]], %c2
// CHECK:         %[[TERM:.+]] = memref.alloc(%[[BATCH]], %[[LENGTH]]) {alignment = 64 : i64} : memref<?x4x3x?xf32>
// CHECK-NEXT:    attn.kernel ins(%[[Q]], %[[S]] : {{.*}}) outs(%[[TERM]] :
// CHECK:           attn.row_term %{{.+}} shifts({{.*}}) factors [1.000000e+00, 1.000000e+00, 1.000000e+00] :
// CHECK-NOT:     attn.row_term
// CHECK:         attn.kernel ins(%[[Q]], %[[K]], %[[TERM]] :
// CHECK-NEXT:    ^bb0
// CHECK-NEXT:      attn.parts split 64 block 64 {
// CHECK-NEXT:        attn.generic scores({{[^)]*}}) variances [1.000000e+00, 1.000000e+00, 1.000000e+00] query_term({{[^)]*}}) scale 2.500000e-01 pool({{[^)]*}}) ->
// CHECK-NEXT:        attn.results
// CHECK:         memref.dealloc %[[TERM]]
func.func @shifted(%q: !q, %k: !k, %s: !s, %o: !q) {
  attn.kernel ins(%q, %k, %s : !q, !k, !s) outs(%o : !q) {
  ^bb0(%a: !x, %b: !y, %c: tensor<2x3x16xf32>):
    %r = attn.generic scores(%a, %b : !x, !y)
        shifted_by(%c : tensor<2x3x16xf32>) pool(%b : !y)
        {attn.plan = #attn.plan<[else : decode]>} -> !x
    attn.results %r : !x
  }
  return
}

// -----

!q = memref<?x4x?x16xf32>
!x = tensor<?x4x?x16xf32>

// Kernels of one case without stages stay as they are, and linear attentions
// have cases, too.
// CHECK-LABEL: func.func @plain
// CHECK-NEXT:    attn.kernel ins(%{{.+}} : {{.*}}) outs(
// CHECK-NEXT:    ^bb0(
// CHECK-NEXT:      attn.generic scores({{[^)]*}}) pool({{[^)]*}}) {attn.plan = #attn.plan<[else : online {width = 64}]>}
// CHECK-NEXT:      attn.results
// CHECK-NEXT:    }
// CHECK-NEXT:    return
func.func @plain(%q: !q, %o: !q) {
  attn.kernel ins(%q : !q) outs(%o : !q) {
  ^bb0(%a: !x):
    %r = attn.generic scores(%a, %a : !x, !x) pool(%a : !x)
        {attn.plan = #attn.plan<[else : online {width = 64}]>} -> !x
    attn.results %r : !x
  }
  return
}

// CHECK-LABEL: func.func @linear
// CHECK:         scf.if
// CHECK-NEXT:      attn.kernel
// CHECK:             attn.linear_generic {{.*}} {attn.plan = #attn.plan<[else : chunked_linear {block = 16}]>}
// CHECK:         } else {
// CHECK-NEXT:      attn.kernel
// CHECK:             attn.linear_generic {{.*}} {attn.plan = #attn.plan<[else : chunked_linear]>}
func.func @linear(%q: !q, %o: !q) {
  attn.kernel ins(%q : !q) outs(%o : !q) {
  ^bb0(%a: !x):
    %r = attn.linear_generic features(%a, %a : !x, !x) feature_map <elu> causal
        pool(%a : !x)
        {attn.plan = #attn.plan<[queries at_most 8 : chunked_linear {block = 16},
                                 else : chunked_linear]>} -> !x
    attn.results %r : !x
  }
  return
}

// -----

!q = memref<?x4x?x41xbf16>
!k = memref<2x2x?x41xbf16>
!x = tensor<?x4x?x41xbf16>
!y = tensor<2x2x?x41xbf16>
!n = tensor<?xi64>

// States are a stage, and reads another. They have whole vectors of rows and
// columns, and chunks of the plan's block.
// CHECK-LABEL: func.func @states
// CHECK-SAME:    %[[Q:[a-z0-9]+]]: memref<?x4x?x41xbf16>, %[[K:[a-z0-9]+]]: memref<2x2x?x41xbf16>, %[[N:[a-z0-9]+]]: memref<?xi64>, %[[O:[a-z0-9]+]]:
// CHECK:         %[[S:.+]] = memref.alloc() {alignment = 64 : i64} : memref<2x96x48xf32>
// CHECK:         %[[T:.+]] = memref.alloc() {alignment = 64 : i64} : memref<2x96xf32>
// CHECK:         %[[C:.+]] = memref.alloc() {alignment = 64 : i64} : memref<2xi32>
// CHECK:         attn.kernel ins(%[[K]], %[[N]] : {{.*}}) outs(%[[S]], %[[T]], %[[C]] :
// CHECK:           attn.linear_state features({{[^)]*}}) feature_map <relu> lengths({{[^)]*}}) pool({{[^)]*}}) block 32 -> tensor<2x96x48xf32>, tensor<2x96xf32>, tensor<2xi32>
// CHECK:         attn.kernel ins(%[[Q]], %[[S]], %[[T]], %[[C]] : {{.*}}) outs(%[[O]] :
// CHECK:           attn.linear_read features({{[^)]*}}) feature_map <relu> states({{[^)]*}}) heads 2 block 32 eps {{.*}} output_scale 5.000000e-01 ->
// CHECK:         memref.dealloc %[[C]]
// CHECK:         memref.dealloc %[[T]]
// CHECK:         memref.dealloc %[[S]]
func.func @states(%q: !q, %k: !k, %n: memref<?xi64>, %o: !q) {
  attn.kernel ins(%q, %k, %n : !q, !k, memref<?xi64>) outs(%o : !q) {
  ^bb0(%a: !x, %b: !y, %c: !n):
    %r = attn.linear_generic features(%a, %b : !x, !y) feature_map <relu>
        lengths(%c : !n) eps 1.0e-6 output_scale 0.5 pool(%b : !y)
        {attn.plan = #attn.plan<[else : chunked_linear {block = 32}]>} -> !x
    attn.results %r : !x
  }
  return
}

// -----

!q = memref<1x4x?x16xf32>
!k = memref<1x2x?x16xf32>
!x = tensor<1x4x?x16xf32>
!y = tensor<1x2x?x16xf32>

// An MLP makes states of query heads, which these read.
// CHECK-LABEL: func.func @mixed_states
// CHECK:           attn.linear_state {{.*}} signed_totals ->
// CHECK:           %[[MIXED:.+]], %[[TOTALS:.+]] = attn.linear_mix_states %{{.+}}, %{{.+}} premix_mlp({{[^)]*}}) normaliser({{[^)]*}}) : tensor<1x32x16xf32>, tensor<1x32xf32> -> tensor<1x64x16xf32>, tensor<1x64xf32>
// CHECK:           attn.linear_read features({{[^)]*}}) feature_map <elu> states({{[^)]*}}) heads 4 block {{[0-9]+}} signed_totals
// CHECK-COUNT-5: memref.dealloc
func.func @mixed_states(%q: !q, %k: !k, %w1: memref<2x3xf32>,
                        %b1: memref<3xf32>, %w2: memref<3x4xf32>,
                        %b2: memref<4xf32>, %n: memref<2x4xf32>, %o: !q) {
  attn.kernel ins(%q, %k, %w1, %b1, %w2, %b2, %n
      : !q, !k, memref<2x3xf32>, memref<3xf32>, memref<3x4xf32>, memref<4xf32>, memref<2x4xf32>) outs(%o : !q) {
  ^bb0(%a: !x, %b: !y, %c: tensor<2x3xf32>, %d: tensor<3xf32>,
       %e: tensor<3x4xf32>, %f: tensor<4xf32>, %g: tensor<2x4xf32>):
    %r = attn.linear_generic features(%a, %b : !x, !y) feature_map <elu>
        premix_mlp(%c, %d, %e, %f : tensor<2x3xf32>, tensor<3xf32>, tensor<3x4xf32>, tensor<4xf32>)
        normaliser(%g : tensor<2x4xf32>)
        pool(%b : !y) {attn.plan = #attn.plan<[else : chunked_linear]>} -> !x
    attn.results %r : !x
  }
  return
}

// -----

!q = memref<?x4x?x41xbf16>
!k = memref<?x2x200x41xbf16>
!x = tensor<?x4x?x41xbf16>
!y = tensor<?x2x200x41xbf16>
!l = tensor<?x4x?xf32>

// Parts of the keys, then their merge: stages of the attention in their
// regions. Where the number of keys is known, so is that of parts: of 128 keys
// at most, but of one length.
// CHECK-LABEL: func.func @parts
// CHECK-SAME:    %[[Q:[a-z0-9]+]]: memref<?x4x?x41xbf16>, %[[K:[a-z0-9]+]]: memref<?x2x200x41xbf16>, %[[O:[a-z0-9]+]]: {{.*}}, %[[L:[a-z0-9]+]]: memref<?x4x?xf32>
// CHECK-DAG:     %[[BATCH:.+]] = memref.dim %[[Q]], %c0
// CHECK-DAG:     %[[QUERIES:.+]] = memref.dim %[[Q]], %c2
// CHECK:         %[[V:.+]] = memref.alloc(%[[BATCH]], %[[QUERIES]]) {alignment = 64 : i64} : memref<?x4x?x2x48xf32>
// CHECK:         %[[R:.+]] = memref.alloc(%{{.+}}, %{{.+}}) {alignment = 64 : i64} : memref<?x4x?x2xf32>
// CHECK:         %[[S:.+]] = memref.alloc(%{{.+}}, %{{.+}}) {alignment = 64 : i64} : memref<?x4x?x2xf32>
// CHECK:         attn.kernel ins(%[[Q]], %[[K]] : {{.*}}) outs(%[[V]], %[[R]], %[[S]] :
// CHECK:           attn.parts split 128 block 64 {
// CHECK-NEXT:        %{{.+}}, %{{.+}} = attn.generic {{.*}} lse
// CHECK-NEXT:        attn.results
// CHECK-NEXT:      } -> tensor<?x4x?x2x48xf32>, tensor<?x4x?x2xf32>, tensor<?x4x?x2xf32>
// CHECK:         attn.kernel ins(%[[V]], %[[R]], %[[S]], %[[Q]], %[[K]] : {{.*}}) outs(%[[O]], %[[L]] :
// CHECK:           attn.merge_parts
// CHECK:           attn.results %{{.+}}, %{{.+}} : tensor<?x4x?x41xbf16>, tensor<?x4x?xf32>
// CHECK:         memref.dealloc %[[S]]
// CHECK:         memref.dealloc %[[R]]
// CHECK:         memref.dealloc %[[V]]
func.func @parts(%q: !q, %k: !k, %o: !q, %l: memref<?x4x?xf32>) {
  attn.kernel ins(%q, %k : !q, !k) outs(%o, %l : !q, memref<?x4x?xf32>) {
  ^bb0(%a: !x, %b: !y):
    %r, %lse = attn.generic scores(%a, %b : !x, !y) pool(%b : !y)
        {attn.plan = #attn.plan<[else : decode {block = 64, split = 128}]>}
        -> !x lse !l
    attn.results %r, %lse : !x, !l
  }
  return
}

// -----

!q = memref<1x4x?x64xf32>
!t = tensor<1x4x?x64xf32>

// Where weights of heads meet, parts give powers, for which there is room for
// whole parts.
// CHECK-LABEL: func.func @mixed_parts
// CHECK:         %[[KEYS:.+]] = memref.dim %[[Q:.+]], %c2
// CHECK:         %[[LENGTH:.+]] = arith.muli %{{.+}}, %c64
// CHECK:         %[[ALL:.+]] = arith.muli %{{.+}}, %[[LENGTH]]
// CHECK:         %[[POWERS:.+]] = memref.alloc(%{{.+}}, %[[ALL]]) {alignment = 64 : i64} : memref<1x4x?x?xf32>
// CHECK:           attn.parts split 128 block 64 {
// CHECK:         %[[FACTORS:.+]] = memref.alloc
// CHECK:         attn.kernel {{.*}} outs(%[[FACTORS]] :
// CHECK:           attn.part_factors
// CHECK:         attn.kernel ins(%[[POWERS]], %[[FACTORS]],
// CHECK:           attn.pool_parts %{{.+}}, %{{.+}} split 128 block 64 {
// CHECK-NEXT:        attn.generic {{.*}} postmix
// CHECK:           } : tensor<1x4x?x?xf32>, tensor<1x4x?x?xf32> -> tensor<1x4x?x?x64xf32>
// CHECK:           attn.merge_parts
// CHECK-COUNT-5: memref.dealloc
func.func @mixed_parts(%q: !q, %m: memref<4x4xf32>, %o: !q) {
  attn.kernel ins(%q, %m : !q, memref<4x4xf32>) outs(%o : !q) {
  ^bb0(%a: !t, %b: tensor<4x4xf32>):
    %r = attn.generic scores(%a, %a : !t, !t) postmix(%b : tensor<4x4xf32>)
        pool(%a : !t)
        {attn.plan = #attn.plan<[else : decode {block = 64, split = 128}]>} -> !t
    attn.results %r : !t
  }
  return
}

// -----

// A result may leave a size open that an operand knows.
// CHECK-LABEL: func.func @open_batch
// CHECK:         memref.alloc() {alignment = 64 : i64} : memref<1x4x1x1x16xf32>
func.func @open_batch(%q: memref<1x4x1x16xf32>, %o: memref<?x4x1x16xf32>) {
  attn.kernel ins(%q : memref<1x4x1x16xf32>) outs(%o : memref<?x4x1x16xf32>) {
  ^bb0(%a: tensor<1x4x1x16xf32>):
    %r = attn.generic scores(%a, %a : tensor<1x4x1x16xf32>, tensor<1x4x1x16xf32>)
        pool(%a : tensor<1x4x1x16xf32>)
        {attn.plan = #attn.plan<[else : decode]>} -> tensor<?x4x1x16xf32>
    attn.results %r : tensor<?x4x1x16xf32>
  }
  return
}
