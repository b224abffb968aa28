// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Grids become functions of a GPU. They take buffers, and make sizes and parts
// of buffers themselves.
//
// RUN: mixattn-opt --split-input-file --verify-diagnostics --tile-grids-to-launches %s | FileCheck %s

// CHECK:       module attributes {attn.target = #attn.target<mma, chip = "sm_80">}
// The name of ours is taken.
// CHECK:       gpu.module @mixattn_kernels_0 [#nvvm.target<chip = "sm_80">] {
// CHECK:         gpu.func @f_kernel_0(%[[XP:.+]]: !llvm.ptr<1>, %[[XSIZE:.+]]: index, %[[XSTRIDE:.+]]: i64, %[[YP:.+]]: !llvm.ptr<1>, %[[YSIZE:.+]]: index, %[[N:.+]]: index)
// CHECK-SAME:      kernel attributes {known_block_size = array<i32: 128, 1, 1>, nvvm.minctasm = 1 : i32}
// CHECK-DAG:       gpu.block_id x
// CHECK-DAG:       gpu.block_id y
// CHECK-DAG:       %[[X:.+]] = tile.device_buffer %[[XP]] sizes{{\[}}%[[XSIZE]]] strides{{\[}}%[[XSTRIDE]]] : !llvm.ptr<1> -> memref<?x8xindex, strided<[?, 1]>>
// CHECK-DAG:       %[[Y:.+]] = tile.device_buffer %[[YP]] sizes{{\[}}%[[YSIZE]]] strides[] : !llvm.ptr<1> -> memref<?x8xindex>
// CHECK:           memref.dim %[[Y]]
// CHECK:           memref.store %[[N]], %[[Y]]
// CHECK:           memref.store %{{.+}}, %[[X]]
// CHECK:           gpu.return
// CHECK:         gpu.func @f_kernel_1(%{{.+}}: !llvm.ptr<1>, %{{.+}}: index)
// CHECK-SAME:      known_block_size = array<i32: 32, 1, 1>, nvvm.minctasm = 5 : i32
// CHECK:       func.func @f(
// CHECK-SAME:    %[[A:[a-z0-9]+]]: memref<?x8xindex, strided<[?, 1]>>, %[[B:[a-z0-9]+]]: memref<?x8xindex>, %[[NUMBER:[a-z0-9]+]]: index
// CHECK:         %[[ASIZE:.+]] = memref.dim %[[A]], %c0
// CHECK:         %[[BSIZE:.+]] = memref.dim %[[B]], %c0
// CHECK:         tile.launch @mixattn_kernels_0::@f_kernel_0 blocks %{{.+}}, %c8{{.*}} threads 128 [#tile.parameter<pointer>, #tile.parameter<number>, #tile.parameter<stride>, #tile.parameter<pointer>, #tile.parameter<number>, #tile.parameter<number>] of %[[A]], %[[ASIZE]], %[[A]], %[[B]], %[[BSIZE]], %[[NUMBER]]
// CHECK:         tile.launch @mixattn_kernels_0::@f_kernel_1 {{.*}} [#tile.parameter<pointer>, #tile.parameter<number>] of %[[B]],
// CHECK-NOT:     tile.grid
module attributes {attn.target = #attn.target<mma, chip = "sm_80">} {
  func.func private @mixattn_kernels()
  func.func @f(%x: memref<?x8xindex, strided<[?, 1]>>, %y: memref<?x8xindex>, %number: index) {
    %c0 = arith.constant 0 : index
    %c8 = arith.constant 8 : index
    %rows = memref.dim %y, %c0 : memref<?x8xindex>
    tile.grid %rows, %c8 threads 128 {
    ^bb0(%i: index, %j: index):
      %last = arith.subi %rows, %i : index
      memref.store %number, %y[%last, %j] : memref<?x8xindex>
      memref.store %number, %x[%i, %j] : memref<?x8xindex, strided<[?, 1]>>
    }
    tile.grid %rows threads 32 resident 5 {
    ^bb0(%i: index):
      memref.store %c0, %y[%i, %c0] : memref<?x8xindex>
    }
    return
  }
}

// -----

func.func @scratch(%n: index) {
  // expected-error @below {{'tile.grid' op cannot be launched: a block of threads has shared memory in place of scratch}}
  tile.grid %n scratch %n {
  ^bb0(%item: index, %scratch: memref<?xi8>):
  }
  return
}

// -----

// Tensor maps are made by the host: a kernel is given them after all else. Its
// rings and tiles say how much shared memory a block takes. Registers can be shared out
// anew where one block is on a multiprocessor.
// CHECK:       gpu.func @mapped_kernel_0(%{{.+}}: !llvm.ptr<1>, %[[MAP:.+]]: !llvm.ptr) kernel
// CHECK-SAME:    nvvm.minctasm = 1 : i32
// CHECK:         tile.wgmma.fill %{{.+}} from %[[MAP]]
// CHECK:       tile.launch {{.*}} threads 384 shared 33792 [#tile.parameter<pointer>, #tile.parameter<tensor_map box = [128, 64] swizzle = 128>] of %[[X:.+]], %[[X]] :
module attributes {attn.target = #attn.target<wgmma, chip = "sm_90a">} {
  func.func @mapped(%x: memref<2x2x128x64xbf16>) {
    %c1 = arith.constant 1 : index
    tile.grid %c1 threads 384 {
    ^bb0(%i: index):
      %ring = tile.wgmma.ring at 0 : !tile.ring<1x128x64xbf16, swizzle = 128>
      %tile = tile.shared_tile at 17408 : !tile.shared<128x64xbf16, swizzle = 128>
      %map = tile.tensor_map %x box 128 x 64 swizzle 128 : memref<2x2x128x64xbf16> -> !llvm.ptr
      tile.wgmma.roles producer registers 24 {
        tile.wgmma.fill %ring[%i] turn %i from %map[%i, %i, %i] : !tile.ring<1x128x64xbf16, swizzle = 128>, !llvm.ptr
      } consumers 2 registers 240 {
      }
    }
    return
  }
}

// -----

// One thread of a block reports what is wrong with an argument, where there is a
// status word: 1 + its number is 2. A buffer in the workspace has no number.
// CHECK:       gpu.func @reported_kernel_0({{.*}}, %[[STATUS:[a-z0-9]+]]: !llvm.ptr<1>) kernel
// CHECK:         %[[BAD:.+]] = arith.cmpi slt
// CHECK:         %[[THREAD:.+]] = gpu.thread_id x
// CHECK:         %[[FIRST:.+]] = arith.cmpi eq, %[[THREAD]], %c0
// CHECK:         %[[NULL:.+]] = llvm.mlir.zero : !llvm.ptr<1>
// CHECK:         %[[WANTED:.+]] = llvm.icmp "ne" %[[STATUS]], %[[NULL]]
// CHECK:         %[[BOTH:.+]] = arith.andi %[[BAD]], %[[FIRST]]
// CHECK:         %[[ALL:.+]] = arith.andi %[[BOTH]], %[[WANTED]]
// CHECK:         scf.if %[[ALL]] {
// CHECK-NEXT:      %[[NUMBER:.+]] = arith.constant 2 : i32
// CHECK-NEXT:      llvm.atomicrmw umax %[[STATUS]], %[[NUMBER]] syncscope("device") monotonic
// CHECK-NOT:     tile.report
// CHECK:       tile.launch @mixattn_kernels::@reported_kernel_0 {{.*}}, #tile.parameter<status>] of {{.*}}, %[[LENGTHS:[a-z0-9]+]] : {{.*}}, memref<4xi64>
module attributes {attn.target = #attn.target<mma, chip = "sm_80">} {
  func.func @reported(%x: memref<8xi64>, %lengths: memref<4xi64>, %workspace: memref<?xi8>) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %open = memref.cast %lengths : memref<4xi64> to memref<?xi64>
    %own = memref.view %workspace[%c0][] : memref<?xi8> to memref<4xi64>
    tile.grid %c1 threads 128 {
    ^bb0(%i: index):
      %length = memref.load %open[%i] : memref<?xi64>
      %limit = memref.load %x[%i] : memref<8xi64>
      %isBad = arith.cmpi slt, %length, %limit : i64
      tile.report %isBad of %open : memref<?xi64>
      tile.report %isBad of %own : memref<4xi64>
    }
    return
  }
}

// -----

// The kernel makes views of what it is given itself.
// CHECK:       gpu.func @split_kernel_0(%[[P:.+]]: !llvm.ptr<1>, %[[N:.+]]: index, %[[M:.+]]: index, %[[OUTER:.+]]: i64, %[[INNER:[a-z0-9]+]]: i64, %{{.+}}: index, %{{.+}}: index) kernel
// CHECK:         %[[X:.+]] = tile.device_buffer %[[P]] sizes[%[[N]], %[[M]]] strides[%[[OUTER]], %[[INNER]]] : !llvm.ptr<1> -> memref<?x?x8xf32, strided<[?, ?, 1]>>
// CHECK:         memref.expand_shape %[[X]]
module attributes {attn.target = #attn.target<mma, chip = "sm_80">} {
  func.func @split(%x: memref<?x?x8xf32, strided<[?, ?, 1]>>, %n: index, %m: index) {
    %c0 = arith.constant 0 : index
    %zero = arith.constant 0.0 : f32
    %parts = memref.expand_shape %x [[0], [1, 2], [3]] output_shape [%n, %m, 4, 8]
        : memref<?x?x8xf32, strided<[?, ?, 1]>> into memref<?x?x4x8xf32, strided<[?, ?, ?, 1]>>
    tile.grid %n threads 128 {
    ^bb0(%i: index):
      memref.store %zero, %parts[%i, %c0, %c0, %c0] : memref<?x?x4x8xf32, strided<[?, ?, ?, 1]>>
    }
    return
  }
}

// -----

// Products of sizes are the launcher's, which refuses more than 32 bits hold: a
// multiple, and one of a sum; the rest is computed in the kernel.
// CHECK:       gpu.func @sized_kernel_0({{.*}}, %[[BOTH:[a-z0-9]+]]: index, %[[MORE:[a-z0-9]+]]: index) kernel
// CHECK-NOT:     arith.muli
// CHECK:         %[[QUARTER:.+]] = arith.divui %[[BOTH]], %{{.+}} : index
// CHECK:         memref.store %{{.+}}, %{{.+}}[%[[MORE]], %[[QUARTER]]]
// CHECK:       func.func @sized(%{{.+}}: memref<8x8xf32>, %[[ROWS:.+]]: index, %[[COLUMNS:.+]]: index)
// CHECK:         %[[MULTIPLE:.+]] = arith.muli %[[ROWS]], %c8 : index
// CHECK:         %[[SUM:.+]] = arith.addi %[[ROWS]], %c1 : index
// CHECK:         %[[PRODUCT:.+]] = arith.muli %[[SUM]], %[[COLUMNS]] : index
// CHECK:         tile.launch {{.*}}%[[PRODUCT]], %[[MULTIPLE]] :
module attributes {attn.target = #attn.target<mma, chip = "sm_80">} {
  func.func @sized(%x: memref<8x8xf32>, %n: index, %m: index) {
    %c1 = arith.constant 1 : index
    %c8 = arith.constant 8 : index
    %zero = arith.constant 0.0 : f32
    %more = arith.muli %n, %c8 : index
    %sum = arith.addi %n, %c1 : index
    %both = arith.muli %sum, %m : index
    %quarter = arith.divui %both, %c8 : index
    tile.grid %c1 threads 128 {
    ^bb0(%i: index):
      memref.store %zero, %x[%more, %quarter] : memref<8x8xf32>
    }
    return
  }
}
