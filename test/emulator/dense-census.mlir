// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The instructions of a product of 2048 x 768 x 3072, in the loop over terms: no
// more than 1.1 times those of Triton's best tile, 1.79 for each of tensor cores,
// and 8.06 of warpgroups (passes/plan/plan.md).

// REQUIRES: ptxas, cuobjdump
// DEFINE: %{target} = sm_80
// DEFINE: %{prefix} = MMA
// DEFINE: %{right} = 768x3072
// DEFINE: %{map} = j, k
// DEFINE: %{census} = sed -e "s/RIGHT/%{right}/" -e "s/PLACE/%{map}/" %s | mixattn-compile - --target=%{target} --emit=cubin -o %t.cubin && %python %S/census.py %t.cubin | FileCheck %s --check-prefix=%{prefix}
// RUN: %{census}
// REDEFINE: %{right} = 3072x768
// REDEFINE: %{map} = k, j
// RUN: %{census}
// REDEFINE: %{target} = sm_90a
// REDEFINE: %{prefix} = WGMMA
// RUN: %{census}
// REDEFINE: %{right} = 768x3072
// REDEFINE: %{map} = j, k
// RUN: %{census}
// MMA: product_kernel_0: {{.*}}; 256 HMMA, 80 LDSM, {{.*}}; {{1\.([0-8][0-9]|9[0-6])}} per HMMA
// WGMMA: product_kernel_0: {{.*}}; 4 HGMMA, 0 LDSM, {{.*}}; {{([1-7]\.[0-9]+|8\.[0-8][0-9])}} per HGMMA
// RUN: cuobjdump -res-usage %t.cubin | FileCheck %s --check-prefix=USAGE
// USAGE: STACK:0

#left = affine_map<(i, k, j) -> (i, j)>
#right = affine_map<(i, k, j) -> (PLACE)>
#result = affine_map<(i, k, j) -> (i, k)>
func.func @product(
    %x: tensor<?x768xf16> {attn.name = "x", attn.dims = ["N"]},
    %w: tensor<RIGHTxf16> {attn.name = "w", attn.parameter})
    -> (tensor<?x3072xf16> {attn.name = "y", attn.dims = ["N"]}) {
  %zero = arith.constant 0.0 : f16
  %rows = arith.constant 0 : index
  %n = tensor.dim %x, %rows : tensor<?x768xf16>
  %empty = tensor.empty(%n) : tensor<?x3072xf16>
  %sums = linalg.fill ins(%zero : f16) outs(%empty : tensor<?x3072xf16>) -> tensor<?x3072xf16>
  %y = linalg.generic {
      indexing_maps = [#left, #right, #result],
      iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%x, %w : tensor<?x768xf16>, tensor<RIGHTxf16>)
      outs(%sums : tensor<?x3072xf16>) {
  ^bb0(%l: f16, %r: f16, %sum: f16):
    %product = arith.mulf %l, %r : f16
    %more = arith.addf %sum, %product : f16
    linalg.yield %more : f16
  } -> tensor<?x3072xf16>
  return %y : tensor<?x3072xf16>
}
