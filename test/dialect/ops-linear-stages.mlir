// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// How the stages of a linear attention are written, and that every form parses
// again.
//
// RUN: mixattn-opt --verify-roundtrip %s | FileCheck %s

!s = tensor<?x16x16xf32>
!z = tensor<?x16xf32>
!n = tensor<?xi32>
!ms = memref<?x16x16xf32>
!mz = memref<?x16xf32>
!mn = memref<?xi32>

// CHECK-LABEL: func.func @states
// CHECK:         attn.linear_state features(%{{.+}} : tensor<?x2x?x8xbf16>) pool(%{{.+}} : tensor<?x1x?x12xbf16>) block 64 -> tensor<?x16x16xf32>, tensor<?x16xf32>, tensor<?xi32>
// CHECK:         attn.linear_state features(%{{.+}} : tensor<?x2x?x8xbf16>) shifted_by(%{{.+}} : tensor<2x3x8xf16>) feature_map <normalized_elu> prior(%{{.+}} : tensor<2x3xf32>) lengths(%{{.+}} : tensor<?xi64>) pool(%{{.+}} : tensor<?x1x?x12xbf16>) block 16 signed_totals {author = "text"} -> tensor<?x16x16xf32>, tensor<?x16xf32>, tensor<?xi32>
// CHECK:         attn.linear_state features(%{{.+}} : tensor<?x2x?x8xbf16>) feature_map <favor> favor(%{{.+}} : tensor<8x4xf32>) pool(
func.func @states(%k: memref<?x2x?x8xbf16>, %v: memref<?x1x?x12xbf16>,
                  %sh: memref<2x3x8xf16>, %p: memref<2x3xf32>,
                  %l: memref<?xi64>, %w: memref<8x4xf32>, %s: !ms, %z: !mz,
                  %n: !mn) {
  attn.kernel ins(%k, %v : memref<?x2x?x8xbf16>, memref<?x1x?x12xbf16>)
      outs(%s, %z, %n : !ms, !mz, !mn) {
  ^bb0(%a: tensor<?x2x?x8xbf16>, %b: tensor<?x1x?x12xbf16>):
    %0:3 = attn.linear_state features(%a : tensor<?x2x?x8xbf16>)
        pool(%b : tensor<?x1x?x12xbf16>) block 64 -> !s, !z, !n
    attn.results %0#0, %0#1, %0#2 : !s, !z, !n
  }
  attn.kernel ins(%k, %v, %sh, %p, %l : memref<?x2x?x8xbf16>, memref<?x1x?x12xbf16>, memref<2x3x8xf16>, memref<2x3xf32>, memref<?xi64>)
      outs(%s, %z, %n : !ms, !mz, !mn) {
  ^bb0(%a: tensor<?x2x?x8xbf16>, %b: tensor<?x1x?x12xbf16>, %c: tensor<2x3x8xf16>, %d: tensor<2x3xf32>, %e: tensor<?xi64>):
    %0:3 = attn.linear_state features(%a : tensor<?x2x?x8xbf16>)
        shifted_by(%c : tensor<2x3x8xf16>) feature_map <normalized_elu>
        prior(%d : tensor<2x3xf32>) lengths(%e : tensor<?xi64>)
        pool(%b : tensor<?x1x?x12xbf16>) block 16 signed_totals
        {author = "text"}
        -> !s, !z, !n
    attn.results %0#0, %0#1, %0#2 : !s, !z, !n
  }
  attn.kernel ins(%k, %v, %w : memref<?x2x?x8xbf16>, memref<?x1x?x12xbf16>, memref<8x4xf32>)
      outs(%s, %z, %n : !ms, !mz, !mn) {
  ^bb0(%a: tensor<?x2x?x8xbf16>, %b: tensor<?x1x?x12xbf16>, %c: tensor<8x4xf32>):
    %0:3 = attn.linear_state features(%a : tensor<?x2x?x8xbf16>)
        feature_map <favor> favor(%c : tensor<8x4xf32>)
        pool(%b : tensor<?x1x?x12xbf16>) block 64 -> !s, !z, !n
    attn.results %0#0, %0#1, %0#2 : !s, !z, !n
  }
  return
}

// CHECK-LABEL: func.func @mixed
// CHECK:         attn.linear_mix_states %{{.+}}, %{{.+}} premix_mlp(%{{.+}}, %{{.+}}, %{{.+}}, %{{.+}} : tensor<2x3xf32>, tensor<3xf32>, tensor<3x4xf32>, tensor<4xf32>) normaliser(%{{.+}} : tensor<2x4xbf16>) : tensor<?x16x16xf32>, tensor<?x16xf32> -> tensor<?x32x16xf32>, tensor<?x32xf32>
func.func @mixed(%s: !ms, %z: !mz, %w1: memref<2x3xf32>, %b1: memref<3xf32>,
                 %w2: memref<3x4xf32>, %b2: memref<4xf32>,
                 %n: memref<2x4xbf16>, %o: memref<?x32x16xf32>,
                 %p: memref<?x32xf32>) {
  attn.kernel ins(%s, %z, %w1, %b1, %w2, %b2, %n : !ms, !mz, memref<2x3xf32>, memref<3xf32>, memref<3x4xf32>, memref<4xf32>, memref<2x4xbf16>)
      outs(%o, %p : memref<?x32x16xf32>, memref<?x32xf32>) {
  ^bb0(%a: !s, %b: !z, %c: tensor<2x3xf32>, %d: tensor<3xf32>, %e: tensor<3x4xf32>, %f: tensor<4xf32>, %g: tensor<2x4xbf16>):
    %0:2 = attn.linear_mix_states %a, %b
        premix_mlp(%c, %d, %e, %f : tensor<2x3xf32>, tensor<3xf32>, tensor<3x4xf32>, tensor<4xf32>)
        normaliser(%g : tensor<2x4xbf16>)
        : !s, !z -> tensor<?x32x16xf32>, tensor<?x32xf32>
    attn.results %0#0, %0#1 : tensor<?x32x16xf32>, tensor<?x32xf32>
  }
  return
}

!q = tensor<?x4x?x8xbf16>
!mq = memref<?x4x?x8xbf16>
!o = tensor<?x4x?x12xbf16>
!mo = memref<?x4x?x12xbf16>

// CHECK-LABEL: func.func @reads
// CHECK:         attn.linear_read features(%{{.+}} : tensor<?x4x?x8xbf16>) states(%{{.+}}, %{{.+}}, %{{.+}} : tensor<?x16x16xf32>, tensor<?x16xf32>, tensor<?xi32>) heads 2 block 64 -> tensor<?x4x?x12xbf16>
// CHECK:         attn.linear_read features(%{{.+}} : tensor<?x4x?x8xbf16>) feature_map <favor> favor(%{{.+}} : tensor<8x4xf32>) premix(%{{.+}} : tensor<2x4xf16>) states(%{{.+}}, %{{.+}}, %{{.+}} : tensor<?x16x16xf32>, tensor<?x16xf32>, tensor<?xi32>) heads 2 block 16 signed_totals eps 1.000000e-05 output_scale 2.000000e+00 -> tensor<?x4x?x12xbf16>
func.func @reads(%q: !mq, %s: !ms, %z: !mz, %n: !mn, %w: memref<8x4xf32>,
                 %m: memref<2x4xf16>, %o: !mo) {
  attn.kernel ins(%q, %s, %z, %n : !mq, !ms, !mz, !mn) outs(%o : !mo) {
  ^bb0(%a: !q, %b: !s, %c: !z, %d: !n):
    %0 = attn.linear_read features(%a : !q)
        states(%b, %c, %d : !s, !z, !n) heads 2 block 64 -> !o
    attn.results %0 : !o
  }
  attn.kernel ins(%q, %s, %z, %n, %w, %m : !mq, !ms, !mz, !mn, memref<8x4xf32>, memref<2x4xf16>) outs(%o : !mo) {
  ^bb0(%a: !q, %b: !s, %c: !z, %d: !n, %e: tensor<8x4xf32>, %f: tensor<2x4xf16>):
    %0 = attn.linear_read features(%a : !q) feature_map <favor>
        favor(%e : tensor<8x4xf32>) premix(%f : tensor<2x4xf16>)
        states(%b, %c, %d : !s, !z, !n) heads 2 block 16 signed_totals
        eps 1.0e-5 output_scale 2.0 -> !o
    attn.results %0 : !o
  }
  return
}

!ss = tensor<?x?x16x16xf32>
!sz = tensor<?x?x16xf32>
!mss = memref<?x?x16x16xf32>
!msz = memref<?x?x16xf32>

// CHECK-LABEL: func.func @spans
// CHECK:         attn.linear_state {{.*}} block 64 span 128 -> tensor<?x?x16x16xf32>, tensor<?x?x16xf32>, tensor<?xi32>
// CHECK:         attn.linear_add_states %{{.+}}, %{{.+}} : tensor<?x?x16x16xf32>, tensor<?x?x16xf32> -> tensor<?x16x16xf32>, tensor<?x16xf32>
// CHECK:         attn.linear_add_states %{{.+}}, %{{.+}} before : tensor<?x?x16x16xf32>, tensor<?x?x16xf32> -> tensor<?x?x16x16xf32>, tensor<?x?x16xf32>
// CHECK:         attn.linear_causal_read features(%{{.+}}, %{{.+}} : tensor<?x4x?x8xbf16>, tensor<?x2x?x8xbf16>) feature_map <elu> states(%{{.+}}, %{{.+}} : tensor<?x?x16x16xf32>, tensor<?x?x16xf32>) span 128 eps 1.000000e-05 pool(%{{.+}} : tensor<?x1x?x12xbf16>) -> tensor<?x4x?x12xbf16>
func.func @spans(%q: !mq, %k: memref<?x2x?x8xbf16>, %v: memref<?x1x?x12xbf16>,
                 %s: !ms, %z: !mz, %n: !mn, %t: !mss, %u: !msz, %o: !mo) {
  attn.kernel ins(%k, %v : memref<?x2x?x8xbf16>, memref<?x1x?x12xbf16>)
      outs(%t, %u, %n : !mss, !msz, !mn) {
  ^bb0(%a: tensor<?x2x?x8xbf16>, %b: tensor<?x1x?x12xbf16>):
    %0:3 = attn.linear_state features(%a : tensor<?x2x?x8xbf16>)
        pool(%b : tensor<?x1x?x12xbf16>) block 64 span 128 -> !ss, !sz, !n
    attn.results %0#0, %0#1, %0#2 : !ss, !sz, !n
  }
  attn.kernel ins(%t, %u : !mss, !msz) outs(%s, %z : !ms, !mz) {
  ^bb0(%a: !ss, %b: !sz):
    %0:2 = attn.linear_add_states %a, %b : !ss, !sz -> !s, !z
    attn.results %0#0, %0#1 : !s, !z
  }
  attn.kernel ins(%t, %u : !mss, !msz) outs(%t, %u : !mss, !msz) {
  ^bb0(%a: !ss, %b: !sz):
    %0:2 = attn.linear_add_states %a, %b before : !ss, !sz -> !ss, !sz
    attn.results %0#0, %0#1 : !ss, !sz
  }
  attn.kernel ins(%q, %k, %v, %t, %u : !mq, memref<?x2x?x8xbf16>, memref<?x1x?x12xbf16>, !mss, !msz)
      outs(%o : !mo) {
  ^bb0(%a: !q, %b: tensor<?x2x?x8xbf16>, %c: tensor<?x1x?x12xbf16>, %d: !ss, %e: !sz):
    %0 = attn.linear_causal_read features(%a, %b : !q, tensor<?x2x?x8xbf16>)
        feature_map <elu> states(%d, %e : !ss, !sz) span 128 eps 1.0e-5
        pool(%c : tensor<?x1x?x12xbf16>) -> !o
    attn.results %0 : !o
  }
  return
}
