// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Tile ops of wgmma as instructions of warpgroups.
//
// RUN: mixattn-opt --pass-pipeline='builtin.module(gpu.module(tile-lower-wgmma,canonicalize,cse))' %s | FileCheck %s --implicit-check-not=tile.

!ring = !tile.ring<2x64x128xbf16, swizzle = 128>

// CHECK: llvm.mlir.global external @mixattn_shared() {addr_space = 3 : i32, alignment = 1024 : i64} : !llvm.array<0 x i8>
gpu.module @m {
  // Two tiles of two panels of 8 KiB, then for each stage its full and its
  // empty barrier; all warps of two warpgroups release a stage.
  // CHECK-LABEL: func.func @open(
  // CHECK:         %[[BEGIN:.+]] = llvm.ptrtoint %{{.+}} : !llvm.ptr<3> to i32
  // CHECK:         scf.if
  // CHECK:           arith.addi %[[BEGIN]], %c33792_i32
  // CHECK:           nvvm.mbarrier.init %{{.+}}, %c1_i32
  // CHECK:           arith.addi %[[BEGIN]], %c33800_i32
  // CHECK:           nvvm.mbarrier.init %{{.+}}, %c8_i32
  // CHECK:           nvvm.mbarrier.init %{{.+}}, %c1_i32
  // CHECK:           nvvm.mbarrier.init %{{.+}}, %c8_i32
  // CHECK:           nvvm.fence.mbarrier.init
  // CHECK:         gpu.barrier
  func.func @open() {
    %ring = tile.wgmma.ring at 1024 : !ring
    tile.wgmma.open %ring consumers 2 : !ring
    return
  }

  // The stage was emptied one phase later than it was filled before; one
  // arrival announces the bytes of both panels.
  // CHECK-LABEL: func.func @fill(
  // CHECK-SAME:    %[[MAP:.+]]: !llvm.ptr, %[[B:.+]]: index, %[[H:.+]]: index, %[[ROW:.+]]: index, %[[STAGE:.+]]: index, %[[TURN:.+]]: index
  // CHECK:         %[[PHASE:.+]] = arith.addi %[[TURN]], %c1
  // CHECK:         %[[NUMBER:.+]] = arith.index_cast %[[PHASE]] : index to i32
  // CHECK:         %[[PARITY:.+]] = arith.andi %[[NUMBER]], %c1_i32
  // CHECK:         nvvm.mbarrier.try_wait.parity %{{.+}}, %[[PARITY]]
  // CHECK:         nvvm.mbarrier.arrive.expect_tx %[[BARRIER:.+]], %c16384_i32
  // CHECK:         nvvm.cp.async.bulk.tensor.shared.cluster.global %{{.+}}, %[[MAP]], %[[BARRIER]], box[%c0_i32, %{{.+}}, %{{.+}}, %{{.+}}]
  // CHECK:         nvvm.cp.async.bulk.tensor.shared.cluster.global %{{.+}}, %[[MAP]], %[[BARRIER]], box[%c64_i32, %{{.+}}, %{{.+}}, %{{.+}}]
  func.func @fill(%map: !llvm.ptr, %b: index, %h: index, %row: index, %stage: index, %turn: index) {
    %ring = tile.wgmma.ring at 0 : !ring
    tile.wgmma.fill %ring[%stage] turn %turn from %map[%b, %h, %row] : !ring, !llvm.ptr
    return
  }

  // One lane of every warp.
  // CHECK-LABEL: func.func @release(
  // CHECK:         arith.remui %{{.+}}, %c32
  // CHECK:         scf.if
  // CHECK:           nvvm.mbarrier.arrive
  func.func @release(%stage: index) {
    %ring = tile.wgmma.ring at 0 : !ring
    tile.wgmma.release %ring[%stage] : !ring
    return
  }

  // CHECK-LABEL: func.func @clear(
  // CHECK:         nvvm.mbarrier.try_wait.parity
  // CHECK:         scf.for
  // CHECK:           llvm.store %{{.+}}, %{{.+}} {alignment = 16 : i64} : vector<4xi32>, !llvm.ptr<3>
  // CHECK:           llvm.store %{{.+}}, %{{.+}} {alignment = 16 : i64} : vector<4xi32>, !llvm.ptr<3>
  // CHECK:         nvvm.fence.proxy {kind = #nvvm.proxy_kind<async.shared>, space = #nvvm.shared_space<cta>}
  // CHECK:         nvvm.barrier id = %c1_i32 number_of_threads = %c256_i32
  func.func @clear(%stage: index, %turn: index, %row: index) {
    %ring = tile.wgmma.ring at 0 : !ring
    %tile = tile.wgmma.await %ring[%stage] turn %turn : !ring
    tile.wgmma.clear %tile from %row consumers 2 : !tile.shared<64x128xbf16, swizzle = 128>
    return
  }

  // Four products of 16 terms a panel; the first writes its registers only.
  // Scores are by rows of the tile: 16 terms are 32 bytes.
  // CHECK-LABEL: func.func @scores(
  // CHECK:         llvm.inline_asm has_side_effects asm_dialect = att "wgmma.fence.sync.aligned;"
  // CHECK:         llvm.inline_asm {{.*}}setp.ne.b32 p, 0, 0; wgmma.mma_async.sync.aligned.m64n64k16.f32.bf16.bf16 {{.*}}, $32, $33, p, 1, 1, 0, 0;
  // CHECK-COUNT-7: setp.ne.b32 p, 1, 0; wgmma.mma_async.sync.aligned.m64n64k16.f32.bf16.bf16
  // CHECK-NOT:     wgmma.mma_async
  // CHECK:         nvvm.wgmma.commit.group.sync.aligned
  // CHECK:         "wgmma.wait_group.sync.aligned 1;"
  func.func @scores(%turn: index) -> vector<32xf32> {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %ring = tile.wgmma.ring at 0 : !ring
    %q = tile.wgmma.await %ring[%c0] turn %turn : !ring
    %k = tile.wgmma.await %ring[%c1] turn %turn : !ring
    %p = tile.wgmma.product %q, %k transposed
        : !tile.shared<64x128xbf16, swizzle = 128>, !tile.shared<64x128xbf16, swizzle = 128>
        -> !tile.pending<vector<32xf32>>
    %s = tile.wgmma.wait 1 for %p : !tile.pending<vector<32xf32>>
    return %s : vector<32xf32>
  }

  // Sums and the left side go through the fence.
  // CHECK-LABEL: func.func @pool(
  // CHECK:         "wgmma.fence.sync.aligned;", "=f,{{.*}}=r,{{.*}}"
  // CHECK-COUNT-4: wgmma.mma_async.sync.aligned.m64n128k16.f32.bf16.bf16 {{.*}}, {$128, $129, $130, $131}, $132, p, 1, 1, 1;
  // CHECK:         %nctaid.x{{.*}} not.b32 $0, $0; {{.*}} not.b32 $3, $3; BEHIND: }", "=f,=f,=f,=f,0,1,2,3"
  // CHECK:         "wgmma.wait_group.sync.aligned 0;"
  func.func @pool(%w: vector<32xbf16>, %o: vector<64xf32>, %turn: index, %x: vector<4xf32>)
      -> (vector<64xf32>, vector<4xf32>) {
    %c0 = arith.constant 0 : index
    %ring = tile.wgmma.ring at 0 : !ring
    %v = tile.wgmma.await %ring[%c0] turn %turn : !ring
    %p = tile.wgmma.product %w, %v onto %o
        : vector<32xbf16>, !tile.shared<64x128xbf16, swizzle = 128>, vector<64xf32>
        -> !tile.pending<vector<64xf32>>
    %y = tile.wgmma.boundary %x : vector<4xf32>
    %s = tile.wgmma.wait 0 for %p : !tile.pending<vector<64xf32>>
    return %s, %y : vector<64xf32>, vector<4xf32>
  }

  // The warp's rows by stmatrix, 16 columns at a time, once what it stored before
  // has left the tile; then a fence, and copies that one lane asks for. A tile of
  // one panel takes the fragment's two in turn.
  // CHECK-LABEL: func.func @store(
  // CHECK-SAME:    %{{.+}}: vector<64xf32>, %[[MAP:.+]]: !llvm.ptr, %{{.+}}: index, %{{.+}}: index, %[[ROW:.+]]: index)
  // CHECK:         %[[SWIZZLED:.+]] = arith.xori
  // CHECK:         arith.muli %[[SWIZZLED]], %c16_i32
  // CHECK:         %[[WARP:.+]] = arith.muli %{{.+}}, %c16_i32
  // CHECK:         %[[FIRST:.+]] = arith.addi %{{.+}}, %[[WARP]]
  // CHECK:         scf.if
  // CHECK:           nvvm.cp.async.bulk.wait_group 0 {read}
  // CHECK:         nvvm.bar.warp.sync
  // CHECK-COUNT-4: nvvm.stmatrix {{.*}} : !llvm.ptr<3>, i32, i32, i32, i32
  // CHECK:         nvvm.fence.proxy {kind = #nvvm.proxy_kind<async.shared>, space = #nvvm.shared_space<cta>}
  // CHECK:         nvvm.bar.warp.sync
  // CHECK:         scf.if
  // CHECK:           nvvm.cp.async.bulk.tensor.global.shared.cta %[[MAP]], %{{.+}}, box[%c0_i32, %[[FIRST]], %{{.+}}, %{{.+}}]
  // CHECK:           nvvm.cp.async.bulk.commit.group
  // CHECK:         nvvm.cp.async.bulk.wait_group 0 {read}
  // CHECK-COUNT-4: nvvm.stmatrix
  // CHECK:         nvvm.cp.async.bulk.tensor.global.shared.cta %[[MAP]], %{{.+}}, box[%c64_i32, %[[FIRST]], %{{.+}}, %{{.+}}]
  func.func @store(%x: vector<64xf32>, %map: !llvm.ptr, %b: index, %h: index, %row: index) {
    %tile = tile.shared_tile at 2048 : !tile.shared<128x64xbf16, swizzle = 128>
    tile.wgmma.store %x by %tile to %map[%b, %h, %row]
        : vector<64xf32>, !tile.shared<128x64xbf16, swizzle = 128>, !llvm.ptr
    return
  }

  // Columns that the fragment does not have are zeros: TMA reads whole panels.
  // CHECK-LABEL: func.func @narrow(
  // CHECK-COUNT-3: nvvm.stmatrix
  // CHECK:         nvvm.stmatrix %{{.+}}, %c0_i32, %c0_i32, %c0_i32, %c0_i32
  // CHECK:         nvvm.cp.async.bulk.wait_group 0
  // CHECK-NOT:     read
  // CHECK:         nvvm.bar.warp.sync
  func.func @narrow(%x: vector<24xf32>, %map: !llvm.ptr, %row: index) {
    %tile = tile.shared_tile at 0 : !tile.shared<128x64xf16, swizzle = 128>
    tile.wgmma.store %x by %tile to %map[%row, %row]
        : vector<24xf32>, !tile.shared<128x64xf16, swizzle = 128>, !llvm.ptr
    tile.wgmma.stored
    return
  }

  // CHECK-LABEL: func.func @roles(
  // CHECK:         %[[GROUP:.+]] = nvvm.shfl.sync idx
  // CHECK:         %[[IS:.+]] = arith.cmpi eq, %[[GROUP]], %c2_i32
  // CHECK:         scf.if %[[IS]] {
  // CHECK:           nvvm.setmaxregister decrease 24
  // CHECK:           arith.cmpi eq, %{{.+}}, %c256
  // CHECK:           scf.if
  // CHECK:             memref.store %c0
  // CHECK:         } else {
  // CHECK:           nvvm.setmaxregister increase 240
  // CHECK:           memref.store %c1
  func.func @roles(%x: memref<index>) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    tile.wgmma.roles producer registers 24 {
      memref.store %c0, %x[] : memref<index>
    } consumers 2 registers 240 {
      memref.store %c1, %x[] : memref<index>
    }
    return
  }
}
