// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Kernels say where malloc gave them nothing, and their wrappers pass it on.
// That it works is tested in export-entries-calls.test.
//
// RUN: mixattn-opt --attn-check-allocations --split-input-file %s | FileCheck %s

// When an allocation fails, memory that is held is freed: its address is kept
// in a slot from malloc to free.
// CHECK-LABEL: llvm.func internal @two.kernel(
// CHECK-SAME:    -> i32
// CHECK:         %[[HELD:.+]] = llvm.alloca %{{.+}} x !llvm.array<2 x ptr>
// CHECK:         "llvm.intr.memset"(%[[HELD]],
// CHECK:         %[[A:.+]] = llvm.call @malloc(
// CHECK:         %[[A_IS_NULL:.+]] = llvm.icmp "eq" %[[A]], %{{.+}} : !llvm.ptr
// CHECK:         %[[A_TOO_LARGE:.+]] = llvm.fcmp "ogt"
// CHECK-NEXT:    %[[A_FAILED:.+]] = llvm.or %[[A_IS_NULL]], %[[A_TOO_LARGE]]
// CHECK-NEXT:    llvm.cond_br %[[A_FAILED]], ^[[FAILURE:.+]], ^[[HAS_A:[a-z0-9]+]]
// CHECK:       ^[[HAS_A]]:
// CHECK:         %[[A_SLOT:.+]] = llvm.getelementptr %[[HELD]][0]
// CHECK-NEXT:    llvm.store %[[A]], %[[A_SLOT]]
// CHECK:         %[[B:.+]] = llvm.call @malloc(
// CHECK:         llvm.cond_br %{{.+}}, ^[[FAILURE]], ^[[HAS_B:[a-z0-9]+]]
// CHECK:       ^[[HAS_B]]:
// CHECK:         %[[B_SLOT:.+]] = llvm.getelementptr %[[HELD]][1]
// CHECK-NEXT:    llvm.store %[[B]], %[[B_SLOT]]
// CHECK:         llvm.call @free(%[[B]])
// CHECK-NEXT:    %[[FREED:.+]] = llvm.mlir.zero
// CHECK-NEXT:    %[[B_AGAIN:.+]] = llvm.getelementptr %[[HELD]][1]
// CHECK-NEXT:    llvm.store %[[FREED]], %[[B_AGAIN]]
// CHECK:         llvm.call @free(%[[A]])
// CHECK:         %[[DONE:.+]] = llvm.mlir.constant(0 : i32)
// CHECK-NEXT:    llvm.return %[[DONE]]
// CHECK:       ^[[FAILURE]]:
// CHECK-NEXT:    %[[FIRST:.+]] = llvm.mlir.constant(0 : i32)
// CHECK-NEXT:    llvm.br ^[[EACH:.+]](%[[FIRST]] : i32)
// CHECK:       ^[[EACH]](%[[PLACE:.+]]: i32):
// CHECK-NEXT:    %[[SLOT:.+]] = llvm.getelementptr %[[HELD]][%[[PLACE]]]
// CHECK-NEXT:    %[[ADDRESS:.+]] = llvm.load %[[SLOT]]
// CHECK-NEXT:    llvm.call @free(%[[ADDRESS]])
// CHECK-NEXT:    %[[ONE:.+]] = llvm.mlir.constant(1 : i32)
// CHECK-NEXT:    %[[NEXT:.+]] = llvm.add %[[PLACE]], %[[ONE]]
// CHECK-NEXT:    %[[COUNT:.+]] = llvm.mlir.constant(2 : i32)
// CHECK-NEXT:    %[[IS_LAST:.+]] = llvm.icmp "eq" %[[NEXT]], %[[COUNT]]
// CHECK-NEXT:    llvm.cond_br %[[IS_LAST]], ^[[LEAVE:.+]], ^[[EACH]](%[[NEXT]] : i32)
// CHECK:       ^[[LEAVE]]:
// CHECK-NEXT:    %[[FAILED:.+]] = llvm.mlir.constant(1 : i32)
// CHECK-NEXT:    llvm.return %[[FAILED]]
llvm.func @malloc(i64) -> !llvm.ptr
llvm.func @free(!llvm.ptr)
llvm.func internal @two.kernel(%size: i64) {
  %a = llvm.call @malloc(%size) : (i64) -> !llvm.ptr
  %b = llvm.call @malloc(%size) : (i64) -> !llvm.ptr
  llvm.call @free(%b) : (!llvm.ptr) -> ()
  llvm.call @free(%a) : (!llvm.ptr) -> ()
  llvm.return
}
llvm.func @mixattn_two(%tensors: !llvm.ptr, %count: i32, %call: !llvm.ptr) -> i32 {
  %zero = llvm.mlir.constant(0 : i32) : i32
  llvm.return %zero : i32
}

// -----

// The wrapper reports the failure and returns MIXATTN_ERROR_MEMORY; a kernel
// without allocations never fails.
// CHECK-DAG:   llvm.mlir.global internal constant @[[MESSAGE:.+]]("%sexpected memory for intermediate values, but got none\00")
// CHECK-LABEL: llvm.func internal @f.kernel(
// CHECK-SAME:    -> i32
// CHECK-NEXT:    %[[DONE:.+]] = llvm.mlir.constant(0 : i32)
// CHECK-NEXT:    llvm.return %[[DONE]]
// CHECK-LABEL: llvm.func @mixattn_f(
// CHECK-SAME:    %{{.+}}: !llvm.ptr, %{{.+}}: i32, %[[CALL:[a-z0-9]+]]: !llvm.ptr) -> i32
// CHECK:         %[[CODE:.+]] = llvm.call @f.kernel(
// CHECK:         %[[GOOD:.+]] = llvm.icmp "eq" %[[CODE]],
// CHECK-NEXT:    llvm.cond_br %[[GOOD]], ^[[AFTER:.+]], ^[[FAILURE:[a-z0-9]+]]
// CHECK:       ^[[AFTER]]:
// CHECK-NEXT:    llvm.return
// CHECK:       ^[[FAILURE]]:
// CHECK-NEXT:    %[[TEXT:.+]] = llvm.mlir.addressof @[[MESSAGE]] :
// CHECK:         llvm.call @mixattn.report(%[[CALL]],
// CHECK-NEXT:    %[[MEMORY:.+]] = llvm.mlir.constant(-3 : i32)
// CHECK-NEXT:    llvm.return %[[MEMORY]]
llvm.func internal @f.kernel(%size: i64) {
  llvm.return
}
llvm.func @mixattn_f(%tensors: !llvm.ptr, %count: i32, %call: !llvm.ptr) -> i32 {
  %zero = llvm.mlir.constant(0 : i32) : i32
  %size = llvm.mlir.constant(64 : i64) : i64
  llvm.call @f.kernel(%size) : (i64) -> ()
  llvm.return %zero : i32
}

// -----

// Allocations by threads have no way to the failure.
// CHECK-LABEL: llvm.func internal @threads.kernel(
// CHECK-NOT:     llvm.cond_br
// CHECK:         omp.parallel
// CHECK-NEXT:      llvm.call @malloc(
// CHECK-NEXT:      llvm.call @free(
// CHECK-NEXT:      omp.terminator
llvm.func @malloc(i64) -> !llvm.ptr
llvm.func @free(!llvm.ptr)
llvm.func internal @threads.kernel(%size: i64) {
  omp.parallel {
    %own = llvm.call @malloc(%size) : (i64) -> !llvm.ptr
    llvm.call @free(%own) : (!llvm.ptr) -> ()
    omp.terminator
  }
  llvm.return
}
llvm.func @mixattn_threads(%tensors: !llvm.ptr, %count: i32, %call: !llvm.ptr) -> i32 {
  %zero = llvm.mlir.constant(0 : i32) : i32
  llvm.return %zero : i32
}

// -----

// Where a pointer is freed that came through a branch, what is held is not
// known: a failure frees nothing.
// CHECK-LABEL: llvm.func internal @branch.kernel(
// CHECK-NOT:     llvm.alloca
// CHECK:         llvm.call @malloc(
// CHECK:         llvm.cond_br %{{.+}}, ^[[FAILURE:.+]], ^
// CHECK:         llvm.call @free(
// CHECK:       ^[[FAILURE]]:
// CHECK-NEXT:    %[[FAILED:.+]] = llvm.mlir.constant(1 : i32)
// CHECK-NEXT:    llvm.return %[[FAILED]]
llvm.func @malloc(i64) -> !llvm.ptr
llvm.func @free(!llvm.ptr)
llvm.func internal @branch.kernel(%size: i64) {
  %a = llvm.call @malloc(%size) : (i64) -> !llvm.ptr
  llvm.br ^bb1(%a : !llvm.ptr)
^bb1(%held: !llvm.ptr):
  llvm.call @free(%held) : (!llvm.ptr) -> ()
  llvm.return
}
llvm.func @mixattn_branch(%tensors: !llvm.ptr, %count: i32, %call: !llvm.ptr) -> i32 {
  %zero = llvm.mlir.constant(0 : i32) : i32
  llvm.return %zero : i32
}

// -----

// Other functions stay as they are: a kernel has a wrapper of three arguments.
// CHECK-LABEL: llvm.func @other(
// CHECK-NEXT:    llvm.call @malloc(
// CHECK-NEXT:    llvm.return %
// CHECK-LABEL: llvm.func internal @alone.kernel(
// CHECK-NEXT:    llvm.return{{$}}
// CHECK-LABEL: llvm.func internal @another.kernel(
// CHECK-NEXT:    llvm.return{{$}}
llvm.func @malloc(i64) -> !llvm.ptr
llvm.func @other(%size: i64) -> !llvm.ptr {
  %a = llvm.call @malloc(%size) : (i64) -> !llvm.ptr
  llvm.return %a : !llvm.ptr
}
llvm.func internal @alone.kernel(%size: i64) {
  llvm.return
}
llvm.func internal @another.kernel(%size: i64) {
  llvm.return
}
llvm.func @mixattn_another() {
  llvm.return
}

// -----

// A function that kernels share fails, too; what the kernel holds is freed.
// CHECK-LABEL: llvm.func internal @shared(
// CHECK-SAME:    -> i32
// CHECK:         llvm.cond_br
// CHECK-LABEL: llvm.func internal @caller.kernel(
// CHECK-SAME:    -> i32
// CHECK:         llvm.cond_br %{{.+}}, ^[[FAILURE:.+]], ^
// CHECK:         %[[CODE:.+]] = llvm.call @shared(%{{.+}}) : (i64) -> i32
// CHECK-NEXT:    %[[ZERO:.+]] = llvm.mlir.constant(0 : i32)
// CHECK-NEXT:    %[[FAILED:.+]] = llvm.icmp "ne" %[[CODE]], %[[ZERO]]
// CHECK-NEXT:    llvm.cond_br %[[FAILED]], ^[[FAILURE]], ^
// CHECK:       ^[[FAILURE]]:
// CHECK:         llvm.call @free(
llvm.func @malloc(i64) -> !llvm.ptr
llvm.func @free(!llvm.ptr)
llvm.func internal @shared(%size: i64) {
  %a = llvm.call @malloc(%size) : (i64) -> !llvm.ptr
  llvm.call @free(%a) : (!llvm.ptr) -> ()
  llvm.return
}
llvm.func internal @caller.kernel(%size: i64) {
  %a = llvm.call @malloc(%size) : (i64) -> !llvm.ptr
  llvm.call @shared(%size) : (i64) -> ()
  llvm.call @free(%a) : (!llvm.ptr) -> ()
  llvm.return
}
llvm.func @mixattn_caller(%tensors: !llvm.ptr, %count: i32, %call: !llvm.ptr) -> i32 {
  %zero = llvm.mlir.constant(0 : i32) : i32
  llvm.return %zero : i32
}
