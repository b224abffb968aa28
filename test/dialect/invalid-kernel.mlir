// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Errors of attn.kernel, by constraint.
//
// RUN: mixattn-opt %s --split-input-file --verify-diagnostics

!q = tensor<1x2x3x4xf32>
func.func @c1_count(%q: !q, %init: !q) -> !q {
  // expected-error @below {{'attn.kernel' op expected one argument of the region per input}}
  %o = attn.kernel ins(%q, %q : !q, !q) outs(%init : !q) {
  ^bb0(%a: !q):
    %r = attn.generic scores(%a, %a : !q, !q) pool(%a : !q) -> !q
    attn.results %r : !q
  } -> !q
  return %o : !q
}

// -----

!q = tensor<1x2x3x4xf32>
func.func @c1_size(%q: tensor<1x2x5x4xf32>, %init: !q) -> !q {
  // expected-error @below {{'attn.kernel' op expected an argument of the region for 'tensor<1x2x5x4xf32>', but got 'tensor<1x2x3x4xf32>'}}
  %o = attn.kernel ins(%q : tensor<1x2x5x4xf32>) outs(%init : !q) {
  ^bb0(%a: !q):
    %r = attn.generic scores(%a, %a : !q, !q) pool(%a : !q) -> !q
    attn.results %r : !q
  } -> !q
  return %o : !q
}

// -----

// Bytes stand for booleans only.
!q = tensor<1x2x3x4xf32>
func.func @c1_bytes(%q: memref<1x2x3x4xi8>, %o: memref<1x2x3x4xf32>) {
  // expected-error @below {{'attn.kernel' op expected an argument of the region for 'memref<1x2x3x4xi8>', but got 'tensor<1x2x3x4xf32>'}}
  attn.kernel ins(%q : memref<1x2x3x4xi8>) outs(%o : memref<1x2x3x4xf32>) {
  ^bb0(%a: !q):
    %r = attn.generic scores(%a, %a : !q, !q) pool(%a : !q) -> !q
    attn.results %r : !q
  }
  return
}

// -----

!q = tensor<1x2x3x4xf32>
func.func @c2_count(%q: !q, %init: !q) -> (!q, !q) {
  // expected-error @below {{'attn.kernel' op expected 'attn.results' with one tensor per output}}
  %o:2 = attn.kernel ins(%q : !q) outs(%init, %init : !q, !q) {
  ^bb0(%a: !q):
    %r = attn.generic scores(%a, %a : !q, !q) pool(%a : !q) -> !q
    attn.results %r : !q
  } -> !q, !q
  return %o#0, %o#1 : !q, !q
}

// -----

!q = tensor<1x2x3x4xf32>
func.func @c2_two_ops(%q: !q, %init: !q) -> (!q, !q) {
  // expected-error @below {{'attn.kernel' op expected the results of one op, or of 'linalg' ops, in 'attn.results'}}
  %o:2 = attn.kernel ins(%q : !q) outs(%init, %init : !q, !q) {
  ^bb0(%a: !q):
    %r = attn.generic scores(%a, %a : !q, !q) pool(%a : !q) -> !q
    %s = attn.generic scores(%a, %a : !q, !q) causal pool(%a : !q) -> !q
    attn.results %r, %s : !q, !q
  } -> !q, !q
  return %o#0, %o#1 : !q, !q
}

// -----

!q = tensor<1x2x3x4xf32>
func.func @c2_type(%q: !q, %o: memref<1x2x3x5xf32>) {
  // expected-error @below {{'attn.kernel' op expected a result for 'memref<1x2x3x5xf32>', but got 'tensor<1x2x3x4xf32>'}}
  attn.kernel ins(%q : !q) outs(%o : memref<1x2x3x5xf32>) {
  ^bb0(%a: !q):
    %r = attn.generic scores(%a, %a : !q, !q) pool(%a : !q) -> !q
    attn.results %r : !q
  }
  return
}

// -----

!q = tensor<1x2x3x4xf32>
func.func @c3_no_result(%q: !q, %init: !q) {
  // expected-error @below {{'attn.kernel' op expected one result per output that is a tensor}}
  attn.kernel ins(%q : !q) outs(%init : !q) {
  ^bb0(%a: !q):
    %r = attn.generic scores(%a, %a : !q, !q) pool(%a : !q) -> !q
    attn.results %r : !q
  }
  return
}

// -----

func.func @no_anchor(%x: tensor<4xf32>, %init: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error @below {{'attn.kernel' op expected the results of one op, or of 'linalg' ops, in 'attn.results'}}
  %y = attn.kernel ins(%x : tensor<4xf32>) outs(%init : tensor<4xf32>) {
  ^bb0(%a: tensor<4xf32>):
    attn.results %a : tensor<4xf32>
  } -> tensor<4xf32>
  return %y : tensor<4xf32>
}

// -----

func.func @only_filled(%x: f32, %init: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error @below {{'attn.kernel' op expected the results of one op, or of 'linalg' ops, in 'attn.results'}}
  %y = attn.kernel ins(%x : f32) outs(%init : tensor<4xf32>) {
  ^bb0(%a: f32):
    %e = tensor.empty() : tensor<4xf32>
    %f = linalg.fill ins(%a : f32) outs(%e : tensor<4xf32>) -> tensor<4xf32>
    attn.results %f : tensor<4xf32>
  } -> tensor<4xf32>
  return %y : tensor<4xf32>
}

// -----

func.func @panels_without_a_product(%x: memref<4xf32>, %y: memref<4xf32>,
                                    %p: memref<?x8x16xf32>) {
  // expected-error @below {{'attn.kernel' op expected 'panels' with buffers and a contraction only}}
  attn.kernel ins(%x : memref<4xf32>) outs(%y : memref<4xf32>)
      panels(%p : memref<?x8x16xf32>) {
  ^bb0(%a: tensor<4xf32>):
    %e = tensor.empty() : tensor<4xf32>
    %r = linalg.exp ins(%a : tensor<4xf32>) outs(%e : tensor<4xf32>) -> tensor<4xf32>
    attn.results %r : tensor<4xf32>
  }
  return
}

// -----

// The ops in the region are verified before the kernel looks at their loops.
!m = tensor<4x4xf32>
func.func @no_loops(%x: !m, %init: !m) -> !m {
  %y = attn.kernel ins(%x : !m) outs(%init : !m) {
  ^bb0(%a: !m):
    // expected-error @below {{'linalg.generic' op expected the number of indexing_map (0) to be equal to the number of input/output operands (3)}}
    %r = "linalg.generic"(%a, %a, %a) <{indexing_maps = [], iterator_types = [], operandSegmentSizes = array<i32: 2, 1>}> ({}) : (!m, !m, !m) -> !m
    attn.results %r : !m
  } -> !m
  return %y : !m
}

// -----

func.func @panels_without_outputs(%p: memref<?x8x16xf32>) {
  // expected-error @below {{'attn.kernel' op expected 'panels' with buffers and a contraction only}}
  "attn.kernel"(%p) <{operandSegmentSizes = array<i32: 0, 0, 1>}> ({
    attn.results
  }) : (memref<?x8x16xf32>) -> ()
  return
}
