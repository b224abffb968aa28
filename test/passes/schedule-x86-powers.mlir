// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Whether a reference moves is seen by the largest exponent of a few keys; or,
// where powers become infinite, by the sum of their powers, which are taken
// first.
//
// DEFINE: %{schedule} = --attn-generalize --attn-plan=force=online --attn-form-kernels --attn-bufferize --attn-stage-kernels --attn-schedule-kernels --canonicalize --cse
// RUN: mixattn-opt %s --attn-set-target='chip=znver5 features=avx512f,fma threads=1' %{schedule} | FileCheck %s --check-prefix=LARGEST
// RUN: mixattn-opt %s --attn-set-target='chip=skylake-avx512 features=avx512f,avx512dq,fma threads=1' %{schedule} | FileCheck %s --check-prefix=SUM

// LARGEST:      %[[SLACK:.+]] = arith.constant dense<1.600000e+01>
// LARGEST-NOT:  tile.x86.exp2
// LARGEST:      arith.cmpf ogt, %{{.+}}, %[[SLACK]] : vector<16xf32>
// LARGEST-NEXT: vector.reduction <or>
// SUM:          %[[POWER_OF_SLACK:.+]] = arith.constant dense<6.553600e+04>
// SUM-COUNT-3:  tile.x86.exp2
// SUM:          %[[LAST:.+]] = tile.x86.exp2
// SUM-NEXT:     %[[SUM:.+]] = arith.addf %{{.+}}, %[[LAST]]
// SUM-NEXT:     %[[EXCEEDS:.+]] = arith.cmpf ogt, %[[SUM]], %[[POWER_OF_SLACK]] : vector<16xf32>
// SUM-NEXT:     vector.reduction <or>, %[[EXCEEDS]]
func.func @softmax(%q: tensor<1x2x128x64xf32>, %k: tensor<1x2x256x64xf32>,
                   %v: tensor<1x2x256x64xf32>) -> tensor<1x2x128x64xf32> {
  %o = attn.softmax %q, %k, %v
      : (tensor<1x2x128x64xf32>, tensor<1x2x256x64xf32>, tensor<1x2x256x64xf32>)
      -> tensor<1x2x128x64xf32>
  return %o : tensor<1x2x128x64xf32>
}
