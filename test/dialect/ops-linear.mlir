// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// How attn.linear is written: every feature map, every clause alone, then all
// of them.
//
// RUN: mixattn-opt --verify-roundtrip %s | FileCheck %s

!q = tensor<?x8x?x64xf32>
!k = tensor<?x2x?x64xf32>
!w = tensor<64x32xf32>

// CHECK-LABEL: func.func @plain
// CHECK-SAME:    %[[Q:.+]]: tensor<?x8x?x64xf32>, %[[K:.+]]: tensor<?x2x?x64xf32>
// CHECK:         attn.linear %[[Q]], %[[K]], %[[K]] feature_map <elu> : (tensor<?x8x?x64xf32>, tensor<?x2x?x64xf32>, tensor<?x2x?x64xf32>) -> tensor<?x8x?x64xf32>
func.func @plain(%q: !q, %k: !k) -> !q {
  %o = attn.linear %q, %k, %k feature_map <elu> : (!q, !k, !k) -> !q
  return %o : !q
}

// CHECK-LABEL: func.func @maps
// CHECK:         attn.linear {{.*}} feature_map <normalized_elu> :
// CHECK:         attn.linear {{.*}} feature_map <relu> :
// CHECK:         attn.linear {{.*}} feature_map <dpfp, rolls = 2> :
// CHECK:         attn.linear {{.*}} feature_map <favor> favor(%{{.+}} : tensor<64x32xf32>) :
func.func @maps(%q: !q, %k: !k, %w: !w) {
  %0 = attn.linear %q, %k, %k feature_map <normalized_elu> : (!q, !k, !k) -> !q
  %1 = attn.linear %q, %k, %k feature_map <relu> : (!q, !k, !k) -> !q
  %2 = attn.linear %q, %k, %k feature_map <dpfp, rolls = 2> : (!q, !k, !k) -> !q
  %3 = attn.linear %q, %k, %k feature_map <favor> favor(%w : !w) : (!q, !k, !k) -> !q
  return
}

// Numbers that are what they are without a clause are not printed.
// CHECK-LABEL: func.func @clauses
// CHECK:         attn.linear {{.*}} feature_map <elu> lengths(%{{.+}} : tensor<?xi32>) :
// CHECK:         attn.linear {{.*}} feature_map <elu> causal :
// CHECK:         attn.linear {{.*}} feature_map <elu> eps 1.000000e-05 :
// CHECK:         attn.linear {{.*}} feature_map <elu> output_scale -2.500000e-01 :
// CHECK:         attn.linear {{.*}} feature_map <elu> :
func.func @clauses(%q: !q, %k: !k, %n: tensor<?xi32>) {
  %0 = attn.linear %q, %k, %k feature_map <elu> lengths(%n : tensor<?xi32>) : (!q, !k, !k) -> !q
  %1 = attn.linear %q, %k, %k feature_map <elu> causal : (!q, !k, !k) -> !q
  %2 = attn.linear %q, %k, %k feature_map <elu> eps 1.0e-5 : (!q, !k, !k) -> !q
  %3 = attn.linear %q, %k, %k feature_map <elu> output_scale -0.25 : (!q, !k, !k) -> !q
  %4 = attn.linear %q, %k, %k feature_map <elu> eps 0.0 output_scale 1.0 : (!q, !k, !k) -> !q
  return
}

// CHECK-LABEL: func.func @everything
// CHECK:         attn.linear {{.*}} feature_map <favor> favor(%{{.+}} : tensor<64x32xf32>) lengths(%{{.+}} : tensor<?xi64>) causal eps 1.000000e-05 output_scale 5.000000e-01 {author = "text"} :
func.func @everything(%q: !q, %k: !k, %w: !w, %n: tensor<?xi64>) -> !q {
  %o = attn.linear %q, %k, %k feature_map <favor> favor(%w : !w)
      lengths(%n : tensor<?xi64>) causal eps 1.0e-5 output_scale 0.5 {author = "text"}
      : (!q, !k, !k) -> !q
  return %o : !q
}

// Key heads share a value head, query heads a key head; static sizes, 16 bits.
// CHECK-LABEL: func.func @narrow
// CHECK:         attn.linear {{.*}} : (tensor<2x8x5x8xbf16>, tensor<2x4x7x8xbf16>, tensor<2x2x7x6xf16>) -> tensor<2x8x5x6xf16>
func.func @narrow(%q: tensor<2x8x5x8xbf16>, %k: tensor<2x4x7x8xbf16>,
                  %v: tensor<2x2x7x6xf16>) -> tensor<2x8x5x6xf16> {
  %o = attn.linear %q, %k, %v feature_map <elu>
      : (tensor<2x8x5x8xbf16>, tensor<2x4x7x8xbf16>, tensor<2x2x7x6xf16>)
      -> tensor<2x8x5x6xf16>
  return %o : tensor<2x8x5x6xf16>
}

// The result may say more or less about its sizes than the operands do.
// CHECK-LABEL: func.func @sizes
// CHECK:         attn.linear {{.*}} -> tensor<3x8x5x64xf32>
// CHECK:         attn.linear {{.*}} -> tensor<?x8x?x64xf32>
func.func @sizes(%q: !q, %k: !k, %r: tensor<3x8x5x64xf32>, %l: tensor<3x2x7x64xf32>) {
  %0 = attn.linear %q, %k, %k feature_map <elu> : (!q, !k, !k) -> tensor<3x8x5x64xf32>
  %1 = attn.linear %r, %l, %l feature_map <elu>
      : (tensor<3x8x5x64xf32>, tensor<3x2x7x64xf32>, tensor<3x2x7x64xf32>) -> !q
  return
}

// CHECK-LABEL: func.func @empty
// CHECK:         attn.linear
func.func @empty(%q: tensor<0x2x0x0xf32>, %v: tensor<0x2x0x4xf32>) -> tensor<0x2x0x4xf32> {
  %o = attn.linear %q, %q, %v feature_map <dpfp, rolls = 1>
      : (tensor<0x2x0x0xf32>, tensor<0x2x0x0xf32>, tensor<0x2x0x4xf32>) -> tensor<0x2x0x4xf32>
  return %o : tensor<0x2x0x4xf32>
}
