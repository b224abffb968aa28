// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Errors of the stages of an attention that passes over its keys twice.
//
// RUN: mixattn-opt %s --split-input-file --verify-diagnostics=only-expected

func.func @other_references(%i0: memref<1x2x3x8xf32>, %i1: memref<2x2xf32>, %o0: memref<1x2x4xf32>, %o1: memref<1x2x3xf32>) {
  attn.kernel ins(%i0, %i1 : memref<1x2x3x8xf32>, memref<2x2xf32>)
      outs(%o0, %o1 : memref<1x2x4xf32>, memref<1x2x3xf32>) {
  ^bb0(%a: tensor<1x2x3x8xf32>, %m: tensor<2x2xf32>):
    // expected-error @below {{'attn.softmax_factors' op expected 'references' to have the shape [1, 2, 3], but got 'tensor<1x2x4xf32>'}}
    %0:2 = attn.softmax_factors {
      %r = attn.generic scores(%a, %a : tensor<1x2x3x8xf32>, tensor<1x2x3x8xf32>) postmix(%m : tensor<2x2xf32>)
            pool(%a : tensor<1x2x3x8xf32>) -> tensor<1x2x3x8xf32>
      attn.results %r : tensor<1x2x3x8xf32>
    } -> tensor<1x2x4xf32>, tensor<1x2x3xf32>
    attn.results %0#0, %0#1 : tensor<1x2x4xf32>, tensor<1x2x3xf32>
  }
  return
}

// -----

func.func @other_factors(%i0: memref<1x2x3x8xf32>, %i1: memref<2x2xf32>, %o0: memref<1x2x3xf32>, %o1: memref<1x3x3xf32>) {
  attn.kernel ins(%i0, %i1 : memref<1x2x3x8xf32>, memref<2x2xf32>)
      outs(%o0, %o1 : memref<1x2x3xf32>, memref<1x3x3xf32>) {
  ^bb0(%a: tensor<1x2x3x8xf32>, %m: tensor<2x2xf32>):
    // expected-error @below {{expected 'factors' to have the shape [1, 2, 3], but got 'tensor<1x3x3xf32>'}}
    %0:2 = attn.softmax_factors {
      %r = attn.generic scores(%a, %a : tensor<1x2x3x8xf32>, tensor<1x2x3x8xf32>) postmix(%m : tensor<2x2xf32>)
            pool(%a : tensor<1x2x3x8xf32>) -> tensor<1x2x3x8xf32>
      attn.results %r : tensor<1x2x3x8xf32>
    } -> tensor<1x2x3xf32>, tensor<1x3x3xf32>
    attn.results %0#0, %0#1 : tensor<1x2x3xf32>, tensor<1x3x3xf32>
  }
  return
}

// -----

func.func @no_attention(%i0: memref<1x2x3x8xf32>, %i1: memref<2x2xf32>, %o0: memref<1x2x3xf32>, %o1: memref<1x2x3xf32>) {
  attn.kernel ins(%i0, %i1 : memref<1x2x3x8xf32>, memref<2x2xf32>)
      outs(%o0, %o1 : memref<1x2x3xf32>, memref<1x2x3xf32>) {
  ^bb0(%a: tensor<1x2x3x8xf32>, %m: tensor<2x2xf32>):
    // expected-error @below {{'attn.softmax_factors' op expected a region of one 'attn.generic' without weights as a result, and 'attn.results' of it}}
    %0:2 = attn.softmax_factors {
      attn.results %a : tensor<1x2x3x8xf32>
    } -> tensor<1x2x3xf32>, tensor<1x2x3xf32>
    attn.results %0#0, %0#1 : tensor<1x2x3xf32>, tensor<1x2x3xf32>
  }
  return
}

// -----

func.func @other_sums(%i0: memref<1x2x3x8xf32>, %i1: memref<2x2xf32>, %i2: memref<1x2x4xf32>, %i3: memref<1x2x3xf32>, %o0: memref<1x2x3x8xf32>) {
  attn.kernel ins(%i0, %i1, %i2, %i3 : memref<1x2x3x8xf32>, memref<2x2xf32>, memref<1x2x4xf32>, memref<1x2x3xf32>)
      outs(%o0 : memref<1x2x3x8xf32>) {
  ^bb0(%a: tensor<1x2x3x8xf32>, %m: tensor<2x2xf32>, %s: tensor<1x2x4xf32>, %f: tensor<1x2x3xf32>):
    // expected-error @below {{'attn.pool_mixed' op expected 'references' to have the shape [1, 2, 3], but got 'tensor<1x2x4xf32>'}}
    %0 = attn.pool_mixed %s, %f {
      %r = attn.generic scores(%a, %a : tensor<1x2x3x8xf32>, tensor<1x2x3x8xf32>) postmix(%m : tensor<2x2xf32>)
            pool(%a : tensor<1x2x3x8xf32>) -> tensor<1x2x3x8xf32>
      attn.results %r : tensor<1x2x3x8xf32>
    } : tensor<1x2x4xf32>, tensor<1x2x3xf32> -> tensor<1x2x3x8xf32>
    attn.results %0 : tensor<1x2x3x8xf32>
  }
  return
}

// -----

func.func @other_inverses(%i0: memref<1x2x3x8xf32>, %i1: memref<2x2xf32>, %i2: memref<1x2x3xf32>, %i3: memref<2x2x3xf32>, %o0: memref<1x2x3x8xf32>) {
  attn.kernel ins(%i0, %i1, %i2, %i3 : memref<1x2x3x8xf32>, memref<2x2xf32>, memref<1x2x3xf32>, memref<2x2x3xf32>)
      outs(%o0 : memref<1x2x3x8xf32>) {
  ^bb0(%a: tensor<1x2x3x8xf32>, %m: tensor<2x2xf32>, %s: tensor<1x2x3xf32>, %f: tensor<2x2x3xf32>):
    // expected-error @below {{expected 'factors' to have the shape [1, 2, 3], but got 'tensor<2x2x3xf32>'}}
    %0 = attn.pool_mixed %s, %f {
      %r = attn.generic scores(%a, %a : tensor<1x2x3x8xf32>, tensor<1x2x3x8xf32>) postmix(%m : tensor<2x2xf32>)
            pool(%a : tensor<1x2x3x8xf32>) -> tensor<1x2x3x8xf32>
      attn.results %r : tensor<1x2x3x8xf32>
    } : tensor<1x2x3xf32>, tensor<2x2x3xf32> -> tensor<1x2x3x8xf32>
    attn.results %0 : tensor<1x2x3x8xf32>
  }
  return
}

// -----

func.func @other_result(%i0: memref<1x2x3x8xf32>, %i1: memref<2x2xf32>, %i2: memref<1x2x3xf32>, %i3: memref<1x2x3xf32>, %o0: memref<1x2x3x16xf32>) {
  attn.kernel ins(%i0, %i1, %i2, %i3 : memref<1x2x3x8xf32>, memref<2x2xf32>, memref<1x2x3xf32>, memref<1x2x3xf32>)
      outs(%o0 : memref<1x2x3x16xf32>) {
  ^bb0(%a: tensor<1x2x3x8xf32>, %m: tensor<2x2xf32>, %s: tensor<1x2x3xf32>, %f: tensor<1x2x3xf32>):
    // expected-error @below {{expected the results of its attention, 'tensor<1x2x3x8xf32>', but got 'tensor<1x2x3x16xf32>'}}
    %0 = attn.pool_mixed %s, %f {
      %r = attn.generic scores(%a, %a : tensor<1x2x3x8xf32>, tensor<1x2x3x8xf32>) postmix(%m : tensor<2x2xf32>)
            pool(%a : tensor<1x2x3x8xf32>) -> tensor<1x2x3x8xf32>
      attn.results %r : tensor<1x2x3x8xf32>
    } : tensor<1x2x3xf32>, tensor<1x2x3xf32> -> tensor<1x2x3x16xf32>
    attn.results %0 : tensor<1x2x3x16xf32>
  }
  return
}

// -----

func.func @no_mixer(%i0: memref<1x2x3x8xf32>, %i1: memref<2x2xf32>, %i2: memref<1x2x3xf32>, %i3: memref<1x2x3xf32>, %o0: memref<1x2x3x8xf32>) {
  attn.kernel ins(%i0, %i1, %i2, %i3 : memref<1x2x3x8xf32>, memref<2x2xf32>, memref<1x2x3xf32>, memref<1x2x3xf32>)
      outs(%o0 : memref<1x2x3x8xf32>) {
  ^bb0(%a: tensor<1x2x3x8xf32>, %m: tensor<2x2xf32>, %s: tensor<1x2x3xf32>, %f: tensor<1x2x3xf32>):
    // expected-error @below {{'attn.pool_mixed' op expected an attention that mixes weights}}
    %0 = attn.pool_mixed %s, %f {
      %r = attn.generic scores(%a, %a : tensor<1x2x3x8xf32>, tensor<1x2x3x8xf32>)
            pool(%a : tensor<1x2x3x8xf32>) -> tensor<1x2x3x8xf32>
      attn.results %r : tensor<1x2x3x8xf32>
    } : tensor<1x2x3xf32>, tensor<1x2x3xf32> -> tensor<1x2x3x8xf32>
    attn.results %0 : tensor<1x2x3x8xf32>
  }
  return
}
