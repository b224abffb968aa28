// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Ops that a schedule would write out at great length take the plain path,
// which says why. The largest sizes that it does write out are scheduled.
//
// RUN: mixattn-opt %s --attn-set-target="chip=znver5 features=avx2,avx512f,fma threads=1" --attn-plan \
// RUN:   --verify-diagnostics --remarks-filter-missed=attn-plan --remark-format=emitRemark

!wide = tensor<1x2x8x100000xf32>
!widest = tensor<1x2x8x4096xf32>
!many = tensor<1x129x8x4xf32>
!most = tensor<1x128x8x4xf32>
!q = tensor<1x2x8x4xf32>
func.func @limits(%wide: !wide, %widest: !widest, %many: !many, %most: !most,
    %m129: tensor<129x129xf32>, %m128: tensor<128x128xf32>, %q: !q,
    %k1000: tensor<1x2x1000x8x4xf32>, %k128: tensor<1x2x128x8x4xf32>) {
  // expected-remark-re @below {{[Missed] unfused | {{.*}}online: its heads have 100000 features, more than the 4096 that a schedule writes out;{{.*}}}}
  %0 = attn.generic scores(%wide, %wide : !wide, !wide) pool(%wide : !wide) -> !wide
  %1 = attn.generic scores(%widest, %widest : !widest, !widest) pool(%widest : !widest) -> !widest
  // expected-remark-re @below {{[Missed] unfused | {{.*}}panel: 129 of its heads meet, more than the 128 that a schedule writes out;{{.*}}}}
  %2 = attn.generic scores(%many, %many : !many, !many) postmix(%m129 : tensor<129x129xf32>) pool(%many : !many) -> !many
  %3 = attn.generic scores(%most, %most : !most, !most) postmix(%m128 : tensor<128x128xf32>) pool(%most : !most) -> !most
  %4 = attn.generic scores(%many, %many : !many, !many) pool(%many : !many) -> !many
  // expected-remark-re @below {{[Missed] unfused | {{.*}}online: its keys have 1000 components, more than the 128 that a schedule writes out;{{.*}}}}
  %5 = attn.generic scores(%q, %k1000 : !q, tensor<1x2x1000x8x4xf32>) pool(%q : !q) -> !q
  %6 = attn.generic scores(%q, %k128 : !q, tensor<1x2x128x8x4xf32>) pool(%q : !q) -> !q
  // expected-remark-re @below {{[Missed] unfused | {{.*}}chunked_linear: its heads have 100000 features, more than the 4096 that a schedule writes out{{.*}}}}
  %7 = attn.linear_generic features(%wide, %wide : !wide, !wide) pool(%q : !q) -> !q
  return
}
