// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What a map's region computes of a pair's first column is computed once for what
// a thread has of that pair, in both of its rows; of the column it is computed for
// each element. No other pass removes copies here.
//
// RUN: mixattn-opt --pass-pipeline='builtin.module(gpu.module(tile-lower-gpu))' %s | FileCheck %s --implicit-check-not=tile.

gpu.module @m {
  // CHECK-LABEL:   func.func @pairs(
  // CHECK:           %[[FIRST:.+]] = arith.addi %arg2, %{{.+}} : index
  // CHECK:           arith.index_cast %[[FIRST]] : index to i32
  // CHECK:           %[[NEXT:.+]] = arith.addi %[[FIRST]], %c8
  // CHECK:           arith.index_cast %[[NEXT]] : index to i32
  // CHECK-NOT:       arith.index_cast
  // CHECK:           vector.from_elements
  // CHECK-LABEL:   func.func @columns(
  // CHECK-COUNT-8:   arith.index_cast
  func.func @pairs(%x: vector<8xf32>, %i: index, %j: index) -> vector<8xf32> {
    %r = tile.map [%i, %j] of %x : vector<8xf32> -> vector<8xf32> {
    ^bb0(%row: index, %column: index, %a: f32):
      %first = tile.first_of_pair %column
      %n = arith.index_cast %first : index to i32
      %f = arith.sitofp %n : i32 to f32
      %y = arith.mulf %f, %a : f32
      tile.yield %y : f32
    }
    return %r : vector<8xf32>
  }

  func.func @columns(%x: vector<8xf32>, %i: index, %j: index) -> vector<8xf32> {
    %r = tile.map [%i, %j] of %x : vector<8xf32> -> vector<8xf32> {
    ^bb0(%row: index, %column: index, %a: f32):
      %n = arith.index_cast %column : index to i32
      %f = arith.sitofp %n : i32 to f32
      %y = arith.mulf %f, %a : f32
      tile.yield %y : f32
    }
    return %r : vector<8xf32>
  }
}
