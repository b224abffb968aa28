// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// How sizes, and so costs, follow from those of the arguments.
//
// RUN: mixattn-compile %s --cost | FileCheck %s
// RUN: mixattn-compile %s --cost --entry=loops --dim=N=7 | FileCheck %s --check-prefix=GIVEN
// RUN: mixattn-compile %s --cost --entry=overflow --dim=N=4294967296 | FileCheck %s --check-prefix=OVERFLOW

// Columns: parameters, multiply-adds, other, exps, bytes, operations, macs.

!x = tensor<?x4xf32>

// Reshapes multiply sizes, and take them apart.
// CHECK-LABEL: {{^}}reshapes{{$}}
// CHECK:       math.exp {{[0-9:]+}} 0 0 0 6 B N 48 B N 0 0{{$}}
// CHECK:       arith.mulf {{[0-9:]+}} 0 0 6 B N 0 48 B N 6 B N 0{{$}}
func.func @reshapes(%x: tensor<?x?x6xf32> {attn.dims = ["B", "N"]}) -> tensor<f32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %b = tensor.dim %x, %c0 : tensor<?x?x6xf32>
  %n = tensor.dim %x, %c1 : tensor<?x?x6xf32>
  %flat = tensor.collapse_shape %x [[0, 1, 2]] : tensor<?x?x6xf32> into tensor<?xf32>
  %e = math.exp %flat : tensor<?xf32>
  %back = tensor.expand_shape %e [[0, 1, 2]] output_shape [%b, %n, 6] : tensor<?xf32> into tensor<?x?x6xf32>
  %s = arith.mulf %back, %back : tensor<?x?x6xf32>
  %first = tensor.extract %s[%c0, %c0, %c0] : tensor<?x?x6xf32>
  %y = tensor.from_elements %first : tensor<f32>
  return %y : tensor<f32>
}

// Slices, pads and parts put together; index arithmetic. Slices name elements
// of another tensor; they cost nothing.
// CHECK-LABEL: {{^}}slices{{$}}
// CHECK:       math.exp {{[0-9:]+}} 0 0 0 2 N 16 N 0 0{{$}}
// CHECK:       tensor.pad {{[0-9:]+}} 0 0 0 0 16 N + 24 0 0{{$}}
// CHECK:       math.exp {{[0-9:]+}} 0 0 0 2 N + 6 16 N + 48 0 0{{$}}
// CHECK:       tensor.concat {{[0-9:]+}} 0 0 0 0 32 N + 48 0 0{{$}}
// CHECK:       math.exp {{[0-9:]+}} 0 0 0 4 N + 6 32 N + 48 0 0{{$}}
// CHECK:       linalg.fill {{[0-9:]+}} 0 0 0 0 20 N - 40 0 0{{$}}
// CHECK:       math.exp {{[0-9:]+}} 0 0 0 5 N - 10 40 N - 80 0 0{{$}}
func.func @slices(%x: !x {attn.dims = ["N"]}, %seven: tensor<f32>) -> tensor<2xf32> {
  %c0 = arith.constant 0 : index
  %c2 = arith.constant 2 : index
  %c5 = arith.constant 5 : index
  %zero = arith.constant 0.0 : f32
  %n = tensor.dim %x, %c0 : !x
  %half = tensor.extract_slice %x[0, 1] [%n, 2] [1, 1] : !x to tensor<?x2xf32>
  %a = math.exp %half : tensor<?x2xf32>
  %wide = tensor.pad %a low[1, 0] high[2, 0] {
  ^bb0(%i: index, %j: index):
    tensor.yield %zero : f32
  } : tensor<?x2xf32> to tensor<?x2xf32>
  %b = math.exp %wide : tensor<?x2xf32>
  %c = tensor.concat dim(0) %b, %a : (tensor<?x2xf32>, tensor<?x2xf32>) -> tensor<?x2xf32>
  %d = math.exp %c : tensor<?x2xf32>
  %less = arith.subi %n, %c2 : index
  %more = arith.muli %less, %c5 : index
  %empty = tensor.empty(%more) : tensor<?xf32>
  %number = tensor.extract %seven[] : tensor<f32>
  %f = linalg.fill ins(%number : f32) outs(%empty : tensor<?xf32>) -> tensor<?xf32>
  %g = math.exp %f : tensor<?xf32>
  %first = tensor.extract %d[%c0, %c0] : tensor<?x2xf32>
  %second = tensor.extract %g[%c0] : tensor<?xf32>
  %y = tensor.from_elements %first, %second : tensor<2xf32>
  return %y : tensor<2xf32>
}

// An op in a loop counts once a turn. The remainder of a dim's division is not
// known until the dim is.
// CHECK-LABEL: {{^}}loops{{$}}
// CHECK:       math.exp {{[0-9:]+}} 0 0 0 12 N 96 N 0 0{{$}}
// CHECK:       math.exp {{[0-9:]+}} 0 0 0 4 N^2 32 N^2 0 0{{$}}
// CHECK:       math.exp {{[0-9:]+}} 0 0 0 ? ? 0 0{{$}}
// CHECK:       math.exp {{[0-9:]+}} 0 0 0 4 N 32 N 0 0{{$}}
// CHECK:       math.exp {{[0-9:]+}} 0 0 0 4 N 32 N 0 0{{$}}
// CHECK:       total 0 0 0 ? ? 0 0{{$}}
// GIVEN:       math.exp {{[0-9:]+}} 0 0 0 84 672 0.00 0 0{{$}}
// GIVEN:       math.exp {{[0-9:]+}} 0 0 0 196 1568 0.00 0 0{{$}}
// GIVEN:       math.exp {{[0-9:]+}} 0 0 0 112 896 0.00 0 0{{$}}
func.func @loops(%x: !x {attn.dims = ["N"]}) -> !x {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c5 = arith.constant 5 : index
  %n = tensor.dim %x, %c0 : !x
  %a = scf.for %i = %c0 to %c5 step %c2 iter_args(%y = %x) -> !x {
    %z = math.exp %y : !x
    scf.yield %z : !x
  }
  %b = scf.for %i = %c0 to %n step %c1 iter_args(%y = %a) -> !x {
    %z = math.exp %y : !x
    scf.yield %z : !x
  }
  %c = scf.for %i = %c0 to %n step %c2 iter_args(%y = %b) -> !x {
    %z = math.exp %y : !x
    scf.yield %z : !x
  }
  %isLarge = arith.cmpi sgt, %n, %c2 : index
  %d = scf.if %isLarge -> !x {
    %z = math.exp %c : !x
    scf.yield %z : !x
  } else {
    %z = math.exp %a : !x
    scf.yield %z : !x
  }
  return %d : !x
}

// Elements that a region makes; a size that is no size of an argument; one
// of more factors than anybody reads.
// CHECK-LABEL: {{^}}generated{{$}}
// CHECK:       tensor.generate {{[0-9:]+}} 0 0 N N 8 N N 0{{$}}
// CHECK:       tensor.generate {{[0-9:]+}} 0 0 ? ? ? ? 0{{$}}
// CHECK:       linalg.fill {{[0-9:]+}} 0 0 0 0 4 N^32 0 0{{$}}
// CHECK:       linalg.fill {{[0-9:]+}} 0 0 0 0 ? 0 0{{$}}
func.func @generated(%x: !x {attn.dims = ["N"]}, %count: tensor<i64>) -> tensor<4xf32> {
  %c0 = arith.constant 0 : index
  %one = arith.constant 1.0 : f32
  %n = tensor.dim %x, %c0 : !x
  %a = tensor.generate %n {
  ^bb0(%i: index):
    %v = tensor.extract %x[%i, %c0] : !x
    %e = math.exp %v : f32
    %f = arith.addf %e, %e : f32
    tensor.yield %f : f32
  } : tensor<?xf32>
  %number = tensor.extract %count[] : tensor<i64>
  %other = arith.index_cast %number : i64 to index
  %b = tensor.generate %other {
  ^bb0(%i: index):
    %v = tensor.extract %x[%i, %c0] : !x
    %e = math.exp %v : f32
    %f = arith.addf %e, %e : f32
    tensor.yield %f : f32
  } : tensor<?xf32>
  %n2 = arith.muli %n, %n : index
  %n4 = arith.muli %n2, %n2 : index
  %n8 = arith.muli %n4, %n4 : index
  %n16 = arith.muli %n8, %n8 : index
  %n32 = arith.muli %n16, %n16 : index
  %n33 = arith.muli %n32, %n : index
  %empty = tensor.empty(%n32) : tensor<?xf32>
  %c = linalg.fill ins(%one : f32) outs(%empty : tensor<?xf32>) -> tensor<?xf32>
  %more = tensor.empty(%n33) : tensor<?xf32>
  %d = linalg.fill ins(%one : f32) outs(%more : tensor<?xf32>) -> tensor<?xf32>
  %ea = math.exp %a : tensor<?xf32>
  %eb = math.exp %b : tensor<?xf32>
  %ec = math.exp %c : tensor<?xf32>
  %ed = math.exp %d : tensor<?xf32>
  %p = tensor.extract %ea[%c0] : tensor<?xf32>
  %q = tensor.extract %eb[%c0] : tensor<?xf32>
  %r = tensor.extract %ec[%c0] : tensor<?xf32>
  %s = tensor.extract %ed[%c0] : tensor<?xf32>
  %y = tensor.from_elements %p, %q, %r, %s : tensor<4xf32>
  return %y : tensor<4xf32>
}

// An op that this does not know.
// CHECK-LABEL: {{^}}unknown{{$}}
// CHECK:       linalg.softmax {{[0-9:]+}} 0 ? ? ? 48 N ? ?{{$}}
// CHECK:       total 0 ? ? ? 48 N ? ?{{$}}
func.func @unknown(%x: !x {attn.dims = ["N"]}) -> !x {
  %c0 = arith.constant 0 : index
  %n = tensor.dim %x, %c0 : !x
  %empty = tensor.empty(%n) : !x
  %y = linalg.softmax dimension(1) ins(%x : !x) outs(%empty : !x) -> !x
  return %y : !x
}

// A count beyond 64 bits.
// CHECK-LABEL: {{^}}overflow{{$}}
// CHECK:       math.exp {{[0-9:]+}} 0 0 0 N^2 8 N^2 0 0{{$}}
// OVERFLOW:    math.exp {{[0-9:]+}} 0 0 0 ? ? 0 0{{$}}
func.func @overflow(%x: tensor<?x?xf32> {attn.dims = ["N", "N"]}) -> tensor<?x?xf32> {
  %y = math.exp %x : tensor<?x?xf32>
  return %y : tensor<?x?xf32>
}
