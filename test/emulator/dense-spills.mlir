// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Layers of open batches and lengths spill no register: what a bias and a
// residual read does not come before products.

// REQUIRES: ptxas
// DEFINE: %{target} = sm_80
// DEFINE: %{in} = 768
// DEFINE: %{out} = 768
// DEFINE: %{check} = sed -e "s/xIN/x%{in}/g; s/OUT/%{out}/g" %s | mixattn-compile - --target=%{target} -o %t.ptx \
// DEFINE:   && ptxas -v -arch=%{target} %t.ptx -o %t.cubin 2>&1 | FileCheck %s --implicit-check-not='{{[1-9][0-9]*}} bytes spill'
// RUN: %{check}
// REDEFINE: %{target} = sm_90
// RUN: %{check}
// REDEFINE: %{target} = sm_90a
// RUN: %{check}
// REDEFINE: %{target} = sm_120
// RUN: %{check}
// Neither terms nor columns fill blocks, and rows are at multiples of 2 bytes.
// REDEFINE: %{in} = 35
// REDEFINE: %{out} = 137
// RUN: %{check}
// REDEFINE: %{target} = sm_90a
// RUN: %{check}
// REDEFINE: %{target} = sm_80
// RUN: %{check}
// REDEFINE: %{in} = 64
// REDEFINE: %{out} = 130
// RUN: %{check}
// REDEFINE: %{target} = sm_90a
// RUN: %{check}
// Elements that are copied one by one.
// REDEFINE: %{in} = 99
// RUN: %{check}
// REDEFINE: %{target} = sm_80
// RUN: %{check}
// CHECK: 0 bytes spill stores, 0 bytes spill loads

#x = affine_map<(b, n, o, i) -> (b, n, i)>
#w = affine_map<(b, n, o, i) -> (o, i)>
#y = affine_map<(b, n, o, i) -> (b, n, o)>
#id = affine_map<(b, n, o) -> (b, n, o)>
#last = affine_map<(b, n, o) -> (o)>
func.func @layer(
    %x: tensor<?x?xINxbf16> {attn.name = "x", attn.dims = ["B", "N"]},
    %w: tensor<OUTxINxbf16> {attn.name = "w", attn.parameter},
    %bias: tensor<OUTxbf16> {attn.name = "b", attn.parameter},
    %z: tensor<?x?xOUTxbf16> {attn.name = "z", attn.dims = ["B", "N"]})
    -> (tensor<?x?xOUTxbf16> {attn.name = "y", attn.dims = ["B", "N"]}) {
  %zero = arith.constant 0.0 : f32
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %b = tensor.dim %x, %c0 : tensor<?x?xINxbf16>
  %n = tensor.dim %x, %c1 : tensor<?x?xINxbf16>
  %wide = tensor.empty(%b, %n) : tensor<?x?xOUTxf32>
  %none = linalg.fill ins(%zero : f32) outs(%wide : tensor<?x?xOUTxf32>) -> tensor<?x?xOUTxf32>
  %p = linalg.contract indexing_maps = [#x, #w, #y]
      ins(%x, %w : tensor<?x?xINxbf16>, tensor<OUTxINxbf16>)
      outs(%none : tensor<?x?xOUTxf32>) -> tensor<?x?xOUTxf32>
  %empty = tensor.empty(%b, %n) : tensor<?x?xOUTxbf16>
  %y = linalg.generic {indexing_maps = [#id, #last, #id, #id],
                       iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%p, %bias, %z : tensor<?x?xOUTxf32>, tensor<OUTxbf16>, tensor<?x?xOUTxbf16>)
      outs(%empty : tensor<?x?xOUTxbf16>) {
  ^bb0(%sum: f32, %of: bf16, %old: bf16, %out: bf16):
    %wideBias = arith.extf %of : bf16 to f32
    %s = arith.addf %sum, %wideBias : f32
    %wideOld = arith.extf %old : bf16 to f32
    %r = arith.addf %s, %wideOld : f32
    %result = arith.truncf %r : f32 to bf16
    linalg.yield %result : bf16
  } -> tensor<?x?xOUTxbf16>
  return %y : tensor<?x?xOUTxbf16>
}
