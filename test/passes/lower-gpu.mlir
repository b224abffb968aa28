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
  // CHECK-DAG:     %[[S1BYTES:.+]] = arith.muli %[[S1]], %c4_i64
  // CHECK-DAG:     %[[OB:.+]] = arith.muli %[[B64]], %[[S0BYTES]]
  // CHECK:         %[[MATRIX:.+]] = llvm.getelementptr %[[P]]{{\[}}%[[OB]]] : (!llvm.ptr<1>, i64) -> !llvm.ptr<1>, i8
  // CHECK-DAG:     %[[ROW64:.+]] = arith.index_cast %[[ROW]] : index to i64
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

  // A view of a view: heads of the second third of each row, every other one of
  // which is read. What dims add has 64 bits.
  // CHECK-LABEL: func.func @heads(
  // CHECK-SAME:    %[[P:.+]]: !llvm.ptr<1>, %[[N:.+]]: index, %[[S:[a-z0-9]+]]: i64, %[[I:[a-z0-9]+]]: index, %[[H:[a-z0-9]+]]: index
  // CHECK-DAG:     %[[ROW:.+]] = arith.muli %[[S]], %c4_i64
  // CHECK-DAG:     %[[BEGIN:.+]] = llvm.getelementptr %[[P]][256]
  // CHECK-DAG:     %[[TWICE:.+]] = arith.muli %[[H]], %c2
  // CHECK-DAG:     %[[HEAD:.+]] = arith.addi %[[TWICE]], %c1
  // CHECK-DAG:     %[[I64:.+]] = arith.index_cast %[[I]]
  // CHECK-DAG:     %[[DOWN:.+]] = arith.muli %[[I64]], %[[ROW]]
  // CHECK:         %[[HERE:.+]] = llvm.getelementptr %[[BEGIN]]{{\[}}%[[DOWN]]]
  // CHECK-DAG:     %[[HEAD64:.+]] = arith.index_cast %[[HEAD]]
  // CHECK-DAG:     %[[ASIDE:.+]] = arith.muli %[[HEAD64]], %c64_i64
  // CHECK:         %[[SUM:.+]] = arith.addi %[[ASIDE]], %c8_i64
  // CHECK:         %[[AT:.+]] = llvm.getelementptr %[[HERE]]{{\[}}%[[SUM]]]
  // CHECK:         llvm.load %[[AT]] : !llvm.ptr<1> -> f32
  func.func @heads(%p: !llvm.ptr<1>, %n: index, %s: i64, %i: index, %h: index) -> f32 {
    %c2 = arith.constant 2 : index
    %x = tile.device_buffer %p sizes [%n] strides [%s] : !llvm.ptr<1> -> memref<?x192xf32, strided<[?, 1]>>
    %third = memref.subview %x[0, 64] [%n, 64] [1, 1]
        : memref<?x192xf32, strided<[?, 1]>> to memref<?x64xf32, strided<[?, 1], offset: 64>>
    %heads = memref.expand_shape %third [[0], [1, 2]] output_shape [%n, 4, 16]
        : memref<?x64xf32, strided<[?, 1], offset: 64>> into memref<?x4x16xf32, strided<[?, 16, 1], offset: 64>>
    %odd = memref.subview %heads[0, 1, 0] [%n, 2, 16] [1, 2, 1]
        : memref<?x4x16xf32, strided<[?, 16, 1], offset: 64>> to memref<?x2x16xf32, strided<[?, 32, 1], offset: 80>>
    %element = memref.load %odd[%i, %h, %c2] : memref<?x2x16xf32, strided<[?, 32, 1], offset: 80>>
    return %element : f32
  }

  // The last row of each matrix, with a dim less: its stride is the matrices'.
  // CHECK-LABEL: func.func @last(
  // CHECK-SAME:    %[[P:.+]]: !llvm.ptr<1>, %[[B:.+]]: index, %[[N:[a-z0-9]+]]: index, %[[S0:[a-z0-9]+]]: i64, %[[S1:[a-z0-9]+]]: i64, %[[R:[a-z0-9]+]]: index, %[[I:[a-z0-9]+]]: index
  // CHECK-DAG:     %[[S0BYTES:.+]] = arith.muli %[[S0]], %c4_i64
  // CHECK-DAG:     %[[S1BYTES:.+]] = arith.muli %[[S1]], %c4_i64
  // CHECK-DAG:     %[[R64:.+]] = arith.index_cast %[[R]]
  // CHECK-DAG:     %[[DOWN:.+]] = arith.muli %[[R64]], %[[S1BYTES]]
  // CHECK-DAG:     %[[BEGIN:.+]] = llvm.getelementptr %[[P]]{{\[}}%[[DOWN]]]
  // CHECK-DAG:     %[[I64:.+]] = arith.index_cast %[[I]]
  // CHECK-DAG:     %[[OVER:.+]] = arith.muli %[[I64]], %[[S0BYTES]]
  // CHECK-DAG:     %[[SUM:.+]] = arith.addi %[[OVER]], %c12_i64
  // CHECK:         %[[AT:.+]] = llvm.getelementptr %[[BEGIN]]{{\[}}%[[SUM]]]
  // CHECK:         llvm.load %[[AT]] : !llvm.ptr<1> -> f32
  func.func @last(%p: !llvm.ptr<1>, %b: index, %n: index, %s0: i64, %s1: i64, %r: index, %i: index) -> f32 {
    %c3 = arith.constant 3 : index
    %x = tile.device_buffer %p sizes [%b, %n] strides [%s0, %s1]
        : !llvm.ptr<1> -> memref<?x?x8xf32, strided<[?, ?, 1]>>
    %row = memref.subview %x[0, %r, 0] [%b, 1, 8] [1, 1, 1]
        : memref<?x?x8xf32, strided<[?, ?, 1]>> to memref<?x1x8xf32, strided<[?, ?, 1], offset: ?>>
    %rows = memref.collapse_shape %row [[0, 1], [2]]
        : memref<?x1x8xf32, strided<[?, ?, 1], offset: ?>> into memref<?x8xf32, strided<[?, 1], offset: ?>>
    %element = memref.load %rows[%i, %c3] : memref<?x8xf32, strided<[?, 1], offset: ?>>
    return %element : f32
  }

  // An element alone has no dims.
  // CHECK-LABEL: func.func @one(
  // CHECK:         %[[AT:.+]] = llvm.getelementptr %{{.+}}[16]
  // CHECK:         llvm.load %[[AT]] : !llvm.ptr<1> -> i64
  func.func @one(%p: !llvm.ptr<1>, %n: index) -> i64 {
    %x = tile.device_buffer %p sizes [%n] strides [] : !llvm.ptr<1> -> memref<?xi64>
    %part = memref.subview %x[2] [1] [1] : memref<?xi64> to memref<1xi64, strided<[1], offset: 2>>
    %one = memref.collapse_shape %part [] : memref<1xi64, strided<[1], offset: 2>> into memref<i64, strided<[], offset: 2>>
    %element = memref.load %one[] : memref<i64, strided<[], offset: 2>>
    return %element : i64
  }

  // 4 bytes divide where a part begins in its row, for all that is said of a
  // whole piece.
  // CHECK-LABEL: func.func @piece(
  // CHECK:         llvm.load %{{.+}} {alignment = 4 : i64} : !llvm.ptr<1> -> vector<4xf32>
  // CHECK:         llvm.store %{{.+}} {alignment = 8 : i64} : vector<4xf32>, !llvm.ptr<1>
  func.func @piece(%p: !llvm.ptr<1>, %n: index, %i: index) {
    %c0 = arith.constant 0 : index
    %x = tile.device_buffer %p sizes [%n] strides [] : !llvm.ptr<1> -> memref<?x32xf32>
    %from = memref.subview %x[0, 3] [%n, 8] [1, 1] : memref<?x32xf32> to memref<?x8xf32, strided<[32, 1], offset: 3>>
    %to = memref.subview %x[0, 14] [%n, 8] [1, 1] : memref<?x32xf32> to memref<?x8xf32, strided<[32, 1], offset: 14>>
    %piece = vector.load %from[%i, %c0] : memref<?x8xf32, strided<[32, 1], offset: 3>>, vector<4xf32>
    vector.store %piece, %to[%i, %c0] : memref<?x8xf32, strided<[32, 1], offset: 14>>, vector<4xf32>
    return
  }

  // Rows of 33 elements are 4 bytes further on, whatever their parts begin at.
  // CHECK-LABEL: func.func @odd_rows(
  // CHECK:         llvm.load %{{.+}} {alignment = 4 : i64} : !llvm.ptr<1> -> vector<4xf32>
  func.func @odd_rows(%p: !llvm.ptr<1>, %n: index, %i: index) -> vector<4xf32> {
    %c0 = arith.constant 0 : index
    %x = tile.device_buffer %p sizes [%n] strides [] : !llvm.ptr<1> -> memref<?x33xf32>
    %part = memref.subview %x[0, 0] [%n, 32] [1, 1] : memref<?x33xf32> to memref<?x32xf32, strided<[33, 1]>>
    %piece = vector.load %part[%i, %c0] : memref<?x32xf32, strided<[33, 1]>>, vector<4xf32>
    return %piece : vector<4xf32>
  }

  // A number with other dims is where it was.
  // CHECK-LABEL: func.func @number(
  // CHECK-SAME:      %[[P:.+]]: !llvm.ptr<1>
  // CHECK:         llvm.load %{{.+}} : !llvm.ptr<1> -> f32
  func.func @number(%p: !llvm.ptr<1>, %i: index) -> f32 {
    %x = tile.device_buffer %p sizes [] strides [] : !llvm.ptr<1> -> memref<f32>
    %one = memref.expand_shape %x [] output_shape [1, 1] : memref<f32> into memref<1x1xf32>
    %element = memref.load %one[%i, %i] : memref<1x1xf32>
    return %element : f32
  }

  // Elements of rows of one follow each other, whatever their stride.
  // CHECK-LABEL: func.func @column(
  // CHECK:         llvm.store %{{.+}} : bf16, !llvm.ptr<1>
  func.func @column(%p: !llvm.ptr<1>, %n: index, %m: index, %s: i64, %f: vector<4xf32>, %row: index) {
    %x = tile.device_buffer %p sizes [%n, %m] strides [%s, %s] : !llvm.ptr<1> -> memref<?x1x?xbf16>
    %column = memref.subview %x[0, 0, 0] [%n, 1, 1] [1, 1, 1]
        : memref<?x1x?xbf16> to memref<?x1xbf16, strided<[?, ?]>>
    tile.store %f into %column[%row] rows %n : vector<4xf32>, memref<?x1xbf16, strided<[?, ?]>>
    return
  }

  // CHECK-LABEL: func.func @functions(
  // CHECK:         llvm.call_intrinsic "llvm.nvvm.ex2.approx.ftz.f"
  // CHECK:         llvm.call_intrinsic "llvm.nvvm.lg2.approx.ftz.f"
  // CHECK:         arith.mulf %{{.+}}, %cst
  // CHECK:         llvm.call_intrinsic "llvm.nvvm.ex2.approx.ftz.f"
  // CHECK:         llvm.call_intrinsic "llvm.nvvm.lg2.approx.ftz.f"
  // CHECK:         llvm.call_intrinsic "llvm.fma.f32"
  // CHECK:         llvm.call_intrinsic "llvm.nvvm.div.approx.ftz.f"
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
  // The halves of a product of words are an instruction each.
  // CHECK-LABEL: func.func @halves(
  // CHECK-SAME:    %[[X:.+]]: i32, %[[Y:.+]]: i32
  // CHECK:         %[[LOW:.+]] = arith.muli %[[X]], %[[Y]] : i32
  // CHECK:         %[[HIGH:.+]] = llvm.call_intrinsic "llvm.nvvm.mulhi.ui"(%[[X]], %[[Y]])
  // CHECK:         return %[[LOW]], %[[HIGH]]
  func.func @halves(%x: i32, %y: i32) -> (i32, i32) {
    %low, %high = arith.mului_extended %x, %y : i32
    return %low, %high : i32, i32
  }
}
