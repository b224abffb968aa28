// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The cost of linalg ops (passes/plan/cost.md): their body, at each point.
//
// RUN: mixattn-compile %s --cost | FileCheck %s

// Columns: parameters, multiply-adds, other, exps, bytes, operations, macs.

// K terms take K multiplications and K - 1 additions; added to other numbers
// than zeros, K additions. The weights are still a parameter when reshaped.
// CHECK-LABEL: {{^}}contraction
// CHECK:       linalg.fill {{[0-9:]+}} 0 0 0 0 8 N 0 0{{$}}
// CHECK:       linalg.contract {{[0-9:]+}} 6 6 N 0 0 28 N + 24 10 N 6 N{{$}}
// CHECK:       linalg.contract {{[0-9:]+}} 6 6 N 0 0 28 N + 24 12 N 6 N{{$}}
// CHECK:       total 6 12 N 0 0 64 N + 48 22 N 12 N{{$}}
// CHECK:       bytes of arguments and results: 20 N + 24
func.func @contraction(%x: tensor<?x3xf32> {attn.dims = ["N"]},
                       %w: tensor<6xf32> {attn.parameter}) -> tensor<?x2xf32> {
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0.0 : f32
  %n = tensor.dim %x, %c0 : tensor<?x3xf32>
  %matrix = tensor.expand_shape %w [[0, 1]] output_shape [3, 2] : tensor<6xf32> into tensor<3x2xf32>
  %empty = tensor.empty(%n) : tensor<?x2xf32>
  %zeros = linalg.fill ins(%zero : f32) outs(%empty : tensor<?x2xf32>) -> tensor<?x2xf32>
  %y = linalg.contract indexing_maps = [affine_map<(n, f, g) -> (n, f)>,
                                        affine_map<(n, f, g) -> (f, g)>,
                                        affine_map<(n, f, g) -> (n, g)>]
      ins(%x, %matrix : tensor<?x3xf32>, tensor<3x2xf32>)
      outs(%zeros : tensor<?x2xf32>) -> tensor<?x2xf32>
  %z = linalg.contract indexing_maps = [affine_map<(n, f, g) -> (n, f)>,
                                        affine_map<(n, f, g) -> (f, g)>,
                                        affine_map<(n, f, g) -> (n, g)>]
      ins(%x, %matrix : tensor<?x3xf32>, tensor<3x2xf32>)
      outs(%y : tensor<?x2xf32>) -> tensor<?x2xf32>
  return %z : tensor<?x2xf32>
}

// A LayerNorm of 8 positions of 4 features: of its three parts only the sum of
// squares sums products, so each element counts one mac.
// CHECK-LABEL: {{^}}layer_norm
// CHECK:       linalg.generic {{[0-9:]+}} 0 0 32 0 192 0.17 24 0{{$}}
// CHECK:       linalg.generic {{[0-9:]+}} 0 32 64 0 224 0.57 88 32{{$}}
// CHECK:       linalg.generic {{[0-9:]+}} 8 32 192 0 352 0.73 160 0{{$}}
// CHECK:       total 8 64 288 0 {{[0-9]+}} {{[0-9.]+}} 272 32{{$}}
!x = tensor<8x4xf32>
!rows = tensor<8xf32>
func.func @layer_norm(%x: !x, %gain: tensor<4xf32> {attn.parameter},
                      %bias: tensor<4xf32> {attn.parameter}) -> !x {
  %zeros = arith.constant dense<0.0> : !rows
  %width = arith.constant 4.0 : f32
  %epsilon = arith.constant 1.0e-5 : f32
  %sum = linalg.generic {
      indexing_maps = [affine_map<(n, f) -> (n, f)>, affine_map<(n, f) -> (n)>],
      iterator_types = ["parallel", "reduction"]}
      ins(%x : !x) outs(%zeros : !rows) {
  ^bb0(%value: f32, %partial: f32):
    %next = arith.addf %partial, %value : f32
    linalg.yield %next : f32
  } -> !rows
  %squares = linalg.generic {
      indexing_maps = [affine_map<(n, f) -> (n, f)>, affine_map<(n, f) -> (n)>, affine_map<(n, f) -> (n)>],
      iterator_types = ["parallel", "reduction"]}
      ins(%x, %sum : !x, !rows) outs(%zeros : !rows) {
  ^bb0(%value: f32, %total: f32, %partial: f32):
    %mean = arith.divf %total, %width : f32
    %difference = arith.subf %value, %mean : f32
    %square = arith.mulf %difference, %difference : f32
    %next = arith.addf %partial, %square : f32
    linalg.yield %next : f32
  } -> !rows
  %y = linalg.generic {
      indexing_maps = [affine_map<(n, f) -> (n, f)>, affine_map<(n, f) -> (n)>, affine_map<(n, f) -> (n)>,
                       affine_map<(n, f) -> (f)>, affine_map<(n, f) -> (f)>, affine_map<(n, f) -> (n, f)>],
      iterator_types = ["parallel", "parallel"]}
      ins(%x, %sum, %squares, %gain, %bias : !x, !rows, !rows, tensor<4xf32>, tensor<4xf32>)
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

// GELU, from its tanh: elementwise code sums no products over anything.
// CHECK-LABEL: {{^}}gelu
// CHECK:       linalg.generic {{[0-9:]+}} 0 10 50 10 80 0.88 70 0{{$}}
func.func @gelu(%x: tensor<10xf32>) -> tensor<10xf32> {
  %cubic = arith.constant 0.044715 : f32
  %root = arith.constant 0.7978845608 : f32
  %one = arith.constant 1.0 : f32
  %half = arith.constant 0.5 : f32
  %y = linalg.generic {
      indexing_maps = [affine_map<(n) -> (n)>, affine_map<(n) -> (n)>],
      iterator_types = ["parallel"]} ins(%x : tensor<10xf32>) outs(%x : tensor<10xf32>) {
  ^bb0(%v: f32, %unused: f32):
    %square = arith.mulf %v, %v : f32
    %cube = arith.mulf %square, %cubic : f32
    %more = arith.mulf %v, %root : f32
    %product = arith.mulf %cube, %more : f32
    %sum = arith.addf %more, %product : f32
    %tanh = math.tanh %sum : f32
    %up = arith.addf %one, %tanh : f32
    %down = arith.mulf %half, %up : f32
    %negative = arith.negf %down : f32
    linalg.yield %negative : f32
  } -> tensor<10xf32>
  return %y : tensor<10xf32>
}

// A softmax over rows: maximum, exponentials and their sum, quotients.
// CHECK-LABEL: {{^}}softmax
// CHECK:       linalg.generic {{[0-9:]+}} 0 0 N^2 0 4 N^2 + 8 N 0 0{{$}}
// CHECK:       linalg.generic {{[0-9:]+}} 0 0 N^2 N^2 8 N^2 + 4 N N^2 0{{$}}
// CHECK:       linalg.generic {{[0-9:]+}} 0 0 N^2 0 4 N^2 + 8 N N^2 - N 0{{$}}
// CHECK:       linalg.generic {{[0-9:]+}} 0 0 N^2 0 8 N^2 + 4 N 0 0{{$}}
!square = tensor<?x?xf32>
!line = tensor<?xf32>
func.func @softmax(%x: !square {attn.dims = ["N", "N"]}) -> !square {
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0.0 : f32
  %lowest = arith.constant 0xFF800000 : f32
  %n = tensor.dim %x, %c0 : !square
  %line = tensor.empty(%n) : !line
  %start = linalg.fill ins(%lowest : f32) outs(%line : !line) -> !line
  %largest = linalg.generic {
      indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i)>],
      iterator_types = ["parallel", "reduction"]} ins(%x : !square) outs(%start : !line) {
  ^bb0(%v: f32, %m: f32):
    %next = arith.maximumf %v, %m : f32
    linalg.yield %next : f32
  } -> !line
  %empty = tensor.empty(%n, %n) : !square
  %powers = linalg.generic {
      indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i)>, affine_map<(i, j) -> (i, j)>],
      iterator_types = ["parallel", "parallel"]} ins(%x, %largest : !square, !line) outs(%empty : !square) {
  ^bb0(%v: f32, %m: f32, %unused: f32):
    %difference = arith.subf %v, %m : f32
    %power = math.exp %difference : f32
    linalg.yield %power : f32
  } -> !square
  %zeros = linalg.fill ins(%zero : f32) outs(%line : !line) -> !line
  %sum = linalg.generic {
      indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i)>],
      iterator_types = ["parallel", "reduction"]} ins(%powers : !square) outs(%zeros : !line) {
  ^bb0(%v: f32, %s: f32):
    %next = arith.addf %s, %v : f32
    linalg.yield %next : f32
  } -> !line
  %y = linalg.generic {
      indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i)>, affine_map<(i, j) -> (i, j)>],
      iterator_types = ["parallel", "parallel"]} ins(%powers, %sum : !square, !line) outs(%empty : !square) {
  ^bb0(%v: f32, %s: f32, %unused: f32):
    %quotient = arith.divf %v, %s : f32
    linalg.yield %quotient : f32
  } -> !square
  return %y : !square
}

// Sums in 16 bits are sums, a fused multiply-add is one, an index is free, and
// rows of a table cost what is read of them. A table is a parameter.
// CHECK-LABEL: {{^}}small_things
// CHECK:       linalg.matmul {{[0-9:]+}} 0 8 0 0 48 0.33 12 8{{$}}
// CHECK:       math.fma {{[0-9:]+}} 0 4 0 0 32 0.25 8 0{{$}}
// CHECK:       linalg.generic {{[0-9:]+}} 400 0 0 0 64 0.00 0 0{{$}}
func.func @small_things(%a: tensor<2x2xbf16>, %b: tensor<2x2xbf16>, %c: tensor<4xf32>,
                        %table: tensor<100x4xf32> {attn.parameter}, %rows: tensor<4xi64>)
    -> (tensor<2x2xf32>, tensor<4xf32>, tensor<4xf32>) {
  %zero = arith.constant 0.0 : f32
  %empty = tensor.empty() : tensor<2x2xf32>
  %zeros = linalg.fill ins(%zero : f32) outs(%empty : tensor<2x2xf32>) -> tensor<2x2xf32>
  %y = linalg.matmul ins(%a, %b : tensor<2x2xbf16>, tensor<2x2xbf16>) outs(%zeros : tensor<2x2xf32>) -> tensor<2x2xf32>
  %f = math.fma %c, %c, %c : tensor<4xf32>
  %e = tensor.empty() : tensor<4xf32>
  %g = linalg.generic {
      indexing_maps = [affine_map<(n) -> (n)>, affine_map<(n) -> (n)>],
      iterator_types = ["parallel"]} ins(%rows : tensor<4xi64>) outs(%e : tensor<4xf32>) {
  ^bb0(%row: i64, %unused: f32):
    %i = arith.index_cast %row : i64 to index
    %j = linalg.index 0 : index
    %value = tensor.extract %table[%i, %j] : tensor<100x4xf32>
    linalg.yield %value : f32
  } -> tensor<4xf32>
  return %y, %f, %g : tensor<2x2xf32>, tensor<4xf32>, tensor<4xf32>
}
