// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Errors of a score_mod: constraint C10 of every attention op.
//
// RUN: mixattn-opt %s --split-input-file --verify-diagnostics

!q = tensor<1x2x3x4xf32>
func.func @c10_too_few_indices(%q: !q) -> !q {
  // expected-error @below {{'attn.softmax' op expected 'score_mod' to take a float score and the indices b, h, i, j, but got ('f32', 'index', 'index')}}
  %o = attn.softmax %q, %q, %q score_mod {
  ^bb0(%s: f32, %i: index, %j: index):
    attn.yield %s : f32
  } : (!q, !q, !q) -> !q
  return %o : !q
}

// -----

!q = tensor<1x2x3x4xf32>
func.func @c10_wide_score(%q: !q) -> !q {
  // expected-error @below {{'attn.softmax' op expected 'score_mod' to take a float score and the indices b, h, i, j, but got ('f64', 'index', 'index', 'index', 'index')}}
  %o = attn.softmax %q, %q, %q score_mod {
  ^bb0(%s: f64, %b: index, %h: index, %i: index, %j: index):
    %t = arith.truncf %s : f64 to f32
    attn.yield %t : f32
  } : (!q, !q, !q) -> !q
  return %o : !q
}

// -----

!q = tensor<1x2x3x4xf32>
func.func @c10_no_yield(%q: !q) -> !q {
  // expected-error @below {{'attn.softmax' op expected 'score_mod' to end in 'attn.yield'}}
  %o = attn.softmax %q, %q, %q score_mod {
  ^bb0(%s: f32, %b: index, %h: index, %i: index, %j: index):
    %t = arith.negf %s : f32
  } : (!q, !q, !q) -> !q
  return %o : !q
}

// -----

!q = tensor<1x2x3x4xf32>
func.func @c10_nothing(%q: !q) -> !q {
  // expected-error @below {{'attn.softmax' op expected 'score_mod' to end in 'attn.yield'}}
  %o = attn.softmax %q, %q, %q score_mod {
  ^bb0(%s: f32, %b: index, %h: index, %i: index, %j: index):
  } : (!q, !q, !q) -> !q
  return %o : !q
}

// -----

!q = tensor<1x2x3x4xf32>
func.func @c10_narrowed(%q: !q) -> !q {
  // expected-error @below {{'attn.softmax' op expected 'score_mod' to yield 'f32', but got 'f16'}}
  %o = attn.softmax %q, %q, %q score_mod {
  ^bb0(%s: f32, %b: index, %h: index, %i: index, %j: index):
    %t = arith.truncf %s : f32 to f16
    attn.yield %t : f16
  } : (!q, !q, !q) -> !q
  return %o : !q
}

// -----

!q = tensor<1x2x3x4xf32>
func.func private @call(f32) -> f32
func.func @c10_call(%q: !q) -> !q {
  // expected-error @below {{'attn.softmax' op expected 'score_mod' to hold elementwise arith and math ops on scalars, and reads and sizes of captured tensors, but got 'func.call'}}
  %o = attn.softmax %q, %q, %q score_mod {
  ^bb0(%s: f32, %b: index, %h: index, %i: index, %j: index):
    // expected-note @below {{operation here}}
    %t = func.call @call(%s) : (f32) -> f32
    attn.yield %t : f32
  } : (!q, !q, !q) -> !q
  return %o : !q
}

// -----

!q = tensor<1x2x3x4xf32>
func.func @c10_wide_arithmetic(%q: !q) -> !q {
  // expected-error @below {{'attn.softmax' op expected 'score_mod' to hold elementwise arith and math ops on scalars, and reads and sizes of captured tensors, but got 'arith.extf'}}
  %o = attn.softmax %q, %q, %q score_mod {
  ^bb0(%s: f32, %b: index, %h: index, %i: index, %j: index):
    // expected-note @below {{operation here}}
    %wide = arith.extf %s : f32 to f64
    %t = arith.truncf %wide : f64 to f32
    attn.yield %t : f32
  } : (!q, !q, !q) -> !q
  return %o : !q
}

// -----

!q = tensor<1x2x3x4xf32>
func.func @c10_vector_arithmetic(%q: !q, %x: vector<2xf32>) -> !q {
  // expected-error @below {{'attn.softmax' op expected 'score_mod' to hold elementwise arith and math ops on scalars, and reads and sizes of captured tensors, but got 'arith.negf'}}
  %o = attn.softmax %q, %q, %q score_mod {
  ^bb0(%s: f32, %b: index, %h: index, %i: index, %j: index):
    // expected-note @below {{operation here}}
    %t = arith.negf %x : vector<2xf32>
    attn.yield %s : f32
  } : (!q, !q, !q) -> !q
  return %o : !q
}

// -----

!q = tensor<1x2x3x4xf32>
func.func @c10_read_of_f64(%q: !q, %t: tensor<2x3x3xf64>) -> !q {
  // expected-error @below {{'attn.softmax' op expected 'score_mod' to hold elementwise arith and math ops on scalars, and reads and sizes of captured tensors, but got 'tensor.extract'}}
  %o = attn.softmax %q, %q, %q score_mod {
  ^bb0(%s: f32, %b: index, %h: index, %i: index, %j: index):
    // expected-note @below {{operation here}}
    %x = tensor.extract %t[%h, %i, %j] : tensor<2x3x3xf64>
    attn.yield %s : f32
  } : (!q, !q, !q) -> !q
  return %o : !q
}

// -----

!q = tensor<1x2x3x4xf32>
func.func @two_blocks(%q: !q) -> !q {
  // expected-error @below {{'attn.softmax' op region #0 ('score_mod') failed to verify constraint: region with at most 1 blocks}}
  %o = attn.softmax %q, %q, %q score_mod {
  ^bb0(%s: f32, %b: index, %h: index, %i: index, %j: index):
    cf.br ^bb1
  ^bb1:
    attn.yield %s : f32
  } : (!q, !q, !q) -> !q
  return %o : !q
}

// -----

func.func @c1_yield_alone(%x: f32) {
  // expected-error @below {{'attn.yield' op expects parent op to be one of 'attn.softmax, attn.mixture_of_keys, attn.admixture_heads, attn.mix_heads, attn.generic'}}
  attn.yield %x : f32
}

// -----

// The ops in the region are verified before what they must be is.
!q = tensor<1x2x3x4xf32>
func.func @yields_nothing(%q: !q) -> !q {
  %o = attn.softmax %q, %q, %q score_mod {
  ^bb0(%s: f32, %b: index, %h: index, %i: index, %j: index):
    // expected-error @below {{'attn.yield' op requires a single operand}}
    "attn.yield"() : () -> ()
  } : (!q, !q, !q) -> !q
  return %o : !q
}

// -----

!q = tensor<1x2x3x4xf32>
func.func @reads_nothing(%q: !q) -> !q {
  %o = attn.softmax %q, %q, %q score_mod {
  ^bb0(%s: f32, %b: index, %h: index, %i: index, %j: index):
    // expected-error @below {{'tensor.extract' op requires one result}}
    "tensor.extract"() : () -> ()
    attn.yield %s : f32
  } : (!q, !q, !q) -> !q
  return %o : !q
}
