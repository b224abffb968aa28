// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Integers of 64 bits are products of 64.
//
// RUN: mixattn-opt --tile-widen-products %s | FileCheck %s

// CHECK-LABEL: func.func @count
// CHECK-SAME:    %[[B:[^ ]+]]: index, %[[N:[^ ]+]]: index, %[[S:[^ ]+]]: index)
// CHECK-DAG:     %[[WIDE_B:.+]] = arith.index_cast %[[B]] : index to i64
// CHECK-DAG:     %[[WIDE_N:.+]] = arith.index_cast %[[N]] : index to i64
// CHECK-DAG:     %[[WIDE_S:.+]] = arith.index_cast %[[S]] : index to i64
// CHECK-DAG:     %[[ROWS:.+]] = arith.muli %[[WIDE_B]], %[[WIDE_N]] : i64
// CHECK:         %[[ALL:.+]] = arith.muli %[[ROWS]], %[[WIDE_S]] : i64
// CHECK:         return %[[ALL]]
func.func @count(%b: index, %n: index, %s: index) -> i64 {
  %rows = arith.muli %b, %n : index
  %all = arith.muli %rows, %s : index
  %count = arith.index_cast %all : index to i64
  return %count : i64
}

// A sum with a product; differences likewise.
// CHECK-LABEL: func.func @sum
// CHECK-DAG:     %[[PLACE:.+]] = arith.muli %{{.+}}, %{{.+}} : i64
// CHECK-DAG:     %[[MORE:.+]] = arith.addi %[[PLACE]], %{{.+}} : i64
// CHECK:         arith.subi %[[MORE]], %{{.+}} : i64
func.func @sum(%i: index, %s: index, %j: index) -> i64 {
  %c1 = arith.constant 1 : index
  %row = arith.muli %i, %s : index
  %place = arith.addi %row, %j : index
  %last = arith.subi %place, %c1 : index
  %wide = arith.index_cast %last : index to i64
  return %wide : i64
}

// A multiple of a size.
// CHECK-LABEL: func.func @multiple
// CHECK-DAG:     %[[WIDE:.+]] = arith.index_cast %{{.+}} : index to i64
// CHECK:         arith.muli %[[WIDE]], %{{.+}} : i64
func.func @multiple(%n: index) -> i64 {
  %c8 = arith.constant 8 : index
  %eight = arith.muli %n, %c8 : index
  %wide = arith.index_cast %eight : index to i64
  return %wide : i64
}

// A multiple of a thread's number, what stays an index, and what has 32 bits.
// CHECK-LABEL: func.func @short
// CHECK:         %[[EIGHT:.+]] = arith.muli %{{.+}}, %c8 : index
// CHECK:         arith.index_cast %[[EIGHT]] : index to i64
// CHECK:         %[[PRODUCT:.+]] = arith.muli %{{.+}}, %{{.+}} : index
// CHECK:         arith.index_cast %[[PRODUCT]] : index to i32
func.func @short(%n: index, %m: index) -> (i64, i32, index) {
  %c8 = arith.constant 8 : index
  %thread = gpu.thread_id x
  %eight = arith.muli %thread, %c8 : index
  %wide = arith.index_cast %eight : index to i64
  %product = arith.muli %n, %m : index
  %number = arith.index_cast %product : index to i32
  return %wide, %number, %product : i64, i32, index
}
