// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Contractions with an open number of columns are compared at 2048 of them.
//
// RUN: mixattn-compile %s --target=sm_80 --explain --dim=B=1 | FileCheck %s
// RUN: mixattn-compile %s --target=sm_90a --explain --dim=B=1 | FileCheck %s --check-prefix=WGMMA
// RUN: mixattn-compile %s --target=znver5 --explain --dim=B=1 | FileCheck %s --check-prefix=CPU

// CHECK-LABEL: {{^}}scores
// CHECK:       linalg.generic {{.*}}: columns 2048 (open), rows 2048 (open), depth 64; 108 multiprocessors
// CHECK:         dense {{.*}} chosen
// CHECK:         dense 128 32
// WGMMA-LABEL: {{^}}scores
// WGMMA:         dense {{.*}} chosen
// WGMMA:         dense_mma 'dense' takes it
// CPU-LABEL:   {{^}}scores
// CPU:         linalg.generic {{.*}}: columns 2048 (open), rows 2048 (open), depth 64; 8 threads
func.func @scores(
    %q: tensor<?x?x64xbf16> {attn.name = "q", attn.dims = ["B", "N"]},
    %k: tensor<?x?x64xbf16> {attn.name = "k", attn.dims = ["B", "S"]},
    %into: tensor<?x?x?xbf16> {attn.name = "into", attn.dims = ["B", "N", "S"]})
    -> (tensor<?x?x?xbf16> {attn.name = "y", attn.dims = ["B", "N", "S"]}) {
  %zero = arith.constant 0.0 : bf16
  %zeros = linalg.fill ins(%zero : bf16) outs(%into : tensor<?x?x?xbf16>) -> tensor<?x?x?xbf16>
  %y = linalg.generic {
      indexing_maps = [affine_map<(b, i, j, d) -> (b, i, d)>,
                       affine_map<(b, i, j, d) -> (b, j, d)>,
                       affine_map<(b, i, j, d) -> (b, i, j)>],
      iterator_types = ["parallel", "parallel", "parallel", "reduction"]}
      ins(%q, %k : tensor<?x?x64xbf16>, tensor<?x?x64xbf16>)
      outs(%zeros : tensor<?x?x?xbf16>) {
  ^bb0(%one: bf16, %other: bf16, %sum: bf16):
    %product = arith.mulf %one, %other : bf16
    %next = arith.addf %sum, %product : bf16
    linalg.yield %next : bf16
  } -> tensor<?x?x?xbf16>
  return %y : tensor<?x?x?xbf16>
}

// CHECK-LABEL: {{^}}values
// CHECK:       linalg.batch_matmul {{.*}}: columns 64, rows 2048 (open), depth 2048 (open)
// CHECK:         dense {{.*}} chosen
// TMA copies rows of a known length.
// WGMMA-LABEL: {{^}}values
// WGMMA:         dense TMA copies rows of multiples of 16 bytes, but the length of those of the left side is open
// WGMMA:         dense_mma {{.*}} chosen
func.func @values(
    %p: tensor<?x?x?xbf16> {attn.name = "p", attn.dims = ["B", "N", "S"]},
    %v: tensor<?x?x64xbf16> {attn.name = "v", attn.dims = ["B", "S"]},
    %into: tensor<?x?x64xbf16> {attn.name = "into", attn.dims = ["B", "N"]})
    -> (tensor<?x?x64xbf16> {attn.name = "y", attn.dims = ["B", "N"]}) {
  %zero = arith.constant 0.0 : bf16
  %zeros = linalg.fill ins(%zero : bf16) outs(%into : tensor<?x?x64xbf16>) -> tensor<?x?x64xbf16>
  %y = linalg.batch_matmul ins(%p, %v : tensor<?x?x?xbf16>, tensor<?x?x64xbf16>)
      outs(%zeros : tensor<?x?x64xbf16>) -> tensor<?x?x64xbf16>
  return %y : tensor<?x?x64xbf16>
}
