// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Every fifth key hidden from all queries: in a score_mod by constants, by a
// number chosen by the key and by one of each key, and by a prior.
!q = tensor<?x2x?x24xf32>
func.func @hidden_by_scores(
    %q: !q {attn.name = "q", attn.dims = ["B", "N"]},
    %k: !q {attn.name = "k", attn.dims = ["B", "S"]},
    %v: !q {attn.name = "v", attn.dims = ["B", "S"]},
    %of_key: tensor<?xF32> {attn.name = "of_key", attn.dims = ["S"]},
    %keys: tensor<?x2x2x?x24xf32> {attn.name = "keys", attn.dims = ["B", "S"]},
    %prior: tensor<2x2x?xf32> {attn.name = "prior", attn.dims = ["S"]})
    -> (!q {attn.name = "by_infinity", attn.dims = ["B", "N"]},
        !q {attn.name = "by_number", attn.dims = ["B", "N"]},
        !q {attn.name = "by_choice", attn.dims = ["B", "N"]},
        !q {attn.name = "by_table", attn.dims = ["B", "N"]},
        !q {attn.name = "by_prior", attn.dims = ["B", "N"]}) {
  %c3 = arith.constant 3 : index
  %c5 = arith.constant 5 : index
  %infinity = arith.constant 0xFF800000 : F32
  %number = arith.constant -1.0e+4 : f32
  %by_infinity = attn.softmax %q, %k, %v score_mod {
  ^bb0(%s: F32, %b: index, %h: index, %i: index, %j: index):
    %place = arith.remui %j, %c5 : index
    %hides = arith.cmpi eq, %place, %c3 : index
    %hidden = arith.select %hides, %infinity, %s : F32
    attn.yield %hidden : F32
  } : (!q, !q, !q) -> !q
  %by_number = attn.softmax %q, %k, %v score_mod {
  ^bb0(%s: f32, %b: index, %h: index, %i: index, %j: index):
    %place = arith.remui %j, %c5 : index
    %hides = arith.cmpi eq, %place, %c3 : index
    %is_hidden = arith.uitofp %hides : i1 to f32
    %penalty = arith.mulf %is_hidden, %number : f32
    %hidden = arith.addf %s, %penalty : f32
    attn.yield %hidden : f32
  } : (!q, !q, !q) -> !q
  %by_choice = attn.softmax %q, %k, %v score_mod {
  ^bb0(%s: F32, %b: index, %h: index, %i: index, %j: index):
    %place = arith.remui %j, %c5 : index
    %hides = arith.cmpi eq, %place, %c3 : index
    %low = tensor.extract %of_key[%c3] : tensor<?xF32>
    %hidden = arith.select %hides, %low, %s : F32
    attn.yield %hidden : F32
  } : (!q, !q, !q) -> !q
  %by_table = attn.softmax %q, %k, %v score_mod {
  ^bb0(%s: F32, %b: index, %h: index, %i: index, %j: index):
    %term = tensor.extract %of_key[%j] : tensor<?xF32>
    %hidden = arith.addf %s, %term : F32
    attn.yield %hidden : F32
  } : (!q, !q, !q) -> !q
  %by_prior = attn.mixture_of_keys %q, %keys, %v prior(%prior : tensor<2x2x?xf32>)
      : (!q, tensor<?x2x2x?x24xf32>, !q) -> !q
  return %by_infinity, %by_number, %by_choice, %by_table, %by_prior
      : !q, !q, !q, !q, !q
}
