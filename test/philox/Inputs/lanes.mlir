// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Two entries of entries.mlir on vectors: @normals_of_words has both pairs of a
// block as lanes, @noise has another place in the lane next to each.

!words = tensor<?xi32>
!floats = tensor<?xf32>
#line = affine_map<(n) -> (n)>
#scalar = affine_map<(b, h, i, j) -> ()>
#noise = affine_map<(b, h, i, j) -> (b, h, i, j)>

func.func private @lanes(%low: i32, %high: i32) -> vector<2xi32> {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %none = llvm.mlir.poison : vector<2xi32>
  %half = llvm.insertelement %low, %none[%zero : i32] : vector<2xi32>
  %both = llvm.insertelement %high, %half[%one : i32] : vector<2xi32>
  return %both : vector<2xi32>
}

func.func @normals_of_words(
    %w0: !words {attn.name = "w0", attn.dims = ["N"]},
    %w1: !words {attn.name = "w1", attn.dims = ["N"]},
    %w2: !words {attn.name = "w2", attn.dims = ["N"]},
    %w3: !words {attn.name = "w3", attn.dims = ["N"]})
    -> (!floats {attn.name = "z0", attn.dims = ["N"]},
        !floats {attn.name = "z1", attn.dims = ["N"]},
        !floats {attn.name = "z2", attn.dims = ["N"]},
        !floats {attn.name = "z3", attn.dims = ["N"]}) {
  %zero = arith.constant 0 : index
  %low = arith.constant 0 : i32
  %high = arith.constant 1 : i32
  %size = tensor.dim %w0, %zero : !words
  %out = tensor.empty(%size) : !floats
  %z:4 = linalg.generic {
      indexing_maps = [#line, #line, #line, #line, #line, #line, #line, #line],
      iterator_types = ["parallel"]}
      ins(%w0, %w1, %w2, %w3 : !words, !words, !words, !words)
      outs(%out, %out, %out, %out : !floats, !floats, !floats, !floats) {
  ^bb0(%a: i32, %b: i32, %c: i32, %d: i32,
       %o0: f32, %o1: f32, %o2: f32, %o3: f32):
    %first = func.call @lanes(%a, %c) : (i32, i32) -> vector<2xi32>
    %second = func.call @lanes(%b, %d) : (i32, i32) -> vector<2xi32>
    %r:4 = func.call @normals(%first, %second, %second, %first)
        : (vector<2xi32>, vector<2xi32>, vector<2xi32>, vector<2xi32>)
        -> (vector<2xf32>, vector<2xf32>, vector<2xf32>, vector<2xf32>)
    %r0 = llvm.extractelement %r#0[%low : i32] : vector<2xf32>
    %r1 = llvm.extractelement %r#1[%low : i32] : vector<2xf32>
    %r2 = llvm.extractelement %r#0[%high : i32] : vector<2xf32>
    %r3 = llvm.extractelement %r#1[%high : i32] : vector<2xf32>
    linalg.yield %r0, %r1, %r2, %r3 : f32, f32, f32, f32
  } -> (!floats, !floats, !floats, !floats)
  return %z#0, %z#1, %z#2, %z#3 : !floats, !floats, !floats, !floats
}

func.func private @longs(%low: i64, %high: i64) -> vector<2xi64> {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %none = llvm.mlir.poison : vector<2xi64>
  %half = llvm.insertelement %low, %none[%zero : i32] : vector<2xi64>
  %both = llvm.insertelement %high, %half[%one : i32] : vector<2xi64>
  return %both : vector<2xi64>
}

func.func private @places(%low: index, %high: index) -> vector<2xindex> {
  %0 = arith.index_cast %low : index to i64
  %1 = arith.index_cast %high : index to i64
  %2 = call @longs(%0, %1) : (i64, i64) -> vector<2xi64>
  %3 = arith.index_cast %2 : vector<2xi64> to vector<2xindex>
  return %3 : vector<2xindex>
}

func.func @noise(%seed: tensor<i64> {attn.name = "seed"},
                 %offset: tensor<i64> {attn.name = "offset"})
    -> (tensor<2x3x5x11xf32> {attn.name = "z"}) {
  %heads = arith.constant 3 : index
  %high = arith.constant 1 : i32
  %out = tensor.empty() : tensor<2x3x5x11xf32>
  %z = linalg.generic {
      indexing_maps = [#scalar, #scalar, #noise],
      iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
      ins(%seed, %offset : tensor<i64>, tensor<i64>)
      outs(%out : tensor<2x3x5x11xf32>) {
  ^bb0(%s: i64, %o: i64, %unused: f32):
    %b = linalg.index 0 : index
    %h = linalg.index 1 : index
    %i = linalg.index 2 : index
    %j = linalg.index 3 : index
    %bs = func.call @places(%j, %b) : (index, index) -> vector<2xindex>
    %hs = func.call @places(%i, %h) : (index, index) -> vector<2xindex>
    %is = func.call @places(%h, %i) : (index, index) -> vector<2xindex>
    %js = func.call @places(%b, %j) : (index, index) -> vector<2xindex>
    %heads2 = func.call @places(%heads, %heads) : (index, index) -> vector<2xindex>
    %seeds = func.call @longs(%o, %s) : (i64, i64) -> vector<2xi64>
    %offsets = func.call @longs(%s, %o) : (i64, i64) -> vector<2xi64>
    %r = func.call @normal(%bs, %hs, %is, %js, %heads2, %seeds, %offsets)
        : (vector<2xindex>, vector<2xindex>, vector<2xindex>, vector<2xindex>,
           vector<2xindex>, vector<2xi64>, vector<2xi64>) -> vector<2xf32>
    %r1 = llvm.extractelement %r[%high : i32] : vector<2xf32>
    linalg.yield %r1 : f32
  } -> tensor<2x3x5x11xf32>
  return %z : tensor<2x3x5x11xf32>
}
