// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: mixattn-opt --verify-roundtrip %s -o /dev/null
//
// A penalty that grows with distance, its slope given per head.
//
//   o[b,h,i,:] = sum_j A[b,h,i,j] v[b,h,j,:]
//   A[b,h,i,:] = softmax_j(q_i . k_j / sqrt(64) - slopes[h] |j - i - (S - N)|)
//
// Positions are aligned at the end: the last query stands at the last key.
// "Train Short, Test Long: Attention with Linear Biases" (Press et al. 2022),
// section 3, in its symmetric form.
func.func @softmax_alibi(
    %q: tensor<?x8x?x64xf32> {attn.name = "q", attn.dims = ["B", "N"]},
    %k: tensor<?x8x?x64xf32> {attn.name = "k", attn.dims = ["B", "S"]},
    %v: tensor<?x8x?x64xf32> {attn.name = "v", attn.dims = ["B", "S"]},
    %slopes: tensor<8xf32> {attn.name = "slopes"})
    -> (tensor<?x8x?x64xf32> {attn.name = "o", attn.dims = ["B", "N"]}) {
  %c2 = arith.constant 2 : index
  %o = attn.softmax %q, %k, %v score_mod {
  ^bb0(%s: f32, %b: index, %h: index, %i: index, %j: index):
    %n = tensor.dim %q, %c2 : tensor<?x8x?x64xf32>
    %m = tensor.dim %k, %c2 : tensor<?x8x?x64xf32>
    %shift = arith.subi %m, %n : index
    %row = arith.addi %i, %shift : index
    %offset = arith.subi %j, %row : index
    %distance = math.absi %offset : index
    %steps = arith.index_cast %distance : index to i64
    %length = arith.sitofp %steps : i64 to f32
    %slope = tensor.extract %slopes[%h] : tensor<8xf32>
    %penalty = arith.mulf %slope, %length : f32
    %biased = arith.subf %s, %penalty : f32
    attn.yield %biased : f32
  } : (tensor<?x8x?x64xf32>, tensor<?x8x?x64xf32>, tensor<?x8x?x64xf32>)
      -> tensor<?x8x?x64xf32>
  return %o : tensor<?x8x?x64xf32>
}
