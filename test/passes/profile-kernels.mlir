// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// attn-profile-kernels: the clock is read around what has a number.
// RUN: mixattn-opt %s --attn-profile-kernels --split-input-file | FileCheck %s

// A parallel region is taken as a whole, and in each thread, which does not
// wait for others before it has ended. Copies are taken; what has no number, or
// is in a region, is not.
// CHECK-LABEL: llvm.func internal @mixattn.record(
// CHECK-SAME:      %[[NUMBER:[^:]+]]: i32, %[[THREAD:[^:]+]]: i32, %[[BEGIN:[^:]+]]: i64) attributes {no_inline}
// CHECK:         %[[END:.+]] = llvm.call_intrinsic "llvm.readcyclecounter"
// CHECK:         %[[PROFILE:.+]] = llvm.load %{{.+}} : !llvm.ptr -> !llvm.ptr
// CHECK:         llvm.icmp "ne" %[[PROFILE]]
// CHECK:         llvm.cond_br
// CHECK:         %[[PLACE:.+]] = llvm.atomicrmw add %{{.+}}, %{{.+}} monotonic
// CHECK:         %[[CAPACITY:.+]] = llvm.load
// CHECK:         llvm.icmp "ult" %[[PLACE]], %[[CAPACITY]]
// CHECK:         llvm.store %[[BEGIN]]
// CHECK:         llvm.store %[[END]]
// CHECK:         llvm.store %[[NUMBER]]
// CHECK:         llvm.store %[[THREAD]]
// CHECK:       llvm.mlir.global external @mixattn_profile_of_region() {{.*}} : !llvm.ptr {
// CHECK:         llvm.mlir.zero
// CHECK-LABEL: func.func @region
// CHECK:         %[[FIRST:.+]] = arith.constant 0 : i32
// CHECK:         %[[N:.+]] = arith.addi %[[FIRST]], %c0_i32
// CHECK-NEXT:    %[[ALL:.+]] = llvm.call_intrinsic "llvm.readcyclecounter"
// CHECK-NEXT:    omp.parallel {
// CHECK-NEXT:      %[[OWN:.+]] = llvm.call_intrinsic "llvm.readcyclecounter"
// CHECK:           omp.wsloop nowait {
// CHECK-NOT:         mixattn.record
// CHECK:           %[[ME:.+]] = func.call @__kmpc_bound_thread_num
// CHECK-NEXT:      llvm.call @mixattn.record(%[[N]], %[[ME]], %[[OWN]])
// CHECK-NEXT:      omp.terminator
// CHECK:         %[[NONE:.+]] = arith.constant -1 : i32
// CHECK-NEXT:    llvm.call @mixattn.record(%[[N]], %[[NONE]], %[[ALL]])
// CHECK:         llvm.call_intrinsic
// CHECK-NEXT:    memref.copy
// CHECK:         llvm.call @mixattn.record
// CHECK-NOT:     mixattn.record
func.func @region(%x: memref<4xf32>, %y: memref<4xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  omp.parallel {
    omp.wsloop {
      omp.loop_nest (%i) : index = (%c0) to (%c4) step (%c1) {
        linalg.exp ins(%x : memref<4xf32>) outs(%y : memref<4xf32>) loc(#inside)
        omp.yield
      }
    }
    omp.terminator
  } loc(#region)
  memref.copy %x, %y : memref<4xf32> to memref<4xf32> loc(#copy)
  linalg.exp ins(%x : memref<4xf32>) outs(%y : memref<4xf32>)
  return
}
#inside = loc(fused<{attn.kernel = 0 : i64}>["f.mlir":3:8])
#region = loc(fused<{attn.kernel = 0 : i64, attn.stage = "online"}>["f.mlir":3:8])
#copy = loc(fused<{attn.kernel = 1 : i64}>["f.mlir":4:8])

// -----

// A function that kernels share takes the number of its first event. Numbers go
// on from entry to entry; the manifest keeps the kernels that have events, and
// says which call they stand at.
// CHECK:      module attributes {attn.manifest =
// CHECK-SAME:   {\22kernels\22:[
// CHECK-SAME:   {\22op\22:\22a\22,\22stages\22:[{\22name\22:\22plain\22,\22number\22:0},{\22name\22:\22dense\22,\22number\22:1}]},
// CHECK-SAME:   {\22op\22:\22c\22,\22stages\22:[{\22name\22:\22plain\22,\22number\22:2},{\22name\22:\22dense\22,\22number\22:3}]}
// CHECK-SAME:   ],\22name\22:\22first\22}
// CHECK-SAME:   {\22kernels\22:[{\22op\22:\22d\22,\22stages\22:[{\22name\22:\22plain\22,\22number\22:4}
// CHECK-SAME:   \22name\22:\22second\22}
// CHECK-LABEL: func.func private @shared(
// CHECK-SAME:      %[[BASE:[^:]+]]: i32)
// CHECK:         %[[OF_FIRST:.+]] = arith.addi %[[BASE]], %c0_i32
// CHECK:         linalg.exp
// CHECK:         llvm.call @mixattn.record(%[[OF_FIRST]],
// CHECK:         %[[OF_SECOND:.+]] = arith.addi %[[BASE]], %c1_i32
// CHECK:         linalg.exp
// CHECK:         llvm.call @mixattn.record(%[[OF_SECOND]],
// CHECK-LABEL: func.func @first
// CHECK:         %[[ZERO:.+]] = arith.constant 0 : i32
// CHECK:         %[[A:.+]] = arith.addi %[[ZERO]], %c0_i32
// CHECK-NEXT:    call @shared(%{{.+}}, %{{.+}}, %[[A]])
// CHECK:         %[[C:.+]] = arith.addi %[[ZERO]], %c2_i32
// CHECK-NEXT:    call @shared(%{{.+}}, %{{.+}}, %[[C]])
// CHECK-LABEL: func.func @second
// CHECK:         arith.constant 4 : i32
module attributes {attn.manifest = "{\22entries\22:[{\22name\22:\22first\22,\22kernels\22:[{\22number\22:0,\22op\22:\22a\22},{\22number\22:1,\22op\22:\22b\22},{\22number\22:2,\22op\22:\22c\22}]},{\22name\22:\22second\22,\22kernels\22:[{\22number\22:3,\22op\22:\22d\22}]}]}"} {
  func.func private @shared(%x: memref<4xf32>, %y: memref<4xf32>) {
    linalg.exp ins(%x : memref<4xf32>) outs(%y : memref<4xf32>) loc(fused<{attn.kernel = 0 : i64}>["f.mlir":3:8])
    linalg.exp ins(%y : memref<4xf32>) outs(%x : memref<4xf32>) loc(fused<{attn.kernel = 0 : i64, attn.stage = "dense"}>["f.mlir":3:8])
    return
  }
  func.func @first(%x: memref<4xf32>, %y: memref<4xf32>) {
    func.call @shared(%x, %y) : (memref<4xf32>, memref<4xf32>) -> () loc(fused<{attn.kernel = 0 : i64}>["f.mlir":3:8])
    func.call @shared(%y, %x) : (memref<4xf32>, memref<4xf32>) -> () loc(fused<{attn.kernel = 2 : i64}>["f.mlir":5:8])
    return
  }
  func.func @second(%x: memref<4xf32>, %y: memref<4xf32>) {
    linalg.exp ins(%x : memref<4xf32>) outs(%y : memref<4xf32>) loc(fused<{attn.kernel = 3 : i64}>["f.mlir":9:8])
    return
  }
}

// -----

// A function that nobody reaches passes a number on; one whose address is taken
// keeps its type, and tells nothing.
// CHECK-LABEL: func.func private @taken(
// CHECK-SAME:      %{{[^:]+}}: memref<4xf32>)
// CHECK-NOT:     mixattn.record
// CHECK-LABEL: func.func private @called(
// CHECK-SAME:      %{{[^:]+}}: memref<4xf32>, %[[BASE:[^:]+]]: i32)
// CHECK:         llvm.call @mixattn.record
// CHECK-LABEL: func.func private @nobody(
// CHECK-SAME:      %{{[^:]+}}: i32)
// CHECK:         call @called(%{{.+}}, %{{.+}}) : (memref<4xf32>, i32) -> ()
// CHECK:         call @taken(%{{.+}}) : (memref<4xf32>) -> ()
// CHECK-LABEL: func.func @entry
// CHECK:         call @called(%{{.+}}, %{{.+}}) : (memref<4xf32>, i32) -> ()
func.func private @taken(%x: memref<4xf32>) {
  linalg.exp ins(%x : memref<4xf32>) outs(%x : memref<4xf32>) loc(#mark)
  return
}
func.func private @called(%x: memref<4xf32>) {
  linalg.exp ins(%x : memref<4xf32>) outs(%x : memref<4xf32>) loc(#mark)
  return
}
func.func private @nobody(%x: memref<4xf32>) {
  call @called(%x) : (memref<4xf32>) -> ()
  call @taken(%x) : (memref<4xf32>) -> ()
  return
}
func.func @entry(%x: memref<4xf32>) -> ((memref<4xf32>) -> ()) {
  call @called(%x) : (memref<4xf32>) -> () loc(#mark)
  %address = func.constant @taken : (memref<4xf32>) -> ()
  return %address : (memref<4xf32>) -> ()
}
#mark = loc(fused<{attn.kernel = 0 : i64}>["f.mlir":3:8])
