// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Invalid plans, and places where no plan may be.
//
// RUN: mixattn-opt %s --split-input-file --verify-diagnostics

// expected-error @below {{expected 1 to 4 cases, but got 0}}
#plan = #attn.plan<[]>

// -----

// expected-error @below {{expected 1 to 4 cases, but got 5}}
#plan = #attn.plan<[queries at_most 1 : online, queries at_most 2 : online, queries at_most 3 : online, queries at_most 4 : online, else : online]>

// -----

// expected-error @below {{expected conditions on all cases but the last}}
#plan = #attn.plan<[else : online, else : unfused]>

// -----

// expected-error @below {{expected conditions on all cases but the last}}
#plan = #attn.plan<[queries at_most 8 : online]>

// -----

// expected-error @below {{expected batch, queries, keys or else, but got 'heads'}}
#plan = #attn.plan<[heads at_most 8 : online, else : unfused]>

// -----

// expected-error @below {{expected one bound of each kind on 'keys'}}
#plan = #attn.plan<[keys at_most 8 and keys at_most 9 : online, else : unfused]>

// -----

// expected-error @below {{expected conditions that some size meets, but got -1 as bound of 'keys'}}
#plan = #attn.plan<[keys at_most -1 : online, else : unfused]>

// -----

// expected-error @below {{expected conditions that some size meets, but got 8 as bound of 'keys'}}
#plan = #attn.plan<[keys above 9 and keys at_most 8 : online, else : unfused]>

// -----

// expected-error @below {{expected no more than 4 numbers of a plan}}
#plan = #attn.plan<[else : online {a = 1, b = 2, c = 3, d = 4, e = 5}]>

// -----

// expected-error @below {{expected one 'width'}}
#plan = #attn.plan<[else : online {width = 64, width = 64}]>

// -----

// expected-error @below {{expected a positive 'block', but got 0}}
#plan = #attn.plan<[else : online {block = 0}]>

// -----

!q = tensor<?x2x?x4xf32>
func.func @no_plan(%q: !q) -> !q {
  // expected-error @below {{'attn.softmax' op expected 'attn.plan' to be a plan, but got "online"}}
  %0 = attn.softmax %q, %q, %q {attn.plan = "online"} : (!q, !q, !q) -> !q
  return %0 : !q
}

// -----

// expected-error @below {{'func.func' op expected 'attn.plan' to be on an attention or a contraction}}
func.func @no_attention() attributes {attn.plan = #attn.plan<[else : unfused]>} {
  return
}

// -----

// Whether an op is a contraction is asked of valid ops alone.
!m = tensor<4x4xf32>
func.func @no_loops(%x: !m) -> !m {
  // expected-error @below {{'linalg.generic' op expected the number of indexing_map (0) to be equal to the number of input/output operands (3)}}
  %r = "linalg.generic"(%x, %x, %x) <{indexing_maps = [], iterator_types = [], operandSegmentSizes = array<i32: 2, 1>}> ({}) {attn.plan = #attn.plan<[else : online]>} : (!m, !m, !m) -> !m
  return %r : !m
}
