// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// How attn.linear_admixture_heads is written: both mixers, then all clauses.
//
// RUN: mixattn-opt --verify-roundtrip %s | FileCheck %s

!q = tensor<?x8x?x64xf32>
!k = tensor<?x2x?x64xf32>
!v = tensor<?x1x?x96xf32>
!o = tensor<?x8x?x96xf32>
!p = tensor<2x8xf32>
!w2 = tensor<5x8xf32>

// CHECK-LABEL: func.func @mixer
// CHECK:         attn.linear_admixture_heads %{{.+}}, %{{.+}}, %{{.+}} mixer(%{{.+}} : tensor<2x8xf32>) feature_map <elu> : (tensor<?x8x?x64xf32>, tensor<?x2x?x64xf32>, tensor<?x1x?x96xf32>) -> tensor<?x8x?x96xf32>
func.func @mixer(%q: !q, %k: !k, %v: !v, %p: !p) -> !o {
  %o = attn.linear_admixture_heads %q, %k, %v mixer(%p : !p) feature_map <elu>
      : (!q, !k, !v) -> !o
  return %o : !o
}

// CHECK-LABEL: func.func @mlp
// CHECK:         attn.linear_admixture_heads {{.*}} mlp(%{{.+}}, %{{.+}}, %{{.+}}, %{{.+}} : tensor<2x5xf32>, tensor<5xf32>, tensor<5x8xf32>, tensor<8xf32>) normaliser(%{{.+}} : tensor<2x8xf32>) feature_map <elu> :
func.func @mlp(%q: !q, %k: !k, %v: !v, %w1: tensor<2x5xf32>, %b1: tensor<5xf32>,
               %w2: !w2, %b2: tensor<8xf32>, %n: !p) -> !o {
  %o = attn.linear_admixture_heads %q, %k, %v
      mlp(%w1, %b1, %w2, %b2 : tensor<2x5xf32>, tensor<5xf32>, !w2, tensor<8xf32>)
      normaliser(%n : !p) feature_map <elu> : (!q, !k, !v) -> !o
  return %o : !o
}

// With a mixer, key heads need not divide query heads.
// CHECK-LABEL: func.func @everything
// CHECK:         attn.linear_admixture_heads {{.*}} mixer(%{{.+}} : tensor<3x8xf32>) feature_map <dpfp, rolls = 3> lengths(%{{.+}} : tensor<?xi64>) causal eps 1.000000e-05 output_scale 2.500000e-01 {author = "text"} :
func.func @everything(%q: !q, %k: tensor<?x3x?x64xf32>, %p: tensor<3x8xf32>,
                      %n: tensor<?xi64>) -> !q {
  %o = attn.linear_admixture_heads %q, %k, %k mixer(%p : tensor<3x8xf32>)
      feature_map <dpfp, rolls = 3> lengths(%n : tensor<?xi64>) causal eps 1.0e-5
      output_scale 0.25 {author = "text"}
      : (!q, tensor<?x3x?x64xf32>, tensor<?x3x?x64xf32>) -> !q
  return %o : !q
}
