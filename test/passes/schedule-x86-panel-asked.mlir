// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Heads whose values take turns: while one is pooled, the next one's values are
// asked for, where all of them fill more than an eighth of the shared cache.
// After the last head of a block comes the first of the next.
//
// DEFINE: %{target} = chip=znver4 features=avx512f,fma threads=1
// DEFINE: %{scheduled} = mixattn-opt %s --attn-set-target='%{target}' --attn-generalize --attn-plan='force=panel,block=64' \
// DEFINE:     --attn-form-kernels --attn-bufferize --attn-stage-kernels --attn-schedule-kernels --canonicalize --cse
// RUN: %{scheduled} | FileCheck %s
// REDEFINE: %{target} = chip=graniterapids features=avx512f,fma threads=1
// RUN: %{scheduled} | FileCheck %s --check-prefix=NEVER --implicit-check-not=prefetch

// NEVER: tile.x86.product
// CHECK:       %[[BYTES:.+]] = arith.muli %{{.+}}, %c1024
// CHECK:       %[[FAR:.+]] = arith.cmpi sgt, %[[BYTES]], %c4194304
// CHECK:       %[[WHOLE:.+]] = arith.cmpi eq, %[[KEYS:.+]], %c64
// CHECK:       %[[ASKS:.+]] = arith.andi %[[FAR]], %[[WHOLE]]
// CHECK:       scf.if %[[ASKS]] {
// CHECK:         %[[LAST:.+]] = arith.cmpi eq, %[[HEAD:.+]], %c1
// CHECK:         %[[NEXT:.+]] = arith.addi %[[HEAD]], %c1
// CHECK:         %[[OTHER:.+]] = arith.select %[[LAST]], %c0, %[[NEXT]]
// CHECK:         memref.subview %{{.+}}[%{{.+}}, %[[OTHER]], 0, 0]
// CHECK:         tile.x86.product {{.*}} units 64
// CHECK:           memref.prefetch %{{.+}}, read, locality<3>, data
// CHECK:       } else {
// CHECK-NEXT:    %{{.+}} = memref.subview
// CHECK-NOT:     memref.prefetch
// CHECK:         tile.x86.product
func.func @mix_heads(%q: tensor<?x2x?x128xf32>, %k: tensor<?x2x?x128xf32>, %mixer: tensor<2x2xf32>)
    -> tensor<?x2x?x128xf32> {
  %o = attn.mix_heads %q, %k, %k mixer(%mixer : tensor<2x2xf32>)
      : (tensor<?x2x?x128xf32>, tensor<?x2x?x128xf32>, tensor<?x2x?x128xf32>)
      -> tensor<?x2x?x128xf32>
  return %o : tensor<?x2x?x128xf32>
}
