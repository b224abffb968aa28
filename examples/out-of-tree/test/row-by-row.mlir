// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// An algorithm from outside the library: planned, scheduled, and right.
//
// RUN: extended-opt %s --attn-to-planned=plan=row_by_row | FileCheck %s --check-prefix=PLANNED
// RUN: extended-opt %s --attn-to-tiled=plan=row_by_row | FileCheck %s --check-prefix=TILED --implicit-check-not=tile.x86
// RUN: extended-opt %s --attn-to-llvm=plan=row_by_row -o %t.mlir
// RUN: mixattn-compile %t.mlir --target=x86-64 -o %t.so
// RUN: mixattn-run %t.so --random=1 --dim=B=2 --dim=N=5 --dim=S=9 --check | FileCheck %s --check-prefix=RIGHT
// RUN: not extended-opt %s --attn-to-planned=plan=fold 2>&1 | FileCheck %s --check-prefix=KNOWN

// PLANNED: attn.plan = #attn.plan<[else : row_by_row]>
// TILED:   scf.for
// TILED:   math.exp2
// RIGHT:   o: max error {{.*}}: ok
// KNOWN:   error: expected online, panel, decode, chunked_linear, banded, dense, rows_dense, unfused or row_by_row as plan, but got 'fold'
!q = tensor<?x2x?x16xf32>
!k = tensor<?x1x?x16xf32>
func.func @layer(%q: !q {attn.name = "q", attn.dims = ["B", "N"]},
                 %k: !k {attn.name = "k", attn.dims = ["B", "S"]},
                 %v: !k {attn.name = "v", attn.dims = ["B", "S"]},
                 %slopes: tensor<2xf32> {attn.name = "slopes"})
    -> (!q {attn.name = "o", attn.dims = ["B", "N"]}) {
  %o = attn.softmax %q, %k, %v score_mod {
  ^bb0(%s: f32, %b: index, %h: index, %i: index, %j: index):
    %slope = tensor.extract %slopes[%h] : tensor<2xf32>
    %y = arith.addf %s, %slope : f32
    attn.yield %y : f32
  } causal : (!q, !k, !k) -> !q
  return %o : !q
}
