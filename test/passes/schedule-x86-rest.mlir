// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The tiles for queries that do not fill one: of one vector where loads keep up
// with multiply-adds (Zen 4), else, and of pairs of bf16, half as wide.
//
// DEFINE: %{features} = avx2,fma,avx512f,avx512bf16
// DEFINE: %{schedule} = --attn-generalize --attn-plan=force=online,width=64 --attn-form-kernels --attn-bufferize --attn-stage-kernels --attn-schedule-kernels --canonicalize --cse
// RUN: mixattn-opt %s --attn-set-target='chip=znver4 features=%{features} threads=1' %{schedule} | FileCheck %s --check-prefixes=CHECK,ZEN4
// RUN: mixattn-opt %s --attn-set-target='chip=znver5 features=%{features} threads=1' %{schedule} | FileCheck %s --check-prefixes=CHECK,ZEN5

// CHECK-LABEL: func.func @single(
// CHECK:         tile.x86.product {{.*}} last {{.*}}, memref<64x64xf32, {{.*}}>, memref<4x64xf32,
// ZEN4:          tile.x86.product {{.*}} last {{.*}}, memref<64x16xf32, {{.*}}>, memref<16x16xf32,
// ZEN5:          tile.x86.product {{.*}} last {{.*}}, memref<64x32xf32, {{.*}}>, memref<8x32xf32,
func.func @single(%q: tensor<1x2x100x64xf32>, %k: tensor<1x2x256x64xf32>)
    -> tensor<1x2x100x64xf32> {
  %o = attn.softmax %q, %k, %k
      : (tensor<1x2x100x64xf32>, tensor<1x2x256x64xf32>, tensor<1x2x256x64xf32>)
      -> tensor<1x2x100x64xf32>
  return %o : tensor<1x2x100x64xf32>
}

// CHECK-LABEL: func.func @pairs(
// CHECK:         tile.x86.product {{.*}} last {{.*}}, memref<32x128xbf16, {{.*}}>, memref<{{[0-9]+}}x64xf32,
// CHECK:         tile.x86.product {{.*}} last {{.*}}, memref<32x64xbf16, {{.*}}>, memref<{{[0-9]+}}x32xf32,
func.func @pairs(%q: tensor<1x2x40x64xbf16>, %k: tensor<1x2x256x64xbf16>)
    -> tensor<1x2x40x64xbf16> {
  %o = attn.softmax %q, %k, %k
      : (tensor<1x2x40x64xbf16>, tensor<1x2x256x64xbf16>, tensor<1x2x256x64xbf16>)
      -> tensor<1x2x40x64xbf16>
  return %o : tensor<1x2x40x64xbf16>
}
