// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// attn-form-kernels: which attentions become kernels, and what of them stays
// outside.
//
// RUN: mixattn-opt --attn-form-kernels --canonicalize --cse --split-input-file %s | FileCheck %s

// The sizes of the result are those of queries and values.
// CHECK-LABEL: func.func @plain
// CHECK-SAME:    %[[Q:[a-z0-9]+]]: tensor<?x2x?x4xf32>, %[[K:[a-z0-9]+]]: tensor<?x1x?x4xf32>, %[[V:[a-z0-9]+]]: tensor<?x1x?x5xf32>
// CHECK-DAG:     %[[B:.+]] = tensor.dim %[[Q]], %c0
// CHECK-DAG:     %[[N:.+]] = tensor.dim %[[Q]], %c2
// CHECK:         %[[INIT:.+]] = tensor.empty(%[[B]], %[[N]]) : tensor<?x2x?x5xf32>
// CHECK:         %[[O:.+]] = attn.kernel ins(%[[Q]], %[[K]], %[[V]] : {{.*}}) outs(%[[INIT]] : tensor<?x2x?x5xf32>) {
// CHECK-NEXT:    ^bb0(%[[A:.+]]: tensor<?x2x?x4xf32>, %[[C:.+]]: tensor<?x1x?x4xf32>, %[[D:.+]]: tensor<?x1x?x5xf32>):
// CHECK-NEXT:      %[[R:.+]] = attn.generic scores(%[[A]], %[[C]] : {{.*}}) causal pool(%[[D]] :
// CHECK-NEXT:      attn.results %[[R]] : tensor<?x2x?x5xf32>
// CHECK-NEXT:    } -> tensor<?x2x?x5xf32>
// CHECK-NEXT:    return %[[O]]
!q = tensor<?x2x?x4xf32>
!k = tensor<?x1x?x4xf32>
!v = tensor<?x1x?x5xf32>
!o = tensor<?x2x?x5xf32>
func.func @plain(%q: !q, %k: !k, %v: !v) -> !o {
  %o = attn.generic scores(%q, %k : !q, !k) causal pool(%v : !v) -> !o
  return %o : !o
}

// -----

// Values that a score_mod captures are inputs; constants are made again inside.
// A mask is bytes. There is one output per result.
// CHECK-LABEL: func.func @captures
// CHECK-SAME:    %[[Q:[a-z0-9]+]]: tensor<?x2x?x4xf32>, %[[MASK:[a-z0-9]+]]: tensor<?xi1>, %[[TABLE:[a-z0-9]+]]: tensor<2xf32>, %[[X:[a-z0-9]+]]: f32
// CHECK:         %[[BYTES:.+]] = linalg.generic {{.*}} ins(%[[MASK]] : tensor<?xi1>)
// CHECK:           arith.extui %{{.+}} : i1 to i8
// CHECK:         attn.kernel ins(%[[Q]], %[[BYTES]], %[[TABLE]], %[[X]] : tensor<?x2x?x4xf32>, tensor<?xi8>, tensor<2xf32>, f32)
// CHECK-SAME:      outs(%{{.+}}, %{{.+}} : tensor<?x2x?x4xf32>, tensor<?x2x?xf32>) {
// CHECK-NEXT:    ^bb0(%{{.+}}: tensor<?x2x?x4xf32>, %{{.+}}: tensor<?xi1>, %[[T:.+]]: tensor<2xf32>, %[[Y:.+]]: f32):
// CHECK-NEXT:      %[[TWO:.+]] = arith.constant 2.000000e+00 : f32
// CHECK:             tensor.extract %[[T]]
// CHECK:             arith.addf %{{.+}}, %[[Y]] : f32
// CHECK:             arith.mulf %{{.+}}, %[[TWO]] : f32
!q = tensor<?x2x?x4xf32>
func.func @captures(%q: !q, %mask: tensor<?xi1>, %table: tensor<2xf32>, %x: f32)
    -> (!q, tensor<?x2x?xf32>) {
  %two = arith.constant 2.0 : f32
  %o, %lse = attn.generic scores(%q, %q : !q, !q) score_mod {
  ^bb0(%s: f32, %b: index, %h: index, %i: index, %j: index):
    %0 = tensor.extract %table[%h] : tensor<2xf32>
    %1 = arith.mulf %s, %0 : f32
    %2 = arith.addf %1, %x : f32
    %3 = arith.mulf %2, %two : f32
    attn.yield %3 : f32
  } mask(%mask : tensor<?xi1>) pool(%q : !q) -> !q lse tensor<?x2x?xf32>
  return %o, %lse : !q, tensor<?x2x?xf32>
}

// -----

// A mask that was bytes is passed on as those bytes.
// CHECK-LABEL: func.func @bytes
// CHECK-SAME:    %[[Q:[a-z0-9]+]]: tensor<?x2x?x4xf32>, %[[BYTES:[a-z0-9]+]]: tensor<?xi8>
// CHECK-NOT:     linalg
// CHECK:         attn.kernel ins(%[[Q]], %[[BYTES]] : tensor<?x2x?x4xf32>, tensor<?xi8>)
// CHECK-NOT:     linalg
!q = tensor<?x2x?x4xf32>
#each = affine_map<(d0) -> (d0)>
func.func @bytes(%q: !q, %bytes: tensor<?xi8>) -> !q {
  %zero = arith.constant 0 : index
  %n = tensor.dim %bytes, %zero : tensor<?xi8>
  %init = tensor.empty(%n) : tensor<?xi1>
  %mask = linalg.generic {indexing_maps = [#each, #each], iterator_types = ["parallel"]}
      ins(%bytes : tensor<?xi8>) outs(%init : tensor<?xi1>) {
  ^bb0(%byte: i8, %out: i1):
    %none = arith.constant 0 : i8
    %is = arith.cmpi ne, %byte, %none : i8
    linalg.yield %is : i1
  } -> tensor<?xi1>
  %o = attn.generic scores(%q, %q : !q, !q) mask(%mask : tensor<?xi1>) pool(%q : !q) -> !q
  return %o : !q
}

// -----

// Weights are a result of a kernel.
// CHECK-LABEL: func.func @weights
// CHECK:         %[[BOTH:.+]]:2 = attn.kernel
// CHECK:         return %[[BOTH]]#0, %[[BOTH]]#1
!q = tensor<?x2x?x4xf32>
func.func @weights(%q: !q) -> (!q, tensor<?x2x?x?xf32>) {
  %o, %weights = attn.generic scores(%q, %q : !q, !q) pool(%q : !q)
      -> !q weights tensor<?x2x?x?xf32>
  return %o, %weights : !q, tensor<?x2x?x?xf32>
}

// -----

// Not taken: nothing to multiply, and what is planned to go the plain way.
// CHECK-LABEL: func.func @skipped
// CHECK-NOT:     attn.kernel
!q = tensor<?x2x?x4xf32>
!empty = tensor<?x2x?x0xf32>
func.func @skipped(%q: !q, %empty: !empty) -> (!q, !q, !q) {
  %1 = attn.generic scores(%empty, %empty : !empty, !empty) scale 1.0 pool(%q : !q) -> !q
  %2 = attn.linear_generic features(%q, %q : !q, !q) pool(%q : !q)
      {attn.plan = #attn.plan<[else : unfused]>} -> !q
  %3 = attn.generic scores(%q, %q : !q, !q) pool(%q : !q)
      {attn.plan = #attn.plan<[else : unfused]>} -> !q
  return %1, %2, %3 : !q, !q, !q
}
