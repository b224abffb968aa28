// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Errors of the stages of a linear attention.
//
// RUN: mixattn-opt %s --split-input-file --verify-diagnostics=only-expected

func.func @outside(%k: tensor<1x2x5x8xf32>) {
  // expected-error @below {{'attn.linear_state' op expects parent op 'attn.kernel'}}
  %0:3 = attn.linear_state features(%k : tensor<1x2x5x8xf32>)
      pool(%k : tensor<1x2x5x8xf32>) block 64
      -> tensor<1x16x8xf32>, tensor<1x16xf32>, tensor<1xi32>
  return
}

// -----

func.func @few_rows(%k: memref<1x2x5x8xf32>, %v: memref<1x2x5x8xf32>, %s: memref<1x14x8xf32>, %z: memref<1x14xf32>, %n: memref<1xi32>) {
  attn.kernel ins(%k, %v : memref<1x2x5x8xf32>, memref<1x2x5x8xf32>) outs(%s, %z, %n : memref<1x14x8xf32>, memref<1x14xf32>, memref<1xi32>) {
  ^bb0(%a: tensor<1x2x5x8xf32>, %b: tensor<1x2x5x8xf32>):
    // expected-error @below {{'attn.linear_state' op expected 'states' with 2 times 8 rows or more, and 8 columns or more, but got 'tensor<1x14x8xf32>'}}
    %0:3 = attn.linear_state features(%a : tensor<1x2x5x8xf32>)
        pool(%b : tensor<1x2x5x8xf32>) block 64 -> tensor<1x14x8xf32>, tensor<1x14xf32>, tensor<1xi32>
    attn.results %0#0, %0#1, %0#2 : tensor<1x14x8xf32>, tensor<1x14xf32>, tensor<1xi32>
  }
  return
}

// -----

func.func @few_columns(%k: memref<1x2x5x8xf32>, %v: memref<1x2x5x12xf32>, %s: memref<1x16x8xf32>, %z: memref<1x16xf32>, %n: memref<1xi32>) {
  attn.kernel ins(%k, %v : memref<1x2x5x8xf32>, memref<1x2x5x12xf32>) outs(%s, %z, %n : memref<1x16x8xf32>, memref<1x16xf32>, memref<1xi32>) {
  ^bb0(%a: tensor<1x2x5x8xf32>, %b: tensor<1x2x5x12xf32>):
    // expected-error @below {{expected 'states' with 2 times 8 rows or more, and 12 columns or more, but got 'tensor<1x16x8xf32>'}}
    %0:3 = attn.linear_state features(%a : tensor<1x2x5x8xf32>)
        pool(%b : tensor<1x2x5x12xf32>) block 64 -> tensor<1x16x8xf32>, tensor<1x16xf32>, tensor<1xi32>
    attn.results %0#0, %0#1, %0#2 : tensor<1x16x8xf32>, tensor<1x16xf32>, tensor<1xi32>
  }
  return
}

// -----

func.func @mapped_rows(%k: memref<1x2x5x8xf32>, %v: memref<1x2x5x8xf32>, %s: memref<1x16x8xf32>, %z: memref<1x16xf32>, %n: memref<1xi32>) {
  attn.kernel ins(%k, %v : memref<1x2x5x8xf32>, memref<1x2x5x8xf32>) outs(%s, %z, %n : memref<1x16x8xf32>, memref<1x16xf32>, memref<1xi32>) {
  ^bb0(%a: tensor<1x2x5x8xf32>, %b: tensor<1x2x5x8xf32>):
    // expected-error @below {{expected 'states' with 2 times 16 rows or more, and 8 columns or more, but got 'tensor<1x16x8xf32>'}}
    %0:3 = attn.linear_state features(%a : tensor<1x2x5x8xf32>) feature_map <dpfp, rolls = 1>
        pool(%b : tensor<1x2x5x8xf32>) block 64 -> tensor<1x16x8xf32>, tensor<1x16xf32>, tensor<1xi32>
    attn.results %0#0, %0#1, %0#2 : tensor<1x16x8xf32>, tensor<1x16xf32>, tensor<1xi32>
  }
  return
}

// -----

func.func @other_totals(%k: memref<1x2x5x8xf32>, %v: memref<1x2x5x8xf32>, %s: memref<1x16x8xf32>, %z: memref<1x20xf32>, %n: memref<1xi32>) {
  attn.kernel ins(%k, %v : memref<1x2x5x8xf32>, memref<1x2x5x8xf32>) outs(%s, %z, %n : memref<1x16x8xf32>, memref<1x20xf32>, memref<1xi32>) {
  ^bb0(%a: tensor<1x2x5x8xf32>, %b: tensor<1x2x5x8xf32>):
    // expected-error @below {{expected 'totals' to have the shape [1, 16], but got 'tensor<1x20xf32>'}}
    %0:3 = attn.linear_state features(%a : tensor<1x2x5x8xf32>)
        pool(%b : tensor<1x2x5x8xf32>) block 64 -> tensor<1x16x8xf32>, tensor<1x20xf32>, tensor<1xi32>
    attn.results %0#0, %0#1, %0#2 : tensor<1x16x8xf32>, tensor<1x20xf32>, tensor<1xi32>
  }
  return
}

// -----

func.func @other_counts(%k: memref<1x2x5x8xf32>, %v: memref<1x2x5x8xf32>, %s: memref<1x16x8xf32>, %z: memref<1x16xf32>, %n: memref<2xi32>) {
  attn.kernel ins(%k, %v : memref<1x2x5x8xf32>, memref<1x2x5x8xf32>) outs(%s, %z, %n : memref<1x16x8xf32>, memref<1x16xf32>, memref<2xi32>) {
  ^bb0(%a: tensor<1x2x5x8xf32>, %b: tensor<1x2x5x8xf32>):
    // expected-error @below {{expected 'counts' to have the shape [1], but got 'tensor<2xi32>'}}
    %0:3 = attn.linear_state features(%a : tensor<1x2x5x8xf32>)
        pool(%b : tensor<1x2x5x8xf32>) block 64 -> tensor<1x16x8xf32>, tensor<1x16xf32>, tensor<2xi32>
    attn.results %0#0, %0#1, %0#2 : tensor<1x16x8xf32>, tensor<1x16xf32>, tensor<2xi32>
  }
  return
}

// -----

func.func @no_chunk(%k: memref<1x2x5x8xf32>, %v: memref<1x2x5x8xf32>, %s: memref<1x16x8xf32>, %z: memref<1x16xf32>, %n: memref<1xi32>) {
  attn.kernel ins(%k, %v : memref<1x2x5x8xf32>, memref<1x2x5x8xf32>) outs(%s, %z, %n : memref<1x16x8xf32>, memref<1x16xf32>, memref<1xi32>) {
  ^bb0(%a: tensor<1x2x5x8xf32>, %b: tensor<1x2x5x8xf32>):
    // expected-error @below {{'attn.linear_state' op expected a positive 'block', but got 0}}
    %0:3 = attn.linear_state features(%a : tensor<1x2x5x8xf32>)
        pool(%b : tensor<1x2x5x8xf32>) block 0 -> tensor<1x16x8xf32>, tensor<1x16xf32>, tensor<1xi32>
    attn.results %0#0, %0#1, %0#2 : tensor<1x16x8xf32>, tensor<1x16xf32>, tensor<1xi32>
  }
  return
}

// -----

func.func @no_projection(%k: memref<1x2x5x8xf32>, %v: memref<1x2x5x8xf32>, %s: memref<1x16x8xf32>, %z: memref<1x16xf32>, %n: memref<1xi32>) {
  attn.kernel ins(%k, %v : memref<1x2x5x8xf32>, memref<1x2x5x8xf32>) outs(%s, %z, %n : memref<1x16x8xf32>, memref<1x16xf32>, memref<1xi32>) {
  ^bb0(%a: tensor<1x2x5x8xf32>, %b: tensor<1x2x5x8xf32>):
    // expected-error @below {{expected a projection 'favor' with the feature map favor, and only there}}
    %0:3 = attn.linear_state features(%a : tensor<1x2x5x8xf32>) feature_map <favor>
        pool(%b : tensor<1x2x5x8xf32>) block 64 -> tensor<1x16x8xf32>, tensor<1x16xf32>, tensor<1xi32>
    attn.results %0#0, %0#1, %0#2 : tensor<1x16x8xf32>, tensor<1x16xf32>, tensor<1xi32>
  }
  return
}

// -----

func.func @prior_alone(%k: memref<1x2x5x8xf32>, %v: memref<1x2x5x8xf32>, %p: memref<2x3xf32>, %s: memref<1x16x8xf32>, %z: memref<1x16xf32>, %n: memref<1xi32>) {
  attn.kernel ins(%k, %v, %p : memref<1x2x5x8xf32>, memref<1x2x5x8xf32>, memref<2x3xf32>) outs(%s, %z, %n : memref<1x16x8xf32>, memref<1x16xf32>, memref<1xi32>) {
  ^bb0(%a: tensor<1x2x5x8xf32>, %b: tensor<1x2x5x8xf32>, %c: tensor<2x3xf32>):
    // expected-error @below {{expected 'prior' over components}}
    %0:3 = attn.linear_state features(%a : tensor<1x2x5x8xf32>)
        prior(%c : tensor<2x3xf32>)
        pool(%b : tensor<1x2x5x8xf32>) block 64 -> tensor<1x16x8xf32>, tensor<1x16xf32>, tensor<1xi32>
    attn.results %0#0, %0#1, %0#2 : tensor<1x16x8xf32>, tensor<1x16xf32>, tensor<1xi32>
  }
  return
}

// -----

func.func @other_lengths(%k: memref<1x2x5x8xf32>, %v: memref<1x2x5x8xf32>, %l: memref<2xi32>, %s: memref<1x16x8xf32>, %z: memref<1x16xf32>, %n: memref<1xi32>) {
  attn.kernel ins(%k, %v, %l : memref<1x2x5x8xf32>, memref<1x2x5x8xf32>, memref<2xi32>) outs(%s, %z, %n : memref<1x16x8xf32>, memref<1x16xf32>, memref<1xi32>) {
  ^bb0(%a: tensor<1x2x5x8xf32>, %b: tensor<1x2x5x8xf32>, %c: tensor<2xi32>):
    // expected-error @below {{expected 'lengths' to have the shape [1], but got 'tensor<2xi32>'}}
    %0:3 = attn.linear_state features(%a : tensor<1x2x5x8xf32>)
        lengths(%c : tensor<2xi32>)
        pool(%b : tensor<1x2x5x8xf32>) block 64 -> tensor<1x16x8xf32>, tensor<1x16xf32>, tensor<1xi32>
    attn.results %0#0, %0#1, %0#2 : tensor<1x16x8xf32>, tensor<1x16xf32>, tensor<1xi32>
  }
  return
}

// -----

func.func @other_keys(%k: memref<1x2x5x8xf32>, %v: memref<1x2x6x8xf32>, %s: memref<1x16x8xf32>, %z: memref<1x16xf32>, %n: memref<1xi32>) {
  attn.kernel ins(%k, %v : memref<1x2x5x8xf32>, memref<1x2x6x8xf32>) outs(%s, %z, %n : memref<1x16x8xf32>, memref<1x16xf32>, memref<1xi32>) {
  ^bb0(%a: tensor<1x2x5x8xf32>, %b: tensor<1x2x6x8xf32>):
    // expected-error @below {{expected 'key' and 'value' to agree on the length}}
    %0:3 = attn.linear_state features(%a : tensor<1x2x5x8xf32>)
        pool(%b : tensor<1x2x6x8xf32>) block 64 -> tensor<1x16x8xf32>, tensor<1x16xf32>, tensor<1xi32>
    attn.results %0#0, %0#1, %0#2 : tensor<1x16x8xf32>, tensor<1x16xf32>, tensor<1xi32>
  }
  return
}

// -----

func.func @open_heads(%k: memref<1x?x5x8xf32>, %v: memref<1x2x5x8xf32>, %s: memref<1x16x8xf32>, %z: memref<1x16xf32>, %n: memref<1xi32>) {
  attn.kernel ins(%k, %v : memref<1x?x5x8xf32>, memref<1x2x5x8xf32>) outs(%s, %z, %n : memref<1x16x8xf32>, memref<1x16xf32>, memref<1xi32>) {
  ^bb0(%a: tensor<1x?x5x8xf32>, %b: tensor<1x2x5x8xf32>):
    // expected-error @below {{'key' to have static heads}}
    %0:3 = attn.linear_state features(%a : tensor<1x?x5x8xf32>)
        pool(%b : tensor<1x2x5x8xf32>) block 64 -> tensor<1x16x8xf32>, tensor<1x16xf32>, tensor<1xi32>
    attn.results %0#0, %0#1, %0#2 : tensor<1x16x8xf32>, tensor<1x16xf32>, tensor<1xi32>
  }
  return
}

// -----

func.func @other_normaliser(%s: memref<1x16x8xf32>, %z: memref<1x16xf32>, %w1: memref<2x3xf32>, %b1: memref<3xf32>, %w2: memref<3x4xf32>, %b2: memref<4xf32>, %n: memref<3x4xf32>, %o: memref<1x32x8xf32>, %p: memref<1x32xf32>) {
  attn.kernel ins(%s, %z, %w1, %b1, %w2, %b2, %n : memref<1x16x8xf32>, memref<1x16xf32>, memref<2x3xf32>, memref<3xf32>, memref<3x4xf32>, memref<4xf32>, memref<3x4xf32>) outs(%o, %p : memref<1x32x8xf32>, memref<1x32xf32>) {
  ^bb0(%a: tensor<1x16x8xf32>, %b: tensor<1x16xf32>, %c: tensor<2x3xf32>, %d: tensor<3xf32>, %e: tensor<3x4xf32>, %f: tensor<4xf32>, %g: tensor<3x4xf32>):
    // expected-error @below {{expected 'normaliser' to have the shape [2, 4], but got 'tensor<3x4xf32>'}}
    %0:2 = attn.linear_mix_states %a, %b
        premix_mlp(%c, %d, %e, %f : tensor<2x3xf32>, tensor<3xf32>, tensor<3x4xf32>, tensor<4xf32>)
        normaliser(%g : tensor<3x4xf32>) : tensor<1x16x8xf32>, tensor<1x16xf32> -> tensor<1x32x8xf32>, tensor<1x32xf32>
    attn.results %0#0, %0#1 : tensor<1x32x8xf32>, tensor<1x32xf32>
  }
  return
}

// -----

func.func @other_mixed(%s: memref<1x16x8xf32>, %z: memref<1x16xf32>, %w1: memref<2x3xf32>, %b1: memref<3xf32>, %w2: memref<3x4xf32>, %b2: memref<4xf32>, %n: memref<2x4xf32>, %o: memref<1x16x8xf32>, %p: memref<1x32xf32>) {
  attn.kernel ins(%s, %z, %w1, %b1, %w2, %b2, %n : memref<1x16x8xf32>, memref<1x16xf32>, memref<2x3xf32>, memref<3xf32>, memref<3x4xf32>, memref<4xf32>, memref<2x4xf32>) outs(%o, %p : memref<1x16x8xf32>, memref<1x32xf32>) {
  ^bb0(%a: tensor<1x16x8xf32>, %b: tensor<1x16xf32>, %c: tensor<2x3xf32>, %d: tensor<3xf32>, %e: tensor<3x4xf32>, %f: tensor<4xf32>, %g: tensor<2x4xf32>):
    // expected-error @below {{expected 'mixed' to have the shape [1, 32, 8], but got 'tensor<1x16x8xf32>'}}
    %0:2 = attn.linear_mix_states %a, %b
        premix_mlp(%c, %d, %e, %f : tensor<2x3xf32>, tensor<3xf32>, tensor<3x4xf32>, tensor<4xf32>)
        normaliser(%g : tensor<2x4xf32>) : tensor<1x16x8xf32>, tensor<1x16xf32> -> tensor<1x16x8xf32>, tensor<1x32xf32>
    attn.results %0#0, %0#1 : tensor<1x16x8xf32>, tensor<1x32xf32>
  }
  return
}

// -----

func.func @other_mixed_totals(%s: memref<1x16x8xf32>, %z: memref<1x16xf32>, %w1: memref<2x3xf32>, %b1: memref<3xf32>, %w2: memref<3x4xf32>, %b2: memref<4xf32>, %n: memref<2x4xf32>, %o: memref<1x32x8xf32>, %p: memref<1x16xf32>) {
  attn.kernel ins(%s, %z, %w1, %b1, %w2, %b2, %n : memref<1x16x8xf32>, memref<1x16xf32>, memref<2x3xf32>, memref<3xf32>, memref<3x4xf32>, memref<4xf32>, memref<2x4xf32>) outs(%o, %p : memref<1x32x8xf32>, memref<1x16xf32>) {
  ^bb0(%a: tensor<1x16x8xf32>, %b: tensor<1x16xf32>, %c: tensor<2x3xf32>, %d: tensor<3xf32>, %e: tensor<3x4xf32>, %f: tensor<4xf32>, %g: tensor<2x4xf32>):
    // expected-error @below {{expected 'mixed_totals' to have the shape [1, 32], but got 'tensor<1x16xf32>'}}
    %0:2 = attn.linear_mix_states %a, %b
        premix_mlp(%c, %d, %e, %f : tensor<2x3xf32>, tensor<3xf32>, tensor<3x4xf32>, tensor<4xf32>)
        normaliser(%g : tensor<2x4xf32>) : tensor<1x16x8xf32>, tensor<1x16xf32> -> tensor<1x32x8xf32>, tensor<1x16xf32>
    attn.results %0#0, %0#1 : tensor<1x32x8xf32>, tensor<1x16xf32>
  }
  return
}

// -----

func.func @no_heads(%s: memref<1x16x8xf32>, %z: memref<1x16xf32>, %w1: memref<0x3xf32>, %b1: memref<3xf32>, %w2: memref<3x4xf32>, %b2: memref<4xf32>, %n: memref<2x4xf32>, %o: memref<1x32x8xf32>, %p: memref<1x32xf32>) {
  attn.kernel ins(%s, %z, %w1, %b1, %w2, %b2, %n : memref<1x16x8xf32>, memref<1x16xf32>, memref<0x3xf32>, memref<3xf32>, memref<3x4xf32>, memref<4xf32>, memref<2x4xf32>) outs(%o, %p : memref<1x32x8xf32>, memref<1x32xf32>) {
  ^bb0(%a: tensor<1x16x8xf32>, %b: tensor<1x16xf32>, %c: tensor<0x3xf32>, %d: tensor<3xf32>, %e: tensor<3x4xf32>, %f: tensor<4xf32>, %g: tensor<2x4xf32>):
    // expected-error @below {{'attn.linear_mix_states' op expected heads}}
    %0:2 = attn.linear_mix_states %a, %b
        premix_mlp(%c, %d, %e, %f : tensor<0x3xf32>, tensor<3xf32>, tensor<3x4xf32>, tensor<4xf32>)
        normaliser(%g : tensor<2x4xf32>) : tensor<1x16x8xf32>, tensor<1x16xf32> -> tensor<1x32x8xf32>, tensor<1x32xf32>
    attn.results %0#0, %0#1 : tensor<1x32x8xf32>, tensor<1x32xf32>
  }
  return
}

// -----

func.func @other_heads(%s: memref<1x16x8xf32>, %z: memref<1x16xf32>, %w1: memref<3x3xf32>, %b1: memref<3xf32>, %w2: memref<3x4xf32>, %b2: memref<4xf32>, %n: memref<2x4xf32>, %o: memref<1x32x8xf32>, %p: memref<1x32xf32>) {
  attn.kernel ins(%s, %z, %w1, %b1, %w2, %b2, %n : memref<1x16x8xf32>, memref<1x16xf32>, memref<3x3xf32>, memref<3xf32>, memref<3x4xf32>, memref<4xf32>, memref<2x4xf32>) outs(%o, %p : memref<1x32x8xf32>, memref<1x32xf32>) {
  ^bb0(%a: tensor<1x16x8xf32>, %b: tensor<1x16xf32>, %c: tensor<3x3xf32>, %d: tensor<3xf32>, %e: tensor<3x4xf32>, %f: tensor<4xf32>, %g: tensor<2x4xf32>):
    // expected-error @below {{expected 'states' with 3 times 0 rows or more, and 0 columns or more, but got 'tensor<1x16x8xf32>'}}
    %0:2 = attn.linear_mix_states %a, %b
        premix_mlp(%c, %d, %e, %f : tensor<3x3xf32>, tensor<3xf32>, tensor<3x4xf32>, tensor<4xf32>)
        normaliser(%g : tensor<2x4xf32>) : tensor<1x16x8xf32>, tensor<1x16xf32> -> tensor<1x32x8xf32>, tensor<1x32xf32>
    attn.results %0#0, %0#1 : tensor<1x32x8xf32>, tensor<1x32xf32>
  }
  return
}

// -----

func.func @heads_of_states(%q: memref<1x4x5x8xf32>, %s: memref<1x16x8xf32>, %z: memref<1x16xf32>, %n: memref<1xi32>, %o: memref<1x4x5x8xf32>) {
  attn.kernel ins(%q, %s, %z, %n : memref<1x4x5x8xf32>, memref<1x16x8xf32>, memref<1x16xf32>, memref<1xi32>) outs(%o : memref<1x4x5x8xf32>) {
  ^bb0(%a: tensor<1x4x5x8xf32>, %b: tensor<1x16x8xf32>, %c: tensor<1x16xf32>, %d: tensor<1xi32>):
    // expected-error @below {{'attn.linear_read' op expected 'heads' that divide the 4 of 'query', but got 3}}
    %0 = attn.linear_read features(%a : tensor<1x4x5x8xf32>)
        states(%b, %c, %d : tensor<1x16x8xf32>, tensor<1x16xf32>, tensor<1xi32>) heads 3 block 64 -> tensor<1x4x5x8xf32>
    attn.results %0 : tensor<1x4x5x8xf32>
  }
  return
}

// -----

func.func @heads_of_mixer(%q: memref<1x4x5x8xf32>, %s: memref<1x16x8xf32>, %z: memref<1x16xf32>, %n: memref<1xi32>, %m: memref<3x4xf32>, %o: memref<1x4x5x8xf32>) {
  attn.kernel ins(%q, %s, %z, %n, %m : memref<1x4x5x8xf32>, memref<1x16x8xf32>, memref<1x16xf32>, memref<1xi32>, memref<3x4xf32>) outs(%o : memref<1x4x5x8xf32>) {
  ^bb0(%a: tensor<1x4x5x8xf32>, %b: tensor<1x16x8xf32>, %c: tensor<1x16xf32>, %d: tensor<1xi32>, %e: tensor<3x4xf32>):
    // expected-error @below {{expected 'premixer' to have the shape [2, 4], but got 'tensor<3x4xf32>'}}
    %0 = attn.linear_read features(%a : tensor<1x4x5x8xf32>) premix(%e : tensor<3x4xf32>)
        states(%b, %c, %d : tensor<1x16x8xf32>, tensor<1x16xf32>, tensor<1xi32>) heads 2 block 64 -> tensor<1x4x5x8xf32>
    attn.results %0 : tensor<1x4x5x8xf32>
  }
  return
}

// -----

func.func @rows_read(%q: memref<1x4x5x8xf32>, %s: memref<1x16x8xf32>, %z: memref<1x16xf32>, %n: memref<1xi32>, %o: memref<1x4x5x8xf32>) {
  attn.kernel ins(%q, %s, %z, %n : memref<1x4x5x8xf32>, memref<1x16x8xf32>, memref<1x16xf32>, memref<1xi32>) outs(%o : memref<1x4x5x8xf32>) {
  ^bb0(%a: tensor<1x4x5x8xf32>, %b: tensor<1x16x8xf32>, %c: tensor<1x16xf32>, %d: tensor<1xi32>):
    // expected-error @below {{expected 'states' with 4 times 8 rows or more, and 8 columns or more, but got 'tensor<1x16x8xf32>'}}
    %0 = attn.linear_read features(%a : tensor<1x4x5x8xf32>)
        states(%b, %c, %d : tensor<1x16x8xf32>, tensor<1x16xf32>, tensor<1xi32>) heads 4 block 64 -> tensor<1x4x5x8xf32>
    attn.results %0 : tensor<1x4x5x8xf32>
  }
  return
}

// -----

func.func @columns_read(%q: memref<1x4x5x8xf32>, %s: memref<1x16x8xf32>, %z: memref<1x16xf32>, %n: memref<1xi32>, %o: memref<1x4x5x9xf32>) {
  attn.kernel ins(%q, %s, %z, %n : memref<1x4x5x8xf32>, memref<1x16x8xf32>, memref<1x16xf32>, memref<1xi32>) outs(%o : memref<1x4x5x9xf32>) {
  ^bb0(%a: tensor<1x4x5x8xf32>, %b: tensor<1x16x8xf32>, %c: tensor<1x16xf32>, %d: tensor<1xi32>):
    // expected-error @below {{expected 'states' with 2 times 8 rows or more, and 9 columns or more, but got 'tensor<1x16x8xf32>'}}
    %0 = attn.linear_read features(%a : tensor<1x4x5x8xf32>)
        states(%b, %c, %d : tensor<1x16x8xf32>, tensor<1x16xf32>, tensor<1xi32>) heads 2 block 64 -> tensor<1x4x5x9xf32>
    attn.results %0 : tensor<1x4x5x9xf32>
  }
  return
}

// -----

func.func @counts_read(%q: memref<1x4x5x8xf32>, %s: memref<1x16x8xf32>, %z: memref<1x16xf32>, %n: memref<2xi32>, %o: memref<1x4x5x8xf32>) {
  attn.kernel ins(%q, %s, %z, %n : memref<1x4x5x8xf32>, memref<1x16x8xf32>, memref<1x16xf32>, memref<2xi32>) outs(%o : memref<1x4x5x8xf32>) {
  ^bb0(%a: tensor<1x4x5x8xf32>, %b: tensor<1x16x8xf32>, %c: tensor<1x16xf32>, %d: tensor<2xi32>):
    // expected-error @below {{expected 'counts' to have the shape [1], but got 'tensor<2xi32>'}}
    %0 = attn.linear_read features(%a : tensor<1x4x5x8xf32>)
        states(%b, %c, %d : tensor<1x16x8xf32>, tensor<1x16xf32>, tensor<2xi32>) heads 2 block 64 -> tensor<1x4x5x8xf32>
    attn.results %0 : tensor<1x4x5x8xf32>
  }
  return
}

// -----

func.func @other_result(%q: memref<1x4x5x8xf32>, %s: memref<1x16x8xf32>, %z: memref<1x16xf32>, %n: memref<1xi32>, %o: memref<1x4x6x8xf32>) {
  attn.kernel ins(%q, %s, %z, %n : memref<1x4x5x8xf32>, memref<1x16x8xf32>, memref<1x16xf32>, memref<1xi32>) outs(%o : memref<1x4x6x8xf32>) {
  ^bb0(%a: tensor<1x4x5x8xf32>, %b: tensor<1x16x8xf32>, %c: tensor<1x16xf32>, %d: tensor<1xi32>):
    // expected-error @below {{expected 'result' to have the shape [1, 4, 5, 8], but got 'tensor<1x4x6x8xf32>'}}
    %0 = attn.linear_read features(%a : tensor<1x4x5x8xf32>)
        states(%b, %c, %d : tensor<1x16x8xf32>, tensor<1x16xf32>, tensor<1xi32>) heads 2 block 64 -> tensor<1x4x6x8xf32>
    attn.results %0 : tensor<1x4x6x8xf32>
  }
  return
}

// -----

func.func @negative_chunk(%q: memref<1x4x5x8xf32>, %s: memref<1x16x8xf32>, %z: memref<1x16xf32>, %n: memref<1xi32>, %o: memref<1x4x5x8xf32>) {
  attn.kernel ins(%q, %s, %z, %n : memref<1x4x5x8xf32>, memref<1x16x8xf32>, memref<1x16xf32>, memref<1xi32>) outs(%o : memref<1x4x5x8xf32>) {
  ^bb0(%a: tensor<1x4x5x8xf32>, %b: tensor<1x16x8xf32>, %c: tensor<1x16xf32>, %d: tensor<1xi32>):
    // expected-error @below {{'attn.linear_read' op expected a positive 'block', but got -16}}
    %0 = attn.linear_read features(%a : tensor<1x4x5x8xf32>)
        states(%b, %c, %d : tensor<1x16x8xf32>, tensor<1x16xf32>, tensor<1xi32>) heads 2 block -16 -> tensor<1x4x5x8xf32>
    attn.results %0 : tensor<1x4x5x8xf32>
  }
  return
}

// -----

func.func @negative_eps(%q: memref<1x4x5x8xf32>, %s: memref<1x16x8xf32>, %z: memref<1x16xf32>, %n: memref<1xi32>, %o: memref<1x4x5x8xf32>) {
  attn.kernel ins(%q, %s, %z, %n : memref<1x4x5x8xf32>, memref<1x16x8xf32>, memref<1x16xf32>, memref<1xi32>) outs(%o : memref<1x4x5x8xf32>) {
  ^bb0(%a: tensor<1x4x5x8xf32>, %b: tensor<1x16x8xf32>, %c: tensor<1x16xf32>, %d: tensor<1xi32>):
    // expected-error @below {{expected 'eps' to be finite in f32 and not negative}}
    %0 = attn.linear_read features(%a : tensor<1x4x5x8xf32>)
        states(%b, %c, %d : tensor<1x16x8xf32>, tensor<1x16xf32>, tensor<1xi32>) heads 2 block 64 eps -1.0 -> tensor<1x4x5x8xf32>
    attn.results %0 : tensor<1x4x5x8xf32>
  }
  return
}

// -----

func.func @open_features(%q: memref<1x4x5x?xf32>, %s: memref<1x16x8xf32>, %z: memref<1x16xf32>, %n: memref<1xi32>, %o: memref<1x4x5x8xf32>) {
  attn.kernel ins(%q, %s, %z, %n : memref<1x4x5x?xf32>, memref<1x16x8xf32>, memref<1x16xf32>, memref<1xi32>) outs(%o : memref<1x4x5x8xf32>) {
  ^bb0(%a: tensor<1x4x5x?xf32>, %b: tensor<1x16x8xf32>, %c: tensor<1x16xf32>, %d: tensor<1xi32>):
    // expected-error @below {{'query' to have static features}}
    %0 = attn.linear_read features(%a : tensor<1x4x5x?xf32>)
        states(%b, %c, %d : tensor<1x16x8xf32>, tensor<1x16xf32>, tensor<1xi32>) heads 2 block 64 -> tensor<1x4x5x8xf32>
    attn.results %0 : tensor<1x4x5x8xf32>
  }
  return
}

// -----

func.func @negative_span(%k: memref<1x2x5x8xf32>, %v: memref<1x2x5x8xf32>, %s: memref<1x1x16x8xf32>, %z: memref<1x1x16xf32>, %n: memref<1xi32>) {
  attn.kernel ins(%k, %v : memref<1x2x5x8xf32>, memref<1x2x5x8xf32>) outs(%s, %z, %n : memref<1x1x16x8xf32>, memref<1x1x16xf32>, memref<1xi32>) {
  ^bb0(%a: tensor<1x2x5x8xf32>, %b: tensor<1x2x5x8xf32>):
    // expected-error @below {{'attn.linear_state' op expected a positive 'span', but got -64}}
    %0:3 = attn.linear_state features(%a : tensor<1x2x5x8xf32>)
        pool(%b : tensor<1x2x5x8xf32>) block 64 span -64 -> tensor<1x1x16x8xf32>, tensor<1x1x16xf32>, tensor<1xi32>
    attn.results %0#0, %0#1, %0#2 : tensor<1x1x16x8xf32>, tensor<1x1x16xf32>, tensor<1xi32>
  }
  return
}

// -----

func.func @states_of_no_span(%k: memref<1x2x5x8xf32>, %v: memref<1x2x5x8xf32>, %s: memref<1x16x8xf32>, %z: memref<1x16xf32>, %n: memref<1xi32>) {
  attn.kernel ins(%k, %v : memref<1x2x5x8xf32>, memref<1x2x5x8xf32>) outs(%s, %z, %n : memref<1x16x8xf32>, memref<1x16xf32>, memref<1xi32>) {
  ^bb0(%a: tensor<1x2x5x8xf32>, %b: tensor<1x2x5x8xf32>):
    // expected-error @below {{'attn.linear_state' op expected 'states' of rank 4 and 'totals' of rank 3, but got 'tensor<1x16x8xf32>' and 'tensor<1x16xf32>'}}
    %0:3 = attn.linear_state features(%a : tensor<1x2x5x8xf32>)
        pool(%b : tensor<1x2x5x8xf32>) block 64 span 64 -> tensor<1x16x8xf32>, tensor<1x16xf32>, tensor<1xi32>
    attn.results %0#0, %0#1, %0#2 : tensor<1x16x8xf32>, tensor<1x16xf32>, tensor<1xi32>
  }
  return
}

// -----

func.func @other_spans(%k: memref<1x2x5x8xf32>, %v: memref<1x2x5x8xf32>, %s: memref<1x3x16x8xf32>, %z: memref<1x3x16xf32>, %n: memref<1xi32>) {
  attn.kernel ins(%k, %v : memref<1x2x5x8xf32>, memref<1x2x5x8xf32>) outs(%s, %z, %n : memref<1x3x16x8xf32>, memref<1x3x16xf32>, memref<1xi32>) {
  ^bb0(%a: tensor<1x2x5x8xf32>, %b: tensor<1x2x5x8xf32>):
    // expected-error @below {{expected 'totals' to have the shape [1, 2, 16], but got 'tensor<1x3x16xf32>'}}
    %0:3 = attn.linear_state features(%a : tensor<1x2x5x8xf32>)
        pool(%b : tensor<1x2x5x8xf32>) block 4 span 4 -> tensor<1x3x16x8xf32>, tensor<1x3x16xf32>, tensor<1xi32>
    attn.results %0#0, %0#1, %0#2 : tensor<1x3x16x8xf32>, tensor<1x3x16xf32>, tensor<1xi32>
  }
  return
}

// -----

func.func @sums_of_no_span(%s: memref<1x3x16x8xf32>, %z: memref<1x3x16xf32>, %t: memref<1x16x12xf32>, %y: memref<1x16xf32>) {
  attn.kernel ins(%s, %z : memref<1x3x16x8xf32>, memref<1x3x16xf32>) outs(%t, %y : memref<1x16x12xf32>, memref<1x16xf32>) {
  ^bb0(%a: tensor<1x3x16x8xf32>, %b: tensor<1x3x16xf32>):
    // expected-error @below {{'attn.linear_add_states' op expected 'sums' to have the shape [1, 16, 8], but got 'tensor<1x16x12xf32>'}}
    %0:2 = attn.linear_add_states %a, %b : tensor<1x3x16x8xf32>, tensor<1x3x16xf32> -> tensor<1x16x12xf32>, tensor<1x16xf32>
    attn.results %0#0, %0#1 : tensor<1x16x12xf32>, tensor<1x16xf32>
  }
  return
}

// -----

func.func @heads_of_keys(%q: memref<1x3x5x8xf32>, %k: memref<1x2x5x8xf32>, %s: memref<1x1x16x8xf32>, %z: memref<1x1x16xf32>, %o: memref<1x3x5x8xf32>) {
  attn.kernel ins(%q, %k, %s, %z : memref<1x3x5x8xf32>, memref<1x2x5x8xf32>, memref<1x1x16x8xf32>, memref<1x1x16xf32>) outs(%o : memref<1x3x5x8xf32>) {
  ^bb0(%a: tensor<1x3x5x8xf32>, %b: tensor<1x2x5x8xf32>, %c: tensor<1x1x16x8xf32>, %d: tensor<1x1x16xf32>):
    // expected-error @below {{'attn.linear_causal_read' op expected heads of 'key' that divide the 3 of 'query', but got 2}}
    %0 = attn.linear_causal_read features(%a, %b : tensor<1x3x5x8xf32>, tensor<1x2x5x8xf32>)
        states(%c, %d : tensor<1x1x16x8xf32>, tensor<1x1x16xf32>) span 64
        pool(%b : tensor<1x2x5x8xf32>) -> tensor<1x3x5x8xf32>
    attn.results %0 : tensor<1x3x5x8xf32>
  }
  return
}
