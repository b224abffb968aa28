// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Neighbouring keys share random words and the root of their normals: of the 16
// numbers that a thread has of 32 keys and each of two heads, one root for two.
//
// RUN: mixattn-compile %s --target=sm_80 --plan=online -o %t.ptx
// RUN: grep -c 'sqrt.rn.f32' %t.ptx | FileCheck %s
// RUN: mixattn-compile %s --target=sm_80 --plan=online --explain | FileCheck %s --check-prefix=CLOCKS
// CHECK: {{^}}16{{$}}
//
// The same is predicted: of 32 numbers 16 roots, and a power for each, 48 exps
// of 8 clocks. An exclusive or of three numbers is one instruction.
// CLOCKS: queries keys tensor exp FMA ALU issue
// CLOCKS-NEXT: online exps=8 64 32 512 384 2800 3164 3142

func.func @noisy(
    %q: tensor<1x2x?x64xbf16>, %k: tensor<1x2x?x64xbf16>,
    %v: tensor<1x8x?x64xbf16>, %mixer: tensor<2x8xbf16>, %sigma: tensor<2xbf16>,
    %seed: tensor<i64>, %offset: tensor<i64>) -> tensor<1x8x?x64xbf16> {
  %o = attn.admixture_heads %q, %k, %v mixer(%mixer : tensor<2x8xbf16>)
      noise <local> sigma(%sigma : tensor<2xbf16>)
      philox(%seed, %offset : tensor<i64>, tensor<i64>)
      : (tensor<1x2x?x64xbf16>, tensor<1x2x?x64xbf16>, tensor<1x8x?x64xbf16>)
      -> tensor<1x8x?x64xbf16>
  return %o : tensor<1x8x?x64xbf16>
}
