// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Noise in what a mixer of scores reads, and mixers of one dimension.
//
// RUN: mixattn-opt --verify-roundtrip %s | FileCheck %s
// RUN: mixattn-opt --attn-generalize %s | FileCheck %s --check-prefix=NORMAL

!q = tensor<?x2x?x64xf32>
!v = tensor<?x8x?x64xf32>
!m = tensor<2x8xf32>
!s = tensor<2xf32>

// One draw per output head.
// CHECK-LABEL: func.func @local
// CHECK:         attn.admixture_heads {{.*}} mixer(%{{.+}} : tensor<2x8xf32>) noise <local> sigma(%{{.+}} : tensor<2xf32>) drawn(%{{.+}} : tensor<?x8x?x?xbf16>) scale 1.000000e+00 :
// NORMAL-LABEL: func.func @local
// NORMAL:         attn.generic {{.*}} premix(%{{.+}} : tensor<2x8xf32>) noise <local> sigma(%{{.+}} : tensor<2xf32>) drawn(%{{.+}} : tensor<?x8x?x?xbf16>) scale 1.000000e+00 pool
func.func @local(%q: !q, %v: !v, %m: !m, %s: !s, %n: tensor<?x8x?x?xbf16>) -> !v {
  %o = attn.admixture_heads %q, %q, %v mixer(%m : !m)
      noise <local> sigma(%s : !s) drawn(%n : tensor<?x8x?x?xbf16>) scale 1.0
      : (!q, !q, !v) -> !v
  return %o : !v
}

// One draw per query head, which an MLP takes, too; made where it is used.
// CHECK-LABEL: func.func @global
// CHECK:         attn.admixture_heads {{.*}} mlp({{.*}}) noise <global> sigma(%{{.+}} : tensor<2xf32>) philox(%{{.+}}, %{{.+}} : tensor<i64>, tensor<i64>) scale_before :
// NORMAL-LABEL: func.func @global
// NORMAL:         attn.generic {{.*}} premix_mlp({{.*}}) noise <global> sigma(%{{.+}} : tensor<2xf32>) philox(%{{.+}}, %{{.+}} : tensor<i64>, tensor<i64>) scale 1.250000e-01 scale_before pool
func.func @global(%q: !q, %v: !v, %m: !m, %b: tensor<8xf32>, %w2: tensor<8x8xf32>,
                  %s: !s, %seed: tensor<i64>, %offset: tensor<i64>) -> !v {
  %o = attn.admixture_heads %q, %q, %v
      mlp(%m, %b, %w2, %b : !m, tensor<8xf32>, tensor<8x8xf32>, tensor<8xf32>)
      noise <global> sigma(%s : !s)
      philox(%seed, %offset : tensor<i64>, tensor<i64>) scale_before
      : (!q, !q, !v) -> !v
  return %o : !v
}

// One column for all output heads: as many as value heads.
// CHECK-LABEL: func.func @shared_column
// CHECK:         attn.admixture_heads {{.*}} mixer(%{{.+}} : tensor<2xf32>) relu_per_key : {{.*}} -> tensor<?x8x?x64xf32>
func.func @shared_column(%q: !q, %v: !v, %m: !s) -> !v {
  %o = attn.admixture_heads %q, %q, %v mixer(%m : !s) relu_per_key
      : (!q, !q, !v) -> !v
  return %o : !v
}
