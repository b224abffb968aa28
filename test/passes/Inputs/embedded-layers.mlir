// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Two kernels that read the last rows of one parameter, column by column.
!x = memref<?x768xf32>
!w = memref<80x768xf32, strided<[?, 1], offset: ?>>
!v = memref<70x768xf32, strided<[?, 1], offset: ?>>
!y = memref<?x70xf32>
module attributes {attn.target = #attn.target<x86, chip = "x86-64-v4", features = ["avx512f", "fma"]>} {
  func.func @layers(%x: !x {attn.name = "x", attn.dims = ["N"]}, %w: !w {attn.name = "w", attn.parameter},
                    %y: !y {attn.name = "y", attn.dims = ["N"]}, %z: !y {attn.name = "z", attn.dims = ["N"]}) {
    %c0 = arith.constant 0 : index
    %n = memref.dim %x, %c0 : !x
    %v = memref.subview %w[10, 0] [70, 768] [1, 1] : !w to !v
    attn.kernel ins(%x, %v, %n : !x, !v, index) outs(%y : !y) {
    ^bb0(%a: tensor<?x768xf32>, %b: tensor<70x768xf32>, %m: index):
      %zero = arith.constant 0.0 : f32
      %e = tensor.empty(%m) : tensor<?x70xf32>
      %f = linalg.fill ins(%zero : f32) outs(%e : tensor<?x70xf32>) -> tensor<?x70xf32>
      %r = linalg.matmul
          indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (n, k)>,
                           affine_map<(m, n, k) -> (m, n)>]
          ins(%a, %b : tensor<?x768xf32>, tensor<70x768xf32>)
          outs(%f : tensor<?x70xf32>) -> tensor<?x70xf32>
      attn.results %r : tensor<?x70xf32>
    }
    attn.kernel ins(%x, %v, %n : !x, !v, index) outs(%z : !y) {
    ^bb0(%a: tensor<?x768xf32>, %b: tensor<70x768xf32>, %m: index):
      %zero = arith.constant 0.0 : f32
      %e = tensor.empty(%m) : tensor<?x70xf32>
      %f = linalg.fill ins(%zero : f32) outs(%e : tensor<?x70xf32>) -> tensor<?x70xf32>
      %r = linalg.matmul
          indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (n, k)>,
                           affine_map<(m, n, k) -> (m, n)>]
          ins(%a, %b : tensor<?x768xf32>, tensor<70x768xf32>)
          outs(%f : tensor<?x70xf32>) -> tensor<?x70xf32>
      attn.results %r : tensor<?x70xf32>
    }
    return
  }
}
