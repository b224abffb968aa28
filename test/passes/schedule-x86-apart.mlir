// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// On Zen 3 exps do not overlap with products whose code they stand in: all
// scores of a block come first, then its weights; on Zen 5 weights are units of
// the products of the next keys, or of another head's pool.
//
// DEFINE: %{schedule} = --attn-generalize --attn-plan=force=online --attn-form-kernels --attn-bufferize --attn-stage-kernels --attn-schedule-kernels --canonicalize --cse
// RUN: mixattn-opt %s --attn-set-target='chip=znver3 features=avx2,fma threads=1' %{schedule} | FileCheck %s --check-prefixes=CHECK,APART --implicit-check-not=units
// RUN: mixattn-opt %s --attn-set-target='chip=znver5 features=avx2,fma threads=1' %{schedule} | FileCheck %s --check-prefixes=CHECK,UNDER

// CHECK-LABEL: func.func @softmax(
// APART:         scf.for
// APART:           scf.for
// APART:             tile.x86.product {{.*}} last
// APART-NOT:         tile.x86.exp2
// APART:           scf.for
// APART:             tile.x86.exp2
// APART:           tile.x86.product transposed
// UNDER:         tile.x86.product {{.*}} units
func.func @softmax(%q: tensor<1x2x128x64xf32>, %k: tensor<1x2x256x64xf32>,
                   %v: tensor<1x2x256x64xf32>) -> tensor<1x2x128x64xf32> {
  %o = attn.softmax %q, %k, %v
      : (tensor<1x2x128x64xf32>, tensor<1x2x256x64xf32>, tensor<1x2x256x64xf32>)
      -> tensor<1x2x128x64xf32>
  return %o : tensor<1x2x128x64xf32>
}

// Few products for the weights of many heads, which elsewhere hide under the
// pools of one another.
// CHECK-LABEL: func.func @few_steps(
// APART:         tile.x86.product {{.*}} last
// APART-NOT:     tile.x86.exp2
// APART:         scf.for
// APART:           tile.x86.exp2
// APART:         tile.x86.product transposed
// UNDER:         tile.x86.product transposed {{.*}} units
func.func @few_steps(%q: tensor<1x1x128x2xf32>, %k: tensor<1x1x256x2xf32>,
                     %v: tensor<1x8x256x64xf32>, %mixer: tensor<1x8xf32>)
    -> tensor<1x8x128x64xf32> {
  %o = attn.admixture_heads %q, %k, %v mixer(%mixer : tensor<1x8xf32>)
      : (tensor<1x1x128x2xf32>, tensor<1x1x256x2xf32>, tensor<1x8x256x64xf32>)
      -> tensor<1x8x128x64xf32>
  return %o : tensor<1x8x128x64xf32>
}
