// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Contractions write their results in the order in which others read them.
//
// RUN: mixattn-opt --split-input-file --attn-fold-transposes %s | FileCheck %s

#x = affine_map<(b, n, f, k) -> (b, n, k)>
#w = affine_map<(b, n, f, k) -> (f, k)>
#y = affine_map<(b, n, f, k) -> (b, n, f)>
#bias = affine_map<(b, n, f) -> (f)>
#each = affine_map<(b, n, f) -> (b, n, f)>

// Through a pointwise op, with the last dim split; the first one is open.
// CHECK-DAG:   #[[X:.+]] = affine_map<(d0, d1, d2, d3, d4, d5) -> (d1, d3, d5)>
// CHECK-DAG:   #[[W:.+]] = affine_map<(d0, d1, d2, d3, d4, d5) -> (d0, d2, d4, d5)>
// CHECK-DAG:   #[[Y:.+]] = affine_map<(d0, d1, d2, d3, d4, d5) -> (d0, d1, d2, d3, d4)>
// CHECK-DAG:   #[[BIAS:.+]] = affine_map<(d0, d1, d2, d3, d4) -> (d0, d2, d4)>
// CHECK-LABEL: func.func @heads
// CHECK:         %[[V:.+]] = tensor.expand_shape %{{.+}} {{\[\[}}0, 1, 2], [3]] output_shape [3, 2, 16, 64]
// CHECK:         %[[SUMS:.+]] = linalg.generic {indexing_maps = [#[[X]], #[[W]], #[[Y]]]
// CHECK-SAME:        "parallel", "parallel", "parallel", "parallel", "parallel", "reduction"]} ins(%{{.+}}, %[[V]]
// CHECK:         %[[B:.+]] = tensor.expand_shape %{{.+}} {{\[\[}}0, 1, 2]] output_shape [3, 2, 16]
// CHECK:         %[[O:.+]] = linalg.generic {{.*}}#[[BIAS]]{{.*}} ins(%[[SUMS]], %[[B]]
// CHECK-NOT:     linalg.transpose
// CHECK:         return %[[O]]
func.func @heads(%x: tensor<?x50x64xf32>, %w: tensor<96x64xf32>, %b: tensor<96xf32>) -> tensor<3x?x2x50x16xf32> {
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0.0 : f32
  %n = tensor.dim %x, %c0 : tensor<?x50x64xf32>
  %e = tensor.empty(%n) : tensor<?x50x96xf32>
  %zeros = linalg.fill ins(%zero : f32) outs(%e : tensor<?x50x96xf32>) -> tensor<?x50x96xf32>
  %sums = linalg.contract indexing_maps = [#x, #w, #y] ins(%x, %w : tensor<?x50x64xf32>, tensor<96x64xf32>)
      outs(%zeros : tensor<?x50x96xf32>) -> tensor<?x50x96xf32>
  %y = linalg.generic {indexing_maps = [#each, #bias, #each], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%sums, %b : tensor<?x50x96xf32>, tensor<96xf32>) outs(%e : tensor<?x50x96xf32>) {
  ^bb0(%sum: f32, %bias: f32, %out: f32):
    %more = arith.addf %sum, %bias : f32
    linalg.yield %more : f32
  } -> tensor<?x50x96xf32>
  %parts = tensor.expand_shape %y [[0], [1], [2, 3, 4]] output_shape [%n, 50, 3, 2, 16]
      : tensor<?x50x96xf32> into tensor<?x50x3x2x16xf32>
  %t = tensor.empty(%n) : tensor<3x?x2x50x16xf32>
  %o = linalg.transpose ins(%parts : tensor<?x50x3x2x16xf32>) outs(%t : tensor<3x?x2x50x16xf32>) permutation = [2, 0, 3, 1, 4]
  return %o : tensor<3x?x2x50x16xf32>
}

// -----

// Not split: dims change places.
// CHECK-LABEL: func.func @whole
// CHECK-NOT:     linalg.transpose
// CHECK:         linalg.generic
// CHECK-NOT:     linalg.transpose
// CHECK:         return
func.func @whole(%x: tensor<4x50x64xf32>, %w: tensor<32x64xf32>) -> tensor<50x4x32xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<4x50x32xf32>
  %zeros = linalg.fill ins(%zero : f32) outs(%e : tensor<4x50x32xf32>) -> tensor<4x50x32xf32>
  %y = linalg.contract indexing_maps = [affine_map<(b, n, f, k) -> (b, n, k)>, affine_map<(b, n, f, k) -> (f, k)>, affine_map<(b, n, f, k) -> (b, n, f)>]
      ins(%x, %w : tensor<4x50x64xf32>, tensor<32x64xf32>) outs(%zeros : tensor<4x50x32xf32>) -> tensor<4x50x32xf32>
  %t = tensor.empty() : tensor<50x4x32xf32>
  %o = linalg.transpose ins(%y : tensor<4x50x32xf32>) outs(%t : tensor<50x4x32xf32>) permutation = [1, 0, 2]
  return %o : tensor<50x4x32xf32>
}

// -----

// Vectors would be taken apart: the innermost dim moves, or is too small for
// them.
// CHECK-LABEL: func.func @innermost
// CHECK:         linalg.transpose
// CHECK-LABEL: func.func @narrow
// CHECK:         linalg.transpose
#left = affine_map<(n, f, k) -> (n, k)>
#right = affine_map<(n, f, k) -> (f, k)>
#result = affine_map<(n, f, k) -> (n, f)>
func.func @innermost(%x: tensor<50x64xf32>, %w: tensor<32x64xf32>) -> tensor<32x50xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<50x32xf32>
  %zeros = linalg.fill ins(%zero : f32) outs(%e : tensor<50x32xf32>) -> tensor<50x32xf32>
  %y = linalg.contract indexing_maps = [#left, #right, #result] ins(%x, %w : tensor<50x64xf32>, tensor<32x64xf32>)
      outs(%zeros : tensor<50x32xf32>) -> tensor<50x32xf32>
  %t = tensor.empty() : tensor<32x50xf32>
  %o = linalg.transpose ins(%y : tensor<50x32xf32>) outs(%t : tensor<32x50xf32>) permutation = [1, 0]
  return %o : tensor<32x50xf32>
}
func.func @narrow(%x: tensor<50x64xf32>, %w: tensor<48x64xf32>) -> tensor<2x50x24xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<50x48xf32>
  %zeros = linalg.fill ins(%zero : f32) outs(%e : tensor<50x48xf32>) -> tensor<50x48xf32>
  %y = linalg.contract indexing_maps = [#left, #right, #result] ins(%x, %w : tensor<50x64xf32>, tensor<48x64xf32>)
      outs(%zeros : tensor<50x48xf32>) -> tensor<50x48xf32>
  %parts = tensor.expand_shape %y [[0], [1, 2]] output_shape [50, 2, 24] : tensor<50x48xf32> into tensor<50x2x24xf32>
  %t = tensor.empty() : tensor<2x50x24xf32>
  %o = linalg.transpose ins(%parts : tensor<50x2x24xf32>) outs(%t : tensor<2x50x24xf32>) permutation = [1, 0, 2]
  return %o : tensor<2x50x24xf32>
}

// -----

// Others read the result as it was.
// CHECK-LABEL: func.func @twice
// CHECK:         linalg.transpose
func.func @twice(%x: tensor<4x50x64xf32>, %w: tensor<32x64xf32>) -> (tensor<50x4x32xf32>, tensor<4x50x32xf32>) {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<4x50x32xf32>
  %zeros = linalg.fill ins(%zero : f32) outs(%e : tensor<4x50x32xf32>) -> tensor<4x50x32xf32>
  %y = linalg.contract indexing_maps = [affine_map<(b, n, f, k) -> (b, n, k)>, affine_map<(b, n, f, k) -> (f, k)>, affine_map<(b, n, f, k) -> (b, n, f)>]
      ins(%x, %w : tensor<4x50x64xf32>, tensor<32x64xf32>) outs(%zeros : tensor<4x50x32xf32>) -> tensor<4x50x32xf32>
  %t = tensor.empty() : tensor<50x4x32xf32>
  %o = linalg.transpose ins(%y : tensor<4x50x32xf32>) outs(%t : tensor<50x4x32xf32>) permutation = [1, 0, 2]
  return %o, %y : tensor<50x4x32xf32>, tensor<4x50x32xf32>
}

// -----

// Places of rows would be found by divisions by numbers that a call gives.
// CHECK-LABEL: func.func @open
// CHECK:         linalg.transpose
func.func @open(%x: tensor<4x?x64xf32>, %w: tensor<32x64xf32>) -> tensor<?x4x32xf32> {
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f32
  %n = tensor.dim %x, %c1 : tensor<4x?x64xf32>
  %e = tensor.empty(%n) : tensor<4x?x32xf32>
  %zeros = linalg.fill ins(%zero : f32) outs(%e : tensor<4x?x32xf32>) -> tensor<4x?x32xf32>
  %y = linalg.contract indexing_maps = [affine_map<(b, n, f, k) -> (b, n, k)>, affine_map<(b, n, f, k) -> (f, k)>, affine_map<(b, n, f, k) -> (b, n, f)>]
      ins(%x, %w : tensor<4x?x64xf32>, tensor<32x64xf32>) outs(%zeros : tensor<4x?x32xf32>) -> tensor<4x?x32xf32>
  %t = tensor.empty(%n) : tensor<?x4x32xf32>
  %o = linalg.transpose ins(%y : tensor<4x?x32xf32>) outs(%t : tensor<?x4x32xf32>) permutation = [1, 0, 2]
  return %o : tensor<?x4x32xf32>
}
