// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// An attention whose weights mix as two kernels: what they hand to each other are
// two numbers of each row, in buffers of their own.
//
// RUN: mixattn-opt %s --attn-set-target='family=mma chip=sm_80' --attn-stage-kernels --canonicalize | FileCheck %s
// RUN: mixattn-opt %s --attn-set-target='family=mma chip=sm_80' --attn-stage-kernels --verify-roundtrip -o /dev/null

!t = memref<?x2x?x64xbf16>
!m = memref<2x2xbf16>

// CHECK-LABEL: func.func @mixed
// CHECK-SAME:    %[[Q:[a-z0-9]+]]: memref<?x2x?x64xbf16>, %[[K:[a-z0-9]+]]: memref<?x2x?x64xbf16>, %[[M:[a-z0-9]+]]: memref<2x2xbf16>, %[[O:[a-z0-9]+]]: memref<?x2x?x64xbf16>)
// CHECK-DAG:     %[[R:.+]] = memref.alloc(%{{.+}}, %{{.+}}) {alignment = 64 : i64} : memref<?x2x?xf32>
// CHECK-DAG:     %[[F:.+]] = memref.alloc(%{{.+}}, %{{.+}}) {alignment = 64 : i64} : memref<?x2x?xf32>
// CHECK:         attn.kernel ins(%[[Q]], %[[K]], %[[M]] : {{.*}}) outs(%{{.+}}, %{{.+}} : memref<?x2x?xf32>, memref<?x2x?xf32>)
// CHECK:           attn.softmax_factors {
// CHECK-NEXT:        attn.generic {{.*}} causal postmix
// CHECK-NOT:         attn.plan
// CHECK:         attn.kernel ins(%{{.+}}, %{{.+}}, %[[Q]], %[[K]], %[[M]] : {{.*}}) outs(%[[O]] :
// CHECK:           attn.pool_mixed
// CHECK-NEXT:        attn.generic {{.*}} causal postmix
// CHECK:         memref.dealloc
// CHECK:         memref.dealloc
func.func @mixed(%q: !t, %k: !t, %m: !m, %o: !t) {
  attn.kernel ins(%q, %k, %m : !t, !t, !m) outs(%o : !t) {
  ^bb0(%a: tensor<?x2x?x64xbf16>, %b: tensor<?x2x?x64xbf16>, %c: tensor<2x2xbf16>):
    %r = attn.generic scores(%a, %b : tensor<?x2x?x64xbf16>, tensor<?x2x?x64xbf16>)
        causal postmix(%c : tensor<2x2xbf16>) pool(%b : tensor<?x2x?x64xbf16>)
        {attn.plan = #attn.plan<[else : two_pass]>} -> tensor<?x2x?x64xbf16>
    attn.results %r : tensor<?x2x?x64xbf16>
  }
  return
}
