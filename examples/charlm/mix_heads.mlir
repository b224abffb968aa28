// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: mixattn-opt --verify-roundtrip %s -o /dev/null
//
// Characters to logits, in the edition that mixes heads after the softmax.
//
//   x = embedding[tokens]
//   x = x + heads(layer_norm(x)) wo;  x = x + feed_forward(layer_norm(x))    twice
//   logits = layer_norm(x) unembedding
//
// heads(x): attention of 8 heads of 16 features, causal, with a penalty slope_h
// times the distance; each query mixes the 8 weights of every key by a matrix of
// its own. Weights are named as in weights/mix_heads.safetensors.

!x = tensor<?x?x128xf32>
!heads = tensor<?x8x?x16xf32>

func.func @mix_heads(
    %tokens: tensor<?x?xi64> {attn.name = "tokens", attn.dims = ["B", "N"],
                               attn.range = [0, 95]},
    %embedding: tensor<96x128xf32> {attn.name = "embedding", attn.parameter},
    %layer0_norm1_gain: tensor<128xf32> {attn.name = "layer0_norm1_gain", attn.parameter},
    %layer0_norm1_bias: tensor<128xf32> {attn.name = "layer0_norm1_bias", attn.parameter},
    %layer0_wq: tensor<128x8x16xf32> {attn.name = "layer0_wq", attn.parameter},
    %layer0_wk: tensor<128x8x16xf32> {attn.name = "layer0_wk", attn.parameter},
    %layer0_wv: tensor<128x8x16xf32> {attn.name = "layer0_wv", attn.parameter},
    %layer0_mix_weight: tensor<16x8xf32> {attn.name = "layer0_mix_weight", attn.parameter},
    %layer0_mix_bias: tensor<8x8xf32> {attn.name = "layer0_mix_bias", attn.parameter},
    %layer0_slopes: tensor<8xf32> {attn.name = "layer0_slopes", attn.parameter},
    %layer0_wo: tensor<8x16x128xf32> {attn.name = "layer0_wo", attn.parameter},
    %layer0_norm2_gain: tensor<128xf32> {attn.name = "layer0_norm2_gain", attn.parameter},
    %layer0_norm2_bias: tensor<128xf32> {attn.name = "layer0_norm2_bias", attn.parameter},
    %layer0_w1: tensor<128x512xf32> {attn.name = "layer0_w1", attn.parameter},
    %layer0_b1: tensor<512xf32> {attn.name = "layer0_b1", attn.parameter},
    %layer0_w2: tensor<512x128xf32> {attn.name = "layer0_w2", attn.parameter},
    %layer0_b2: tensor<128xf32> {attn.name = "layer0_b2", attn.parameter},
    %layer1_norm1_gain: tensor<128xf32> {attn.name = "layer1_norm1_gain", attn.parameter},
    %layer1_norm1_bias: tensor<128xf32> {attn.name = "layer1_norm1_bias", attn.parameter},
    %layer1_wq: tensor<128x8x16xf32> {attn.name = "layer1_wq", attn.parameter},
    %layer1_wk: tensor<128x8x16xf32> {attn.name = "layer1_wk", attn.parameter},
    %layer1_wv: tensor<128x8x16xf32> {attn.name = "layer1_wv", attn.parameter},
    %layer1_mix_weight: tensor<16x8xf32> {attn.name = "layer1_mix_weight", attn.parameter},
    %layer1_mix_bias: tensor<8x8xf32> {attn.name = "layer1_mix_bias", attn.parameter},
    %layer1_slopes: tensor<8xf32> {attn.name = "layer1_slopes", attn.parameter},
    %layer1_wo: tensor<8x16x128xf32> {attn.name = "layer1_wo", attn.parameter},
    %layer1_norm2_gain: tensor<128xf32> {attn.name = "layer1_norm2_gain", attn.parameter},
    %layer1_norm2_bias: tensor<128xf32> {attn.name = "layer1_norm2_bias", attn.parameter},
    %layer1_w1: tensor<128x512xf32> {attn.name = "layer1_w1", attn.parameter},
    %layer1_b1: tensor<512xf32> {attn.name = "layer1_b1", attn.parameter},
    %layer1_w2: tensor<512x128xf32> {attn.name = "layer1_w2", attn.parameter},
    %layer1_b2: tensor<128xf32> {attn.name = "layer1_b2", attn.parameter},
    %norm_gain: tensor<128xf32> {attn.name = "norm_gain", attn.parameter},
    %norm_bias: tensor<128xf32> {attn.name = "norm_bias", attn.parameter},
    %unembedding: tensor<128x96xf32> {attn.name = "unembedding", attn.parameter})
    -> (tensor<?x?x96xf32> {attn.name = "logits", attn.dims = ["B", "N"]}) {
  %x0 = call @embedding(%tokens, %embedding)
      : (tensor<?x?xi64>, tensor<96x128xf32>) -> !x
  %x1 = call @layer(
      %x0, %layer0_norm1_gain, %layer0_norm1_bias, %layer0_wq, %layer0_wk,
      %layer0_wv, %layer0_mix_weight, %layer0_mix_bias, %layer0_slopes,
      %layer0_wo, %layer0_norm2_gain, %layer0_norm2_bias, %layer0_w1,
      %layer0_b1, %layer0_w2, %layer0_b2)
      : (!x, tensor<128xf32>, tensor<128xf32>, tensor<128x8x16xf32>,
         tensor<128x8x16xf32>, tensor<128x8x16xf32>, tensor<16x8xf32>,
         tensor<8x8xf32>, tensor<8xf32>, tensor<8x16x128xf32>, tensor<128xf32>,
         tensor<128xf32>, tensor<128x512xf32>, tensor<512xf32>,
         tensor<512x128xf32>, tensor<128xf32>) -> !x
  %x2 = call @layer(
      %x1, %layer1_norm1_gain, %layer1_norm1_bias, %layer1_wq, %layer1_wk,
      %layer1_wv, %layer1_mix_weight, %layer1_mix_bias, %layer1_slopes,
      %layer1_wo, %layer1_norm2_gain, %layer1_norm2_bias, %layer1_w1,
      %layer1_b1, %layer1_w2, %layer1_b2)
      : (!x, tensor<128xf32>, tensor<128xf32>, tensor<128x8x16xf32>,
         tensor<128x8x16xf32>, tensor<128x8x16xf32>, tensor<16x8xf32>,
         tensor<8x8xf32>, tensor<8xf32>, tensor<8x16x128xf32>, tensor<128xf32>,
         tensor<128xf32>, tensor<128x512xf32>, tensor<512xf32>,
         tensor<512x128xf32>, tensor<128xf32>) -> !x
  %y = call @layer_norm(%x2, %norm_gain, %norm_bias)
      : (!x, tensor<128xf32>, tensor<128xf32>) -> !x
  %logits = call @logits(%y, %unembedding)
      : (!x, tensor<128x96xf32>) -> tensor<?x?x96xf32>
  return %logits : tensor<?x?x96xf32>
}

/// The logits of the characters from `start` on of texts whose earlier ones are in the
/// caches, which take these, too.
func.func @mix_heads_step(
    %tokens: tensor<?x?xi64> {attn.name = "tokens", attn.dims = ["B", "N"],
                               attn.range = [0, 95]},
    %start: tensor<?xi32> {attn.name = "start", attn.dims = ["B"]},
    %layer0_keys: !heads {attn.name = "layer0_keys", attn.dims = ["B", "S"]},
    %layer0_values: !heads {attn.name = "layer0_values", attn.dims = ["B", "S"]},
    %layer1_keys: !heads {attn.name = "layer1_keys", attn.dims = ["B", "S"]},
    %layer1_values: !heads {attn.name = "layer1_values", attn.dims = ["B", "S"]},
    %embedding: tensor<96x128xf32> {attn.name = "embedding", attn.parameter},
    %layer0_norm1_gain: tensor<128xf32> {attn.name = "layer0_norm1_gain", attn.parameter},
    %layer0_norm1_bias: tensor<128xf32> {attn.name = "layer0_norm1_bias", attn.parameter},
    %layer0_wq: tensor<128x8x16xf32> {attn.name = "layer0_wq", attn.parameter},
    %layer0_wk: tensor<128x8x16xf32> {attn.name = "layer0_wk", attn.parameter},
    %layer0_wv: tensor<128x8x16xf32> {attn.name = "layer0_wv", attn.parameter},
    %layer0_mix_weight: tensor<16x8xf32> {attn.name = "layer0_mix_weight", attn.parameter},
    %layer0_mix_bias: tensor<8x8xf32> {attn.name = "layer0_mix_bias", attn.parameter},
    %layer0_slopes: tensor<8xf32> {attn.name = "layer0_slopes", attn.parameter},
    %layer0_wo: tensor<8x16x128xf32> {attn.name = "layer0_wo", attn.parameter},
    %layer0_norm2_gain: tensor<128xf32> {attn.name = "layer0_norm2_gain", attn.parameter},
    %layer0_norm2_bias: tensor<128xf32> {attn.name = "layer0_norm2_bias", attn.parameter},
    %layer0_w1: tensor<128x512xf32> {attn.name = "layer0_w1", attn.parameter},
    %layer0_b1: tensor<512xf32> {attn.name = "layer0_b1", attn.parameter},
    %layer0_w2: tensor<512x128xf32> {attn.name = "layer0_w2", attn.parameter},
    %layer0_b2: tensor<128xf32> {attn.name = "layer0_b2", attn.parameter},
    %layer1_norm1_gain: tensor<128xf32> {attn.name = "layer1_norm1_gain", attn.parameter},
    %layer1_norm1_bias: tensor<128xf32> {attn.name = "layer1_norm1_bias", attn.parameter},
    %layer1_wq: tensor<128x8x16xf32> {attn.name = "layer1_wq", attn.parameter},
    %layer1_wk: tensor<128x8x16xf32> {attn.name = "layer1_wk", attn.parameter},
    %layer1_wv: tensor<128x8x16xf32> {attn.name = "layer1_wv", attn.parameter},
    %layer1_mix_weight: tensor<16x8xf32> {attn.name = "layer1_mix_weight", attn.parameter},
    %layer1_mix_bias: tensor<8x8xf32> {attn.name = "layer1_mix_bias", attn.parameter},
    %layer1_slopes: tensor<8xf32> {attn.name = "layer1_slopes", attn.parameter},
    %layer1_wo: tensor<8x16x128xf32> {attn.name = "layer1_wo", attn.parameter},
    %layer1_norm2_gain: tensor<128xf32> {attn.name = "layer1_norm2_gain", attn.parameter},
    %layer1_norm2_bias: tensor<128xf32> {attn.name = "layer1_norm2_bias", attn.parameter},
    %layer1_w1: tensor<128x512xf32> {attn.name = "layer1_w1", attn.parameter},
    %layer1_b1: tensor<512xf32> {attn.name = "layer1_b1", attn.parameter},
    %layer1_w2: tensor<512x128xf32> {attn.name = "layer1_w2", attn.parameter},
    %layer1_b2: tensor<128xf32> {attn.name = "layer1_b2", attn.parameter},
    %norm_gain: tensor<128xf32> {attn.name = "norm_gain", attn.parameter},
    %norm_bias: tensor<128xf32> {attn.name = "norm_bias", attn.parameter},
    %unembedding: tensor<128x96xf32> {attn.name = "unembedding", attn.parameter})
    -> (tensor<?x?x96xf32> {attn.name = "logits", attn.dims = ["B", "N"]},
        !heads, !heads, !heads, !heads) {
  %x0 = call @embedding(%tokens, %embedding)
      : (tensor<?x?xi64>, tensor<96x128xf32>) -> !x
  %x1, %keys0, %values0 = call @layer_step(
      %x0, %layer0_norm1_gain, %layer0_norm1_bias, %layer0_wq, %layer0_wk,
      %layer0_wv, %layer0_mix_weight, %layer0_mix_bias, %layer0_slopes,
      %layer0_wo, %layer0_norm2_gain, %layer0_norm2_bias, %layer0_w1,
      %layer0_b1, %layer0_w2, %layer0_b2, %start, %layer0_keys, %layer0_values)
      : (!x, tensor<128xf32>, tensor<128xf32>, tensor<128x8x16xf32>,
         tensor<128x8x16xf32>, tensor<128x8x16xf32>, tensor<16x8xf32>,
         tensor<8x8xf32>, tensor<8xf32>, tensor<8x16x128xf32>, tensor<128xf32>,
         tensor<128xf32>, tensor<128x512xf32>, tensor<512xf32>,
         tensor<512x128xf32>, tensor<128xf32>, tensor<?xi32>, !heads, !heads) -> (!x, !heads, !heads)
  %x2, %keys1, %values1 = call @layer_step(
      %x1, %layer1_norm1_gain, %layer1_norm1_bias, %layer1_wq, %layer1_wk,
      %layer1_wv, %layer1_mix_weight, %layer1_mix_bias, %layer1_slopes,
      %layer1_wo, %layer1_norm2_gain, %layer1_norm2_bias, %layer1_w1,
      %layer1_b1, %layer1_w2, %layer1_b2, %start, %layer1_keys, %layer1_values)
      : (!x, tensor<128xf32>, tensor<128xf32>, tensor<128x8x16xf32>,
         tensor<128x8x16xf32>, tensor<128x8x16xf32>, tensor<16x8xf32>,
         tensor<8x8xf32>, tensor<8xf32>, tensor<8x16x128xf32>, tensor<128xf32>,
         tensor<128xf32>, tensor<128x512xf32>, tensor<512xf32>,
         tensor<512x128xf32>, tensor<128xf32>, tensor<?xi32>, !heads, !heads) -> (!x, !heads, !heads)
  %y = call @layer_norm(%x2, %norm_gain, %norm_bias)
      : (!x, tensor<128xf32>, tensor<128xf32>) -> !x
  %logits = call @logits(%y, %unembedding)
      : (!x, tensor<128x96xf32>) -> tensor<?x?x96xf32>
  return %logits, %keys0, %values0, %keys1, %values1
      : tensor<?x?x96xf32>, !heads, !heads, !heads, !heads
}

/// Attention, then the feed-forward network, each with a residual connection.
func.func private @layer(
    %x: !x, %norm1_gain: tensor<128xf32>, %norm1_bias: tensor<128xf32>,
    %wq: tensor<128x8x16xf32>, %wk: tensor<128x8x16xf32>,
    %wv: tensor<128x8x16xf32>, %mix_weight: tensor<16x8xf32>,
    %mix_bias: tensor<8x8xf32>, %slopes: tensor<8xf32>,
    %wo: tensor<8x16x128xf32>, %norm2_gain: tensor<128xf32>,
    %norm2_bias: tensor<128xf32>, %w1: tensor<128x512xf32>,
    %b1: tensor<512xf32>, %w2: tensor<512x128xf32>, %b2: tensor<128xf32>) -> !x {
  %y1 = call @layer_norm(%x, %norm1_gain, %norm1_bias)
      : (!x, tensor<128xf32>, tensor<128xf32>) -> !x
  %heads = call @attention(
      %y1, %wq, %wk, %wv, %mix_weight, %mix_bias, %slopes)
      : (!x, tensor<128x8x16xf32>, tensor<128x8x16xf32>, tensor<128x8x16xf32>,
         tensor<16x8xf32>, tensor<8x8xf32>, tensor<8xf32>) -> !heads
  %x2 = call @add_heads(
      %x, %heads, %wo, %norm2_gain, %norm2_bias, %w1, %b1, %w2, %b2)
      : (!x, !heads, tensor<8x16x128xf32>, tensor<128xf32>, tensor<128xf32>,
         tensor<128x512xf32>, tensor<512xf32>, tensor<512x128xf32>,
         tensor<128xf32>) -> !x
  return %x2 : !x
}

/// A layer for the characters from `start` on.
func.func private @layer_step(
    %x: !x, %norm1_gain: tensor<128xf32>, %norm1_bias: tensor<128xf32>,
    %wq: tensor<128x8x16xf32>, %wk: tensor<128x8x16xf32>,
    %wv: tensor<128x8x16xf32>, %mix_weight: tensor<16x8xf32>,
    %mix_bias: tensor<8x8xf32>, %slopes: tensor<8xf32>,
    %wo: tensor<8x16x128xf32>, %norm2_gain: tensor<128xf32>,
    %norm2_bias: tensor<128xf32>, %w1: tensor<128x512xf32>,
    %b1: tensor<512xf32>, %w2: tensor<512x128xf32>, %b2: tensor<128xf32>,
    %start: tensor<?xi32>, %old_keys: !heads, %old_values: !heads)
    -> (!x, !heads, !heads) {
  %y1 = call @layer_norm(%x, %norm1_gain, %norm1_bias)
      : (!x, tensor<128xf32>, tensor<128xf32>) -> !x
  %heads, %keys, %values = call @attention_step(
      %y1, %wq, %wk, %wv, %mix_weight, %mix_bias, %slopes, %start, %old_keys,
      %old_values)
      : (!x, tensor<128x8x16xf32>, tensor<128x8x16xf32>, tensor<128x8x16xf32>,
         tensor<16x8xf32>, tensor<8x8xf32>, tensor<8xf32>, tensor<?xi32>,
         !heads, !heads) -> (!heads, !heads, !heads)
  %x2 = call @add_heads(
      %x, %heads, %wo, %norm2_gain, %norm2_bias, %w1, %b1, %w2, %b2)
      : (!x, !heads, tensor<8x16x128xf32>, tensor<128xf32>, tensor<128xf32>,
         tensor<128x512xf32>, tensor<512xf32>, tensor<512x128xf32>,
         tensor<128xf32>) -> !x
  return %x2, %keys, %values : !x, !heads, !heads
}

/// The heads' features added to `x`, then the feed-forward network.
func.func private @add_heads(
    %x: !x, %heads: !heads, %wo: tensor<8x16x128xf32>,
    %norm2_gain: tensor<128xf32>, %norm2_bias: tensor<128xf32>,
    %w1: tensor<128x512xf32>, %b1: tensor<512xf32>, %w2: tensor<512x128xf32>,
    %b2: tensor<128xf32>) -> !x {
  %x1 = linalg.contract
      indexing_maps = [affine_map<(b, n, h, e, f) -> (b, h, n, e)>,
                       affine_map<(b, n, h, e, f) -> (h, e, f)>,
                       affine_map<(b, n, h, e, f) -> (b, n, f)>]
      ins(%heads, %wo : !heads, tensor<8x16x128xf32>)
      outs(%x : !x) -> !x
  %y2 = call @layer_norm(%x1, %norm2_gain, %norm2_bias)
      : (!x, tensor<128xf32>, tensor<128xf32>) -> !x
  %change = call @feed_forward(%y2, %w1, %b1, %w2, %b2)
      : (!x, tensor<128x512xf32>, tensor<512xf32>, tensor<512x128xf32>,
         tensor<128xf32>) -> !x
  %x2 = arith.addf %x1, %change : !x
  return %x2 : !x
}

/// Heads mixed after the softmax, the mixer made from each query.
func.func private @attention(%x: !x, %wq: tensor<128x8x16xf32>,
                             %wk: tensor<128x8x16xf32>,
                             %wv: tensor<128x8x16xf32>,
                             %mix_weight: tensor<16x8xf32>,
                             %mix_bias: tensor<8x8xf32>, %slopes: tensor<8xf32>)
    -> !heads {
  %q = call @heads(%x, %wq) : (!x, tensor<128x8x16xf32>) -> !heads
  %k = call @heads(%x, %wk) : (!x, tensor<128x8x16xf32>) -> !heads
  %v = call @heads(%x, %wv) : (!x, tensor<128x8x16xf32>) -> !heads
  %o = attn.mix_heads %q, %k, %v
      mixer_by_row(%q, %mix_weight, %mix_bias
                   : !heads, tensor<16x8xf32>, tensor<8x8xf32>)
      score_mod {
  ^bb0(%s: f32, %b: index, %h: index, %i: index, %j: index):
    %steps = arith.subi %i, %j : index
    %integer = arith.index_cast %steps : index to i64
    %distance = arith.sitofp %integer : i64 to f32
    %slope = tensor.extract %slopes[%h] : tensor<8xf32>
    %penalty = arith.mulf %slope, %distance : f32
    %score = arith.subf %s, %penalty : f32
    attn.yield %score : f32
  } causal : (!heads, !heads, !heads) -> !heads
  return %o : !heads
}

/// The same for queries from `start` on of texts whose earlier keys and values are
/// in caches.
func.func private @attention_step(
    %x: !x, %wq: tensor<128x8x16xf32>, %wk: tensor<128x8x16xf32>,
    %wv: tensor<128x8x16xf32>, %mix_weight: tensor<16x8xf32>,
    %mix_bias: tensor<8x8xf32>, %slopes: tensor<8xf32>, %start: tensor<?xi32>,
    %old_keys: !heads, %old_values: !heads)
    -> (!heads, !heads, !heads) {
  %q = call @heads(%x, %wq) : (!x, tensor<128x8x16xf32>) -> !heads
  %k = call @heads(%x, %wk) : (!x, tensor<128x8x16xf32>) -> !heads
  %v = call @heads(%x, %wv) : (!x, tensor<128x8x16xf32>) -> !heads
  %all_keys = attn.append %k into %old_keys at(%start)
      : !heads, tensor<?xi32> into !heads -> !heads
  %all_values = attn.append %v into %old_values at(%start)
      : !heads, tensor<?xi32> into !heads -> !heads
  %o = attn.mix_heads %q, %all_keys, %all_values
      mixer_by_row(%q, %mix_weight, %mix_bias
                   : !heads, tensor<16x8xf32>, tensor<8x8xf32>)
      score_mod {
  ^bb0(%s: f32, %b: index, %h: index, %i: index, %j: index):
    %first = tensor.extract %start[%b] : tensor<?xi32>
    %offset = arith.index_cast %first : i32 to index
    %place = arith.addi %offset, %i : index
    %steps = arith.subi %place, %j : index
    %integer = arith.index_cast %steps : index to i64
    %distance = arith.sitofp %integer : i64 to f32
    %slope = tensor.extract %slopes[%h] : tensor<8xf32>
    %penalty = arith.mulf %slope, %distance : f32
    %score = arith.subf %s, %penalty : f32
    attn.yield %score : f32
  } causal from(%start : tensor<?xi32>)
      : (!heads, !heads, !heads) -> !heads
  return %o, %all_keys, %all_values : !heads, !heads, !heads
}

/// The features of every position, turned into heads.
func.func private @heads(%x: !x, %w: tensor<128x8x16xf32>) -> !heads {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f32
  %b = tensor.dim %x, %c0 : !x
  %n = tensor.dim %x, %c1 : !x
  %empty = tensor.empty(%b, %n) : !heads
  %zeros = linalg.fill ins(%zero : f32) outs(%empty : !heads) -> !heads
  %y = linalg.contract
      indexing_maps = [affine_map<(b, n, f, h, d) -> (b, n, f)>,
                       affine_map<(b, n, f, h, d) -> (f, h, d)>,
                       affine_map<(b, n, f, h, d) -> (b, h, n, d)>]
      ins(%x, %w : !x, tensor<128x8x16xf32>)
      outs(%zeros : !heads) -> !heads
  return %y : !heads
}

/// Every token's row of the table.
func.func private @embedding(%tokens: tensor<?x?xi64>, %table: tensor<96x128xf32>)
    -> !x {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %b = tensor.dim %tokens, %c0 : tensor<?x?xi64>
  %n = tensor.dim %tokens, %c1 : tensor<?x?xi64>
  %empty = tensor.empty(%b, %n) : !x
  %x = linalg.generic {
      indexing_maps = [affine_map<(b, n, f) -> (b, n)>,
                       affine_map<(b, n, f) -> (b, n, f)>],
      iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%tokens : tensor<?x?xi64>) outs(%empty : !x) {
  ^bb0(%token: i64, %unused: f32):
    %row = arith.index_cast %token : i64 to index
    %feature = linalg.index 2 : index
    %value = tensor.extract %table[%row, %feature] : tensor<96x128xf32>
    linalg.yield %value : f32
  } -> !x
  return %x : !x
}

/// Every position's features with mean 0 and variance 1, times gain, plus bias.
func.func private @layer_norm(%x: !x, %gain: tensor<128xf32>,
                              %bias: tensor<128xf32>) -> !x {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f32
  %width = arith.constant 128.0 : f32
  %epsilon = arith.constant 1.0e-5 : f32
  %b = tensor.dim %x, %c0 : !x
  %n = tensor.dim %x, %c1 : !x
  %empty = tensor.empty(%b, %n) : tensor<?x?xf32>
  %zeros = linalg.fill ins(%zero : f32) outs(%empty : tensor<?x?xf32>)
      -> tensor<?x?xf32>
  %sum = linalg.generic {
      indexing_maps = [affine_map<(b, n, f) -> (b, n, f)>,
                       affine_map<(b, n, f) -> (b, n)>],
      iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%x : !x) outs(%zeros : tensor<?x?xf32>) {
  ^bb0(%value: f32, %partial: f32):
    %next = arith.addf %partial, %value : f32
    linalg.yield %next : f32
  } -> tensor<?x?xf32>
  %squares = linalg.generic {
      indexing_maps = [affine_map<(b, n, f) -> (b, n, f)>,
                       affine_map<(b, n, f) -> (b, n)>,
                       affine_map<(b, n, f) -> (b, n)>],
      iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%x, %sum : !x, tensor<?x?xf32>) outs(%zeros : tensor<?x?xf32>) {
  ^bb0(%value: f32, %total: f32, %partial: f32):
    %mean = arith.divf %total, %width : f32
    %difference = arith.subf %value, %mean : f32
    %square = arith.mulf %difference, %difference : f32
    %next = arith.addf %partial, %square : f32
    linalg.yield %next : f32
  } -> tensor<?x?xf32>
  %y = linalg.generic {
      indexing_maps = [affine_map<(b, n, f) -> (b, n, f)>,
                       affine_map<(b, n, f) -> (b, n)>,
                       affine_map<(b, n, f) -> (b, n)>,
                       affine_map<(b, n, f) -> (f)>,
                       affine_map<(b, n, f) -> (f)>,
                       affine_map<(b, n, f) -> (b, n, f)>],
      iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%x, %sum, %squares, %gain, %bias
          : !x, tensor<?x?xf32>, tensor<?x?xf32>, tensor<128xf32>, tensor<128xf32>)
      outs(%x : !x) {
  ^bb0(%value: f32, %total: f32, %spread: f32, %g: f32, %c: f32, %unused: f32):
    %mean = arith.divf %total, %width : f32
    %variance = arith.divf %spread, %width : f32
    %positive = arith.addf %variance, %epsilon : f32
    %scale = math.rsqrt %positive : f32
    %difference = arith.subf %value, %mean : f32
    %normal = arith.mulf %difference, %scale : f32
    %scaled = arith.mulf %normal, %g : f32
    %result = arith.addf %scaled, %c : f32
    linalg.yield %result : f32
  } -> !x
  return %y : !x
}

/// relu(x w1 + b1) w2 + b2
func.func private @feed_forward(%x: !x, %w1: tensor<128x512xf32>,
                                %b1: tensor<512xf32>, %w2: tensor<512x128xf32>,
                                %b2: tensor<128xf32>) -> !x {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f32
  %b = tensor.dim %x, %c0 : !x
  %n = tensor.dim %x, %c1 : !x
  %empty1 = tensor.empty(%b, %n) : tensor<?x?x512xf32>
  %start1 = linalg.broadcast ins(%b1 : tensor<512xf32>)
      outs(%empty1 : tensor<?x?x512xf32>) dimensions = [0, 1]
  %hidden = linalg.contract
      indexing_maps = [affine_map<(b, n, f, g) -> (b, n, f)>,
                       affine_map<(b, n, f, g) -> (f, g)>,
                       affine_map<(b, n, f, g) -> (b, n, g)>]
      ins(%x, %w1 : !x, tensor<128x512xf32>)
      outs(%start1 : tensor<?x?x512xf32>) -> tensor<?x?x512xf32>
  %active = linalg.generic {
      indexing_maps = [affine_map<(b, n, g) -> (b, n, g)>],
      iterator_types = ["parallel", "parallel", "parallel"]}
      outs(%hidden : tensor<?x?x512xf32>) {
  ^bb0(%value: f32):
    %positive = arith.maximumf %value, %zero : f32
    linalg.yield %positive : f32
  } -> tensor<?x?x512xf32>
  %empty2 = tensor.empty(%b, %n) : !x
  %start2 = linalg.broadcast ins(%b2 : tensor<128xf32>) outs(%empty2 : !x)
      dimensions = [0, 1]
  %y = linalg.contract
      indexing_maps = [affine_map<(b, n, g, f) -> (b, n, g)>,
                       affine_map<(b, n, g, f) -> (g, f)>,
                       affine_map<(b, n, g, f) -> (b, n, f)>]
      ins(%active, %w2 : tensor<?x?x512xf32>, tensor<512x128xf32>)
      outs(%start2 : !x) -> !x
  return %y : !x
}

/// The score of every character as the next one.
func.func private @logits(%x: !x, %w: tensor<128x96xf32>) -> tensor<?x?x96xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f32
  %b = tensor.dim %x, %c0 : !x
  %n = tensor.dim %x, %c1 : !x
  %empty = tensor.empty(%b, %n) : tensor<?x?x96xf32>
  %zeros = linalg.fill ins(%zero : f32) outs(%empty : tensor<?x?x96xf32>) -> tensor<?x?x96xf32>
  %y = linalg.contract
      indexing_maps = [affine_map<(b, n, f, c) -> (b, n, f)>,
                       affine_map<(b, n, f, c) -> (f, c)>,
                       affine_map<(b, n, f, c) -> (b, n, c)>]
      ins(%x, %w : !x, tensor<128x96xf32>)
      outs(%zeros : tensor<?x?x96xf32>) -> tensor<?x?x96xf32>
  return %y : tensor<?x?x96xf32>
}
