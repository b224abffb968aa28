// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Plans are printed as they are read.
//
// RUN: mixattn-opt %s --verify-roundtrip | FileCheck %s
// RUN: mixattn-opt %s --mlir-print-op-generic | mixattn-opt --verify-roundtrip | FileCheck %s

!q = tensor<?x2x?x4xf32>

// CHECK-LABEL: func.func @plans
func.func @plans(%q: !q) -> !q {
  // CHECK: {attn.plan = #attn.plan<[else : online {width = 64, block = 128}]>}
  %0 = attn.generic scores(%q, %q : !q, !q)
      pool(%q : !q) {attn.plan = #attn.plan<[else : online {width = 64, block = 128}]>} -> !q
  // Conditions are printed by size, in the order batch, queries, keys; numbers as
  // they are written.
  // CHECK: #attn.plan<[batch at_most 3 and queries at_most 8 and keys above 512 : decode {split = 1024, block = 64}, keys above 0 and keys at_most 2048 : panel {width = 64}, else : unfused]>
  %1 = attn.softmax %q, %q, %q
      {attn.plan = #attn.plan<[queries at_most 8 and keys above 512 and batch at_most 3 : decode {split = 1024, block = 64},
                               keys at_most 2048 and keys above 0 : panel {width = 64}, else : unfused]>} : (!q, !q, !q) -> !q
  // CHECK: attn.linear_generic {{.*}} {attn.plan = #attn.plan<[else : chunked_linear {block = 64}]>}
  %2 = attn.linear_generic features(%q, %q : !q, !q) feature_map <elu>
      pool(%q : !q) {attn.plan = #attn.plan<[else : chunked_linear {block = 64}]>} -> !q
  return %0 : !q
}

// CHECK-LABEL: func.func @pool
func.func @pool(%v: !q) -> !q {
  // CHECK: {attn.plan = #attn.plan<[else : unfused]>}
  %0 = attn.structured_pool %v {attn.plan = #attn.plan<[else : unfused]>} : !q -> !q
  return %0 : !q
}
