// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Sizes that are computed from those of arguments: results have them, and
// arguments where the entry says so.
//
// RUN: mixattn-opt --attn-bind-names %s | FileCheck %s
// A second run changes nothing.
// RUN: mixattn-opt --attn-bind-names --attn-bind-names %s | FileCheck %s

// CHECK-LABEL: func.func @twice
// CHECK-SAME:    -> (tensor<?x4xf32> {attn.dims = ["N_times_2"], attn.name = "result0"})
// CHECK-SAME:    attributes {attn.sizes = {N_times_2 = "2 N"}}
func.func @twice(%x: tensor<?x4xf32> {attn.dims = ["N"]}) -> tensor<?x4xf32> {
  %o = tensor.concat dim(0) %x, %x : (tensor<?x4xf32>, tensor<?x4xf32>) -> tensor<?x4xf32>
  return %o : tensor<?x4xf32>
}

// A token more, and the product of two dims; both names are the entry's choice.
// CHECK-LABEL: func.func @chosen
// CHECK-SAME:    -> (tensor<?xf32> {attn.dims = ["rows"], attn.name = "result0"})
// CHECK-SAME:    attributes {attn.sizes = {N = [2, 64], rows = "B N + B"}}
func.func @chosen(
    %x: tensor<?x?xf32> {attn.dims = ["B", "N"]}, %y: tensor<?x1xf32>)
    -> (tensor<?xf32> {attn.dims = ["rows"]}) attributes {attn.sizes = {N = [2, 64]}} {
  %c = tensor.concat dim(1) %x, %y : (tensor<?x?xf32>, tensor<?x1xf32>) -> tensor<?x?xf32>
  %o = tensor.collapse_shape %c [[0, 1]] : tensor<?x?xf32> into tensor<?xf32>
  return %o : tensor<?xf32>
}

// A name that an argument has is not taken, and one definition has one name.
// CHECK-LABEL: func.func @names
// CHECK-SAME:    -> (tensor<?xf32> {attn.dims = ["N_times_2_"], attn.name = "result0"},
// CHECK-SAME:        tensor<?xf32> {attn.dims = ["N_times_2_"], attn.name = "result1"})
// CHECK-SAME:    attributes {attn.sizes = {N_times_2_ = "2 N"}}
func.func @names(
    %x: tensor<?xf32> {attn.dims = ["N"]}, %y: tensor<?xf32> {attn.dims = ["N_times_2"]})
    -> (tensor<?xf32>, tensor<?xf32>) {
  %a = tensor.concat dim(0) %x, %x : (tensor<?xf32>, tensor<?xf32>) -> tensor<?xf32>
  %b = tensor.concat dim(0) %x, %x : (tensor<?xf32>, tensor<?xf32>) -> tensor<?xf32>
  return %a, %b : tensor<?xf32>, tensor<?xf32>
}

// An argument's size is computed, and a result's from it: both in N.
// CHECK-LABEL: func.func @of_arguments
// CHECK-SAME:    -> (tensor<?xf32> {attn.dims = ["N_times_2_plus_1"], attn.name = "result0"})
// CHECK-SAME:    attributes {attn.sizes = {M = "N + 1", N_times_2_plus_1 = "2 N + 1"}}
func.func @of_arguments(
    %x: tensor<?xf32> {attn.dims = ["N"]}, %y: tensor<?xf32> {attn.dims = ["M"]})
    -> tensor<?xf32> attributes {attn.sizes = {M = "N + 1"}} {
  %o = tensor.concat dim(0) %x, %y : (tensor<?xf32>, tensor<?xf32>) -> tensor<?xf32>
  return %o : tensor<?xf32>
}

// No argument has d0, and two have what tells it.
// CHECK-LABEL: func.func @told
// CHECK-SAME:    %{{.*}}: tensor<?xf32> {attn.dims = ["d1"], attn.name = "arg2"}
// CHECK-SAME:    -> (tensor<?x4xf32> {attn.dims = ["d0"], attn.name = "result0"},
// CHECK-SAME:        tensor<?xf32> {attn.dims = ["d0_times_8"], attn.name = "result1"})
// CHECK-SAME:    attributes {attn.sizes = {M = "4*d0", P = "2 d0 + 1", d0 = [1, 8], d0_times_8 = "8 d0"}}
func.func @told(
    %x: tensor<?xf32> {attn.dims = ["M"]}, %y: tensor<?xf32> {attn.dims = ["P"]}, %z: tensor<?xf32>)
    -> (tensor<?x4xf32>, tensor<?xf32>)
    attributes {attn.sizes = {M = "4*d0", P = "2 d0 + 1", d0 = [1, 8]}} {
  %zero = arith.constant 0 : index
  %four = arith.constant 4 : index
  %m = tensor.dim %x, %zero : tensor<?xf32>
  %b = arith.divui %m, %four : index
  %o = tensor.expand_shape %x [[0, 1]] output_shape [%b, 4] : tensor<?xf32> into tensor<?x4xf32>
  %p = tensor.concat dim(0) %x, %x : (tensor<?xf32>, tensor<?xf32>) -> tensor<?xf32>
  return %o, %p : tensor<?x4xf32>, tensor<?xf32>
}

// CHECK-LABEL: func.func @difference
// CHECK-SAME:    attributes {attn.sizes = {N_minus_3 = "N - 3"}}
func.func @difference(%x: tensor<?xf32> {attn.dims = ["N"]}) -> tensor<?xf32> {
  %zero = arith.constant 0 : index
  %three = arith.constant 3 : index
  %n = tensor.dim %x, %zero : tensor<?xf32>
  %size = arith.subi %n, %three : index
  %o = tensor.extract_slice %x[3] [%size] [1] : tensor<?xf32> to tensor<?xf32>
  return %o : tensor<?xf32>
}
