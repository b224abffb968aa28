// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Plans that no schedule of the target has.
//
// RUN: mixattn-opt %s --attn-form-kernels --split-input-file --verify-diagnostics

!q = tensor<1x2x3x4xf32>
func.func @unknown(%q: !q) -> !q {
  // expected-error @below {{'attn.generic' op cannot be computed as planned by 'fold': expected online, panel, decode, chunked_linear, banded, dense, rows_dense or unfused as plan, but got 'fold'}}
  %o = attn.generic scores(%q, %q : !q, !q) pool(%q : !q) {attn.plan = #attn.plan<[else : fold]>} -> !q
  return %o : !q
}

// -----

!q = tensor<1x2x3x4xf32>
func.func @other(%q: !q) -> !q {
  // expected-error @below {{cannot be computed as planned by 'panel': its weights neither mix nor are a result, so nothing waits for whole rows}}
  %o = attn.generic scores(%q, %q : !q, !q) pool(%q : !q)
      {attn.plan = #attn.plan<[keys at_most 8 : panel, else : online]>} -> !q
  return %o : !q
}

// -----

// A test of sizes chooses between kernels.
!q = tensor<1x2x3x4xf32>
func.func @plain_case(%q: !q) -> !q {
  // expected-error @below {{'attn.generic' op expected kernels for all cases of its plan, or for none, but there are none for 'unfused'}}
  %o = attn.generic scores(%q, %q : !q, !q) pool(%q : !q)
      {attn.plan = #attn.plan<[keys at_most 8 : online, else : unfused]>} -> !q
  return %o : !q
}
