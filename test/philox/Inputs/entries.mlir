// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Entries that apply the functions of mixattn-philox to every element.

!words = tensor<?xi32>
!floats = tensor<?xf32>
#line = affine_map<(n) -> (n)>
#scalar = affine_map<(b, h, i, j) -> ()>
#noise = affine_map<(b, h, i, j) -> (b, h, i, j)>

func.func @words(%c0: !words {attn.name = "c0", attn.dims = ["N"]},
                 %c1: !words {attn.name = "c1", attn.dims = ["N"]},
                 %c2: !words {attn.name = "c2", attn.dims = ["N"]},
                 %c3: !words {attn.name = "c3", attn.dims = ["N"]},
                 %k0: !words {attn.name = "k0", attn.dims = ["N"]},
                 %k1: !words {attn.name = "k1", attn.dims = ["N"]})
    -> (!words {attn.name = "w0", attn.dims = ["N"]},
        !words {attn.name = "w1", attn.dims = ["N"]},
        !words {attn.name = "w2", attn.dims = ["N"]},
        !words {attn.name = "w3", attn.dims = ["N"]}) {
  %zero = arith.constant 0 : index
  %size = tensor.dim %c0, %zero : !words
  %out = tensor.empty(%size) : !words
  %w:4 = linalg.generic {
      indexing_maps = [#line, #line, #line, #line, #line, #line,
                       #line, #line, #line, #line],
      iterator_types = ["parallel"]}
      ins(%c0, %c1, %c2, %c3, %k0, %k1
          : !words, !words, !words, !words, !words, !words)
      outs(%out, %out, %out, %out : !words, !words, !words, !words) {
  ^bb0(%a: i32, %b: i32, %c: i32, %d: i32, %k: i32, %l: i32,
       %o0: i32, %o1: i32, %o2: i32, %o3: i32):
    %r:4 = func.call @philox(%a, %b, %c, %d, %k, %l)
        : (i32, i32, i32, i32, i32, i32) -> (i32, i32, i32, i32)
    linalg.yield %r#0, %r#1, %r#2, %r#3 : i32, i32, i32, i32
  } -> (!words, !words, !words, !words)
  return %w#0, %w#1, %w#2, %w#3 : !words, !words, !words, !words
}

func.func @factors(%word: !words {attn.name = "word", attn.dims = ["N"]})
    -> (!floats {attn.name = "radius", attn.dims = ["N"]},
        !floats {attn.name = "cos", attn.dims = ["N"]},
        !floats {attn.name = "sin", attn.dims = ["N"]}) {
  %zero = arith.constant 0 : index
  %size = tensor.dim %word, %zero : !words
  %out = tensor.empty(%size) : !floats
  %r:3 = linalg.generic {
      indexing_maps = [#line, #line, #line, #line],
      iterator_types = ["parallel"]}
      ins(%word : !words) outs(%out, %out, %out : !floats, !floats, !floats) {
  ^bb0(%w: i32, %o0: f32, %o1: f32, %o2: f32):
    %radius = func.call @radius(%w) : (i32) -> f32
    %angle:2 = func.call @cos_sin(%w) : (i32) -> (f32, f32)
    linalg.yield %radius, %angle#0, %angle#1 : f32, f32, f32
  } -> (!floats, !floats, !floats)
  return %r#0, %r#1, %r#2 : !floats, !floats, !floats
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
  %size = tensor.dim %w0, %zero : !words
  %out = tensor.empty(%size) : !floats
  %z:4 = linalg.generic {
      indexing_maps = [#line, #line, #line, #line, #line, #line, #line, #line],
      iterator_types = ["parallel"]}
      ins(%w0, %w1, %w2, %w3 : !words, !words, !words, !words)
      outs(%out, %out, %out, %out : !floats, !floats, !floats, !floats) {
  ^bb0(%a: i32, %b: i32, %c: i32, %d: i32,
       %o0: f32, %o1: f32, %o2: f32, %o3: f32):
    %r:4 = func.call @normals(%a, %b, %c, %d)
        : (i32, i32, i32, i32) -> (f32, f32, f32, f32)
    linalg.yield %r#0, %r#1, %r#2, %r#3 : f32, f32, f32, f32
  } -> (!floats, !floats, !floats, !floats)
  return %z#0, %z#1, %z#2, %z#3 : !floats, !floats, !floats, !floats
}

func.func @noise(%seed: tensor<i64> {attn.name = "seed"},
                 %offset: tensor<i64> {attn.name = "offset"})
    -> (tensor<2x3x5x11xf32> {attn.name = "z"}) {
  %heads = arith.constant 3 : index
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
    %r = func.call @normal(%b, %h, %i, %j, %heads, %s, %o)
        : (index, index, index, index, index, i64, i64) -> f32
    linalg.yield %r : f32
  } -> tensor<2x3x5x11xf32>
  return %z : tensor<2x3x5x11xf32>
}
