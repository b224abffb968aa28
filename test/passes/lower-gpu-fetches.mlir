// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Parts of buffers are copied to shared memory at any alignment.
//
// RUN: mixattn-opt --pass-pipeline='builtin.module(gpu.module(tile-lower-gpu,canonicalize,cse))' %s | FileCheck %s --implicit-check-not=tile.

gpu.module @m {
  // 16 rows of 128 bytes: four pieces of 16 bytes for each lane of a warp.
  // CHECK-LABEL: func.func @halves(
  // CHECK-SAME:    %[[P:.+]]: !llvm.ptr<1>, %[[N:[a-z0-9]+]]: index, %[[S:[a-z0-9]+]]: index, %[[STRIDE:.+]]: i64, %[[I:[a-z0-9]+]]: index, %[[J:[a-z0-9]+]]: index)
  // No address is computed before the loop that a copy is in.
  // CHECK:         llvm.inline_asm {{.*}} "mov.b32 $0, $1;"
  // CHECK:         %[[OWN_I:.+]] = llvm.inline_asm {{.*}} "mov.b32 $0, $1;"
  // CHECK:         %[[ROW:.+]] = arith.index_cast %[[OWN_I]] : i32 to index
  // CHECK:         %[[OWN_J:.+]] = llvm.inline_asm {{.*}} "mov.b32 $0, $1;"
  // CHECK:         %[[COLUMN:.+]] = arith.index_cast %[[OWN_J]] : i32 to index
  // CHECK:         %[[BYTES:.+]] = arith.muli %[[STRIDE]], %c2_i64
  // CHECK:         %[[BEGIN:.+]] = llvm.getelementptr %[[P]]
  // CHECK:         %[[COLUMNS:.+]] = arith.subi %[[S]], %[[COLUMN]]
  // CHECK:         %[[ROWS:.+]] = arith.subi %[[N]], %[[ROW]]
  // CHECK:         %[[ADDRESS:.+]] = llvm.ptrtoint %[[BEGIN]]
  // CHECK:         %[[BOTH:.+]] = arith.ori %[[ADDRESS]], %[[BYTES]]
  // CHECK:         %[[BITS:.+]] = arith.trunci %[[BOTH]]
  // CHECK:         arith.andi %[[BITS]], %c15_i32
  // CHECK:         scf.if
  // CHECK-COUNT-4:   nvvm.cp.async.shared.global {{.*}}, 16, cache = cg
  // CHECK-NOT:       nvvm.cp.async.shared.global {{.*}}, 16
  // CHECK:         } else {
  // CHECK:           arith.andi %[[BITS]], %c3_i32
  // CHECK:           scf.if
  // CHECK:             scf.for
  // CHECK:               nvvm.cp.async.shared.global {{.*}}, 4, cache = ca
  // Rows of other alignment go through registers, element by element.
  // CHECK:           } else {
  // CHECK:             scf.for
  // CHECK:               %[[IN_ROWS:.+]] = arith.cmpi slt, %{{.+}}, %[[ROWS]]
  // CHECK:               %[[IN_COLUMNS:.+]] = arith.cmpi slt, %{{.+}}, %[[COLUMNS]]
  // CHECK:               %[[IS:.+]] = arith.andi %[[IN_ROWS]], %[[IN_COLUMNS]]
  // CHECK:               %[[X:.+]] = scf.if %[[IS]] -> (i16) {
  // CHECK:                 llvm.load %{{.+}} : !llvm.ptr<1> -> i16
  // CHECK:               llvm.store %[[X]], %{{.+}} : i16, !llvm.ptr<3>
  // CHECK:         nvvm.cp.async.commit.group
  // CHECK:         nvvm.cp.async.wait.group 0
  // CHECK:         nvvm.bar.warp.sync
  func.func @halves(%p: !llvm.ptr<1>, %n: index, %s: index, %stride: i64, %i: index, %j: index) {
    %bias = tile.device_buffer %p sizes [%n, %s] strides [%stride] : !llvm.ptr<1> -> memref<?x?xbf16, strided<[?, 1]>>
    %tile = tile.shared_tile at 256 : !tile.shared<16x64xbf16, padded>
    tile.fetch %bias[%i, %j] into %tile threads 32 : memref<?x?xbf16, strided<[?, 1]>>, !tile.shared<16x64xbf16, padded>
    tile.fetched
    return
  }

  // A view has the sizes that it was made with.
  // CHECK-LABEL: func.func @heads(
  // CHECK-SAME:    %{{.+}}: !llvm.ptr<1>, %{{.+}}: index, %[[S:[a-z0-9]+]]: index, %{{.+}}: i64, %[[H:[a-z0-9]+]]: index, %[[K:[a-z0-9]+]]: index, %{{.+}}: index)
  // CHECK-NOT:     memref
  // CHECK-DAG:     arith.subi %[[K]], %{{.+}} : index
  // CHECK-DAG:     arith.subi %[[H]], %{{.+}} : index
  // CHECK-NOT:     memref
  // CHECK:         return
  func.func @heads(%p: !llvm.ptr<1>, %n: index, %s: index, %stride: i64, %h: index, %k: index, %i: index) {
    %x = tile.device_buffer %p sizes [%n, %s] strides [%stride] : !llvm.ptr<1> -> memref<?x?xbf16, strided<[?, 1]>>
    %bias = memref.expand_shape %x [[0], [1, 2]] output_shape [%n, %h, %k]
        : memref<?x?xbf16, strided<[?, 1]>> into memref<?x?x?xbf16, strided<[?, ?, 1]>>
    %tile = tile.shared_tile at 256 : !tile.shared<16x64xbf16, padded>
    tile.fetch %bias[%i, %i, %i] into %tile threads 32 : memref<?x?x?xbf16, strided<[?, ?, 1]>>, !tile.shared<16x64xbf16, padded>
    tile.fetched
    return
  }

  // Numbers of 4 bytes are at multiples of 4. One row of 16 pieces: half of the
  // lanes copy.
  // CHECK-LABEL: func.func @row(
  // CHECK:         scf.if
  // CHECK:           %[[HAS:.+]] = arith.cmpi slt, %{{.+}}, %c16
  // CHECK:           scf.if %[[HAS]]
  // CHECK:             nvvm.cp.async.shared.global {{.*}}, 16, cache = cg
  // CHECK:         } else {
  // CHECK:           nvvm.cp.async.shared.global {{.*}}, 4, cache = ca
  // CHECK-NOT:     llvm.load
  // CHECK:         return
  func.func @row(%p: !llvm.ptr<1>, %s: index, %j: index) {
    %term = tile.device_buffer %p sizes [%s] strides [] : !llvm.ptr<1> -> memref<?xf32>
    %tile = tile.shared_tile at 0 : !tile.shared<1x64xf32, padded>
    tile.fetch %term[%j] into %tile threads 32 : memref<?xf32>, !tile.shared<1x64xf32, padded>
    return
  }

  // Rows of 64 bytes are 80 apart: an odd number of 16 bytes.
  // CHECK-LABEL: func.func @read(
  // CHECK-SAME:    %[[I:[a-z0-9]+]]: index, %[[J:[a-z0-9]+]]: index
  // CHECK:         %[[ROW:.+]] = arith.muli %[[I]], %c80
  // CHECK:         %[[PLACE:.+]] = arith.addi %[[ROW]], %[[J]]
  // CHECK:         %[[NUMBER:.+]] = arith.index_cast %[[PLACE]] : index to i32
  // CHECK:         %[[AT:.+]] = llvm.getelementptr %{{.+}}[%[[NUMBER]]]
  // CHECK:         llvm.load %[[AT]] : !llvm.ptr<3> -> i8
  func.func @read(%i: index, %j: index) -> i8 {
    %tile = tile.shared_tile at 32 : !tile.shared<16x64xi8, padded>
    %x = tile.shared_read %tile[%i, %j] : !tile.shared<16x64xi8, padded>
    return %x : i8
  }
}
