// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Terms of shifted keys are made after plans, and take registers all the same: two_pass
// is not chosen where the kernel with terms would not fit.
//
// RUN: mixattn-compile %s --target=sm_80 --explain 2>&1 | FileCheck %s
// RUN: mixattn-compile %s --target=sm_80 -o %t.ptx
// CHECK: two_pass registers do not hold the scores of all channels and the outputs of a head

func.func @shifted(
    %q: tensor<?x2x?x40xbf16> {attn.name = "q", attn.dims = ["B", "N"]},
    %shifts: tensor<1x4x40xbf16> {attn.name = "shifts"},
    %k: tensor<?x1x?x40xbf16> {attn.name = "k", attn.dims = ["B", "S"]},
    %prior: tensor<2x4xbf16> {attn.name = "prior"},
    %mixer: tensor<2x2xbf16> {attn.name = "mixer"},
    %v: tensor<?x1x?x256xbf16> {attn.name = "v", attn.dims = ["B", "S"]})
    -> (tensor<?x2x?x256xbf16> {attn.name = "o"}) {
  %o = attn.generic
      scores(%q, %k : tensor<?x2x?x40xbf16>, tensor<?x1x?x40xbf16>)
      shifted_by(%shifts : tensor<1x4x40xbf16>)
      variances [6.0, 6.0, 6.0, 6.0] prior(%prior : tensor<2x4xbf16>)
      postmix(%mixer : tensor<2x2xbf16>)
      pool(%v : tensor<?x1x?x256xbf16>) -> tensor<?x2x?x256xbf16>
  return %o : tensor<?x2x?x256xbf16>
}
