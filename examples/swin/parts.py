# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The functions that the graphs of swin.py are made of, as MLIR with holes.

`$s` is the stage, `$n` the number of images; the other holes are sizes, and
lists of weights that differ between the networks.
"""

# Images are [p, f], p counting the positions of all, row by row; windows are
# [w, i, f], w counting the windows of all images and i the positions of one;
# heads are [w, h, i, d].
TYPES = """
!images$s = tensor<${positions}x${width}xf32>
!hidden$s = tensor<${positions}x${wide}xf32>
!windows$s = tensor<${windows}x49x${width}xf32>
!local$s = tensor<${windows}x${local}x49x32xf32>
!global$s = tensor<${windows}x${global_}x49x32xf32>
!bias$s = tensor<${local}x49x49xf32>
!parts$s = tensor<${apart}x49xindex>
"""

EMBEDDING = """
/// Patches of 4 x 4 pixels, turned into features.
func.func private @embedding(
    %pixels: tensor<${n}x3x224x224xf32>, %w: tensor<3x4x4x96xf32>,
    %bias: tensor<96xf32>) -> !images1 {
  %patches = tensor.expand_shape %pixels [[0], [1], [2, 3], [4, 5]]
      output_shape [$n, 3, 56, 4, 56, 4]
      : tensor<${n}x3x224x224xf32> into tensor<${n}x3x56x4x56x4xf32>
  %empty = tensor.empty() : tensor<${n}x56x56x96xf32>
  %start = linalg.broadcast ins(%bias : tensor<96xf32>)
      outs(%empty : tensor<${n}x56x56x96xf32>) dimensions = [0, 1, 2]
  %x = linalg.contract
      indexing_maps = [affine_map<(n, y, x, c, i, j, f) -> (n, c, y, i, x, j)>,
                       affine_map<(n, y, x, c, i, j, f) -> (c, i, j, f)>,
                       affine_map<(n, y, x, c, i, j, f) -> (n, y, x, f)>]
      ins(%patches, %w
          : tensor<${n}x3x56x4x56x4xf32>, tensor<3x4x4x96xf32>)
      outs(%start : tensor<${n}x56x56x96xf32>) -> tensor<${n}x56x56x96xf32>
  %images = tensor.collapse_shape %x [[0, 1, 2], [3]]
      : tensor<${n}x56x56x96xf32> into !images1
  return %images : !images1
}
"""

LAYER_NORM = """
/// Every position's features with mean 0 and variance 1, times gain, plus bias.
func.func private @layer_norm_${positions}x${width}(
    %x: $x, %gain: tensor<${width}xf32>, %bias: tensor<${width}xf32>) -> $x {
  %zero = arith.constant 0.0 : f32
  %width = arith.constant $width.0 : f32
  %epsilon = arith.constant 1.0e-5 : f32
  %empty = tensor.empty() : $rows
  %zeros = linalg.fill ins(%zero : f32) outs(%empty : $rows) -> $rows
  %sum = linalg.generic {
      indexing_maps = [affine_map<(p, f) -> (p, f)>,
                       affine_map<(p, f) -> (p)>],
      iterator_types = ["parallel", "reduction"]}
      ins(%x : $x) outs(%zeros : $rows) {
  ^bb0(%value: f32, %partial: f32):
    %next = arith.addf %partial, %value : f32
    linalg.yield %next : f32
  } -> $rows
  %squares = linalg.generic {
      indexing_maps = [affine_map<(p, f) -> (p, f)>,
                       affine_map<(p, f) -> (p)>,
                       affine_map<(p, f) -> (p)>],
      iterator_types = ["parallel", "reduction"]}
      ins(%x, %sum : $x, $rows) outs(%zeros : $rows) {
  ^bb0(%value: f32, %total: f32, %partial: f32):
    %mean = arith.divf %total, %width : f32
    %difference = arith.subf %value, %mean : f32
    %square = arith.mulf %difference, %difference : f32
    %next = arith.addf %partial, %square : f32
    linalg.yield %next : f32
  } -> $rows
  %y = linalg.generic {
      indexing_maps = [affine_map<(p, f) -> (p, f)>,
                       affine_map<(p, f) -> (p)>,
                       affine_map<(p, f) -> (p)>,
                       affine_map<(p, f) -> (f)>,
                       affine_map<(p, f) -> (f)>,
                       affine_map<(p, f) -> (p, f)>],
      iterator_types = ["parallel", "parallel"]}
      ins(%x, %sum, %squares, %gain, %bias
          : $x, $rows, $rows, tensor<${width}xf32>, tensor<${width}xf32>)
      outs(%x : $x) {
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
  } -> $x
  return %y : $x
}
"""

WINDOWS = """
/// The windows of images, one after another.
func.func private @windows$s(%x: !images$s) -> !windows$s {
  %split = tensor.expand_shape %x [[0, 1, 2, 3, 4], [5]]
      output_shape [$n, $side, 7, $side, 7, $width]
      : !images$s into tensor<${n}x${side}x7x${side}x7x${width}xf32>
  %empty = tensor.empty() : tensor<${n}x${side}x${side}x7x7x${width}xf32>
  %sorted = linalg.transpose
      ins(%split : tensor<${n}x${side}x7x${side}x7x${width}xf32>)
      outs(%empty : tensor<${n}x${side}x${side}x7x7x${width}xf32>)
      permutation = [0, 1, 3, 2, 4, 5]
  %windows = tensor.collapse_shape %sorted [[0, 1, 2], [3, 4], [5]]
      : tensor<${n}x${side}x${side}x7x7x${width}xf32> into !windows$s
  return %windows : !windows$s
}

/// The images that these windows make.
func.func private @images$s(%windows: !windows$s) -> !images$s {
  %sorted = tensor.expand_shape %windows [[0, 1, 2], [3, 4], [5]]
      output_shape [$n, $side, $side, 7, 7, $width]
      : !windows$s into tensor<${n}x${side}x${side}x7x7x${width}xf32>
  %empty = tensor.empty() : tensor<${n}x${side}x7x${side}x7x${width}xf32>
  %split = linalg.transpose
      ins(%sorted : tensor<${n}x${side}x${side}x7x7x${width}xf32>)
      outs(%empty : tensor<${n}x${side}x7x${side}x7x${width}xf32>)
      permutation = [0, 1, 3, 2, 4, 5]
  %x = tensor.collapse_shape %split [[0, 1, 2, 3, 4], [5]]
      : tensor<${n}x${side}x7x${side}x7x${width}xf32> into !images$s
  return %x : !images$s
}
"""

ROLL = """
/// Images rolled up and to the left: y[i, j] = x[i + by, j + by], around.
func.func private @roll$s(%x: !images$s, %by: index) -> !images$s {
  %rows = tensor.expand_shape %x [[0, 1, 2], [3]]
      output_shape [$n, $size, $size, $width]
      : !images$s into tensor<${n}x${size}x${size}x${width}xf32>
  %empty = tensor.empty() : tensor<${n}x${size}x${size}x${width}xf32>
  %rolled = linalg.generic {
      indexing_maps = [affine_map<(n, i, j, f) -> (n, i, j, f)>],
      iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
      outs(%empty : tensor<${n}x${size}x${size}x${width}xf32>) {
  ^bb0(%unused: f32):
    %n = linalg.index 0 : index
    %i = linalg.index 1 : index
    %j = linalg.index 2 : index
    %f = linalg.index 3 : index
    %row = affine.apply affine_map<(i)[by] -> ((i + by) mod $size)>(%i)[%by]
    %column = affine.apply affine_map<(j)[by] -> ((j + by) mod $size)>(%j)[%by]
    %value = tensor.extract %rows[%n, %row, %column, %f]
        : tensor<${n}x${size}x${size}x${width}xf32>
    linalg.yield %value : f32
  } -> tensor<${n}x${size}x${size}x${width}xf32>
  %y = tensor.collapse_shape %rolled [[0, 1, 2], [3]]
      : tensor<${n}x${size}x${size}x${width}xf32> into !images$s
  return %y : !images$s
}
"""

# A row lies in part 0, in part 1 from size - 7 on, in part 2 from size - 3 on.
PARTS = """
/// Which part of its image each position of a window comes from, where images
/// have been rolled: the parts of a window were not next to each other.
func.func private @parts$s() -> !parts$s {
  %empty = tensor.empty() : !parts$s
  %parts = linalg.generic {
      indexing_maps = [affine_map<(w, i) -> (w, i)>],
      iterator_types = ["parallel", "parallel"]}
      outs(%empty : !parts$s) {
  ^bb0(%unused: index):
    %w = linalg.index 0 : index
    %i = linalg.index 1 : index
    %y = affine.apply
        affine_map<(w, i) -> ((w floordiv $side) * 7 + i floordiv 7)>(%w, %i)
    %x = affine.apply
        affine_map<(w, i) -> ((w mod $side) * 7 + i mod 7)>(%w, %i)
    %part = affine.apply
        affine_map<(y, x) -> (
            ((y + 7) floordiv $size + (y + 3) floordiv $size) * 3
            + (x + 7) floordiv $size + (x + 3) floordiv $size)>(%y, %x)
    linalg.yield %part : index
  } -> !parts$s
  return %parts : !parts$s
}
"""

BIAS = """
/// Every head's bias by how far the query lies below and right of the key.
func.func private @bias$s(%table: tensor<169x${local}xf32>) -> !bias$s {
  %empty = tensor.empty() : !bias$s
  %bias = linalg.generic {
      indexing_maps = [affine_map<(h, i, j) -> (h, i, j)>],
      iterator_types = ["parallel", "parallel", "parallel"]}
      outs(%empty : !bias$s) {
  ^bb0(%unused: f32):
    %h = linalg.index 0 : index
    %i = linalg.index 1 : index
    %j = linalg.index 2 : index
    %row = affine.apply
        affine_map<(i, j) -> ((i floordiv 7 - j floordiv 7 + 6) * 13
                              + i mod 7 - j mod 7 + 6)>(%i, %j)
    %value = tensor.extract %table[%row, %h] : tensor<169x${local}xf32>
    linalg.yield %value : f32
  } -> !bias$s
  return %bias : !bias$s
}
"""

# $kind is global or local, $heads their number.
HEADS = """
/// The features of every position, turned into $kind heads.
func.func private @${kind}_heads$s(
    %x: !windows$s, %w: tensor<${width}x${heads}x32xf32>,
    %bias: tensor<${heads}x32xf32>) -> !$kind$s {
  %empty = tensor.empty() : !$kind$s
  %start = linalg.broadcast ins(%bias : tensor<${heads}x32xf32>)
      outs(%empty : !$kind$s) dimensions = [0, 2]
  %y = linalg.contract
      indexing_maps = [affine_map<(w, h, i, f, d) -> (w, i, f)>,
                       affine_map<(w, h, i, f, d) -> (f, h, d)>,
                       affine_map<(w, h, i, f, d) -> (w, h, i, d)>]
      ins(%x, %w : !windows$s, tensor<${width}x${heads}x32xf32>)
      outs(%start : !$kind$s) -> !$kind$s
  return %y : !$kind$s
}
"""

# $attention is the op with what it mixes; $seen and $lowered are empty
# where windows are not shifted.
ATTENTION = """
/// Attention within each window, and what its heads add to the features.
func.func private @${shifted}attention$s(
    %x: !windows$s,
    $attention_weights) -> !windows$s {
  %q = call @${kind}_heads$s(%x, %wq, %bq)
      : (!windows$s, tensor<${width}x${global_}x32xf32>, tensor<${global_}x32xf32>)
      -> !global$s
  %k = call @${kind}_heads$s(%x, %wk, %bk)
      : (!windows$s, tensor<${width}x${global_}x32xf32>, tensor<${global_}x32xf32>)
      -> !global$s
  %v = call @local_heads$s(%x, %wv, %bv)
      : (!windows$s, tensor<${width}x${local}x32xf32>, tensor<${local}x32xf32>)
      -> !local$s
  %bias = call @bias$s(%table) : (tensor<169x${local}xf32>) -> !bias$s$seen
  %heads = $attention
      bias(%bias : !bias$s)$lowered
      : (!global$s, !global$s, !local$s) -> !local$s
  %empty = tensor.empty() : !windows$s
  %start = linalg.broadcast ins(%bo : tensor<${width}xf32>)
      outs(%empty : !windows$s) dimensions = [0, 1]
  %y = linalg.contract
      indexing_maps = [affine_map<(w, i, h, d, f) -> (w, h, i, d)>,
                       affine_map<(w, i, h, d, f) -> (h, d, f)>,
                       affine_map<(w, i, h, d, f) -> (w, i, f)>]
      ins(%heads, %wo : !local$s, tensor<${local}x32x${width}xf32>)
      outs(%start : !windows$s) -> !windows$s
  return %y : !windows$s
}
"""

SOFTMAX = "attn.softmax %q, %k, %v"

ADMIXTURE = """attn.admixture_heads %q, %k, %v
      mlp(%mixer_w1, %mixer_b1, %mixer_w2, %mixer_b2
          : tensor<${global_}x${local}xf32>, tensor<${local}xf32>,
            tensor<${local}x${local}xf32>, tensor<${local}xf32>)
      scale_before"""

# Parts of a window hardly see one another: their scores are 100 lower.
SEEN = """
  %parts = call @parts$s() : () -> !parts$s
  %count = arith.constant $apart : index
  %zero = arith.constant 0.0 : f32
  %lower = arith.constant -100.0 : f32"""

LOWERED = """ score_mod {
  ^bb0(%score: f32, %w: index, %h: index, %i: index, %j: index):
    %window = arith.remui %w, %count : index
    %own = tensor.extract %parts[%window, %i] : !parts$s
    %other = tensor.extract %parts[%window, %j] : !parts$s
    %together = arith.cmpi eq, %own, %other : index
    %mask = arith.select %together, %zero, %lower : f32
    %masked = arith.addf %score, %mask : f32
    attn.yield %masked : f32
  }"""

PERCEPTRON = """
/// gelu(x w1 + b1) w2 + b2
func.func private @perceptron$s(
    %x: !images$s, %w1: tensor<${width}x${wide}xf32>, %b1: tensor<${wide}xf32>,
    %w2: tensor<${wide}x${width}xf32>, %b2: tensor<${width}xf32>) -> !images$s {
  %half = arith.constant 0.5 : f32
  %one = arith.constant 1.0 : f32
  %root = arith.constant 0.707106781 : f32
  %empty1 = tensor.empty() : !hidden$s
  %start1 = linalg.broadcast ins(%b1 : tensor<${wide}xf32>)
      outs(%empty1 : !hidden$s) dimensions = [0]
  %hidden = linalg.contract
      indexing_maps = [affine_map<(p, f, g) -> (p, f)>,
                       affine_map<(p, f, g) -> (f, g)>,
                       affine_map<(p, f, g) -> (p, g)>]
      ins(%x, %w1 : !images$s, tensor<${width}x${wide}xf32>)
      outs(%start1 : !hidden$s) -> !hidden$s
  %active = linalg.generic {
      indexing_maps = [affine_map<(p, g) -> (p, g)>],
      iterator_types = ["parallel", "parallel"]}
      outs(%hidden : !hidden$s) {
  ^bb0(%value: f32):
    %argument = arith.mulf %value, %root : f32
    %error = math.erf %argument : f32
    %twice = arith.addf %one, %error : f32
    %part = arith.mulf %half, %twice : f32
    %result = arith.mulf %value, %part : f32
    linalg.yield %result : f32
  } -> !hidden$s
  %empty2 = tensor.empty() : !images$s
  %start2 = linalg.broadcast ins(%b2 : tensor<${width}xf32>)
      outs(%empty2 : !images$s) dimensions = [0]
  %y = linalg.contract
      indexing_maps = [affine_map<(p, g, f) -> (p, g)>,
                       affine_map<(p, g, f) -> (g, f)>,
                       affine_map<(p, g, f) -> (p, f)>]
      ins(%active, %w2 : !hidden$s, tensor<${wide}x${width}xf32>)
      outs(%start2 : !images$s) -> !images$s
  return %y : !images$s
}
"""

# $forth and $back roll the image where windows are shifted.
BLOCK = """
/// Attention, then the perceptron, each with a residual connection.
func.func private @${shifted}block$s(
    %x: !images$s,
    $block_weights) -> !images$s {
  %y = call @layer_norm_${positions}x${width}(%x, %norm1_gain, %norm1_bias)
      : (!images$s, tensor<${width}xf32>, tensor<${width}xf32>) -> !images$s$forth
  %windows = call @windows$s(%$rolled) : (!images$s) -> !windows$s
  %attended = call @${shifted}attention$s(
      $attention_values)
      : ($attention_types)
      -> !windows$s
  %change1 = call @images$s(%attended) : (!windows$s) -> !images$s$back
  %x1 = arith.addf %x, %$change : !images$s
  %y1 = call @layer_norm_${positions}x${width}(%x1, %norm2_gain, %norm2_bias)
      : (!images$s, tensor<${width}xf32>, tensor<${width}xf32>) -> !images$s
  %change2 = call @perceptron$s(%y1, %w1, %b1, %w2, %b2)
      : (!images$s, tensor<${width}x${wide}xf32>, tensor<${wide}xf32>,
         tensor<${wide}x${width}xf32>, tensor<${width}xf32>) -> !images$s
  %x2 = arith.addf %x1, %change2 : !images$s
  return %x2 : !images$s
}
"""

FORTH = """
  %shift = arith.constant 3 : index
  %rolled = call @roll$s(%y, %shift) : (!images$s, index) -> !images$s"""

BACK = """
  %rest = arith.constant $rest : index
  %unrolled = call @roll$s(%change1, %rest) : (!images$s, index) -> !images$s"""

MERGE = """
/// Four positions become one, of twice the features.
func.func private @merge$s(
    %x: !images$s, %norm_gain: tensor<${wide}xf32>,
    %norm_bias: tensor<${wide}xf32>, %w: tensor<${wide}x${double}xf32>)
    -> !images$next {
  %split = tensor.expand_shape %x [[0, 1, 2, 3, 4], [5]]
      output_shape [$n, $half, 2, $half, 2, $width]
      : !images$s into tensor<${n}x${half}x2x${half}x2x${width}xf32>
  %empty = tensor.empty() : tensor<${n}x${half}x${half}x2x2x${width}xf32>
  %sorted = linalg.transpose
      ins(%split : tensor<${n}x${half}x2x${half}x2x${width}xf32>)
      outs(%empty : tensor<${n}x${half}x${half}x2x2x${width}xf32>)
      permutation = [0, 1, 3, 4, 2, 5]
  %merged = tensor.collapse_shape %sorted [[0, 1, 2], [3, 4, 5]]
      : tensor<${n}x${half}x${half}x2x2x${width}xf32>
      into tensor<${merged}x${wide}xf32>
  %y = call @layer_norm_${merged}x${wide}(%merged, %norm_gain, %norm_bias)
      : (tensor<${merged}x${wide}xf32>, tensor<${wide}xf32>,
         tensor<${wide}xf32>) -> tensor<${merged}x${wide}xf32>
  %zero = arith.constant 0.0 : f32
  %none = tensor.empty() : !images$next
  %zeros = linalg.fill ins(%zero : f32) outs(%none : !images$next) -> !images$next
  %z = linalg.contract
      indexing_maps = [affine_map<(p, f, g) -> (p, f)>,
                       affine_map<(p, f, g) -> (f, g)>,
                       affine_map<(p, f, g) -> (p, g)>]
      ins(%y, %w
          : tensor<${merged}x${wide}xf32>, tensor<${wide}x${double}xf32>)
      outs(%zeros : !images$next) -> !images$next
  return %z : !images$next
}
"""

CLASSIFIER = """
/// The mean over all positions, turned into a score for every class.
func.func private @classifier(
    %x: !images4, %w: tensor<768x1000xf32>, %bias: tensor<1000xf32>)
    -> tensor<${n}x1000xf32> {
  %zero = arith.constant 0.0 : f32
  %positions = arith.constant 49.0 : f32
  %no_sum = tensor.empty() : tensor<${n}x768xf32>
  %zeros = linalg.fill ins(%zero : f32) outs(%no_sum : tensor<${n}x768xf32>)
      -> tensor<${n}x768xf32>
  %images = tensor.expand_shape %x [[0, 1], [2]] output_shape [$n, 49, 768]
      : !images4 into tensor<${n}x49x768xf32>
  %sum = linalg.generic {
      indexing_maps = [affine_map<(n, p, f) -> (n, p, f)>,
                       affine_map<(n, p, f) -> (n, f)>],
      iterator_types = ["parallel", "reduction", "parallel"]}
      ins(%images : tensor<${n}x49x768xf32>) outs(%zeros : tensor<${n}x768xf32>) {
  ^bb0(%value: f32, %partial: f32):
    %next = arith.addf %partial, %value : f32
    linalg.yield %next : f32
  } -> tensor<${n}x768xf32>
  %mean = linalg.generic {
      indexing_maps = [affine_map<(n, f) -> (n, f)>],
      iterator_types = ["parallel", "parallel"]}
      outs(%sum : tensor<${n}x768xf32>) {
  ^bb0(%total: f32):
    %value = arith.divf %total, %positions : f32
    linalg.yield %value : f32
  } -> tensor<${n}x768xf32>
  %empty = tensor.empty() : tensor<${n}x1000xf32>
  %start = linalg.broadcast ins(%bias : tensor<1000xf32>)
      outs(%empty : tensor<${n}x1000xf32>) dimensions = [0]
  %logits = linalg.contract
      indexing_maps = [affine_map<(n, f, c) -> (n, f)>,
                       affine_map<(n, f, c) -> (f, c)>,
                       affine_map<(n, f, c) -> (n, c)>]
      ins(%mean, %w : tensor<${n}x768xf32>, tensor<768x1000xf32>)
      outs(%start : tensor<${n}x1000xf32>) -> tensor<${n}x1000xf32>
  return %logits : tensor<${n}x1000xf32>
}
"""
