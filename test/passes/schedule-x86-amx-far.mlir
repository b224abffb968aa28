// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// By AMX powers are brief. Where terms of a caller are added to scores, many may be so
// far below their reference that powers would be denormal: they are flushed to 0.
//
// RUN: mixattn-opt %s --attn-set-target='chip=graniterapids features=avx512f,fma,avx512bf16,amx-tile,amx-bf16 threads=1' \
// RUN:   --attn-generalize --attn-plan=force=online --attn-form-kernels --attn-bufferize --attn-stage-kernels --attn-schedule-kernels \
// RUN:   --canonicalize --cse | FileCheck %s

// CHECK-LABEL: func.func @plain(
// CHECK:         tile.x86.exp2 %{{.+}} brief : vector<16xf32>
// CHECK-NOT:     flushed
func.func @plain(%q: tensor<1x2x128x64xbf16>, %k: tensor<1x2x256x64xbf16>,
                 %v: tensor<1x2x256x64xbf16>) -> tensor<1x2x128x64xbf16> {
  %o = attn.softmax %q, %k, %v
      : (tensor<1x2x128x64xbf16>, tensor<1x2x256x64xbf16>, tensor<1x2x256x64xbf16>)
      -> tensor<1x2x128x64xbf16>
  return %o : tensor<1x2x128x64xbf16>
}

// CHECK-LABEL: func.func @biased(
// CHECK:         tile.x86.exp2 %{{.+}} brief flushed : vector<16xf32>
// CHECK-NOT:     brief :
func.func @biased(%q: tensor<1x2x128x64xbf16>, %k: tensor<1x2x256x64xbf16>,
                  %v: tensor<1x2x256x64xbf16>, %bias: tensor<128x256xf32>)
    -> tensor<1x2x128x64xbf16> {
  %o = attn.softmax %q, %k, %v bias(%bias : tensor<128x256xf32>)
      : (tensor<1x2x128x64xbf16>, tensor<1x2x256x64xbf16>, tensor<1x2x256x64xbf16>)
      -> tensor<1x2x128x64xbf16>
  return %o : tensor<1x2x128x64xbf16>
}

// CHECK-LABEL: func.func @distances(
// CHECK:         tile.x86.exp2 %{{.+}} brief flushed : vector<16xf32>
// CHECK-NOT:     brief :
func.func @distances(%q: tensor<1x2x128x64xbf16>, %k: tensor<1x2x256x64xbf16>,
                     %v: tensor<1x2x256x64xbf16>) -> tensor<1x2x128x64xbf16> {
  %o = attn.softmax %q, %k, %v score_mod {
  ^bb0(%score: f32, %b: index, %h: index, %i: index, %j: index):
    %number = arith.index_cast %j : index to i32
    %distance = arith.sitofp %number : i32 to f32
    %changed = arith.subf %score, %distance : f32
    attn.yield %changed : f32
  } : (tensor<1x2x128x64xbf16>, tensor<1x2x256x64xbf16>, tensor<1x2x256x64xbf16>)
      -> tensor<1x2x128x64xbf16>
  return %o : tensor<1x2x128x64xbf16>
}
