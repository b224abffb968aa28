// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A plan is explained where it is made; the plain path says why it is taken.
//
// RUN: mixattn-opt %s --attn-set-target="chip=znver5 features=avx2,avx512f,fma threads=1" --attn-plan \
// RUN:   --verify-diagnostics=only-expected --remarks-filter=attn-plan --remark-format=emitRemark

!q = tensor<1x8x512x64xf32>
func.func @remarks(%q: !q, %m: tensor<8x8xf32>, %e: tensor<16x512xf32>,
    %b: tensor<8xf32>, %n: tensor<1x8x512x0xf32>, %band: tensor<8x512x7xf32>) {
  // expected-remark-re @below {{[Passed] online | Category:attn-plan | Reason="predicted {{[0-9.]+}} ms, 0.{{[0-9]+}} of peak, at batch 1, queries 512, keys 512; decode {{.*}} {{[0-9.]+}} % slower", Remark="[else : online {width = 64, block = {{[0-9]+}}}]"}}
  %0 = attn.generic scores(%q, %q : !q, !q) pool(%q : !q) -> !q
  // expected-remark-re @below {{[Passed] panel | Category:attn-plan | {{.*}}; decode {{.*}}"}}
  %1 = attn.generic scores(%q, %q : !q, !q) postmix(%m : tensor<8x8xf32>) pool(%q : !q) -> !q
  // expected-remark @below {{[Missed] unfused | Category:attn-plan | Reason="the plain path is taken: online: one of its operands has no elements; panel: its weights neither mix nor are a result, so nothing waits for whole rows; decode: one of its operands has no elements"}}
  %2 = attn.generic scores(%n, %n : tensor<1x8x512x0xf32>, tensor<1x8x512x0xf32>) scale 1.0 pool(%q : !q) -> !q
  // expected-remark-re @below {{[Passed] panel | Category:attn-plan | {{.*}}; unfused {{.*}}"}}
  %3, %weights = attn.generic scores(%q, %q : !q, !q) pool(%q : !q) -> !q weights tensor<1x8x512x512xf32>
  // expected-remark-re @below {{[Passed] chunked_linear | Category:attn-plan | {{.*}}; unfused takes {{[0-9.]+}} times as long"}}
  %4 = attn.linear_generic features(%q, %q : !q, !q) pool(%q : !q) -> !q
  // expected-remark @below {{[Missed] unfused | Category:attn-plan | Reason="the plain path is taken: chunked_linear: an MLP mixes the states at each position, so chunks of keys do not add up"}}
  %6 = attn.linear_generic features(%q, %q : !q, !q) premix_mlp(%m, %b, %m, %b : tensor<8x8xf32>, tensor<8xf32>, tensor<8x8xf32>, tensor<8xf32>) normaliser(%m : tensor<8x8xf32>) causal pool(%q : !q) -> !q
  // expected-remark @below {{[Missed] unfused | Category:attn-plan | Reason="the plain path is taken: chunked_linear: one of its operands has no elements"}}
  %7 = attn.linear_generic features(%n, %n : tensor<1x8x512x0xf32>, tensor<1x8x512x0xf32>) pool(%q : !q) -> !q
  // expected-remark-re @below {{[Passed] banded | Category:attn-plan | {{.*}}; unfused takes {{[0-9.]+}} times as long", Remark="[else : banded {block = 16}]"}}
  %5 = attn.structured_pool %q band(%band : tensor<8x512x7xf32>) : !q -> !q
  // expected-remark @below {{[Missed] unfused | Category:attn-plan | Reason="the plain path is taken: banded: one of its operands has no elements"}}
  %8 = attn.structured_pool %n : tensor<1x8x512x0xf32> -> tensor<1x8x512x0xf32>
  return
}
