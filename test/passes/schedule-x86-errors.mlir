// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Kernels that x86 has no schedule for, and why.
//
// RUN: mixattn-opt %s --attn-set-target="features=avx512f" --attn-schedule-kernels --split-input-file --verify-diagnostics

!t = tensor<1x2x3x4xf32>
func.func @tensors(%q: !t, %o: !t) -> !t {
  // expected-error @below {{'attn.kernel' op expected buffers, as attn-bufferize makes them, but got 'tensor<1x2x3x4xf32>'}}
  %0 = attn.kernel ins(%q : !t) outs(%o : !t) {
  ^bb0(%a: !t):
    %r = attn.generic scores(%a, %a : !t, !t) pool(%a : !t) -> !t
    attn.results %r : !t
  } -> !t
  return %0 : !t
}

// -----

!t = tensor<1x2x3x4xf32>
!m = memref<1x2x3x4xf32, strided<[?, ?, ?, ?]>>
func.func @apart(%q: !m, %o: memref<1x2x3x4xf32>) {
  // expected-error @below {{'attn.kernel' op expected buffers with an innermost stride of 1, but got 'memref<1x2x3x4xf32, strided<[?, ?, ?, ?]>>'}}
  attn.kernel ins(%q : !m) outs(%o : memref<1x2x3x4xf32>) {
  ^bb0(%a: !t):
    %r = attn.generic scores(%a, %a : !t, !t) pool(%a : !t) -> !t
    attn.results %r : !t
  }
  return
}

// -----

!t = tensor<1x2x3x4xf32>
!m = memref<1x2x3x4xf32>
func.func @computed(%q: !m, %o: !m) {
  // expected-error @below {{'attn.kernel' op expected what it computes to take arguments of its region, but got the result of 'arith.addf'}}
  attn.kernel ins(%q : !m) outs(%o : !m) {
  ^bb0(%a: !t):
    %b = arith.addf %a, %a : !t
    %r = attn.generic scores(%a, %b : !t, !t) pool(%a : !t) -> !t
    attn.results %r : !t
  }
  return
}

// -----

!t = tensor<1x2x3x4xf32>
!m = memref<1x2x3x4xf32>
func.func @named(%q: !m, %o: !m) {
  attn.kernel ins(%q : !m) outs(%o : !m) {
  ^bb0(%a: !t):
    // expected-error @below {{'attn.softmax' op has no schedule on x86-64: online: it is not the normal form of a softmax attention; panel: its weights neither mix nor are a result, so nothing waits for whole rows; decode: it is not the normal form of a softmax attention}}
    %r = attn.softmax %a, %a, %a : (!t, !t, !t) -> !t
    attn.results %r : !t
  }
  return
}

// -----

// A plan by an algorithm for other ops.
!t = tensor<1x2x3x4xf32>
!m = memref<1x2x3x4xf32>
func.func @other(%q: !m, %o: !m) {
  attn.kernel ins(%q : !m) outs(%o : !m) {
  ^bb0(%a: !t):
    // expected-error @below {{'attn.linear_generic' op cannot be scheduled as 'online': it is not the normal form of a softmax attention}}
    %r = attn.linear_generic features(%a, %a : !t, !t) pool(%a : !t)
        {attn.plan = #attn.plan<[else : online]>} -> !t
    attn.results %r : !t
  }
  return
}

// -----

// A plan by an algorithm that the target does not have, and numbers that are not
// the algorithm's.
!t = tensor<1x2x3x4xf32>
!m = memref<1x2x3x4xf32>
func.func @unknown(%q: !m, %o: !m) {
  attn.kernel ins(%q : !m) outs(%o : !m) {
  ^bb0(%a: !t):
    // expected-error @below {{cannot be scheduled as 'fold': expected online, panel, decode, chunked_linear, banded, dense, rows_dense or unfused as plan, but got 'fold'}}
    %r = attn.generic scores(%a, %a : !t, !t) pool(%a : !t)
        {attn.plan = #attn.plan<[else : fold]>} -> !t
    attn.results %r : !t
  }
  return
}

// -----

!t = tensor<1x2x3x4xf32>
!m = memref<1x2x3x4xf32>
func.func @number(%q: !m, %o: !m) {
  attn.kernel ins(%q : !m) outs(%o : !m) {
  ^bb0(%a: !t):
    // expected-error @below {{cannot be scheduled as 'online': expected width, block as numbers of online, but got 'tile'}}
    %r = attn.generic scores(%a, %a : !t, !t) pool(%a : !t)
        {attn.plan = #attn.plan<[else : online {tile = 16}]>} -> !t
    attn.results %r : !t
  }
  return
}

// -----

!t = tensor<1x2x3x4xf32>
!m = memref<1x2x3x4xf32>
func.func @unfused(%q: !m, %o: !m) {
  attn.kernel ins(%q : !m) outs(%o : !m) {
  ^bb0(%a: !t):
    // expected-error @below {{'attn.generic' op cannot be scheduled as 'unfused': no kernel is computed so}}
    %r = attn.generic scores(%a, %a : !t, !t) pool(%a : !t)
        {attn.plan = #attn.plan<[else : unfused]>} -> !t
    attn.results %r : !t
  }
  return
}

// -----

!t = tensor<1x2x3x4xf32>
!m = memref<1x2x3x4xf32>
func.func @wide(%q: !m, %o: !m) {
  attn.kernel ins(%q : !m) outs(%o : !m) {
  ^bb0(%a: !t):
    // expected-error @below {{'attn.generic' op cannot be scheduled as 'online': expected width to be a power of 2 from 16 to 64 on this target, but got 8}}
    %r = attn.generic scores(%a, %a : !t, !t) pool(%a : !t)
        {attn.plan = #attn.plan<[else : online {width = 8}]>} -> !t
    attn.results %r : !t
  }
  return
}

// -----

!t = tensor<1x2x3x4xf32>
!m = memref<1x2x3x4xf32>
func.func @split(%q: !m, %o: !m) {
  attn.kernel ins(%q : !m) outs(%o : !m) {
  ^bb0(%a: !t):
    // expected-error @below {{'attn.generic' op cannot be scheduled as 'decode': expected split to be a multiple of the block 64, but got 100}}
    %r = attn.generic scores(%a, %a : !t, !t) pool(%a : !t)
        {attn.plan = #attn.plan<[else : decode {block = 64, split = 100}]>} -> !t
    attn.results %r : !t
  }
  return
}

// -----

// attn-stage-kernels has to come first and make: one kernel for each case, terms of
// Gaussians and of shifted keys, projected keys.
!t = tensor<?x2x?x4xf32>
!m = memref<?x2x?x4xf32>
func.func @two_cases(%q: !m, %o: !m) {
  attn.kernel ins(%q : !m) outs(%o : !m) {
  ^bb0(%a: !t):
    // expected-error @below {{'attn.generic' op expected one case of a plan and no stages to make, as attn-stage-kernels leaves them}}
    %r = attn.generic scores(%a, %a : !t, !t) pool(%a : !t)
        {attn.plan = #attn.plan<[queries at_most 8 : decode, else : online]>} -> !t
    attn.results %r : !t
  }
  return
}

// -----

!t = tensor<?x2x?x4xf32>
!m = memref<?x2x?x4xf32>
func.func @gaussian(%q: !m, %o: !m) {
  attn.kernel ins(%q : !m) outs(%o : !m) {
  ^bb0(%a: !t):
    // expected-error @below {{'attn.generic' op expected one case of a plan and no stages to make, as attn-stage-kernels leaves them}}
    %r = attn.generic scores(%a, %a : !t, !t) gaussian pool(%a : !t)
        {attn.plan = #attn.plan<[else : online]>} -> !t
    attn.results %r : !t
  }
  return
}

// -----

!t = tensor<?x2x?x4xf32>
!m = memref<?x2x?x4xf32>
!s = tensor<2x3x4xf32>
func.func @shifted(%q: !m, %s: memref<2x3x4xf32>, %o: !m) {
  attn.kernel ins(%q, %s : !m, memref<2x3x4xf32>) outs(%o : !m) {
  ^bb0(%a: !t, %b: !s):
    // expected-error @below {{'attn.generic' op expected one case of a plan and no stages to make, as attn-stage-kernels leaves them}}
    %r = attn.generic scores(%a, %a : !t, !t) shifted_by(%b : !s) pool(%a : !t)
        {attn.plan = #attn.plan<[else : decode]>} -> !t
    attn.results %r : !t
  }
  return
}

// -----

!t = tensor<?x2x?x4xf32>
!m = memref<?x2x?x4xf32>
!e = tensor<3x?xf32>
func.func @projected(%q: !m, %e: memref<3x?xf32>, %o: !m) {
  attn.kernel ins(%q, %e : !m, memref<3x?xf32>) outs(%o : !m) {
  ^bb0(%a: !t, %b: !e):
    // expected-error @below {{'attn.generic' op expected one case of a plan and no stages to make, as attn-stage-kernels leaves them}}
    %r = attn.generic scores(%a, %a : !t, !t) projected_by(%b, %b : !e, !e)
        pool(%a : !t) -> !t
    attn.results %r : !t
  }
  return
}

// -----

// Spans of the keys.
!k = tensor<1x2x5x16xf32>
!m = memref<1x2x5x16xf32>
func.func @spans(%k: !m, %s: memref<1x1x32x16xf32>, %z: memref<1x1x32xf32>, %n: memref<1xi32>) {
  attn.kernel ins(%k : !m) outs(%s, %z, %n : memref<1x1x32x16xf32>, memref<1x1x32xf32>, memref<1xi32>) {
  ^bb0(%a: !k):
    // expected-error @below {{'attn.linear_state' op has no schedule on x86-64: linear_state: it has no code for spans of the keys}}
    %0:3 = attn.linear_state features(%a : !k) pool(%a : !k) block 64 span 64
        -> tensor<1x1x32x16xf32>, tensor<1x1x32xf32>, tensor<1xi32>
    attn.results %0#0, %0#1, %0#2 : tensor<1x1x32x16xf32>, tensor<1x1x32xf32>, tensor<1xi32>
  }
  return
}

// -----

// States that are not whole vectors of the target.
!k = tensor<1x2x5x8xf32>
!m = memref<1x2x5x8xf32>
func.func @narrow_states(%k: !m, %s: memref<1x16x8xf32>, %z: memref<1x16xf32>, %n: memref<1xi32>) {
  attn.kernel ins(%k : !m) outs(%s, %z, %n : memref<1x16x8xf32>, memref<1x16xf32>, memref<1xi32>) {
  ^bb0(%a: !k):
    // expected-error @below {{'attn.linear_state' op has no schedule on x86-64: linear_state: expected states of 16 rows and 16 columns a head, which are whole vectors, but got 8 and 8}}
    %0:3 = attn.linear_state features(%a : !k) pool(%a : !k) block 64
        -> tensor<1x16x8xf32>, tensor<1x16xf32>, tensor<1xi32>
    attn.results %0#0, %0#1, %0#2 : tensor<1x16x8xf32>, tensor<1x16xf32>, tensor<1xi32>
  }
  return
}

// -----

!k = tensor<1x2x5x16xf32>
!m = memref<1x2x5x16xf32>
func.func @odd_block(%q: !m, %s: memref<1x32x16xf32>, %z: memref<1x32xf32>, %n: memref<1xi32>, %o: !m) {
  attn.kernel ins(%q, %s, %z, %n : !m, memref<1x32x16xf32>, memref<1x32xf32>, memref<1xi32>) outs(%o : !m) {
  ^bb0(%a: !k, %b: tensor<1x32x16xf32>, %c: tensor<1x32xf32>, %d: tensor<1xi32>):
    // expected-error @below {{'attn.linear_read' op has no schedule on x86-64: linear_read: expected block to be a multiple of 16 up to 1024, but got 20}}
    %0 = attn.linear_read features(%a : !k)
        states(%b, %c, %d : tensor<1x32x16xf32>, tensor<1x32xf32>, tensor<1xi32>)
        heads 2 block 20 -> !k
    attn.results %0 : !k
  }
  return
}

// -----

!s = tensor<1x20x16xf32>
!m = memref<1x20x16xf32>
func.func @odd_states(%s: !m, %z: memref<1x20xf32>, %w1: memref<2x3xf32>, %b1: memref<3xf32>, %w2: memref<3x2xf32>, %b2: memref<2xf32>, %n: memref<2x2xf32>, %o: !m, %p: memref<1x20xf32>) {
  attn.kernel ins(%s, %z, %w1, %b1, %w2, %b2, %n : !m, memref<1x20xf32>, memref<2x3xf32>, memref<3xf32>, memref<3x2xf32>, memref<2xf32>, memref<2x2xf32>) outs(%o, %p : !m, memref<1x20xf32>) {
  ^bb0(%a: !s, %b: tensor<1x20xf32>, %c: tensor<2x3xf32>, %d: tensor<3xf32>, %e: tensor<3x2xf32>, %f: tensor<2xf32>, %g: tensor<2x2xf32>):
    // expected-error @below {{'attn.linear_mix_states' op has no schedule on x86-64: linear_mix_states: expected states of 16 rows and 16 columns a head, which are whole vectors, but got 10 and 16}}
    %0:2 = attn.linear_mix_states %a, %b
        premix_mlp(%c, %d, %e, %f : tensor<2x3xf32>, tensor<3xf32>, tensor<3x2xf32>, tensor<2xf32>)
        normaliser(%g : tensor<2x2xf32>)
        : !s, tensor<1x20xf32> -> !s, tensor<1x20xf32>
    attn.results %0#0, %0#1 : !s, tensor<1x20xf32>
  }
  return
}

// -----

// Values of parts that are not whole vectors of the target.
!t = tensor<1x2x3x8xf32>
!m = memref<1x2x3x8xf32>
!n = tensor<1x2x3x1xf32>
!b = memref<1x2x3x1xf32>
func.func @narrow_values(%q: !m, %v: memref<1x2x3x1x8xf32>, %r: !b, %s: !b) {
  attn.kernel ins(%q : !m) outs(%v, %r, %s : memref<1x2x3x1x8xf32>, !b, !b) {
  ^bb0(%a: !t):
    // expected-error @below {{'attn.parts' op has no schedule on x86-64: parts: expected values of 16 columns, which are whole vectors, but got 8}}
    %0:3 = attn.parts split 64 block 64 {
      %o = attn.generic scores(%a, %a : !t, !t) pool(%a : !t) -> !t
      attn.results %o : !t
    } -> tensor<1x2x3x1x8xf32>, !n, !n
    attn.results %0#0, %0#1, %0#2 : tensor<1x2x3x1x8xf32>, !n, !n
  }
  return
}

// -----

!t = tensor<1x2x3x8xf32>
!m = memref<1x2x3x8xf32>
!n = tensor<1x2x3x1xf32>
!b = memref<1x2x3x1xf32>
func.func @odd_parts(%q: !m, %v: memref<1x2x3x1x16xf32>, %r: !b, %s: !b) {
  attn.kernel ins(%q : !m) outs(%v, %r, %s : memref<1x2x3x1x16xf32>, !b, !b) {
  ^bb0(%a: !t):
    // expected-error @below {{'attn.parts' op has no schedule on x86-64: parts: expected block to be a multiple of 16 up to 1024, but got 20}}
    %0:3 = attn.parts split 40 block 20 {
      %o = attn.generic scores(%a, %a : !t, !t) pool(%a : !t) -> !t
      attn.results %o : !t
    } -> tensor<1x2x3x1x16xf32>, !n, !n
    attn.results %0#0, %0#1, %0#2 : tensor<1x2x3x1x16xf32>, !n, !n
  }
  return
}

// -----

#all = affine_map<(i, j) -> (i, j)>
#turned = affine_map<(i, j) -> (j, i)>
!t = tensor<8x8xf32>
!m = memref<8x8xf32>
func.func @other_rows(%x: !m, %y: !m) {
  attn.kernel ins(%x : !m) outs(%y : !m) {
  ^bb0(%a: !t):
    %e = tensor.empty() : !t
    %0 = linalg.exp ins(%a : !t) outs(%e : !t) -> !t
    // expected-error @below {{'linalg.generic' op cannot be scheduled with 'linalg.exp' as 'rows': it reads other rows}}
    %1 = linalg.generic {indexing_maps = [#turned, #all], iterator_types = ["parallel", "parallel"]}
        ins(%0 : !t) outs(%e : !t) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> !t
    attn.results %1 : !t
  }
  return
}

// -----

// An op before a product, in a kernel whose plan reads the left side from memory.
!t = tensor<8x8xf32>
!m = memref<8x8xf32>
func.func @before(%x: !m, %w: !m, %o: !m) {
  attn.kernel ins(%x, %w : !m, !m) outs(%o : !m) {
  ^bb0(%a: !t, %b: !t):
    %zero = arith.constant 0.0 : f32
    %e = tensor.empty() : !t
    %init = linalg.fill ins(%zero : f32) outs(%e : !t) -> !t
    // expected-error @below {{'linalg.exp' op cannot be scheduled before 'linalg.matmul' as 'dense': its rows are not made there for that alone}}
    %z = linalg.exp ins(%a : !t) outs(%e : !t) -> !t
    %p = linalg.matmul {attn.plan = #attn.plan<[else : dense]>} ins(%z, %b : !t, !t) outs(%init : !t) -> !t
    attn.results %p : !t
  }
  return
}
