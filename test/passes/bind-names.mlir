// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Names of arguments, results and dynamic dimensions: those given stay, the
// others follow from what the ops need equal.
//
// RUN: mixattn-opt --attn-bind-names %s | FileCheck %s

!q = tensor<?x2x?x4xf32>

// Parties are numbered, sizes are named in the order of arguments: the batch is
// d0, queries d1, keys d2.
// CHECK-LABEL: func.func @nothing_given
// CHECK-SAME:    (%{{.+}}: tensor<?x2x?x4xf32> {attn.dims = ["d0", "d1"], attn.name = "arg0"},
// CHECK-SAME:     %{{.+}}: tensor<?x2x?x4xf32> {attn.dims = ["d0", "d2"], attn.name = "arg1"},
// CHECK-SAME:     %{{.+}}: tensor<?x2x?x4xf32> {attn.dims = ["d0", "d2"], attn.name = "arg2"})
// CHECK-SAME:    -> (tensor<?x2x?x4xf32> {attn.dims = ["d0", "d1"], attn.name = "result0"})
func.func @nothing_given(%q: !q, %k: !q, %v: !q) -> !q {
  %o = attn.softmax %q, %k, %v : (!q, !q, !q) -> !q
  return %o : !q
}

// One name is enough for all sizes that equal it; fresh names avoid given ones.
// CHECK-LABEL: func.func @some_given
// CHECK-SAME:    (%{{.+}}: tensor<?x2x?x4xf32> {attn.dims = ["B", "d1"], attn.name = "arg0"},
// CHECK-SAME:     %{{.+}}: tensor<?x2x?x4xf32> {attn.dims = ["B", "d0"], attn.name = "keys"},
// CHECK-SAME:     %{{.+}}: tensor<?x2x?x4xf32> {attn.dims = ["B", "d0"], attn.name = "arg2"})
// CHECK-SAME:    -> (tensor<?x2x?x4xf32> {attn.dims = ["B", "d1"], attn.name = "o"})
func.func @some_given(
    %q: !q, %k: !q {attn.name = "keys", attn.dims = ["B", "d0"]}, %v: !q)
    -> (!q {attn.name = "o"}) {
  %o = attn.softmax %q, %k, %v : (!q, !q, !q) -> !q
  return %o : !q
}

// Every clause ties sizes; lengths get their range, and a given range stays.
// CHECK-LABEL: func.func @clauses
// CHECK-SAME:    attn.name = "q"}
// CHECK-SAME:    tensor<2x?x?xf32> {attn.dims = ["N", "S"], attn.name = "arg2"}
// CHECK-SAME:    tensor<?x1x1x?xi1> {attn.dims = ["B", "S"], attn.name = "arg3"}
// CHECK-SAME:    tensor<?xi64> {attn.dims = ["B"], attn.name = "arg4", attn.range = [0, "S"]}
// CHECK-SAME:    tensor<?x2x?x3xf32> {attn.dims = ["B", "N"], attn.name = "arg5"}
// CHECK-SAME:    tensor<?xi32> {attn.dims = ["B"], attn.name = "arg8", attn.range = [1, "N"]}
func.func @clauses(
    %q: !q {attn.name = "q", attn.dims = ["B", "N"]},
    %k: !q {attn.name = "k", attn.dims = ["B", "S"]}, %bias: tensor<2x?x?xf32>,
    %mask: tensor<?x1x1x?xi1>, %n: tensor<?xi64>, %source: tensor<?x2x?x3xf32>,
    %w: tensor<3x2xf32>, %b: tensor<2x2xf32>,
    %m: tensor<?xi32> {attn.range = [1, "N"]}) -> (!q, !q) {
  %0 = attn.mix_heads %q, %k, %k
      mixer_by_row(%source, %w, %b
          : tensor<?x2x?x3xf32>, tensor<3x2xf32>, tensor<2x2xf32>)
      bias(%bias : tensor<2x?x?xf32>) mask(%mask : tensor<?x1x1x?xi1>)
      lengths(%n : tensor<?xi64>) : (!q, !q, !q) -> !q
  %1 = attn.softmax %q, %k, %k lengths(%m : tensor<?xi32>) : (!q, !q, !q) -> !q
  return %0, %1 : !q, !q
}

// Keys with components keep their length before the features; what each
// component has for itself per query or key ends with that length.
// CHECK-LABEL: func.func @components
// CHECK-SAME:    tensor<?x2x?x4xf32> {attn.dims = ["B", "N"], attn.name = "q"}
// CHECK-SAME:    tensor<?x2x3x?x4xf32> {attn.dims = ["B", "S"], attn.name = "keys"}
// CHECK-SAME:    tensor<?x2x?x4xf32> {attn.dims = ["B", "S"], attn.name = "arg2"}
// CHECK-SAME:    tensor<2x3x?xf32> {attn.dims = ["S"], attn.holds = {kind = "log_prior"}, attn.name = "arg3"}
// CHECK-SAME:    tensor<?x2x?xf32> {attn.dims = ["B", "N"], attn.name = "arg4"}
// CHECK-SAME:    tensor<?x2x3x?xf32> {attn.dims = ["B", "S"], attn.name = "arg5"}
// CHECK-SAME:    tensor<?xi64> {attn.dims = ["B"], attn.name = "arg6", attn.range = [0, "S"]}
func.func @components(
    %q: !q {attn.name = "q", attn.dims = ["B", "N"]},
    %keys: tensor<?x2x3x?x4xf32> {attn.name = "keys", attn.dims = ["B", "S"]},
    %v: !q, %prior: tensor<2x3x?xf32>, %query_term: tensor<?x2x?xf32>,
    %key_term: tensor<?x2x3x?xf32>, %n: tensor<?xi64>) -> !q {
  %o = attn.generic scores(%q, %keys : !q, tensor<?x2x3x?x4xf32>)
      query_term(%query_term : tensor<?x2x?xf32>)
      key_term(%key_term : tensor<?x2x3x?xf32>)
      prior(%prior : tensor<2x3x?xf32>) lengths(%n : tensor<?xi64>)
      pool(%v : !q) -> !q
  return %o : !q
}

// The range of lengths ends at a static number of keys with components, too.
// CHECK-LABEL: func.func @static_lengths_of_components
// CHECK-SAME:    attn.range = [0, 5]}
func.func @static_lengths_of_components(
    %q: tensor<1x2x3x4xf32>, %keys: tensor<1x2x3x5x4xf32>,
    %v: tensor<1x2x5x4xf32>, %n: tensor<1xi32>) -> tensor<1x2x3x4xf32> {
  %o = attn.mixture_of_keys %q, %keys, %v lengths(%n : tensor<1xi32>)
      : (tensor<1x2x3x4xf32>, tensor<1x2x3x5x4xf32>, tensor<1x2x5x4xf32>)
      -> tensor<1x2x3x4xf32>
  return %o : tensor<1x2x3x4xf32>
}

// Results on request: weights have dims of queries and keys, lse of queries.
// CHECK-LABEL: func.func @results
// CHECK-SAME:    -> (tensor<?x2x?x?xf32> {attn.dims = ["B", "N", "S"], attn.name = "result0"},
// CHECK-SAME:        tensor<?x2x?xf32> {attn.dims = ["B", "N"], attn.name = "result1"})
func.func @results(
    %q: !q {attn.dims = ["B", "N"]}, %k: !q {attn.dims = ["B", "S"]})
    -> (tensor<?x2x?x?xf32>, tensor<?x2x?xf32>) {
  %o, %weights, %lse = attn.softmax %q, %k, %k
      : (!q, !q, !q) -> !q weights tensor<?x2x?x?xf32> lse tensor<?x2x?xf32>
  return %weights, %lse : tensor<?x2x?x?xf32>, tensor<?x2x?xf32>
}

// The range of lengths ends at a static number of keys.
// CHECK-LABEL: func.func @static_lengths
// CHECK-SAME:    tensor<1xi32> {attn.name = "arg1", attn.range = [0, 3]}
func.func @static_lengths(%q: tensor<1x2x3x4xf32>, %n: tensor<1xi32>)
    -> tensor<1x2x3x4xf32> {
  %o = attn.softmax %q, %q, %q lengths(%n : tensor<1xi32>)
      : (tensor<1x2x3x4xf32>, tensor<1x2x3x4xf32>, tensor<1x2x3x4xf32>)
      -> tensor<1x2x3x4xf32>
  return %o : tensor<1x2x3x4xf32>
}

// Sizes run through elementwise ops, linalg, casts and tensor.empty.
// CHECK-LABEL: func.func @other_ops
// CHECK-SAME:    tensor<?x?xf32> {attn.dims = ["d0", "d1"], attn.name = "arg0"}
// CHECK-SAME:    tensor<?x?xf32> {attn.dims = ["d1", "d2"], attn.name = "arg1"}
// CHECK-SAME:    tensor<?x?xf32> {attn.dims = ["d0", "d2"], attn.name = "arg2"}
// CHECK-SAME:    -> (tensor<?x?xf32> {attn.dims = ["d0", "d2"], attn.name = "result0"})
func.func @other_ops(%a: tensor<?x?xf32>, %b: tensor<?x?xf32>,
                     %c: tensor<?x?xf32>) -> tensor<?x?xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %rows = tensor.dim %a, %c0 : tensor<?x?xf32>
  %columns = tensor.dim %b, %c1 : tensor<?x?xf32>
  %zero = arith.constant 0.0 : f32
  %empty = tensor.empty(%rows, %columns) : tensor<?x?xf32>
  %zeros = linalg.fill ins(%zero : f32) outs(%empty : tensor<?x?xf32>) -> tensor<?x?xf32>
  %0 = linalg.matmul ins(%a, %b : tensor<?x?xf32>, tensor<?x?xf32>)
      outs(%zeros : tensor<?x?xf32>) -> tensor<?x?xf32>
  %1 = arith.addf %0, %c : tensor<?x?xf32>
  %2 = tensor.cast %1 : tensor<?x?xf32> to tensor<?x?xf32>
  return %2 : tensor<?x?xf32>
}

// A loop that keeps sizes, a branch whose ways agree.
// CHECK-LABEL: func.func @carried
// CHECK-SAME:    -> (tensor<?xf32> {attn.dims = ["N"], attn.name = "result0"})
func.func @carried(%x: tensor<?xf32> {attn.dims = ["N"]}, %which: tensor<i1>)
    -> tensor<?xf32> {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %condition = tensor.extract %which[] : tensor<i1>
  %0 = scf.for %i = %zero to %one step %one iter_args(%a = %x) -> tensor<?xf32> {
    %b = arith.addf %a, %a : tensor<?xf32>
    scf.yield %b : tensor<?xf32>
  }
  %1 = scf.if %condition -> tensor<?xf32> {
    scf.yield %0 : tensor<?xf32>
  } else {
    scf.yield %x : tensor<?xf32>
  }
  return %1 : tensor<?xf32>
}

// Any element type of the ABI, rank 0, arguments that nobody reads, and
// arguments that are results.
// CHECK-LABEL: func.func @without_attention
// CHECK-SAME:    (%{{.+}}: tensor<f64> {attn.name = "arg0"}, %{{.+}}: tensor<?xi1> {attn.dims = ["d0"], attn.name = "arg1"})
// CHECK-SAME:    -> (tensor<?xi1> {attn.dims = ["d0"], attn.name = "result0"}, tensor<?xi1> {attn.dims = ["d0"], attn.name = "result1"})
func.func @without_attention(%x: tensor<f64>, %y: tensor<?xi1>)
    -> (tensor<?xi1>, tensor<?xi1>) {
  return %y, %y : tensor<?xi1>, tensor<?xi1>
}

// Private functions keep their signature.
// CHECK-LABEL: func.func private @helper(
// CHECK-NOT:     attn.
func.func private @helper(%x: tensor<?xf32>) -> index {
  %c0 = arith.constant 0 : index
  return %c0 : index
}

// Parts, tensors side by side, and borders keep the sizes of the other dims; a
// reshape says which sizes it makes.
// CHECK-LABEL: func.func @parts
// CHECK-SAME:    -> (tensor<?x4xf32> {attn.dims = ["N"], attn.name = "result0"}, tensor<?x16xf32> {attn.dims = ["N"], attn.name = "result1"},
// CHECK-SAME:     tensor<?x10xf32> {attn.dims = ["N"], attn.name = "result2"}, tensor<?x8xf32> {attn.dims = ["N"], attn.name = "result3"})
func.func @parts(%x: tensor<?x8xf32> {attn.dims = ["N"]}, %w: tensor<2x4xf32>)
    -> (tensor<?x4xf32>, tensor<?x16xf32>, tensor<?x10xf32>, tensor<?x8xf32>) {
  %zero = arith.constant 0.0 : f32
  %c0 = arith.constant 0 : index
  %n = tensor.dim %x, %c0 : tensor<?x8xf32>
  %part = tensor.extract_slice %x[0, 0] [%n, 4] [1, 1] : tensor<?x8xf32> to tensor<?x4xf32>
  %both = tensor.concat dim(1) %x, %x : (tensor<?x8xf32>, tensor<?x8xf32>) -> tensor<?x16xf32>
  %border = tensor.pad %x low[0, 1] high[0, 1] {
  ^bb0(%i: index, %j: index):
    tensor.yield %zero : f32
  } : tensor<?x8xf32> to tensor<?x10xf32>
  %written = tensor.insert_slice %w into %x[0, 0] [2, 4] [1, 1] : tensor<2x4xf32> into tensor<?x8xf32>
  return %part, %both, %border, %written : tensor<?x4xf32>, tensor<?x16xf32>, tensor<?x10xf32>, tensor<?x8xf32>
}

// CHECK-LABEL: func.func @folded_rows
// CHECK-SAME:    -> (tensor<?x?x8xf32> {attn.dims = ["B", "N"], attn.name = "result0"})
func.func @folded_rows(%x: tensor<?x?x8xf32> {attn.dims = ["B", "N"]}) -> tensor<?x?x8xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %b = tensor.dim %x, %c0 : tensor<?x?x8xf32>
  %n = tensor.dim %x, %c1 : tensor<?x?x8xf32>
  %rows = tensor.collapse_shape %x [[0, 1], [2]] : tensor<?x?x8xf32> into tensor<?x8xf32>
  %y = math.exp %rows : tensor<?x8xf32>
  %z = tensor.expand_shape %y [[0, 1], [2]] output_shape [%b, %n, 8] : tensor<?x8xf32> into tensor<?x?x8xf32>
  return %z : tensor<?x?x8xf32>
}

// -----

// Where a reshape drops sizes of 1, the open size next to them keeps its name.
// CHECK-LABEL: func.func @ones_fall_away
// CHECK-SAME:    -> (tensor<?x8xf32> {attn.dims = ["N"], attn.name = "result0"})
func.func @ones_fall_away(%x: tensor<1x?x1x8xf32> {attn.dims = ["N"]})
    -> tensor<?x8xf32> {
  %rows = tensor.collapse_shape %x [[0, 1, 2], [3]]
      : tensor<1x?x1x8xf32> into tensor<?x8xf32>
  return %rows : tensor<?x8xf32>
}
