// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Errors of the stages of an attention of a few queries.
//
// RUN: mixattn-opt %s --split-input-file --verify-diagnostics=only-expected

func.func @other_split(%i0: memref<1x2x3x8xf32>, %i1: memref<1x2x200x8xf32>, %o0: memref<1x2x3x2x16xf32>, %o1: memref<1x2x3x2xf32>, %o2: memref<1x2x3x2xf32>) {
  attn.kernel ins(%i0, %i1 : memref<1x2x3x8xf32>, memref<1x2x200x8xf32>)
      outs(%o0, %o1, %o2 : memref<1x2x3x2x16xf32>, memref<1x2x3x2xf32>, memref<1x2x3x2xf32>) {
  ^bb0(%a: tensor<1x2x3x8xf32>, %b: tensor<1x2x200x8xf32>):
    // expected-error @below {{'attn.parts' op expected 'split' to be a positive multiple of 'block', but got 100 and 64}}
    %0:3 = attn.parts split 100 block 64 {
      %r = attn.generic scores(%a, %b : tensor<1x2x3x8xf32>, tensor<1x2x200x8xf32>)
            pool(%b : tensor<1x2x200x8xf32>) -> tensor<1x2x3x8xf32>
      attn.results %r : tensor<1x2x3x8xf32>
    } -> tensor<1x2x3x2x16xf32>, tensor<1x2x3x2xf32>, tensor<1x2x3x2xf32>
    attn.results %0#0, %0#1, %0#2 : tensor<1x2x3x2x16xf32>, tensor<1x2x3x2xf32>, tensor<1x2x3x2xf32>
  }
  return
}

// -----

func.func @no_block(%i0: memref<1x2x3x8xf32>, %i1: memref<1x2x200x8xf32>, %o0: memref<1x2x3x2x16xf32>, %o1: memref<1x2x3x2xf32>, %o2: memref<1x2x3x2xf32>) {
  attn.kernel ins(%i0, %i1 : memref<1x2x3x8xf32>, memref<1x2x200x8xf32>)
      outs(%o0, %o1, %o2 : memref<1x2x3x2x16xf32>, memref<1x2x3x2xf32>, memref<1x2x3x2xf32>) {
  ^bb0(%a: tensor<1x2x3x8xf32>, %b: tensor<1x2x200x8xf32>):
    // expected-error @below {{expected 'split' to be a positive multiple of 'block', but got 64 and 0}}
    %0:3 = attn.parts split 64 block 0 {
      %r = attn.generic scores(%a, %b : tensor<1x2x3x8xf32>, tensor<1x2x200x8xf32>)
            pool(%b : tensor<1x2x200x8xf32>) -> tensor<1x2x3x8xf32>
      attn.results %r : tensor<1x2x3x8xf32>
    } -> tensor<1x2x3x2x16xf32>, tensor<1x2x3x2xf32>, tensor<1x2x3x2xf32>
    attn.results %0#0, %0#1, %0#2 : tensor<1x2x3x2x16xf32>, tensor<1x2x3x2xf32>, tensor<1x2x3x2xf32>
  }
  return
}

// -----

func.func @other_rows(%i0: memref<1x2x3x8xf32>, %i1: memref<1x2x200x8xf32>, %o0: memref<1x2x3x2x16xf32>, %o1: memref<1x2x4x2xf32>, %o2: memref<1x2x3x2xf32>) {
  attn.kernel ins(%i0, %i1 : memref<1x2x3x8xf32>, memref<1x2x200x8xf32>)
      outs(%o0, %o1, %o2 : memref<1x2x3x2x16xf32>, memref<1x2x4x2xf32>, memref<1x2x3x2xf32>) {
  ^bb0(%a: tensor<1x2x3x8xf32>, %b: tensor<1x2x200x8xf32>):
    // expected-error @below {{expected 'references' to have the shape [1, 2, 3, 2], but got 'tensor<1x2x4x2xf32>'}}
    %0:3 = attn.parts split 128 block 64 {
      %r = attn.generic scores(%a, %b : tensor<1x2x3x8xf32>, tensor<1x2x200x8xf32>)
            pool(%b : tensor<1x2x200x8xf32>) -> tensor<1x2x3x8xf32>
      attn.results %r : tensor<1x2x3x8xf32>
    } -> tensor<1x2x3x2x16xf32>, tensor<1x2x4x2xf32>, tensor<1x2x3x2xf32>
    attn.results %0#0, %0#1, %0#2 : tensor<1x2x3x2x16xf32>, tensor<1x2x4x2xf32>, tensor<1x2x3x2xf32>
  }
  return
}

// -----

func.func @other_parts(%i0: memref<1x2x3x8xf32>, %i1: memref<1x2x200x8xf32>, %o0: memref<1x2x3x2x16xf32>, %o1: memref<1x2x3x2xf32>, %o2: memref<1x2x3x1xf32>) {
  attn.kernel ins(%i0, %i1 : memref<1x2x3x8xf32>, memref<1x2x200x8xf32>)
      outs(%o0, %o1, %o2 : memref<1x2x3x2x16xf32>, memref<1x2x3x2xf32>, memref<1x2x3x1xf32>) {
  ^bb0(%a: tensor<1x2x3x8xf32>, %b: tensor<1x2x200x8xf32>):
    // expected-error @below {{expected 'sums' to have the shape [1, 2, 3, 2], but got 'tensor<1x2x3x1xf32>'}}
    %0:3 = attn.parts split 128 block 64 {
      %r = attn.generic scores(%a, %b : tensor<1x2x3x8xf32>, tensor<1x2x200x8xf32>)
            pool(%b : tensor<1x2x200x8xf32>) -> tensor<1x2x3x8xf32>
      attn.results %r : tensor<1x2x3x8xf32>
    } -> tensor<1x2x3x2x16xf32>, tensor<1x2x3x2xf32>, tensor<1x2x3x1xf32>
    attn.results %0#0, %0#1, %0#2 : tensor<1x2x3x2x16xf32>, tensor<1x2x3x2xf32>, tensor<1x2x3x1xf32>
  }
  return
}

// -----

func.func @other_values(%i0: memref<1x2x3x8xf32>, %i1: memref<1x2x200x8xf32>, %o0: memref<1x2x3x4x16xf32>, %o1: memref<1x2x3x2xf32>, %o2: memref<1x2x3x2xf32>) {
  attn.kernel ins(%i0, %i1 : memref<1x2x3x8xf32>, memref<1x2x200x8xf32>)
      outs(%o0, %o1, %o2 : memref<1x2x3x4x16xf32>, memref<1x2x3x2xf32>, memref<1x2x3x2xf32>) {
  ^bb0(%a: tensor<1x2x3x8xf32>, %b: tensor<1x2x200x8xf32>):
    // expected-error @below {{expected 'values' to have the shape [1, 2, 3, 2, 16], but got 'tensor<1x2x3x4x16xf32>'}}
    %0:3 = attn.parts split 128 block 64 {
      %r = attn.generic scores(%a, %b : tensor<1x2x3x8xf32>, tensor<1x2x200x8xf32>)
            pool(%b : tensor<1x2x200x8xf32>) -> tensor<1x2x3x8xf32>
      attn.results %r : tensor<1x2x3x8xf32>
    } -> tensor<1x2x3x4x16xf32>, tensor<1x2x3x2xf32>, tensor<1x2x3x2xf32>
    attn.results %0#0, %0#1, %0#2 : tensor<1x2x3x4x16xf32>, tensor<1x2x3x2xf32>, tensor<1x2x3x2xf32>
  }
  return
}

// -----

func.func @few_columns(%i0: memref<1x2x3x8xf32>, %i1: memref<1x2x200x8xf32>, %o0: memref<1x2x3x2x4xf32>, %o1: memref<1x2x3x2xf32>, %o2: memref<1x2x3x2xf32>) {
  attn.kernel ins(%i0, %i1 : memref<1x2x3x8xf32>, memref<1x2x200x8xf32>)
      outs(%o0, %o1, %o2 : memref<1x2x3x2x4xf32>, memref<1x2x3x2xf32>, memref<1x2x3x2xf32>) {
  ^bb0(%a: tensor<1x2x3x8xf32>, %b: tensor<1x2x200x8xf32>):
    // expected-error @below {{expected 'values' with columns for 8 features, but got 'tensor<1x2x3x2x4xf32>'}}
    %0:3 = attn.parts split 128 block 64 {
      %r = attn.generic scores(%a, %b : tensor<1x2x3x8xf32>, tensor<1x2x200x8xf32>)
            pool(%b : tensor<1x2x200x8xf32>) -> tensor<1x2x3x8xf32>
      attn.results %r : tensor<1x2x3x8xf32>
    } -> tensor<1x2x3x2x4xf32>, tensor<1x2x3x2xf32>, tensor<1x2x3x2xf32>
    attn.results %0#0, %0#1, %0#2 : tensor<1x2x3x2x4xf32>, tensor<1x2x3x2xf32>, tensor<1x2x3x2xf32>
  }
  return
}

// -----

func.func @powers_unmixed(%i0: memref<1x2x3x8xf32>, %i1: memref<1x2x200x8xf32>, %o0: memref<1x2x3x256xf32>, %o1: memref<1x2x3x2xf32>, %o2: memref<1x2x3x2xf32>) {
  attn.kernel ins(%i0, %i1 : memref<1x2x3x8xf32>, memref<1x2x200x8xf32>)
      outs(%o0, %o1, %o2 : memref<1x2x3x256xf32>, memref<1x2x3x2xf32>, memref<1x2x3x2xf32>) {
  ^bb0(%a: tensor<1x2x3x8xf32>, %b: tensor<1x2x200x8xf32>):
    // expected-error @below {{expected 'values' of rank 5}}
    %0:3 = attn.parts split 128 block 64 {
      %r = attn.generic scores(%a, %b : tensor<1x2x3x8xf32>, tensor<1x2x200x8xf32>)
            pool(%b : tensor<1x2x200x8xf32>) -> tensor<1x2x3x8xf32>
      attn.results %r : tensor<1x2x3x8xf32>
    } -> tensor<1x2x3x256xf32>, tensor<1x2x3x2xf32>, tensor<1x2x3x2xf32>
    attn.results %0#0, %0#1, %0#2 : tensor<1x2x3x256xf32>, tensor<1x2x3x2xf32>, tensor<1x2x3x2xf32>
  }
  return
}

// -----

func.func @values_mixed(%i0: memref<1x2x3x8xf32>, %i1: memref<1x2x200x8xf32>, %i2: memref<2x2xf32>, %o0: memref<1x2x3x2x16xf32>, %o1: memref<1x2x3x2xf32>, %o2: memref<1x2x3x2xf32>) {
  attn.kernel ins(%i0, %i1, %i2 : memref<1x2x3x8xf32>, memref<1x2x200x8xf32>, memref<2x2xf32>)
      outs(%o0, %o1, %o2 : memref<1x2x3x2x16xf32>, memref<1x2x3x2xf32>, memref<1x2x3x2xf32>) {
  ^bb0(%a: tensor<1x2x3x8xf32>, %b: tensor<1x2x200x8xf32>, %c: tensor<2x2xf32>):
    // expected-error @below {{expected 'values' of rank 4: powers, which are mixed}}
    %0:3 = attn.parts split 128 block 64 {
      %r = attn.generic scores(%a, %b : tensor<1x2x3x8xf32>, tensor<1x2x200x8xf32>) postmix(%c : tensor<2x2xf32>)
            pool(%b : tensor<1x2x200x8xf32>) -> tensor<1x2x3x8xf32>
      attn.results %r : tensor<1x2x3x8xf32>
    } -> tensor<1x2x3x2x16xf32>, tensor<1x2x3x2xf32>, tensor<1x2x3x2xf32>
    attn.results %0#0, %0#1, %0#2 : tensor<1x2x3x2x16xf32>, tensor<1x2x3x2xf32>, tensor<1x2x3x2xf32>
  }
  return
}

// -----

func.func @no_attention(%i0: memref<1x2x3x8xf32>, %i1: memref<1x2x200x8xf32>, %o0: memref<1x2x3x2x16xf32>, %o1: memref<1x2x3x2xf32>, %o2: memref<1x2x3x2xf32>) {
  attn.kernel ins(%i0, %i1 : memref<1x2x3x8xf32>, memref<1x2x200x8xf32>)
      outs(%o0, %o1, %o2 : memref<1x2x3x2x16xf32>, memref<1x2x3x2xf32>, memref<1x2x3x2xf32>) {
  ^bb0(%a: tensor<1x2x3x8xf32>, %b: tensor<1x2x200x8xf32>):
    // expected-error @below {{expected a region of one 'attn.generic' without weights as a result, and 'attn.results' of it}}
    %0:3 = attn.parts split 128 block 64 {
      attn.results %a : tensor<1x2x3x8xf32>
    } -> tensor<1x2x3x2x16xf32>, tensor<1x2x3x2xf32>, tensor<1x2x3x2xf32>
    attn.results %0#0, %0#1, %0#2 : tensor<1x2x3x2x16xf32>, tensor<1x2x3x2xf32>, tensor<1x2x3x2xf32>
  }
  return
}

// -----

func.func @with_weights(%i0: memref<1x2x3x8xf32>, %i1: memref<1x2x200x8xf32>, %o0: memref<1x2x3x2x16xf32>, %o1: memref<1x2x3x2xf32>, %o2: memref<1x2x3x2xf32>) {
  attn.kernel ins(%i0, %i1 : memref<1x2x3x8xf32>, memref<1x2x200x8xf32>)
      outs(%o0, %o1, %o2 : memref<1x2x3x2x16xf32>, memref<1x2x3x2xf32>, memref<1x2x3x2xf32>) {
  ^bb0(%a: tensor<1x2x3x8xf32>, %b: tensor<1x2x200x8xf32>):
    // expected-error @below {{expected a region of one 'attn.generic' without weights as a result, and 'attn.results' of it}}
    %0:3 = attn.parts split 128 block 64 {
      %r, %w = attn.generic scores(%a, %b : tensor<1x2x3x8xf32>, tensor<1x2x200x8xf32>)
            pool(%b : tensor<1x2x200x8xf32>) -> tensor<1x2x3x8xf32> weights tensor<1x2x3x200xf32>
      attn.results %r, %w : tensor<1x2x3x8xf32>, tensor<1x2x3x200xf32>
    } -> tensor<1x2x3x2x16xf32>, tensor<1x2x3x2xf32>, tensor<1x2x3x2xf32>
    attn.results %0#0, %0#1, %0#2 : tensor<1x2x3x2x16xf32>, tensor<1x2x3x2xf32>, tensor<1x2x3x2xf32>
  }
  return
}

// -----

func.func @other_sums(%i0: memref<1x2x3x2xf32>, %i1: memref<1x2x3x1xf32>, %o0: memref<1x2x3x2xf32>) {
  attn.kernel ins(%i0, %i1 : memref<1x2x3x2xf32>, memref<1x2x3x1xf32>)
      outs(%o0 : memref<1x2x3x2xf32>) {
  ^bb0(%a: tensor<1x2x3x2xf32>, %b: tensor<1x2x3x1xf32>):
    // expected-error @below {{expected 'sums' to have the shape [1, 2, 3, 2], but got 'tensor<1x2x3x1xf32>'}}
    %0 = attn.part_factors %a, %b : tensor<1x2x3x2xf32>, tensor<1x2x3x1xf32> -> tensor<1x2x3x2xf32>
    attn.results %0 : tensor<1x2x3x2xf32>
  }
  return
}

// -----

func.func @other_factors(%i0: memref<1x2x3x2xf32>, %i1: memref<1x2x3x2xf32>, %o0: memref<1x2x3x1xf32>) {
  attn.kernel ins(%i0, %i1 : memref<1x2x3x2xf32>, memref<1x2x3x2xf32>)
      outs(%o0 : memref<1x2x3x1xf32>) {
  ^bb0(%a: tensor<1x2x3x2xf32>, %b: tensor<1x2x3x2xf32>):
    // expected-error @below {{expected 'factors' to have the shape [1, 2, 3, 2], but got 'tensor<1x2x3x1xf32>'}}
    %0 = attn.part_factors %a, %b : tensor<1x2x3x2xf32>, tensor<1x2x3x2xf32> -> tensor<1x2x3x1xf32>
    attn.results %0 : tensor<1x2x3x1xf32>
  }
  return
}

// -----

func.func @unmixed(%i0: memref<1x2x3x256xf32>, %i1: memref<1x2x3x2xf32>, %i2: memref<1x2x3x8xf32>, %i3: memref<1x2x200x8xf32>, %i4: memref<2x2xf32>, %o0: memref<1x2x3x2x16xf32>) {
  attn.kernel ins(%i0, %i1, %i2, %i3, %i4 : memref<1x2x3x256xf32>, memref<1x2x3x2xf32>, memref<1x2x3x8xf32>, memref<1x2x200x8xf32>, memref<2x2xf32>)
      outs(%o0 : memref<1x2x3x2x16xf32>) {
  ^bb0(%a: tensor<1x2x3x256xf32>, %b: tensor<1x2x3x2xf32>, %c: tensor<1x2x3x8xf32>, %d: tensor<1x2x200x8xf32>, %e: tensor<2x2xf32>):
    // expected-error @below {{'attn.pool_parts' op expected an attention that mixes weights}}
    %0 = attn.pool_parts %a, %b split 128 block 64 {
      %r = attn.generic scores(%c, %d : tensor<1x2x3x8xf32>, tensor<1x2x200x8xf32>)
            pool(%d : tensor<1x2x200x8xf32>) -> tensor<1x2x3x8xf32>
      attn.results %r : tensor<1x2x3x8xf32>
    } : tensor<1x2x3x256xf32>, tensor<1x2x3x2xf32> -> tensor<1x2x3x2x16xf32>
    attn.results %0 : tensor<1x2x3x2x16xf32>
  }
  return
}

// -----

func.func @pool_split(%i0: memref<1x2x3x256xf32>, %i1: memref<1x2x3x2xf32>, %i2: memref<1x2x3x8xf32>, %i3: memref<1x2x200x8xf32>, %i4: memref<2x2xf32>, %o0: memref<1x2x3x2x16xf32>) {
  attn.kernel ins(%i0, %i1, %i2, %i3, %i4 : memref<1x2x3x256xf32>, memref<1x2x3x2xf32>, memref<1x2x3x8xf32>, memref<1x2x200x8xf32>, memref<2x2xf32>)
      outs(%o0 : memref<1x2x3x2x16xf32>) {
  ^bb0(%a: tensor<1x2x3x256xf32>, %b: tensor<1x2x3x2xf32>, %c: tensor<1x2x3x8xf32>, %d: tensor<1x2x200x8xf32>, %e: tensor<2x2xf32>):
    // expected-error @below {{'attn.pool_parts' op expected 'split' to be a positive multiple of 'block', but got -64 and 64}}
    %0 = attn.pool_parts %a, %b split -64 block 64 {
      %r = attn.generic scores(%c, %d : tensor<1x2x3x8xf32>, tensor<1x2x200x8xf32>) postmix(%e : tensor<2x2xf32>)
            pool(%d : tensor<1x2x200x8xf32>) -> tensor<1x2x3x8xf32>
      attn.results %r : tensor<1x2x3x8xf32>
    } : tensor<1x2x3x256xf32>, tensor<1x2x3x2xf32> -> tensor<1x2x3x2x16xf32>
    attn.results %0 : tensor<1x2x3x2x16xf32>
  }
  return
}

// -----

func.func @other_powers(%i0: memref<1x1x3x256xf32>, %i1: memref<1x2x3x2xf32>, %i2: memref<1x2x3x8xf32>, %i3: memref<1x2x200x8xf32>, %i4: memref<2x2xf32>, %o0: memref<1x2x3x2x16xf32>) {
  attn.kernel ins(%i0, %i1, %i2, %i3, %i4 : memref<1x1x3x256xf32>, memref<1x2x3x2xf32>, memref<1x2x3x8xf32>, memref<1x2x200x8xf32>, memref<2x2xf32>)
      outs(%o0 : memref<1x2x3x2x16xf32>) {
  ^bb0(%a: tensor<1x1x3x256xf32>, %b: tensor<1x2x3x2xf32>, %c: tensor<1x2x3x8xf32>, %d: tensor<1x2x200x8xf32>, %e: tensor<2x2xf32>):
    // expected-error @below {{expected 'powers' to have the shape [1, 2, 3, 256], but got 'tensor<1x1x3x256xf32>'}}
    %0 = attn.pool_parts %a, %b split 128 block 64 {
      %r = attn.generic scores(%c, %d : tensor<1x2x3x8xf32>, tensor<1x2x200x8xf32>) postmix(%e : tensor<2x2xf32>)
            pool(%d : tensor<1x2x200x8xf32>) -> tensor<1x2x3x8xf32>
      attn.results %r : tensor<1x2x3x8xf32>
    } : tensor<1x1x3x256xf32>, tensor<1x2x3x2xf32> -> tensor<1x2x3x2x16xf32>
    attn.results %0 : tensor<1x2x3x2x16xf32>
  }
  return
}

// -----

func.func @pooled_parts(%i0: memref<1x2x3x256xf32>, %i1: memref<1x2x3x2xf32>, %i2: memref<1x2x3x8xf32>, %i3: memref<1x2x200x8xf32>, %i4: memref<2x2xf32>, %o0: memref<1x2x3x3x16xf32>) {
  attn.kernel ins(%i0, %i1, %i2, %i3, %i4 : memref<1x2x3x256xf32>, memref<1x2x3x2xf32>, memref<1x2x3x8xf32>, memref<1x2x200x8xf32>, memref<2x2xf32>)
      outs(%o0 : memref<1x2x3x3x16xf32>) {
  ^bb0(%a: tensor<1x2x3x256xf32>, %b: tensor<1x2x3x2xf32>, %c: tensor<1x2x3x8xf32>, %d: tensor<1x2x200x8xf32>, %e: tensor<2x2xf32>):
    // expected-error @below {{expected 'values' to have the shape [1, 2, 3, 2, 16], but got 'tensor<1x2x3x3x16xf32>'}}
    %0 = attn.pool_parts %a, %b split 128 block 64 {
      %r = attn.generic scores(%c, %d : tensor<1x2x3x8xf32>, tensor<1x2x200x8xf32>) postmix(%e : tensor<2x2xf32>)
            pool(%d : tensor<1x2x200x8xf32>) -> tensor<1x2x3x8xf32>
      attn.results %r : tensor<1x2x3x8xf32>
    } : tensor<1x2x3x256xf32>, tensor<1x2x3x2xf32> -> tensor<1x2x3x3x16xf32>
    attn.results %0 : tensor<1x2x3x3x16xf32>
  }
  return
}

// -----

func.func @merge_sums(%i0: memref<1x2x3x2x16xf32>, %i1: memref<1x2x3x2xf32>, %i2: memref<1x2x3x3xf32>, %i3: memref<1x2x3x8xf32>, %i4: memref<1x2x200x8xf32>, %o0: memref<1x2x3x8xf32>) {
  attn.kernel ins(%i0, %i1, %i2, %i3, %i4 : memref<1x2x3x2x16xf32>, memref<1x2x3x2xf32>, memref<1x2x3x3xf32>, memref<1x2x3x8xf32>, memref<1x2x200x8xf32>)
      outs(%o0 : memref<1x2x3x8xf32>) {
  ^bb0(%a: tensor<1x2x3x2x16xf32>, %b: tensor<1x2x3x2xf32>, %c: tensor<1x2x3x3xf32>, %d: tensor<1x2x3x8xf32>, %e: tensor<1x2x200x8xf32>):
    // expected-error @below {{expected 'sums' to have the shape [1, 2, 3, 2], but got 'tensor<1x2x3x3xf32>'}}
    %0 = attn.merge_parts %a, %b, %c {
      %r = attn.generic scores(%d, %e : tensor<1x2x3x8xf32>, tensor<1x2x200x8xf32>)
            pool(%e : tensor<1x2x200x8xf32>) -> tensor<1x2x3x8xf32>
      attn.results %r : tensor<1x2x3x8xf32>
    } : tensor<1x2x3x2x16xf32>, tensor<1x2x3x2xf32>, tensor<1x2x3x3xf32> -> tensor<1x2x3x8xf32>
    attn.results %0 : tensor<1x2x3x8xf32>
  }
  return
}

// -----

func.func @merge_values(%i0: memref<1x2x3x3x16xf32>, %i1: memref<1x2x3x2xf32>, %i2: memref<1x2x3x2xf32>, %i3: memref<1x2x3x8xf32>, %i4: memref<1x2x200x8xf32>, %o0: memref<1x2x3x8xf32>) {
  attn.kernel ins(%i0, %i1, %i2, %i3, %i4 : memref<1x2x3x3x16xf32>, memref<1x2x3x2xf32>, memref<1x2x3x2xf32>, memref<1x2x3x8xf32>, memref<1x2x200x8xf32>)
      outs(%o0 : memref<1x2x3x8xf32>) {
  ^bb0(%a: tensor<1x2x3x3x16xf32>, %b: tensor<1x2x3x2xf32>, %c: tensor<1x2x3x2xf32>, %d: tensor<1x2x3x8xf32>, %e: tensor<1x2x200x8xf32>):
    // expected-error @below {{expected 'values' to have the shape [1, 2, 3, 2, 16], but got 'tensor<1x2x3x3x16xf32>'}}
    %0 = attn.merge_parts %a, %b, %c {
      %r = attn.generic scores(%d, %e : tensor<1x2x3x8xf32>, tensor<1x2x200x8xf32>)
            pool(%e : tensor<1x2x200x8xf32>) -> tensor<1x2x3x8xf32>
      attn.results %r : tensor<1x2x3x8xf32>
    } : tensor<1x2x3x3x16xf32>, tensor<1x2x3x2xf32>, tensor<1x2x3x2xf32> -> tensor<1x2x3x8xf32>
    attn.results %0 : tensor<1x2x3x8xf32>
  }
  return
}

// -----

func.func @merge_results(%i0: memref<1x2x3x2x16xf32>, %i1: memref<1x2x3x2xf32>, %i2: memref<1x2x3x2xf32>, %i3: memref<1x2x3x8xf32>, %i4: memref<1x2x200x8xf32>, %o0: memref<1x2x3x9xf32>) {
  attn.kernel ins(%i0, %i1, %i2, %i3, %i4 : memref<1x2x3x2x16xf32>, memref<1x2x3x2xf32>, memref<1x2x3x2xf32>, memref<1x2x3x8xf32>, memref<1x2x200x8xf32>)
      outs(%o0 : memref<1x2x3x9xf32>) {
  ^bb0(%a: tensor<1x2x3x2x16xf32>, %b: tensor<1x2x3x2xf32>, %c: tensor<1x2x3x2xf32>, %d: tensor<1x2x3x8xf32>, %e: tensor<1x2x200x8xf32>):
    // expected-error @below {{'attn.merge_parts' op expected the results of its attention, 'tensor<1x2x3x8xf32>', but got 'tensor<1x2x3x9xf32>'}}
    %0 = attn.merge_parts %a, %b, %c {
      %r = attn.generic scores(%d, %e : tensor<1x2x3x8xf32>, tensor<1x2x200x8xf32>)
            pool(%e : tensor<1x2x200x8xf32>) -> tensor<1x2x3x8xf32>
      attn.results %r : tensor<1x2x3x8xf32>
    } : tensor<1x2x3x2x16xf32>, tensor<1x2x3x2xf32>, tensor<1x2x3x2xf32> -> tensor<1x2x3x9xf32>
    attn.results %0 : tensor<1x2x3x9xf32>
  }
  return
}
