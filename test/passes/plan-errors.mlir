// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Plans that are asked for and cannot be.
//
// DEFINE: %{target} = --attn-set-target="chip=znver5 features=avx2,avx512f,fma"
// RUN: split-file %s %t
// RUN: mixattn-opt %t/panel.mlir %{target} --attn-plan="force=panel" --verify-diagnostics
// RUN: mixattn-opt %t/online.mlir %{target} --attn-plan="force=online" --verify-diagnostics
// RUN: mixattn-opt %t/decode.mlir %{target} --attn-plan="force=decode,split=100" --verify-diagnostics
// RUN: mixattn-opt %t/linear.mlir %{target} --attn-plan="force=online" --verify-diagnostics
// RUN: mixattn-opt %t/pool.mlir %{target} --attn-plan="force=chunked_linear" --verify-diagnostics
// RUN: mixattn-opt %t/named.mlir %{target} --attn-plan="force=online" --verify-diagnostics
// RUN: mixattn-opt %t/width.mlir %{target} --attn-plan="force=online,width=48" --verify-diagnostics
// RUN: mixattn-opt %t/wide.mlir %{target} --attn-plan="force=online,width=128" --verify-diagnostics
// RUN: mixattn-opt %t/block.mlir %{target} --attn-plan="force=online,block=40" --verify-diagnostics
// RUN: mixattn-opt %t/exps.mlir --attn-set-target="family=mma chip=sm_80" --attn-plan="force=online,exps=9" --verify-diagnostics
// RUN: mixattn-opt %t/algorithm.mlir %{target} --attn-plan="force=fold" --verify-diagnostics
// RUN: mixattn-opt %t/number.mlir %{target} --attn-plan="force=online,width=many" --verify-diagnostics

//--- panel.mlir
!q = tensor<1x2x3x4xf32>
func.func @f(%q: !q) -> !q {
  // expected-error @below {{'attn.generic' op cannot be computed as planned by 'panel': its weights neither mix nor are a result, so nothing waits for whole rows}}
  %o = attn.generic scores(%q, %q : !q, !q) pool(%q : !q) -> !q
  return %o : !q
}

//--- online.mlir
!q = tensor<1x2x3x4xf32>
func.func @f(%q: !q, %m: tensor<2x2xf32>) -> !q {
  // expected-error @below {{cannot be computed as planned by 'online': weights of several heads mix, which takes the sums of whole rows first}}
  %o = attn.generic scores(%q, %q : !q, !q) postmix(%m : tensor<2x2xf32>) pool(%q : !q) -> !q
  return %o : !q
}

//--- decode.mlir
!q = tensor<1x2x3x4xf32>
func.func @f(%q: !q) -> !q {
  // expected-error @below {{cannot be computed as planned by 'decode,split=100': expected split to be a multiple of the block 64, but got 100}}
  %o = attn.generic scores(%q, %q : !q, !q) pool(%q : !q) -> !q
  return %o : !q
}

//--- linear.mlir
!q = tensor<1x2x3x4xf32>
func.func @f(%q: !q) -> !q {
  // expected-error @below {{'attn.linear_generic' op cannot be computed as planned by 'online': it is not the normal form of a softmax attention}}
  %o = attn.linear_generic features(%q, %q : !q, !q) pool(%q : !q) -> !q
  return %o : !q
}

//--- pool.mlir
!q = tensor<1x2x3x4xf32>
func.func @f(%q: !q) -> !q {
  // expected-error @below {{'attn.structured_pool' op cannot be computed as planned by 'chunked_linear': it is not the normal form of linear attention}}
  %o = attn.structured_pool %q : !q -> !q
  return %o : !q
}

//--- named.mlir
!q = tensor<1x2x3x4xf32>
func.func @f(%q: !q) -> !q {
  // expected-error @below {{'attn.softmax' op cannot be computed as planned by 'online': it is not the normal form of a softmax attention}}
  %o = attn.softmax %q, %q, %q : (!q, !q, !q) -> !q
  return %o : !q
}

//--- width.mlir
!q = tensor<1x2x3x4xf32>
func.func @f(%q: !q) -> !q {
  // expected-error @below {{cannot be computed as planned by 'online,width=48': expected width to be a power of 2 from 16 to 64 on this target, but got 48}}
  %o = attn.generic scores(%q, %q : !q, !q) pool(%q : !q) -> !q
  return %o : !q
}

//--- wide.mlir
!q = tensor<1x2x3x4xf32>
func.func @f(%q: !q) -> !q {
  // expected-error @below {{expected width to be a power of 2 from 16 to 64 on this target, but got 128}}
  %o = attn.generic scores(%q, %q : !q, !q) pool(%q : !q) -> !q
  return %o : !q
}

//--- block.mlir
!q = tensor<1x2x3x4xf32>
func.func @f(%q: !q) -> !q {
  // expected-error @below {{expected block to be a multiple of 16 up to 1024, but got 40}}
  %o = attn.generic scores(%q, %q : !q, !q) pool(%q : !q) -> !q
  return %o : !q
}

//--- exps.mlir
!q = tensor<1x2x3x16xbf16>
func.func @f(%q: !q) -> !q {
  // expected-error @below {{expected exps to be from 1 to 8, but got 9}}
  %o = attn.generic scores(%q, %q : !q, !q) pool(%q : !q) -> !q
  return %o : !q
}

//--- algorithm.mlir
// expected-error @below {{expected online, panel, decode, chunked_linear, banded, dense, rows_dense or unfused as plan, but got 'fold'}}
module {}

//--- number.mlir
// expected-error @below {{expected a plan 'ALGORITHM[,NUMBER=N]...', each number once and above 0, but got 'online,width=many'}}
module {}
