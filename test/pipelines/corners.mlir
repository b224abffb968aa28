// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Entries at the edge of what is valid reach LLVM.
//
// RUN: mixattn-opt --attn-to-llvm %s | FileCheck %s --implicit-check-not=memrefCopy

!q = tensor<?x8x?x4xf32>

// No arguments and no results.
// CHECK-DAG: llvm.func @mixattn_nothing(
func.func @nothing() {
  return
}

// Sizes of zero, heads apart.
// CHECK-DAG: llvm.func @mixattn_zero_sizes(
func.func @zero_sizes(%q: tensor<0x2x0x0xf32>, %k: tensor<0x2x0x0xf32>,
                      %v: tensor<0x2x0x3xf32>) -> tensor<0x2x0x3xf32> {
  %o = attn.softmax %q, %k, %v causal band <1, 1>
      : (tensor<0x2x0x0xf32>, tensor<0x2x0x0xf32>, tensor<0x2x0x3xf32>)
      -> tensor<0x2x0x3xf32>
  return %o : tensor<0x2x0x3xf32>
}

// A kernel that a graph brings.
// CHECK-DAG: llvm.func @mixattn_kernel(
func.func @kernel(%q: tensor<1x2x3x4xf32>, %init: tensor<1x2x3x4xf32>)
    -> tensor<1x2x3x4xf32> {
  %o = attn.kernel ins(%q : tensor<1x2x3x4xf32>)
      outs(%init : tensor<1x2x3x4xf32>) {
  ^bb0(%a: tensor<1x2x3x4xf32>):
    %r = attn.generic scores(%a, %a : tensor<1x2x3x4xf32>, tensor<1x2x3x4xf32>)
        pool(%a : tensor<1x2x3x4xf32>) -> tensor<1x2x3x4xf32>
    attn.results %r : tensor<1x2x3x4xf32>
  } -> tensor<1x2x3x4xf32>
  return %o : tensor<1x2x3x4xf32>
}

// Linear attention without queries, and without keys.
// CHECK-DAG: llvm.func @mixattn_no_queries(
func.func @no_queries(%q: tensor<1x2x0x4xf32>, %k: tensor<1x2x5x4xf32>)
    -> tensor<1x2x0x4xf32> {
  %o = attn.linear %q, %k, %k feature_map <elu>
      : (tensor<1x2x0x4xf32>, tensor<1x2x5x4xf32>, tensor<1x2x5x4xf32>)
      -> tensor<1x2x0x4xf32>
  return %o : tensor<1x2x0x4xf32>
}
// CHECK-DAG: llvm.func @mixattn_no_keys(
func.func @no_keys(%q: tensor<1x2x5x4xf32>, %k: tensor<1x2x0x4xf32>,
                   %shifts: tensor<2x3x4xf32>, %prior: tensor<2x3x0xf32>)
    -> tensor<1x2x5x4xf32> {
  %0 = attn.linear_mixture_of_keys %q, %k, %k
      shifted_by(%shifts : tensor<2x3x4xf32>)
      prior(%prior : tensor<2x3x0xf32>) feature_map <elu>
      : (tensor<1x2x5x4xf32>, tensor<1x2x0x4xf32>, tensor<1x2x0x4xf32>)
      -> tensor<1x2x5x4xf32>
  %1 = attn.linear_mixture_of_keys %0, %k, %k
      shifted_by(%shifts : tensor<2x3x4xf32>)
      prior(%prior : tensor<2x3x0xf32>) feature_map <elu> causal
      : (tensor<1x2x5x4xf32>, tensor<1x2x0x4xf32>, tensor<1x2x0x4xf32>)
      -> tensor<1x2x5x4xf32>
  return %1 : tensor<1x2x5x4xf32>
}

// Arguments as results, twice, as bytes, with strides; arguments that nobody
// reads; every element type.
// CHECK-DAG: llvm.func @mixattn_arguments_as_results(
func.func @arguments_as_results(%a: tensor<?x3xi1>, %b: tensor<f64>, %c: tensor<2xi8>,
                                %d: tensor<2xi16>, %e: tensor<2x?xbf16>)
    -> (tensor<?x3xi1>, tensor<?x3xi1>, tensor<f64>, tensor<2x?xbf16>) {
  return %a, %a, %b, %e : tensor<?x3xi1>, tensor<?x3xi1>, tensor<f64>, tensor<2x?xbf16>
}

// A constant as result.
// CHECK-DAG: llvm.func @mixattn_constant(
func.func @constant() -> tensor<2xf32> {
  %0 = arith.constant dense<[1.0, 2.0]> : tensor<2xf32>
  return %0 : tensor<2xf32>
}

// A bias of rank 0, a mask of rank 1, lengths in 32 bits, two attentions, two
// results.
// CHECK-DAG: llvm.func @mixattn_low_ranks(
func.func @low_ranks(%q: !q, %k: !q, %bias: tensor<f16>, %mask: tensor<?xi1>,
                     %n: tensor<?xi32>) -> (!q, !q) {
  %0 = attn.softmax %q, %k, %k bias(%bias : tensor<f16>)
      mask(%mask : tensor<?xi1>) lengths(%n : tensor<?xi32>) causal band <3, 4>
      : (!q, !q, !q) -> !q
  %1 = attn.softmax %0, %k, %k : (!q, !q, !q) -> !q
  return %0, %1 : !q, !q
}

// Types that say less than others about one size.
// CHECK-DAG: llvm.func @mixattn_less_known(
func.func @less_known(%q: tensor<2x8x3x4xf32>, %k: tensor<2x1x5x4xf32>,
                      %bias: tensor<8x3x5xf32>) -> tensor<2x8x3x4xf32> {
  %0 = tensor.cast %q : tensor<2x8x3x4xf32> to tensor<?x8x?x4xf32>
  %1 = tensor.cast %bias : tensor<8x3x5xf32> to tensor<?x?x?xf32>
  %o = attn.softmax %0, %k, %k bias(%1 : tensor<?x?x?xf32>)
      : (tensor<?x8x?x4xf32>, tensor<2x1x5x4xf32>, tensor<2x1x5x4xf32>)
      -> tensor<2x8x3x4xf32>
  return %o : tensor<2x8x3x4xf32>
}

// A score_mod that captures scalars and reads tables in 16 bits and integers.
// CHECK-DAG: llvm.func @mixattn_captures(
func.func @captures(%q: !q, %shift: tensor<f16>, %table: tensor<8x?xi32>,
                    %weights: tensor<2xbf16>) -> !q {
  %s = tensor.extract %shift[] : tensor<f16>
  %one = arith.constant 1 : index
  %two = arith.constant 2 : index
  %o = attn.softmax %q, %q, %q score_mod {
  ^bb0(%x: f16, %b: index, %h: index, %i: index, %j: index):
    %entry = tensor.extract %table[%h, %j] : tensor<8x?xi32>
    %a = arith.sitofp %entry : i32 to f16
    %weight = tensor.extract %weights[%one] : tensor<2xbf16>
    %wide = arith.extf %weight : bf16 to f32
    %w = arith.truncf %wide : f32 to f16
    %size = tensor.dim %q, %two : !q
    %integer = arith.index_cast %size : index to i32
    %n = arith.uitofp %integer : i32 to f16
    %0 = arith.mulf %x, %s : f16
    %1 = arith.addf %0, %a : f16
    %2 = arith.addf %1, %w : f16
    %3 = arith.addf %2, %n : f16
    attn.yield %3 : f16
  } : (!q, !q, !q) -> !q
  return %o : !q
}

// Attention on one of two ways.
// CHECK-DAG: llvm.func @mixattn_branch(
func.func @branch(%q: !q {attn.dims = ["B", "N"]}, %which: tensor<i1>)
    -> (!q {attn.dims = ["B", "N"]}) {
  %condition = tensor.extract %which[] : tensor<i1>
  %o = scf.if %condition -> !q {
    %0 = attn.softmax %q, %q, %q : (!q, !q, !q) -> !q
    scf.yield %0 : !q
  } else {
    scf.yield %q : !q
  }
  return %o : !q
}

// Ranges on every rank.
// CHECK-DAG: llvm.func @mixattn_ranges(
func.func @ranges(%a: tensor<i32> {attn.range = [-1, 1]},
                  %b: tensor<?x3xi64> {attn.dims = ["N"], attn.range = [0, "N"]},
                  %c: tensor<2x3xi1> {attn.range = [1, 1]},
                  %d: tensor<0xi8> {attn.range = [5, 5]}) {
  return
}
