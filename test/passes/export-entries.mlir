// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The wrapper that the C ABI calls (lib/Runtime/abi.h). That it refuses every
// wrong call is tested by running it; here is how it is made.
//
// RUN: mixattn-opt --attn-export-entries --split-input-file %s | FileCheck %s

// The entry becomes private, the wrapper has its name; the manifest is there
// as a symbol and in a section of its own.
// CHECK-LABEL: module @wrapper
// CHECK-DAG:     llvm.mlir.global external constant @mixattn_manifest_of_f("{}\00") {{{.*}}section = ".mixattn.manifest"}
// CHECK-DAG:     llvm.func @snprintf(!llvm.ptr, i64, !llvm.ptr, ...) -> i32
// CHECK:         func.func @mixattn_f(%[[TENSORS:[a-z0-9]+]]: !llvm.ptr, %[[COUNT:[a-z0-9]+]]: i32, %[[CALL:[a-z0-9]+]]: !llvm.ptr) -> i32 {
// CHECK:           call @f.kernel(%{{.+}}, %{{.+}}) : (memref<?xf32>, memref<?xf32>) -> ()
// CHECK-NEXT:      %[[DONE:.+]] = arith.constant 0 : i32
// CHECK-NEXT:      return %[[DONE]] : i32
// CHECK:         func.func private @f.kernel(%{{.+}}: memref<?xf32>, %{{.+}}: memref<?xf32>) attributes {llvm.linkage = #llvm.linkage<internal>
module @wrapper attributes {attn.manifest = "{}"} {
  func.func @f(%x: memref<?xf32> {attn.name = "x", attn.dims = ["N"]},
               %y: memref<?xf32> {attn.name = "y", attn.dims = ["N"], attn.result}) {
    memref.copy %x, %y : memref<?xf32> to memref<?xf32>
    return
  }
}

// -----

// Checks come first, one after another; each returns its code. Those of the
// call itself are negative, those of a tensor 1 and its index.
// CHECK-LABEL: module @checks
// CHECK-DAG:     @[[COUNT:.+]]("%sexpected %lld tensors, but got %lld\00")
// CHECK-DAG:     @[[X:.+]]("argument 'x'\00")
// CHECK-DAG:     @[[DTYPE:.+]]("%s: expected f32, but got DLPack type code %lld with %lld bits and %lld lanes\00")
// CHECK-DAG:     @[[SIZE:.+]]("%s: expected dimension 1 to be 4, but got %lld\00")
// CHECK-DAG:     @[[NAMED:.+]]("%s: expected dimension 'N' to be %lld as in argument 'x', but got %lld\00")
// CHECK-LABEL:   func.func @mixattn_f(
// CHECK:           cf.cond_br %{{.+}}, ^{{.+}}, ^[[BAD_CALL:[a-z0-9]+]]
// CHECK:         ^[[BAD_CALL]]:
// CHECK-NEXT:      %[[CODE:.+]] = arith.constant -2 : i32
// CHECK-NEXT:      return %[[CODE]] : i32
// CHECK:           addressof @[[COUNT]] :
// CHECK:           llvm.call @mixattn.report(
// CHECK-NEXT:      return %c-1_i32
// CHECK:           addressof @[[X]] :
// CHECK:           addressof @[[DTYPE]] :
// CHECK:           llvm.call @mixattn.report(
// CHECK-NEXT:      return %c1_i32
// CHECK:           addressof @[[SIZE]] :
// CHECK:           llvm.call @mixattn.report(
// CHECK-NEXT:      return %c1_i32
// CHECK:           addressof @[[NAMED]] :
// CHECK:           llvm.call @mixattn.report(
// CHECK-NEXT:      return %c2_i32
module @checks attributes {attn.manifest = "{}"} {
  func.func @f(%x: memref<?x4xf32, strided<[?, 1]>> {attn.name = "x", attn.dims = ["N"]},
               %y: memref<?xf16> {attn.name = "y", attn.dims = ["N"], attn.result}) {
    return
  }
}

// -----

// Values that index are looked at one by one, before the kernel runs.
// CHECK-LABEL: module @range
// CHECK-DAG:     ("%s: expected values from %lld to %lld, but got %lld\00")
// CHECK-LABEL:   func.func @mixattn_f(
// CHECK:           memref.load
// CHECK:           arith.cmpi sge
// CHECK:           arith.cmpi sle
// CHECK:           call @f.kernel
module @range attributes {attn.manifest = "{}"} {
  func.func @f(%n: memref<4xi32> {attn.name = "n", attn.range = [0, 3]}) {
    return
  }
}

// -----

// Other rules for values (attn.holds) are checked there, too. entry-values.test
// runs these checks.
// CHECK-LABEL: module @holds
// CHECK-DAG:     ("%s: expected values of 0 or more, but element %lld is not\00")
// CHECK-DAG:     ("%s: expected a value above 0 for head %lld, but got none\00")
// CHECK-LABEL:   func.func @mixattn_f(
// CHECK:           memref.load
// CHECK:           arith.cmpf oge
// CHECK:           memref.load
// CHECK:           arith.cmpf ogt
// CHECK:           call @f.kernel
module @holds attributes {attn.manifest = "{}"} {
  func.func @f(%p: memref<2x3xf32, strided<[?, 1]>> {
      attn.name = "p", attn.holds = {kind = "prior"}}) {
    return
  }
}

// -----

// Booleans are DLPack's type code 6, in 8 bits.
// CHECK-LABEL: module @boolean
// CHECK-DAG:     ("%s: expected i1, but got DLPack type code %lld with %lld bits and %lld lanes\00")
// CHECK-LABEL:   func.func private @mixattn.check.i1(
// CHECK:           arith.constant 67590 : i32
module @boolean attributes {attn.manifest = "{}"} {
  func.func @f(%m: memref<i8> {attn.name = "m", attn.boolean}) {
    return
  }
}

// -----

// Tensors of known sizes are checked by a function, one for all of a kind.
// CHECK-LABEL: module @known
// CHECK-DAG:     @[[W:.+]]("argument 'w'\00")
// CHECK-DAG:     @[[V:.+]]("argument 'v'\00")
// CHECK-LABEL:   func.func private @mixattn.check.f32.2.4(
// CHECK-SAME:      %[[TENSOR:[a-z0-9]+]]: !llvm.ptr, %[[CALL:[a-z0-9]+]]: !llvm.ptr, %[[TITLE:[a-z0-9]+]]: !llvm.ptr, %[[CODE:[a-z0-9]+]]: i32) -> i32 attributes {llvm.linkage = #llvm.linkage<internal>, no_inline}
// CHECK:           llvm.call @mixattn.report(%[[CALL]], %{{.+}}, %[[TITLE]],
// CHECK-NEXT:      return %[[CODE]]
// CHECK:         func.func private @mixattn.check.f32.2.4.written(
// CHECK:         func.func @mixattn_f(
// CHECK:           addressof @[[W]] :
// CHECK:           %[[STATUS:.+]] = call @mixattn.check.f32.2.4(
// CHECK:           arith.cmpi eq, %[[STATUS]],
// CHECK:           addressof @[[V]] :
// CHECK:           call @mixattn.check.f32.2.4(
// CHECK:           return %[[STATUS]]
// CHECK:           call @mixattn.check.f32.2.4.written(
// CHECK:           call @f.kernel(
module @known attributes {attn.manifest = "{}"} {
  func.func @f(%w: memref<2x4xf32, strided<[?, 1]>> {attn.name = "w"},
               %v: memref<2x4xf32, strided<[?, 1]>> {attn.name = "v"},
               %y: memref<2x4xf32, strided<[?, 1]>> {attn.name = "y", attn.result}) {
    return
  }
}

// -----

// Two entries have a wrapper each and one manifest, that of the first.
// CHECK-LABEL: module @two
// CHECK:         @mixattn_manifest_of_a("{}\00")
// CHECK-NOT:     @mixattn_manifest_of_b
// CHECK-DAG:     func.func @mixattn_a(
// CHECK-DAG:     func.func @mixattn_b(
// CHECK-DAG:     func.func private @helper()
module @two attributes {attn.manifest = "{}"} {
  func.func private @helper() {
    return
  }
  func.func @a() {
    return
  }
  func.func @b() {
    return
  }
}

// -----

// Names that the compiler makes hold dots, which entries' names cannot.
// CHECK-LABEL: module @names
// CHECK-DAG:     func.func @mixattn_report(
// CHECK-DAG:     func.func @mixattn_mixattn_report(
module @names attributes {attn.manifest = "{}"} {
  func.func @report() {
    return
  }
  func.func @mixattn_report() {
    return
  }
  func.func @snprintf() {
    return
  }
}
