// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Buffers of the device's memory as addresses, and functions as instructions.
//
// RUN: mixattn-opt --pass-pipeline='builtin.module(gpu.module(tile-lower-gpu,canonicalize,cse))' %s | FileCheck %s --implicit-check-not=tile. --implicit-check-not=math.

gpu.module @m {
  // A part of a part of what the kernel was given: offsets add up, in 64 bits;
  // what the leading dims add is a pointer of its own.
  // CHECK-LABEL: func.func @part(
  // CHECK-SAME:    %[[P:.+]]: !llvm.ptr<1>, %[[N:.+]]: index, %[[S0:[a-z0-9]+]]: i64, %[[S1:[a-z0-9]+]]: i64, %[[B:[a-z0-9]+]]: index, %[[I:[a-z0-9]+]]: index
  // CHECK-DAG:     %[[ROW:.+]] = arith.addi %[[I]], %c3
  // CHECK-DAG:     %[[B64:.+]] = arith.index_cast %[[B]] : index to i64
  // CHECK-DAG:     %[[S0BYTES:.+]] = arith.muli %[[S0]], %c4_i64
  // CHECK-DAG:     %[[OB:.+]] = arith.muli %[[B64]], %[[S0BYTES]]
  // CHECK:         %[[MATRIX:.+]] = llvm.getelementptr %[[P]]{{\[}}%[[OB]]] : (!llvm.ptr<1>, i64) -> !llvm.ptr<1>, i8
  // CHECK-DAG:     %[[ROW64:.+]] = arith.index_cast %[[ROW]] : index to i64
  // CHECK-DAG:     %[[S1BYTES:.+]] = arith.muli %[[S1]], %c4_i64
  // CHECK-DAG:     %[[OR:.+]] = arith.muli %[[ROW64]], %[[S1BYTES]]
  // CHECK:         %[[SUM:.+]] = arith.addi %[[OR]], %c8_i64
  // CHECK:         %[[AT:.+]] = llvm.getelementptr %[[MATRIX]]{{\[}}%[[SUM]]]
  // CHECK:         llvm.load %[[AT]] : !llvm.ptr<1> -> f32
  // CHECK:         llvm.store %{{.+}}, %[[AT]] : f32, !llvm.ptr<1>
  // CHECK:         return %[[N]]
  func.func @part(%p: !llvm.ptr<1>, %n: index, %s0: i64, %s1: i64, %b: index, %i: index) -> index {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    %x = tile.device_buffer %p sizes [%n] strides [%s0, %s1] : !llvm.ptr<1> -> memref<4x?x8xf32, strided<[?, ?, 1]>>
    %matrix = memref.subview %x[%b, 0, 0] [1, %n, 8] [1, 1, 1]
        : memref<4x?x8xf32, strided<[?, ?, 1]>> to memref<?x8xf32, strided<[?, 1], offset: ?>>
    %rows = memref.subview %matrix[3, 1] [2, 4] [1, 1]
        : memref<?x8xf32, strided<[?, 1], offset: ?>> to memref<2x4xf32, strided<[?, 1], offset: ?>>
    %element = memref.load %rows[%i, %c1] : memref<2x4xf32, strided<[?, 1], offset: ?>>
    memref.store %element, %rows[%i, %c1] : memref<2x4xf32, strided<[?, 1], offset: ?>>
    %size = memref.dim %matrix, %c0 : memref<?x8xf32, strided<[?, 1], offset: ?>>
    return %size : index
  }

  // CHECK-LABEL: func.func @functions(
  // CHECK:         llvm.call_intrinsic "llvm.nvvm.ex2.approx.ftz.f"
  // CHECK:         llvm.call_intrinsic "llvm.nvvm.lg2.approx.ftz.f"
  // CHECK:         arith.mulf %{{.+}}, %cst
  // CHECK:         llvm.call_intrinsic "llvm.nvvm.ex2.approx.ftz.f"
  // CHECK:         llvm.call_intrinsic "llvm.nvvm.lg2.approx.ftz.f"
  // CHECK:         llvm.call_intrinsic "llvm.fma.f32"
  // CHECK:         arith.maxsi
  func.func @functions(%x: f32, %rows: vector<2xf32>, %i: index)
      -> (f32, f32, f32, f32, f32, vector<2xf32>, index) {
    %a = math.exp2 %x : f32
    %b = math.log2 %x : f32
    %c = math.exp %x : f32
    %d = math.log %x : f32
    %e = math.tanh %x : f32
    %f = arith.maxnumf %rows, %rows : vector<2xf32>
    %g = math.absi %i : index
    return %a, %b, %c, %d, %e, %f, %g : f32, f32, f32, f32, f32, vector<2xf32>, index
  }
  // Numbers of rows: a lane has two of them, eight apart. Those that are not
  // there are the last one's; those in shared memory lie in a tile.
  // CHECK-LABEL: func.func @rows(
  // CHECK:         llvm.store %{{.+}} : f32, !llvm.ptr<3>
  // CHECK:         %[[LAST:.+]] = arith.subi %{{.+}}, %c1
  // CHECK:         %[[R0:.+]] = arith.minsi %[[FIRST:.+]], %[[LAST]]
  // CHECK:         llvm.load %{{.+}} : !llvm.ptr<1> -> f32
  // CHECK:         %[[SECOND:.+]] = arith.addi %[[FIRST]], %c8
  // CHECK:         %[[R1:.+]] = arith.minsi %[[SECOND]], %[[LAST]]
  // CHECK:         llvm.load %{{.+}} : !llvm.ptr<1> -> f32
  // CHECK-COUNT-2: llvm.load %{{.+}} : !llvm.ptr<3> -> f32
  func.func @rows(%p: !llvm.ptr<1>, %i: index, %n: index, %one: f32)
      -> (vector<2xf32>, vector<2xf32>) {
    %tile = tile.shared_tile at 0 : !tile.shared<4x64xf32, padded>
    tile.shared_write %one into %tile[%i, %n] : !tile.shared<4x64xf32, padded>
    %x = tile.device_buffer %p sizes [] strides [] : !llvm.ptr<1> -> memref<4x8x32xf32>
    %a = tile.load_rows %x[%i, %i, %i] rows %n : memref<4x8x32xf32>
    %b = tile.load_rows %tile[%i, %i] rows %n : !tile.shared<4x64xf32, padded>
    return %a, %b : vector<2xf32>, vector<2xf32>
  }

  // CHECK-LABEL: func.func @roots(
  // CHECK:         %[[ROOT:.+]] = llvm.call_intrinsic "llvm.sqrt.f32"
  // CHECK:         arith.divf %{{.+}}, %[[ROOT]]
  // CHECK:         %[[REST:.+]] = llvm.call_intrinsic "llvm.nvvm.ex2.approx.ftz.f"
  // CHECK:         arith.subf %{{.+}}, %[[REST]]
  // CHECK:         llvm.call_intrinsic "llvm.copysign.f32"
  // CHECK:         arith.select
  func.func @roots(%x: f32) -> (f32, f32) {
    %r = math.rsqrt %x : f32
    %e = math.erf %x : f32
    return %r, %e : f32, f32
  }
}
