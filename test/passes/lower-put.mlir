// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A fragment in shared memory, a row of which is every fifth of a larger tile: rows of
// 48 bytes are 240 bytes apart. A warp writes 16 rows, two columns of a lane at a time.
//
// RUN: mixattn-opt %s --pass-pipeline='builtin.module(gpu.module(tile-lower-gpu))' | FileCheck %s

// CHECK-LABEL: func.func @put(
// CHECK-SAME:      %[[X:.+]]: vector<8xf32>, %[[HEAD:.+]]: index)
// CHECK-DAG:     %[[OWN:.+]] = arith.constant 48 : i32
// CHECK-DAG:     %[[EVERY:.+]] = arith.constant 240 : index
// CHECK:         arith.muli %{{.+}}, %[[EVERY]]
// CHECK:         %[[H:.+]] = arith.index_cast %[[HEAD]]
// CHECK:         %[[FIRST:.+]] = arith.muli %[[H]], %[[OWN]]
// CHECK:         %[[TILE:.+]] = llvm.getelementptr %{{.+}}[%[[FIRST]]]
// CHECK:         %[[PLACE:.+]] = llvm.getelementptr %[[TILE]][%{{.+}}]
// CHECK:         %[[BOTH:.+]] = llvm.call_intrinsic "llvm.nvvm.ff2bf16x2.rn"
// CHECK:         %[[BITS:.+]] = llvm.bitcast %[[BOTH]]
// CHECK:         llvm.store %[[BITS]], %[[PLACE]] {alignment = 4 : i64}
// CHECK:         llvm.getelementptr %[[PLACE]][1920]
// CHECK:         llvm.getelementptr %[[PLACE]][16]
// CHECK:         llvm.getelementptr %[[PLACE]][1936]
gpu.module @m {
  func.func @put(%x: vector<8xf32>, %head: index) {
    %all = tile.shared_tile at 0 : !tile.shared<160x16xbf16, padded>
    %own = tile.shared_rows %all[%head] : !tile.shared<160x16xbf16, padded> -> !tile.shared<32x16xbf16, padded every = 5>
    tile.put %x into %own : vector<8xf32>, !tile.shared<32x16xbf16, padded every = 5>
    return
  }
}
