// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Conversions of 16-bit floats are instructions where the CPU has them, and
// integer arithmetic elsewhere; never a call into a compiler's library.
//
// RUN: mixattn-opt --attn-to-llvm %s | FileCheck %s --check-prefix=NONE \
// RUN:   --implicit-check-not=fpext --implicit-check-not=fptrunc
// RUN: mixattn-opt --attn-set-target='chip=x86-64-v3 features=f16c' --attn-to-llvm %s | FileCheck %s --check-prefix=F16C
// RUN: mixattn-opt --attn-set-target='features=f16c,avx512bf16,avx512vl' --attn-to-llvm %s | FileCheck %s --check-prefix=BF16

// NONE: llvm.func @mixattn_half(
// NONE: llvm.func @mixattn_brain(

// F16C: llvm.func @mixattn_half(
// F16C: llvm.func internal @half.kernel
// F16C:   llvm.fpext %{{.+}} : vector<4xf16> to vector<4xf32>
// F16C:   llvm.fadd %{{.+}} : vector<4xf32>
// F16C:   llvm.fptrunc %{{.+}} : vector<4xf32> to vector<4xf16>
// F16C: llvm.func internal @brain.kernel
// F16C-NOT: llvm.fptrunc

// BF16: llvm.func internal @brain.kernel
// BF16:   llvm.fptrunc %{{.+}} : vector<{{[0-9]+}}xf32> to vector<{{[0-9]+}}xbf16>

func.func @half(%x: tensor<4xf16>) -> tensor<4xf16> {
  %0 = arith.addf %x, %x : tensor<4xf16>
  return %0 : tensor<4xf16>
}
func.func @brain(%x: tensor<4xbf16>) -> tensor<4xbf16> {
  %0 = arith.addf %x, %x : tensor<4xbf16>
  return %0 : tensor<4xbf16>
}
