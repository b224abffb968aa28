// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Two attentions, one of them in a function of its own.

!t = tensor<?x4x?x8xf32>

func.func @two(%x: !t {attn.name = "x", attn.dims = ["B", "N"]})
    -> (!t {attn.name = "y", attn.dims = ["B", "N"]}) {
  %y = call @one(%x) : (!t) -> !t
  %z = attn.softmax %y, %y, %x score_mod {
  ^bb0(%s: f32, %b: index, %h: index, %i: index, %j: index):
    %twice = arith.addf %s, %s : f32
    attn.yield %twice : f32
  } causal : (!t, !t, !t) -> !t
  return %z : !t
}

func.func private @one(%x: !t) -> !t {
  %y = attn.softmax %x, %x, %x : (!t, !t, !t) -> !t
  return %y : !t
}
