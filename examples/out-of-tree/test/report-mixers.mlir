// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: extended-opt %s --report-mixers --verify-diagnostics

// Plain attention keeps its heads apart: no remark.
func.func @plain(%q: tensor<?x8x?x64xf32>, %k: tensor<?x8x?x64xf32>,
                 %v: tensor<?x8x?x64xf32>) -> tensor<?x8x?x64xf32> {
  %o = attn.softmax %q, %k, %v
      : (tensor<?x8x?x64xf32>, tensor<?x8x?x64xf32>, tensor<?x8x?x64xf32>)
      -> tensor<?x8x?x64xf32>
  return %o : tensor<?x8x?x64xf32>
}

func.func @mixed(%q: tensor<?x8x?x64xf32>, %k: tensor<?x8x?x64xf32>,
                 %v: tensor<?x8x?x64xf32>, %m: tensor<8x8xf32>)
    -> tensor<?x8x?x64xf32> {
  // expected-remark @below {{mixes 8 heads}}
  %o = attn.mix_heads %q, %k, %v mixer(%m : tensor<8x8xf32>)
      : (tensor<?x8x?x64xf32>, tensor<?x8x?x64xf32>, tensor<?x8x?x64xf32>)
      -> tensor<?x8x?x64xf32>
  return %o : tensor<?x8x?x64xf32>
}
