// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Tile ops of mma as instructions of a warp.
//
// RUN: mixattn-opt --pass-pipeline='builtin.module(gpu.module(tile-lower-mma,tile-lower-gpu,canonicalize,cse))' %s | FileCheck %s --implicit-check-not=tile. --implicit-check-not=math.

!tile = !tile.shared<32x64xbf16, padded>

gpu.module @m {
  // A row is 8 pieces of 16 bytes, two for each of 128 threads.
  // CHECK-LABEL: func.func @copy(
  // CHECK-SAME:    %[[SOURCE:.+]]: !llvm.ptr<1>, %[[ROW:.+]]: index, %[[ROWS:.+]]: index)
  // CHECK-DAG:     %[[THREAD:.+]] = gpu.thread_id x
  // CHECK:         %[[OWN:.+]] = arith.divui %[[THREAD]], %c8
  // CHECK:         %[[PIECE:.+]] = arith.remui %[[THREAD]], %c8
  // CHECK:         %[[FROM:.+]] = arith.addi %[[ROW]], %[[OWN]]
  // CHECK:         %[[WIDE:.+]] = arith.index_cast %[[FROM]] : index to i64
  // CHECK:         arith.muli %[[WIDE]], %c128_i64
  // CHECK:         %[[FIRST:.+]] = llvm.getelementptr
  // CHECK:         %[[IS:.+]] = arith.cmpi slt, %[[FROM]], %[[ROWS]]
  // CHECK:         %[[BYTES:.+]] = arith.select %[[IS]], %c16_i32, %c0_i32
  // CHECK:         nvvm.cp.async.shared.global %{{.+}}, %[[FIRST]], 16, cache = cg, %[[BYTES]] : !llvm.ptr<3>, !llvm.ptr<1>, i32
  // 16 rows further on.
  // CHECK:         %[[NEXT:.+]] = llvm.getelementptr %[[FIRST]][2048] : (!llvm.ptr<1>) -> !llvm.ptr<1>, i8
  // CHECK:         nvvm.cp.async.shared.global %{{.+}}, %[[NEXT]], 16
  // CHECK-NOT:     nvvm.cp.async.shared.global
  // CHECK:         nvvm.cp.async.commit.group
  // CHECK:         nvvm.cp.async.wait.group 0
  // CHECK:         gpu.barrier
  // CHECK:         nvvm.cp.async.wait.group 0
  // CHECK-NOT:     gpu.barrier
  // CHECK:         return
  func.func @copy(%p: !llvm.ptr<1>, %row: index, %rows: index) {
    %tile = tile.shared_tile at 0 : !tile
    %source = tile.device_buffer %p sizes [%rows] strides [] : !llvm.ptr<1> -> memref<?x64xbf16>
    tile.mma.copy %source[%row] rows %rows into %tile threads 128 : memref<?x64xbf16>, !tile
    tile.mma.commit
    tile.mma.wait 0
    tile.mma.wait 0 own
    return
  }

  // A row of 12 pieces is cut into 8 and 4. Not all threads have one of the 4:
  // they are of 32 rows.
  // CHECK-LABEL: func.func @copy_part(
  // CHECK:         arith.divui %{{.+}}, %c8
  // CHECK:         nvvm.cp.async.shared.global
  // CHECK:         %[[OWN:.+]] = arith.divui %{{.+}}, %c4
  // CHECK:         %[[LESS:.+]] = arith.cmpi slt, %[[OWN]], %c16
  // CHECK:         scf.if %[[LESS]]
  // CHECK:           nvvm.cp.async.shared.global
  func.func @copy_part(%p: !llvm.ptr<1>, %row: index, %rows: index) {
    %tile = tile.shared_tile at 0 : !tile.shared<16x96xf16, padded>
    %source = tile.device_buffer %p sizes [%rows] strides [] : !llvm.ptr<1> -> memref<?x96xf16>
    tile.mma.copy %source[%row] rows %rows into %tile threads 128
        : memref<?x96xf16>, !tile.shared<16x96xf16, padded>
    return
  }

  // 8 bytes divide the rows that a part is of.
  // CHECK-LABEL: func.func @copy_columns(
  // CHECK:         nvvm.cp.async.shared.global %{{.+}}, %{{.+}}, 8, cache = ca
  func.func @copy_columns(%p: !llvm.ptr<1>, %row: index, %rows: index) {
    %tile = tile.shared_tile at 0 : !tile
    %x = tile.device_buffer %p sizes [%rows] strides [] : !llvm.ptr<1> -> memref<?x100xbf16>
    %source = memref.subview %x[0, 0] [%rows, 64] [1, 1]
        : memref<?x100xbf16> to memref<?x64xbf16, strided<[100, 1]>>
    tile.mma.copy %source[%row] rows %rows into %tile threads 128
        : memref<?x64xbf16, strided<[100, 1]>>, !tile
    return
  }

  // A part begins 12 bytes after a row does, or at the number of a block's
  // columns: 4 bytes divide the one, 16 the other.
  // CHECK-LABEL: func.func @copy_offset(
  // CHECK:         nvvm.cp.async.shared.global %{{.+}}, %{{.+}}, 4, cache = ca
  // CHECK-LABEL: func.func @copy_block(
  // CHECK:         nvvm.cp.async.shared.global %{{.+}}, %{{.+}}, 16, cache = cg
  func.func @copy_offset(%p: !llvm.ptr<1>, %row: index, %rows: index) {
    %tile = tile.shared_tile at 0 : !tile
    %x = tile.device_buffer %p sizes [%rows] strides [] : !llvm.ptr<1> -> memref<?x128xbf16>
    %source = memref.subview %x[0, 6] [%rows, 64] [1, 1]
        : memref<?x128xbf16> to memref<?x64xbf16, strided<[128, 1], offset: 6>>
    tile.mma.copy %source[%row] rows %rows into %tile threads 128
        : memref<?x64xbf16, strided<[128, 1], offset: 6>>, !tile
    return
  }
  func.func @copy_block(%p: !llvm.ptr<1>, %row: index, %rows: index, %block: index) {
    %c48 = arith.constant 48 : index
    %c64 = arith.constant 64 : index
    %tile = tile.shared_tile at 0 : !tile
    %x = tile.device_buffer %p sizes [%rows] strides [] : !llvm.ptr<1> -> memref<?x128xbf16>
    %column = arith.muli %block, %c48 : index
    %first = arith.minsi %column, %c64 : index
    %source = memref.subview %x[0, %first] [%rows, 64] [1, 1]
        : memref<?x128xbf16> to memref<?x64xbf16, strided<[128, 1], offset: ?>>
    tile.mma.copy %source[%row] rows %rows into %tile threads 128
        : memref<?x64xbf16, strided<[128, 1], offset: ?>>, !tile
    return
  }

  // Two rows a thread, 8 further down, 16 columns a step.
  // CHECK-LABEL: func.func @load(
  // CHECK-COUNT-8: llvm.load %{{.+}} : !llvm.ptr<1> -> i32
  // CHECK-NOT:     llvm.load
  // CHECK:         vector.bitcast %{{.+}} : vector<8xi32> to vector<16xf16>
  func.func @load(%p: !llvm.ptr<1>, %row: index, %rows: index) -> vector<16xf16> {
    %q = tile.device_buffer %p sizes [%rows] strides [] : !llvm.ptr<1> -> memref<?x32xf16>
    %a = tile.mma.load %q[%row] rows %rows : memref<?x32xf16> -> vector<16xf16>
    return %a : vector<16xf16>
  }

  // 2 bytes divide where a part begins: elements are read one by one.
  // CHECK-LABEL: func.func @load_offset(
  // CHECK-COUNT-16: llvm.load %{{.+}} : !llvm.ptr<1> -> i16
  // CHECK-NOT:     llvm.load
  // CHECK:         return
  func.func @load_offset(%p: !llvm.ptr<1>, %row: index, %rows: index) -> vector<16xf16> {
    %x = tile.device_buffer %p sizes [%rows] strides [] : !llvm.ptr<1> -> memref<?x64xf16>
    %q = memref.subview %x[0, 3] [%rows, 32] [1, 1] : memref<?x64xf16> to memref<?x32xf16, strided<[64, 1], offset: 3>>
    %a = tile.mma.load %q[%row] rows %rows : memref<?x32xf16, strided<[64, 1], offset: 3>> -> vector<16xf16>
    return %a : vector<16xf16>
  }

  // 2 pairs of 8 columns, 4 steps of 16 terms.
  // CHECK-LABEL: func.func @scores(
  // CHECK-COUNT-8:  nvvm.ldmatrix %{{.+}} {eltType = #nvvm.ld_st_matrix_elt_type<b16>, layout = #nvvm.mma_layout<row>, num = 4 : i32
  // CHECK:          nvvm.mma.sync A[{{.*}}] B[{{.*}}] C[{{.*}}] {layoutA = #nvvm.mma_layout<row>, layoutB = #nvvm.mma_layout<col>, multiplicandAPtxType = #nvvm.mma_type<bf16>, multiplicandBPtxType = #nvvm.mma_type<bf16>, shape = #nvvm.shape<m = 16, n = 8, k = 16>} : (i32, i32, f32)
  func.func @scores(%q: vector<32xbf16>, %s: vector<16xf32>) -> vector<16xf32> {
    %tile = tile.shared_tile at 0 : !tile
    %p = tile.mma.product %q by %tile transposed onto %s : vector<32xbf16> by !tile onto vector<16xf32>
    return %p : vector<16xf32>
  }

  // Two groups of rows: four squares of the tile are read for four products.
  // Rows are 144 bytes apart.
  // CHECK-LABEL: func.func @pool(
  // CHECK-DAG:     %[[ROW:.+]] = arith.index_cast %{{.+}} : index to i32
  // CHECK-DAG:     %[[BYTES:.+]] = arith.muli %[[ROW]], %c144_i32
  // CHECK-DAG:     %[[TILES:.+]] = llvm.getelementptr %{{.+}}[1024]
  // CHECK:         llvm.getelementptr %[[TILES]][%[[BYTES]]]
  // CHECK:         nvvm.ldmatrix %{{.+}} {{{.*}}layout = #nvvm.mma_layout<col>
  // CHECK-COUNT-4: nvvm.mma.sync
  // CHECK:         nvvm.ldmatrix
  func.func @pool(%w: vector<16xbf16>, %x: vector<16xbf16>, %o: vector<32xf32>, %stage: index) -> (vector<32xf32>, vector<32xf32>) {
    %stages = tile.shared_tile at 1024 : !tile.shared<64x64xbf16, padded>
    %tile = tile.shared_rows %stages[%stage] : !tile.shared<64x64xbf16, padded> -> !tile
    %p:2 = tile.mma.product %w, %x by %tile onto %o, %o : vector<16xbf16>, vector<16xbf16> by !tile onto vector<32xf32>, vector<32xf32>
    return %p#0, %p#1 : vector<32xf32>, vector<32xf32>
  }

  // A left side in shared memory is read term by term: the rows of warp w from
  // 16 w on.
  // CHECK-LABEL: func.func @left_tile(
  // CHECK:         %[[WARP:.+]] = arith.divui %{{.+}}, %c32
  // CHECK:         arith.muli %[[WARP]], %c16
  // CHECK:         nvvm.ldmatrix %{{.+}} {{{.*}}layout = #nvvm.mma_layout<row>
  // CHECK:         nvvm.ldmatrix
  // CHECK:         nvvm.mma.sync
  // CHECK:         nvvm.ldmatrix
  // CHECK:         nvvm.mma.sync
  func.func @left_tile(%s: vector<16xf32>) -> vector<16xf32> {
    %q = tile.shared_tile at 0 : !tile.shared<64x64xbf16, padded>
    %tile = tile.shared_tile at 9216 : !tile
    %p = tile.mma.product %q by %tile transposed onto %s : !tile.shared<64x64xbf16, padded> by !tile onto vector<16xf32>
    return %p : vector<16xf32>
  }

  // Elements 0 and 1 are in the first of two rows, in columns that follow one
  // another; 2 and 3 are in the second.
  // CHECK-LABEL: func.func @map(
  // CHECK-SAME:    %[[X:.+]]: vector<4xf32>, %[[FACTORS:.+]]: vector<2xf32>
  // CHECK-DAG:     %[[X0:.+]] = vector.extract %[[X]][0]
  // CHECK-DAG:     %[[X3:.+]] = vector.extract %[[X]][3]
  // CHECK-DAG:     %[[F0:.+]] = vector.extract %[[FACTORS]][0]
  // CHECK-DAG:     %[[F1:.+]] = vector.extract %[[FACTORS]][1]
  // CHECK-DAG:     %[[Y0:.+]] = arith.mulf %[[X0]], %[[F0]]
  // CHECK-DAG:     %[[Y3:.+]] = arith.mulf %[[X3]], %[[F1]]
  // CHECK:         vector.from_elements %[[Y0]], %{{.+}}, %{{.+}}, %[[Y3]] : vector<4xf32>
  func.func @map(%x: vector<4xf32>, %factors: vector<2xf32>, %i: index, %j: index) -> vector<4xf32> {
    %r = tile.map [%i, %j] of %x, %factors : vector<4xf32>, vector<2xf32> -> vector<4xf32> {
    ^bb0(%row: index, %column: index, %a: f32, %factor: f32):
      %y = arith.mulf %a, %factor : f32
      tile.yield %y : f32
    }
    return %r : vector<4xf32>
  }

  // A lane's part of two rows: elements 0 and 1, 2 and 3.
  // CHECK-LABEL: func.func @parts(
  // CHECK-COUNT-2: llvm.call_intrinsic "llvm.maxnum.f32"
  // CHECK-COUNT-2: arith.addf
  // CHECK-NOT:     nvvm.shfl.sync
  func.func @parts(%x: vector<4xf32>) -> (vector<2xf32>, vector<2xf32>) {
    %m = tile.row_max %x : vector<4xf32>
    %l = tile.row_sum %x : vector<4xf32>
    return %m, %l : vector<2xf32>, vector<2xf32>
  }

  // CHECK-LABEL: func.func @join(
  // CHECK:         nvvm.shfl.sync bfly %{{.+}}, %{{.+}}, %c1_i32, %c31_i32 : f32 -> f32
  // CHECK:         llvm.call_intrinsic "llvm.maxnum.f32"
  // CHECK:         nvvm.shfl.sync bfly %{{.+}}, %{{.+}}, %c2_i32, %c31_i32 : f32 -> f32
  // CHECK:         llvm.call_intrinsic "llvm.maxnum.f32"
  // CHECK-COUNT-2: nvvm.shfl.sync
  // CHECK:         nvvm.shfl.sync
  // CHECK:         arith.addf
  func.func @join(%x: vector<2xf32>) -> (vector<2xf32>, vector<2xf32>) {
    %m = tile.join_max %x
    %l = tile.join_sum %x
    return %m, %l : vector<2xf32>, vector<2xf32>
  }

  // CHECK-LABEL: func.func @any(
  // CHECK:         %[[OWN:.+]] = arith.ori
  // CHECK:         nvvm.vote.sync any %{{.+}}, %[[OWN]] -> i1
  func.func @any(%x: vector<2xi1>) -> i1 {
    %any = tile.any %x
    return %any : i1
  }

  // CHECK-LABEL: func.func @operand(
  // CHECK-COUNT-2: llvm.call_intrinsic "llvm.nvvm.ff2bf16x2.rn"
  // CHECK:         vector.bitcast %{{.+}} : vector<2xi32> to vector<4xbf16>
  func.func @operand(%x: vector<4xf32>) -> vector<4xbf16> {
    %a = tile.to_operand %x : vector<4xf32> -> vector<4xbf16>
    return %a : vector<4xbf16>
  }

  // CHECK-LABEL: func.func @store(
  // CHECK:         scf.if
  // CHECK:           llvm.call_intrinsic "llvm.nvvm.ff2f16x2.rn"
  // CHECK:           llvm.store %{{.+}} {alignment = 4 : i64} : i32, !llvm.ptr<1>
  // CHECK:         scf.if
  func.func @store(%x: vector<8xf32>, %p: !llvm.ptr<1>, %row: index, %rows: index) {
    %o = tile.device_buffer %p sizes [%rows] strides [] : !llvm.ptr<1> -> memref<?x16xf16>
    tile.store %x into %o[%row] rows %rows : vector<8xf32>, memref<?x16xf16>
    return
  }
}
