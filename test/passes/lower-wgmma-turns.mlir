// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Turns of two warpgroups: each waits at a barrier of its own, 2 or 3, at which the
// other one arrives; the first turn is given by the second warpgroup, the last one is
// taken back by the first.
//
// RUN: mixattn-opt %s --pass-pipeline='builtin.module(gpu.module(tile-lower-wgmma,func.func(canonicalize,cse)))' | FileCheck %s

// CHECK-LABEL: func.func @turns(
// CHECK-DAG:     %[[BOTH:.+]] = arith.constant 256 : i32
// CHECK-DAG:     %[[ZERO:.+]] = arith.constant 0 : i32
// CHECK-DAG:     %[[ONE:.+]] = arith.constant 1 : i32
// CHECK-DAG:     %[[TWO:.+]] = arith.constant 2 : i32
// CHECK-DAG:     %[[THREE:.+]] = arith.constant 3 : i32
// CHECK:         %[[IS_SECOND:.+]] = arith.cmpi eq, %{{.+}}, %[[ONE]] : i32
// CHECK:         scf.if %[[IS_SECOND]] {
// CHECK:           %[[FIRSTS:.+]] = arith.subi %[[THREE]], %{{.+}} : i32
// CHECK:           nvvm.barrier.arrive id = %[[FIRSTS]] number_of_threads = %[[BOTH]]
// CHECK:         }
// CHECK:         %[[OWN:.+]] = arith.addi %{{.+}}, %[[TWO]] : i32
// CHECK:         nvvm.barrier id = %[[OWN]] number_of_threads = %[[BOTH]]
// CHECK:         %[[OTHERS:.+]] = arith.subi %[[THREE]], %{{.+}} : i32
// CHECK:         nvvm.barrier.arrive id = %[[OTHERS]] number_of_threads = %[[BOTH]]
// CHECK:         %[[IS_FIRST:.+]] = arith.cmpi eq, %{{.+}}, %[[ZERO]] : i32
// CHECK:         scf.if %[[IS_FIRST]] {
// CHECK:           %[[LAST:.+]] = arith.addi %{{.+}}, %[[TWO]] : i32
// CHECK:           nvvm.barrier id = %[[LAST]] number_of_threads = %[[BOTH]]
gpu.module @m {
  func.func @turns() {
    tile.wgmma.open_turns
    tile.wgmma.take_turn
    tile.wgmma.pass_turn
    tile.wgmma.close_turns
    return
  }
}
