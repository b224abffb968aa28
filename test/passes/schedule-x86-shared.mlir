// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// From how many scores on threads share a call: half as many of 128 features
// as of 64, and as many of fewer, whose exps do not shrink.
//
// RUN: mixattn-opt %s --attn-set-target='chip=znver4 features=avx2,fma,avx512f threads=2' --attn-generalize --attn-plan=force=online --attn-form-kernels --attn-bufferize --attn-stage-kernels --attn-schedule-kernels --canonicalize --cse | FileCheck %s

// CHECK-LABEL: func.func @many_features(
// CHECK:         %[[MANY:.+]] = arith.cmpi sgt, %{{.+}}, %c8192
// CHECK:         tile.grid %{{.+}} shared_if %[[MANY]]
// CHECK-LABEL: func.func @few_features(
// CHECK:         arith.cmpi sgt, %{{.+}}, %c16384
func.func @many_features(%q: tensor<1x2x?x128xf32>) -> tensor<1x2x?x128xf32> {
  %o = attn.softmax %q, %q, %q
      : (tensor<1x2x?x128xf32>, tensor<1x2x?x128xf32>, tensor<1x2x?x128xf32>)
      -> tensor<1x2x?x128xf32>
  return %o : tensor<1x2x?x128xf32>
}
func.func @few_features(%q: tensor<1x2x?x16xf32>) -> tensor<1x2x?x16xf32> {
  %o = attn.softmax %q, %q, %q
      : (tensor<1x2x?x16xf32>, tensor<1x2x?x16xf32>, tensor<1x2x?x16xf32>)
      -> tensor<1x2x?x16xf32>
  return %o : tensor<1x2x?x16xf32>
}
