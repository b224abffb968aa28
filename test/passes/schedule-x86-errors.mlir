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
    // expected-error @below {{'attn.softmax' op has no schedule on x86-64: online: it is not the normal form of a softmax attention; panel: no weights mix, so nothing has to wait for whole rows; decode: it is not the normal form of a softmax attention}}
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
    // expected-error @below {{cannot be scheduled as 'fold': expected online, panel, decode, chunked_linear, banded, dense or unfused as plan, but got 'fold'}}
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
    // expected-error @below {{'attn.generic' op expected one case of a plan and no stages before it, as attn-stage-kernels leaves them}}
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
    // expected-error @below {{'attn.generic' op expected one case of a plan and no stages before it, as attn-stage-kernels leaves them}}
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
    // expected-error @below {{'attn.generic' op expected one case of a plan and no stages before it, as attn-stage-kernels leaves them}}
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
    // expected-error @below {{'attn.generic' op expected one case of a plan and no stages before it, as attn-stage-kernels leaves them}}
    %r = attn.generic scores(%a, %a : !t, !t) projected_by(%b, %b : !e, !e)
        pool(%a : !t) -> !t
    attn.results %r : !t
  }
  return
}
