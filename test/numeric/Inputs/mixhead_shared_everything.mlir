// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Every clause at once on mixed heads that read one key and value head, and the
// logarithms of sums before the mixer.
// Types written F32 stay 32-bit when queries, keys and values are 16-bit.
func.func @mixhead_shared_everything(
    %q: tensor<?x6x?x24xf32> {attn.name = "q", attn.dims = ["B", "N"]},
    %k: tensor<?x1x?x24xf32> {attn.name = "k", attn.dims = ["B", "S"]},
    %v: tensor<?x1x?x40xf32> {attn.name = "v", attn.dims = ["B", "S"]},
    %w: tensor<24x6xF32> {attn.name = "w"},
    %b: tensor<6x6xF32> {attn.name = "b"},
    %bias: tensor<6x1x?xF32> {attn.name = "bias", attn.dims = ["S"]},
    %slopes: tensor<6xF32> {attn.name = "slopes"},
    %lengths: tensor<?xi64> {attn.name = "lengths", attn.dims = ["B"], attn.range = [0, "S"]},
    %mask: tensor<6x?x?xi1> {attn.name = "mask", attn.dims = ["N", "S"]})
    -> (tensor<?x6x?x40xf32> {attn.name = "o", attn.dims = ["B", "N"]},
        tensor<?x6x?xF32> {attn.name = "lse", attn.dims = ["B", "N"]}) {
  %c2 = arith.constant 2 : index
  %n = tensor.dim %q, %c2 : tensor<?x6x?x24xf32>
  %o, %lse = attn.mix_heads %q, %k, %v
      mixer_by_row(%q, %w, %b : tensor<?x6x?x24xf32>, tensor<24x6xF32>, tensor<6x6xF32>)
      bias(%bias : tensor<6x1x?xF32>) score_mod {
  ^bb0(%s: F32, %batch: index, %h: index, %i: index, %j: index):
    %cap = arith.constant 30.0 : F32
    %ratio = arith.divf %s, %cap : F32
    %bent = math.tanh %ratio : F32
    %capped = arith.mulf %cap, %bent : F32
    %m = tensor.dim %k, %c2 : tensor<?x1x?x24xf32>
    %shift = arith.subi %m, %n : index
    %row = arith.addi %i, %shift : index
    %after = arith.cmpi sgt, %j, %row : index
    %ahead = arith.subi %j, %row : index
    %behind = arith.subi %row, %j : index
    %distance = arith.select %after, %ahead, %behind : index
    %steps = arith.index_cast %distance : index to i32
    %length = arith.uitofp %steps : i32 to F32
    %slope = tensor.extract %slopes[%h] : tensor<6xF32>
    %penalty = arith.mulf %slope, %length : F32
    %biased = arith.subf %capped, %penalty : F32
    attn.yield %biased : F32
  } mask(%mask : tensor<6x?x?xi1>) lengths(%lengths : tensor<?xi64>) causal
      band <70, 2>
      : (tensor<?x6x?x24xf32>, tensor<?x1x?x24xf32>, tensor<?x1x?x40xf32>)
      -> tensor<?x6x?x40xf32> lse tensor<?x6x?xF32>
  return %o, %lse : tensor<?x6x?x40xf32>, tensor<?x6x?xF32>
}
