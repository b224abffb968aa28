// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Attention of numbers of 16 bits, which a graph may widen, and whose result it
// rounds to their type, is attention of these numbers and gives that type.
//
// RUN: mixattn-opt %s --attn-narrow-attention --canonicalize --split-input-file --mlir-print-local-scope | FileCheck %s
// RUN: mixattn-opt %s --attn-narrow-attention --split-input-file --remarks-filter-passed=attn-narrow-attention --remark-format=emitRemark -o /dev/null 2>&1 | FileCheck %s --check-prefix=REMARK

#same = affine_map<(b, h, n, d) -> (b, h, n, d)>

// REMARK: attention of bf16, to which the graph rounds its result
// CHECK-LABEL: func.func @all(
// CHECK-SAME:    %[[Q:.+]]: tensor<1x4x?x8xbf16>, %[[K:.+]]: tensor<1x4x7x8xbf16>, %[[V:.+]]: tensor<1x4x7x8xbf16>, %[[BIAS:.+]]: tensor
// CHECK-NEXT:    %[[O:.+]] = attn.generic scores(%[[Q]], %[[K]] : {{.*}}bf16>) scale 5.000000e-01 bias(%[[BIAS]] : tensor<4x?x7xf32>) pool(%[[V]] : {{.*}}bf16>) -> tensor<1x4x?x8xbf16>
// CHECK-NEXT:    return %[[O]]
func.func @all(%q: tensor<1x4x?x8xbf16>, %k: tensor<1x4x7x8xbf16>, %v: tensor<1x4x7x8xbf16>, %bias: tensor<4x?x7xf32>) -> tensor<1x4x?x8xbf16> {
  %two = arith.constant 2 : index
  %n = tensor.dim %q, %two : tensor<1x4x?x8xbf16>
  %eq = tensor.empty(%n) : tensor<1x4x?x8xf32>
  %wq = linalg.generic {indexing_maps = [#same, #same], iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
      ins(%q : tensor<1x4x?x8xbf16>) outs(%eq : tensor<1x4x?x8xf32>) {
  ^bb0(%x: bf16, %out: f32):
    %w = arith.extf %x : bf16 to f32
    linalg.yield %w : f32
  } -> tensor<1x4x?x8xf32>
  %ek = tensor.empty() : tensor<1x4x7x8xf32>
  %wk = linalg.generic {indexing_maps = [#same, #same], iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
      ins(%k : tensor<1x4x7x8xbf16>) outs(%ek : tensor<1x4x7x8xf32>) {
  ^bb0(%x: bf16, %out: f32):
    %w = arith.extf %x : bf16 to f32
    linalg.yield %w : f32
  } -> tensor<1x4x7x8xf32>
  %wv = linalg.generic {indexing_maps = [#same, #same], iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
      ins(%v : tensor<1x4x7x8xbf16>) outs(%ek : tensor<1x4x7x8xf32>) {
  ^bb0(%x: bf16, %out: f32):
    %w = arith.extf %x : bf16 to f32
    linalg.yield %w : f32
  } -> tensor<1x4x7x8xf32>
  %p = attn.generic scores(%wq, %wk : tensor<1x4x?x8xf32>, tensor<1x4x7x8xf32>) scale 0.5 bias(%bias : tensor<4x?x7xf32>)
      pool(%wv : tensor<1x4x7x8xf32>) -> tensor<1x4x?x8xf32>
  %narrow = tensor.empty(%n) : tensor<1x4x?x8xbf16>
  %o = linalg.generic {indexing_maps = [#same, #same], iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
      ins(%p : tensor<1x4x?x8xf32>) outs(%narrow : tensor<1x4x?x8xbf16>) {
  ^bb0(%x: f32, %out: bf16):
    %r = arith.truncf %x : f32 to bf16
    linalg.yield %r : bf16
  } -> tensor<1x4x?x8xbf16>
  return %o : tensor<1x4x?x8xbf16>
}

// -----

#heads = affine_map<(h, n, d) -> (h, n, d)>

// Reshapes may stand between: those that give operands four dims.
// REMARK: attention of f16, to which the graph rounds its result
// CHECK-LABEL: func.func @reshaped(
// CHECK-SAME:    %[[X:.+]]: tensor<4x9x8xf16>)
// CHECK-NEXT:    %[[WIDE:.+]] = tensor.expand_shape %[[X]] {{.*}} : tensor<4x9x8xf16> into tensor<1x4x9x8xf16>
// CHECK-NEXT:    %[[O:.+]] = attn.generic scores(%[[WIDE]], %[[WIDE]] : {{.*}}f16>) scale 1.0{{.*}} pool(%[[WIDE]] : {{.*}}f16>) -> tensor<1x4x9x8xf16>
// CHECK-NEXT:    %[[FLAT:.+]] = tensor.collapse_shape %[[O]] {{.*}} : tensor<1x4x9x8xf16> into tensor<4x9x8xf16>
// CHECK-NEXT:    return %[[FLAT]]
func.func @reshaped(%x: tensor<4x9x8xf16>) -> tensor<4x9x8xf16> {
  %e = tensor.empty() : tensor<4x9x8xf32>
  %w = linalg.generic {indexing_maps = [#heads, #heads], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%x : tensor<4x9x8xf16>) outs(%e : tensor<4x9x8xf32>) {
  ^bb0(%number: f16, %out: f32):
    %wide = arith.extf %number : f16 to f32
    linalg.yield %wide : f32
  } -> tensor<4x9x8xf32>
  %four = tensor.expand_shape %w [[0, 1], [2], [3]] output_shape [1, 4, 9, 8] : tensor<4x9x8xf32> into tensor<1x4x9x8xf32>
  %p = attn.generic scores(%four, %four : tensor<1x4x9x8xf32>, tensor<1x4x9x8xf32>) scale 1.0
      pool(%four : tensor<1x4x9x8xf32>) -> tensor<1x4x9x8xf32>
  %flat = tensor.collapse_shape %p [[0, 1], [2], [3]] : tensor<1x4x9x8xf32> into tensor<4x9x8xf32>
  %narrow = tensor.empty() : tensor<4x9x8xf16>
  %o = linalg.generic {indexing_maps = [#heads, #heads], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%flat : tensor<4x9x8xf32>) outs(%narrow : tensor<4x9x8xf16>) {
  ^bb0(%number: f32, %out: f16):
    %r = arith.truncf %number : f32 to f16
    linalg.yield %r : f16
  } -> tensor<4x9x8xf16>
  return %o : tensor<4x9x8xf16>
}

// -----

#same = affine_map<(b, h, n, d) -> (b, h, n, d)>

// Numbers of 16 bits may be there already.
// REMARK: attention of bf16, to which the graph rounds its result
// CHECK-LABEL: func.func @narrow_already(
// CHECK-SAME:    %[[X:.+]]: tensor<1x4x9x8xbf16>)
// CHECK-NEXT:    %[[O:.+]] = attn.generic scores(%[[X]], %[[X]] : {{.*}}bf16>) scale 1.0{{.*}} pool(%[[X]] : {{.*}}bf16>) -> tensor<1x4x9x8xbf16>
// CHECK-NEXT:    return %[[O]]
func.func @narrow_already(%x: tensor<1x4x9x8xbf16>) -> tensor<1x4x9x8xbf16> {
  %p = attn.generic scores(%x, %x : tensor<1x4x9x8xbf16>, tensor<1x4x9x8xbf16>) scale 1.0
      pool(%x : tensor<1x4x9x8xbf16>) -> tensor<1x4x9x8xf32>
  %narrow = tensor.empty() : tensor<1x4x9x8xbf16>
  %o = linalg.generic {indexing_maps = [#same, #same], iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
      ins(%p : tensor<1x4x9x8xf32>) outs(%narrow : tensor<1x4x9x8xbf16>) {
  ^bb0(%a: f32, %out: bf16):
    %r = arith.truncf %a : f32 to bf16
    linalg.yield %r : bf16
  } -> tensor<1x4x9x8xbf16>
  return %o : tensor<1x4x9x8xbf16>
}

// -----

#same = affine_map<(b, h, n, d) -> (b, h, n, d)>

// Given scores stay f32.
// REMARK: attention of bf16, to which the graph rounds its result
// CHECK-LABEL: func.func @given(
// CHECK-SAME:    %[[S:.+]]: tensor<1x4x9x9xf32>, %[[V:.+]]: tensor<1x4x9x8xbf16>)
// CHECK-NEXT:    %[[O:.+]] = attn.generic given(%[[S]] : tensor<1x4x9x9xf32>) scale 1.0{{.*}} pool(%[[V]] : {{.*}}bf16>) -> tensor<1x4x9x8xbf16>
// CHECK-NEXT:    return %[[O]]
func.func @given(%s: tensor<1x4x9x9xf32>, %v: tensor<1x4x9x8xbf16>) -> tensor<1x4x9x8xbf16> {
  %p = attn.generic given(%s : tensor<1x4x9x9xf32>) scale 1.0
      pool(%v : tensor<1x4x9x8xbf16>) -> tensor<1x4x9x8xf32>
  %narrow = tensor.empty() : tensor<1x4x9x8xbf16>
  %o = linalg.generic {indexing_maps = [#same, #same], iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
      ins(%p : tensor<1x4x9x8xf32>) outs(%narrow : tensor<1x4x9x8xbf16>) {
  ^bb0(%a: f32, %out: bf16):
    %r = arith.truncf %a : f32 to bf16
    linalg.yield %r : bf16
  } -> tensor<1x4x9x8xbf16>
  return %o : tensor<1x4x9x8xbf16>
}

// -----

#same = affine_map<(b, h, n, d) -> (b, h, n, d)>

// A difference in f32 that is rounded leaves the result as it is: both may be
// nearly the same.
// REMARK-NOT: attention of
// CHECK-LABEL: func.func @difference(
// CHECK:         attn.generic scores({{.*}}bf16>) scale 1.0{{.*}} -> tensor<1x4x9x8xf32>
func.func @difference(%x: tensor<1x4x9x8xbf16>, %y: tensor<1x4x9x8xf32>) -> tensor<1x4x9x8xbf16> {
  %e = tensor.empty() : tensor<1x4x9x8xf32>
  %p = attn.generic scores(%x, %x : tensor<1x4x9x8xbf16>, tensor<1x4x9x8xbf16>) scale 1.0
      pool(%x : tensor<1x4x9x8xbf16>) -> tensor<1x4x9x8xf32>
  %s = linalg.generic {indexing_maps = [#same, #same, #same], iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
      ins(%p, %y : tensor<1x4x9x8xf32>, tensor<1x4x9x8xf32>) outs(%e : tensor<1x4x9x8xf32>) {
  ^bb0(%a: f32, %b: f32, %out: f32):
    %less = arith.subf %a, %b : f32
    linalg.yield %less : f32
  } -> tensor<1x4x9x8xf32>
  %narrow = tensor.empty() : tensor<1x4x9x8xbf16>
  %o = linalg.generic {indexing_maps = [#same, #same], iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
      ins(%s : tensor<1x4x9x8xf32>) outs(%narrow : tensor<1x4x9x8xbf16>) {
  ^bb0(%a: f32, %out: bf16):
    %r = arith.truncf %a : f32 to bf16
    linalg.yield %r : bf16
  } -> tensor<1x4x9x8xbf16>
  return %o : tensor<1x4x9x8xbf16>
}

// -----

#same = affine_map<(b, h, n, d) -> (b, h, n, d)>

// A result that is read as f32 too, is rounded to another type, or is of keys of
// f32, stays what it is.
// REMARK-NOT: attention of
// CHECK-LABEL: func.func @wide(
// CHECK-COUNT-3: attn.generic scores({{.*}}f32>) scale 1.0{{.*}} -> tensor<1x4x9x8xf32>
// CHECK:         return
func.func @wide(%x: tensor<1x4x9x8xbf16>, %k: tensor<1x4x9x8xf32>) -> (tensor<1x4x9x8xbf16>, tensor<4x9x8xf32>, tensor<1x4x9x8xf16>, tensor<1x4x9x8xbf16>) {
  %e = tensor.empty() : tensor<1x4x9x8xf32>
  %w = linalg.generic {indexing_maps = [#same, #same], iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
      ins(%x : tensor<1x4x9x8xbf16>) outs(%e : tensor<1x4x9x8xf32>) {
  ^bb0(%number: bf16, %out: f32):
    %wide = arith.extf %number : bf16 to f32
    linalg.yield %wide : f32
  } -> tensor<1x4x9x8xf32>
  %narrow = tensor.empty() : tensor<1x4x9x8xbf16>
  %half = tensor.empty() : tensor<1x4x9x8xf16>
  %p = attn.generic scores(%w, %w : tensor<1x4x9x8xf32>, tensor<1x4x9x8xf32>) scale 1.0
      pool(%w : tensor<1x4x9x8xf32>) -> tensor<1x4x9x8xf32>
  %read = tensor.collapse_shape %p [[0, 1], [2], [3]] : tensor<1x4x9x8xf32> into tensor<4x9x8xf32>
  %o = linalg.generic {indexing_maps = [#same, #same], iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
      ins(%p : tensor<1x4x9x8xf32>) outs(%narrow : tensor<1x4x9x8xbf16>) {
  ^bb0(%number: f32, %out: bf16):
    %r = arith.truncf %number : f32 to bf16
    linalg.yield %r : bf16
  } -> tensor<1x4x9x8xbf16>
  %p2 = attn.generic scores(%w, %w : tensor<1x4x9x8xf32>, tensor<1x4x9x8xf32>) scale 1.0 causal
      pool(%w : tensor<1x4x9x8xf32>) -> tensor<1x4x9x8xf32>
  %o2 = linalg.generic {indexing_maps = [#same, #same], iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
      ins(%p2 : tensor<1x4x9x8xf32>) outs(%half : tensor<1x4x9x8xf16>) {
  ^bb0(%number: f32, %out: f16):
    %r = arith.truncf %number : f32 to f16
    linalg.yield %r : f16
  } -> tensor<1x4x9x8xf16>
  %p3 = attn.generic scores(%w, %k : tensor<1x4x9x8xf32>, tensor<1x4x9x8xf32>) scale 1.0
      pool(%w : tensor<1x4x9x8xf32>) -> tensor<1x4x9x8xf32>
  %o3 = linalg.generic {indexing_maps = [#same, #same], iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
      ins(%p3 : tensor<1x4x9x8xf32>) outs(%narrow : tensor<1x4x9x8xbf16>) {
  ^bb0(%number: f32, %out: bf16):
    %r = arith.truncf %number : f32 to bf16
    linalg.yield %r : bf16
  } -> tensor<1x4x9x8xbf16>
  return %o, %read, %o2, %o3 : tensor<1x4x9x8xbf16>, tensor<4x9x8xf32>, tensor<1x4x9x8xf16>, tensor<1x4x9x8xbf16>
}
