// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// How attn.softmax is written: every clause alone, then all of them, then the
// element types and sizes that it takes.
//
// RUN: mixattn-opt --verify-roundtrip %s | FileCheck %s

!q = tensor<?x8x?x64xf32>

// Attention without clauses.
// CHECK-LABEL: func.func @plain
// CHECK-SAME:    %[[Q:.+]]: tensor<?x8x?x64xf32>, %[[K:.+]]: tensor<?x8x?x64xf32>, %[[V:.+]]: tensor<?x8x?x64xf32>
// CHECK:         attn.softmax %[[Q]], %[[K]], %[[V]] : (tensor<?x8x?x64xf32>, tensor<?x8x?x64xf32>, tensor<?x8x?x64xf32>) -> tensor<?x8x?x64xf32>
func.func @plain(%q: !q, %k: !q, %v: !q) -> !q {
  %o = attn.softmax %q, %k, %v : (!q, !q, !q) -> !q
  return %o : !q
}

// A factor other than 1/sqrt(D).
// CHECK-LABEL: func.func @scale
// CHECK:         attn.softmax {{.*}} scale 1.250000e-01 :
func.func @scale(%q: !q, %k: !q, %v: !q) -> !q {
  %o = attn.softmax %q, %k, %v scale 0.125 : (!q, !q, !q) -> !q
  return %o : !q
}

// Queries from a key of each batch row on.
// CHECK-LABEL: func.func @start
// CHECK:         attn.softmax {{.*}} causal from(%{{.+}} : tensor<?xi64>) :
// CHECK:         attn.softmax {{.*}} band <3, 0> from(%{{.+}} : tensor<?xi32>) keep <1, 0> :
func.func @start(%q: !q, %k: !q, %v: !q, %start: tensor<?xi64>, %short: tensor<?xi32>) -> (!q, !q) {
  %0 = attn.softmax %q, %k, %v causal from(%start : tensor<?xi64>) : (!q, !q, !q) -> !q
  %1 = attn.softmax %q, %k, %v band <3, 0> from(%short : tensor<?xi32>) keep <1, 0> : (!q, !q, !q) -> !q
  return %0, %1 : !q, !q
}

// An added bias of any rank up to four.
// CHECK-LABEL: func.func @bias
// CHECK:         attn.softmax {{.*}} bias(%{{.+}} : tensor<f32>) :
// CHECK:         attn.softmax {{.*}} bias(%{{.+}} : tensor<?xf32>) :
// CHECK:         attn.softmax {{.*}} bias(%{{.+}} : tensor<?x1xf32>) :
// CHECK:         attn.softmax {{.*}} bias(%{{.+}} : tensor<8x1x?xf32>) :
// CHECK:         attn.softmax {{.*}} bias(%{{.+}} : tensor<?x8x?x?xf32>) :
func.func @bias(%q: !q, %k: !q, %v: !q, %bias0: tensor<f32>,
                %bias1: tensor<?xf32>, %bias2: tensor<?x1xf32>,
                %bias3: tensor<8x1x?xf32>, %bias4: tensor<?x8x?x?xf32>)
    -> (!q, !q, !q, !q, !q) {
  %0 = attn.softmax %q, %k, %v bias(%bias0 : tensor<f32>) : (!q, !q, !q) -> !q
  %1 = attn.softmax %q, %k, %v bias(%bias1 : tensor<?xf32>) : (!q, !q, !q) -> !q
  %2 = attn.softmax %q, %k, %v bias(%bias2 : tensor<?x1xf32>) : (!q, !q, !q) -> !q
  %3 = attn.softmax %q, %k, %v bias(%bias3 : tensor<8x1x?xf32>) : (!q, !q, !q) -> !q
  %4 = attn.softmax %q, %k, %v bias(%bias4 : tensor<?x8x?x?xf32>) : (!q, !q, !q) -> !q
  return %0, %1, %2, %3, %4 : !q, !q, !q, !q, !q
}

// A pointwise change of the score.
// CHECK-LABEL: func.func @score_mod
// CHECK:         attn.softmax {{.*}} score_mod {
// CHECK-NEXT:    ^bb0(%[[SCORE:.+]]: f32, %{{.+}}: index, %{{.+}}: index, %{{.+}}: index, %{{.+}}: index):
// CHECK-NEXT:      attn.yield %[[SCORE]] : f32
// CHECK-NEXT:    } :
func.func @score_mod(%q: !q, %k: !q, %v: !q) -> !q {
  %o = attn.softmax %q, %k, %v score_mod {
  ^bb0(%s: f32, %b: index, %h: index, %i: index, %j: index):
    attn.yield %s : f32
  } : (!q, !q, !q) -> !q
  return %o : !q
}

// A boolean mask of any rank up to four.
// CHECK-LABEL: func.func @mask
// CHECK:         attn.softmax {{.*}} mask(%{{.+}} : tensor<i1>) :
// CHECK:         attn.softmax {{.*}} mask(%{{.+}} : tensor<?xi1>) :
// CHECK:         attn.softmax {{.*}} mask(%{{.+}} : tensor<?x1x?x?xi1>) :
func.func @mask(%q: !q, %k: !q, %v: !q, %mask0: tensor<i1>,
                %mask1: tensor<?xi1>, %mask4: tensor<?x1x?x?xi1>)
    -> (!q, !q, !q) {
  %0 = attn.softmax %q, %k, %v mask(%mask0 : tensor<i1>) : (!q, !q, !q) -> !q
  %1 = attn.softmax %q, %k, %v mask(%mask1 : tensor<?xi1>) : (!q, !q, !q) -> !q
  %2 = attn.softmax %q, %k, %v mask(%mask4 : tensor<?x1x?x?xi1>) : (!q, !q, !q) -> !q
  return %0, %1, %2 : !q, !q, !q
}

// Keys that count, per batch row.
// CHECK-LABEL: func.func @lengths
// CHECK:         attn.softmax {{.*}} lengths(%{{.+}} : tensor<?xi64>) :
// CHECK:         attn.softmax {{.*}} lengths(%{{.+}} : tensor<?xi32>) :
func.func @lengths(%q: !q, %k: !q, %v: !q, %wide: tensor<?xi64>,
                   %narrow: tensor<?xi32>) -> (!q, !q) {
  %0 = attn.softmax %q, %k, %v lengths(%wide : tensor<?xi64>) : (!q, !q, !q) -> !q
  %1 = attn.softmax %q, %k, %v lengths(%narrow : tensor<?xi32>) : (!q, !q, !q) -> !q
  return %0, %1 : !q, !q
}

// No key after the query's own.
// CHECK-LABEL: func.func @causal
// CHECK:         attn.softmax {{.*}} causal :
func.func @causal(%q: !q, %k: !q, %v: !q) -> !q {
  %o = attn.softmax %q, %k, %v causal : (!q, !q, !q) -> !q
  return %o : !q
}

// Keys around the query's own.
// CHECK-LABEL: func.func @band
// CHECK:         attn.softmax {{.*}} band <3, 0> :
func.func @band(%q: !q, %k: !q, %v: !q) -> !q {
  %o = attn.softmax %q, %k, %v band <3, 0> : (!q, !q, !q) -> !q
  return %o : !q
}

// All clauses, in the order in which they act.
// CHECK-LABEL: func.func @everything
// CHECK:         attn.softmax {{.*}} scale 5.000000e-01 bias(%{{.+}} : tensor<8x?x?xf32>) score_mod {
// CHECK:         } mask(%{{.+}} : tensor<?x1x?x?xi1>) lengths(%{{.+}} : tensor<?xi64>) causal band <7, 7> {author = "text"} :
func.func @everything(%q: !q, %k: !q, %v: !q, %bias: tensor<8x?x?xf32>,
                      %mask: tensor<?x1x?x?xi1>, %n: tensor<?xi64>) -> !q {
  %o = attn.softmax %q, %k, %v scale 0.5 bias(%bias : tensor<8x?x?xf32>)
      score_mod {
      ^bb0(%s: f32, %b: index, %h: index, %i: index, %j: index):
        attn.yield %s : f32
      }
      mask(%mask : tensor<?x1x?x?xi1>) lengths(%n : tensor<?xi64>) causal
      band <7, 7> {author = "text"} : (!q, !q, !q) -> !q
  return %o : !q
}

// Static sizes, key and value heads that several query heads share, values of
// another feature size.
// CHECK-LABEL: func.func @grouped
// CHECK:         attn.softmax {{.*}} : (tensor<2x8x5x64xf32>, tensor<2x4x7x64xf32>, tensor<2x1x7x96xf32>) -> tensor<2x8x5x96xf32>
func.func @grouped(%q: tensor<2x8x5x64xf32>, %k: tensor<2x4x7x64xf32>,
                   %v: tensor<2x1x7x96xf32>) -> tensor<2x8x5x96xf32> {
  %o = attn.softmax %q, %k, %v
      : (tensor<2x8x5x64xf32>, tensor<2x4x7x64xf32>, tensor<2x1x7x96xf32>)
      -> tensor<2x8x5x96xf32>
  return %o : tensor<2x8x5x96xf32>
}

// 16-bit queries and keys with a bias in f32; the result has the value's type.
// CHECK-LABEL: func.func @narrow
// CHECK:         attn.softmax {{.*}} bias(%{{.+}} : tensor<5x7xf32>) : (tensor<1x2x5x4xf16>, tensor<1x2x7x4xf16>, tensor<1x2x7x4xf16>) -> tensor<1x2x5x4xf16>
// CHECK:         attn.softmax {{.*}} : (tensor<1x2x5x4xf16>, tensor<1x2x7x4xf16>, tensor<1x2x7x4xbf16>) -> tensor<1x2x5x4xbf16>
func.func @narrow(%q: tensor<1x2x5x4xf16>, %k: tensor<1x2x7x4xf16>,
                  %v: tensor<1x2x7x4xbf16>, %bias: tensor<5x7xf32>)
    -> (tensor<1x2x5x4xf16>, tensor<1x2x5x4xbf16>) {
  %0 = attn.softmax %q, %k, %k bias(%bias : tensor<5x7xf32>)
      : (tensor<1x2x5x4xf16>, tensor<1x2x7x4xf16>, tensor<1x2x7x4xf16>)
      -> tensor<1x2x5x4xf16>
  %1 = attn.softmax %q, %k, %v
      : (tensor<1x2x5x4xf16>, tensor<1x2x7x4xf16>, tensor<1x2x7x4xbf16>)
      -> tensor<1x2x5x4xbf16>
  return %0, %1 : tensor<1x2x5x4xf16>, tensor<1x2x5x4xbf16>
}

// Sizes of zero.
// CHECK-LABEL: func.func @empty
// CHECK:         attn.softmax
func.func @empty(%q: tensor<0x2x0x4xf32>, %k: tensor<0x2x0x4xf32>)
    -> tensor<0x2x0x4xf32> {
  %o = attn.softmax %q, %k, %k
      : (tensor<0x2x0x4xf32>, tensor<0x2x0x4xf32>, tensor<0x2x0x4xf32>)
      -> tensor<0x2x0x4xf32>
  return %o : tensor<0x2x0x4xf32>
}

// A Gaussian's exponent in place of a product.
// CHECK-LABEL: func.func @gaussian
// CHECK:         attn.softmax {{.*}} gaussian causal :
func.func @gaussian(%q: !q, %k: !q, %v: !q) -> !q {
  %o = attn.softmax %q, %k, %v gaussian causal : (!q, !q, !q) -> !q
  return %o : !q
}

// Results on request, f32 whatever the operands are: weights, the logarithm of
// their sum, or both.
// CHECK-LABEL: func.func @results
// CHECK:         %{{.+}}, %{{.+}} = attn.softmax {{.*}} -> tensor<1x2x5x4xf16> weights tensor<1x2x5x7xf32>{{$}}
// CHECK:         %{{.+}}, %{{.+}} = attn.softmax {{.*}} -> tensor<1x2x5x4xf16> lse tensor<1x2x5xf32>{{$}}
// CHECK:         %{{.+}}, %{{.+}}, %{{.+}} = attn.softmax {{.*}} -> tensor<1x2x5x4xf16> weights tensor<1x2x5x7xf32> lse tensor<1x2x5xf32>{{$}}
func.func @results(%q: tensor<1x2x5x4xf16>, %k: tensor<1x2x7x4xf16>) {
  %0:2 = attn.softmax %q, %k, %k
      : (tensor<1x2x5x4xf16>, tensor<1x2x7x4xf16>, tensor<1x2x7x4xf16>)
      -> tensor<1x2x5x4xf16> weights tensor<1x2x5x7xf32>
  %1:2 = attn.softmax %q, %k, %k
      : (tensor<1x2x5x4xf16>, tensor<1x2x7x4xf16>, tensor<1x2x7x4xf16>)
      -> tensor<1x2x5x4xf16> lse tensor<1x2x5xf32>
  %2:3 = attn.softmax %q, %k, %k
      : (tensor<1x2x5x4xf16>, tensor<1x2x7x4xf16>, tensor<1x2x7x4xf16>)
      -> tensor<1x2x5x4xf16> weights tensor<1x2x5x7xf32> lse tensor<1x2x5xf32>
  return
}
