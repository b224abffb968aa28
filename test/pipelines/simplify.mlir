// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Attentions are rewritten on the way to the normal form unless asked not to
// be; the manifest tells what the author wrote either way.
//
// RUN: mixattn-opt --attn-to-normal %s | sed 's/\\22/"/g' \
// RUN:   | FileCheck %s --check-prefixes=CHECK,REWRITTEN
// RUN: mixattn-opt --attn-to-normal='simplify=false' %s | sed 's/\\22/"/g' \
// RUN:   | FileCheck %s --check-prefixes=CHECK,WRITTEN

// CHECK:         "combine":"logsumexp",{{.*}}"score":"gaussian",{{.*}}"shifts":"shifts",{{.*}}"variances":[8,8]
// CHECK-LABEL: func.func @mixture
// REWRITTEN:     attn.generic scores(%{{.+}}, %{{.+}} : {{.*}}) shifted_by({{.*}}) gaussian variances [{{5\.545177(e\+00|[0-9]+)}}, {{5\.545177(e\+00|[0-9]+)}}] scale 1.000000e+00 causal base2 pool(
// WRITTEN:       attn.generic {{.*}} shifted_by({{.*}}) gaussian variances [8.000000e+00, 8.000000e+00] scale 1.000000e+00 causal pool(
!q = tensor<?x2x?x4xf32>
func.func @mixture(%q: !q {attn.name = "q", attn.dims = ["B", "N"]},
                   %k: !q {attn.name = "k", attn.dims = ["B", "S"]},
                   %shifts: tensor<2x2x4xf32> {attn.name = "shifts"})
    -> (!q {attn.name = "o"}) {
  %o = attn.mixture_of_keys %q, %k, %k shifted_by(%shifts : tensor<2x2x4xf32>)
      variances [8.0, 8.0] causal : (!q, !q, !q) -> !q
  return %o : !q
}
