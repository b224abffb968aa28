// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Buffers become parts of one workspace.
//
// RUN: mixattn-opt --split-input-file --attn-plan-workspace --canonicalize --cse %s | FileCheck %s

// Buffers that are not needed at the same time share a part, which is as large
// as the largest; booleans and numbers take whole lines.
// CHECK:       attn.manifest = "{\22entries\22:[{\22name\22:\22chain\22,\22workspace\22:[\22add\22,[\22multiply\22,[\22divide\22,[\22add\22,[\22multiply\22,\22N\22,4],63],64],64],[\22maximum\22,[\22multiply\22,[\22divide\22,[\22add\22,[\22multiply\22,\22N\22,4],63],64],64],128]]}]}\0A"
// CHECK-LABEL: func.func @chain(
// CHECK-SAME:    %[[X:[a-z0-9]+]]: memref<?xf32> {attn.dims = ["N"], attn.name = "x"}, %[[GIVEN:[a-z0-9]+]]: memref<?xi8> {attn.workspace}) {
// CHECK:         %[[BYTES:.+]] = memref.dim %[[GIVEN]], %c0
// CHECK:         %[[ENOUGH:.+]] = arith.cmpi uge, %[[BYTES]], %[[TOTAL:.+]] :
// CHECK:         %[[BOTH:.+]] = arith.andi %{{.+}}, %[[ENOUGH]]
// CHECK:         scf.if %[[BOTH]] {
// CHECK-NEXT:      func.call @chain.in_workspace(%[[X]], %[[GIVEN]])
// CHECK-NEXT:    } else {
// CHECK-NEXT:      %[[OWN:.+]] = memref.alloc(%[[TOTAL]]) {alignment = 64 : i64} : memref<?xi8>
// CHECK-NEXT:      func.call @chain.in_workspace(%[[X]], %[[OWN]])
// CHECK-NEXT:      memref.dealloc %[[OWN]]
// CHECK-LABEL: func.func private @chain.in_workspace(
// CHECK-SAME:    %{{.+}}: memref<?xf32>, %[[W:.+]]: memref<?xi8>)
// CHECK-NOT:     memref.alloc
// CHECK:         %[[A:.+]] = memref.view %[[W]][%c0][%{{.+}}] : memref<?xi8> to memref<?xf32>
// CHECK:         %[[B:.+]] = memref.view %[[W]][%[[SECOND:.+]]][%{{.+}}] : memref<?xi8> to memref<?xf32>
// CHECK:         memref.copy %[[A]], %[[B]]
// The third is where the first was.
// CHECK:         memref.copy %[[B]], %[[A]]
// CHECK:         memref.view %[[W]][%[[SECOND]]][] : memref<?xi8> to memref<65xi8>
// CHECK-NOT:     memref.dealloc
module attributes {attn.manifest = "{\"entries\":[{\"name\":\"chain\"}]}"} {
  func.func @chain(%x: memref<?xf32> {attn.name = "x", attn.dims = ["N"]}) {
    %c0 = arith.constant 0 : index
    %zero = arith.constant 0 : i8
    %n = memref.dim %x, %c0 : memref<?xf32>
    %a = memref.alloc(%n) : memref<?xf32>
    memref.copy %x, %a : memref<?xf32> to memref<?xf32>
    %b = memref.alloc(%n) : memref<?xf32>
    memref.copy %a, %b : memref<?xf32> to memref<?xf32>
    memref.dealloc %a : memref<?xf32>
    %c = memref.alloc(%n) : memref<?xf32>
    memref.copy %b, %c : memref<?xf32> to memref<?xf32>
    memref.dealloc %b : memref<?xf32>
    %d = memref.alloc() : memref<65xi8>
    memref.store %zero, %d[%c0] : memref<65xi8>
    memref.copy %c, %x : memref<?xf32> to memref<?xf32>
    memref.dealloc %d : memref<65xi8>
    memref.dealloc %c : memref<?xf32>
    return
  }
}

// -----

// Where sizes decide what is computed, they decide what is needed: the parts of
// both ways are one, of the size of the way that is taken.
// CHECK:       \22workspace\22:[\22maximum\22,[\22multiply\22,[\22at_most\22,\22N\22,16],[\22multiply\22,[\22divide\22,[\22add\22,[\22multiply\22,\22N\22,4,8],63],64],64]],[\22multiply\22,[\22subtract\22,1,[\22at_most\22,\22N\22,16]],64]]
// CHECK-LABEL: func.func private @cases.in_workspace(
// CHECK:         scf.if
// CHECK:           memref.view %{{.+}}[%c0][%{{.+}}] : memref<?xi8> to memref<?x8xf32>
// CHECK:         } else {
// CHECK:           memref.view %{{.+}}[%c0][] : memref<?xi8> to memref<16xf32>
module attributes {attn.manifest = "{\"entries\":[{\"name\":\"cases\"}]}"} {
  func.func private @use(memref<?x8xf32>)
  func.func private @use_few(memref<16xf32>)
  func.func @cases(%x: memref<?xf32> {attn.name = "x", attn.dims = ["N"]}) {
    %c0 = arith.constant 0 : index
    %c16 = arith.constant 16 : index
    %n = memref.dim %x, %c0 : memref<?xf32>
    %isFew = arith.cmpi sle, %n, %c16 : index
    scf.if %isFew {
      %a = memref.alloc(%n) : memref<?x8xf32>
      func.call @use(%a) : (memref<?x8xf32>) -> ()
      memref.dealloc %a : memref<?x8xf32>
    } else {
      %a = memref.alloc() : memref<16xf32>
      func.call @use_few(%a) : (memref<16xf32>) -> ()
      memref.dealloc %a : memref<16xf32>
    }
    return
  }
}

// -----

// A function that others call takes its workspace from theirs, as large as its
// arguments are there.
// CHECK-LABEL: func.func private @shared(
// CHECK-SAME:    %{{.+}}: memref<?xf32>, %[[W:.+]]: memref<?xi8>)
// CHECK:         memref.view %[[W]][%c0]
// CHECK-LABEL: func.func @calls(
// CHECK-LABEL: func.func private @calls.in_workspace(
// CHECK-SAME:    %[[X:.+]]: memref<?xf32>, %[[W:.+]]: memref<?xi8>)
// CHECK:         %[[A:.+]] = memref.view %[[W]][%c0][%{{.+}}] : memref<?xi8> to memref<?xf32>
// CHECK:         %[[PART:.+]] = memref.view %[[W]][%{{.+}}][%{{.+}}] : memref<?xi8> to memref<?xi8>
// CHECK:         call @shared(%[[A]], %[[PART]]) : (memref<?xf32>, memref<?xi8>) -> ()
// Its argument's size is known only where it is called: it has its own there.
// CHECK:         scf.for %[[I:.+]] =
// CHECK:           memref.alloc(%{{.+}}) {alignment = 64 : i64} : memref<?xi8>
// CHECK:           func.call @shared(
// CHECK:           memref.dealloc
func.func private @shared(%x: memref<?xf32>) {
  %c0 = arith.constant 0 : index
  %n = memref.dim %x, %c0 : memref<?xf32>
  %a = memref.alloc(%n) : memref<?xf32>
  memref.copy %x, %a : memref<?xf32> to memref<?xf32>
  memref.copy %a, %x : memref<?xf32> to memref<?xf32>
  memref.dealloc %a : memref<?xf32>
  return
}
func.func @calls(%x: memref<?xf32> {attn.name = "x", attn.dims = ["N"]}) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = memref.dim %x, %c0 : memref<?xf32>
  %a = memref.alloc(%n) : memref<?xf32>
  func.call @shared(%a) : (memref<?xf32>) -> ()
  memref.copy %a, %x : memref<?xf32> to memref<?xf32>
  memref.dealloc %a : memref<?xf32>
  scf.for %i = %c0 to %n step %c1 {
    %part = memref.subview %x[0] [%i] [1] : memref<?xf32> to memref<?xf32, strided<[1]>>
    %cast = memref.cast %part : memref<?xf32, strided<[1]>> to memref<?xf32>
    func.call @shared(%cast) : (memref<?xf32>) -> ()
  }
  return
}

// -----

// Manifests know no number below 0: what is below it in a sum is subtracted, and
// after all that is added, so that no step is below 0 either.
// CHECK:       \22workspace\22:[\22multiply\22,[\22divide\22,[\22add\22,[\22multiply\22,[\22subtract\22,[\22add\22,[\22multiply\22,\22N\22,\22N\22],7],[\22add\22,[\22multiply\22,\22N\22,3],1]],4],63],64],64]
// CHECK-LABEL: func.func @less(
module attributes {attn.manifest = "{\"entries\":[{\"name\":\"less\"}]}"} {
  func.func @less(%x: memref<?xf32> {attn.name = "x", attn.dims = ["N"]}) {
    %c0 = arith.constant 0 : index
    %minus_one = arith.constant -1 : index
    %minus_three = arith.constant -3 : index
    %seven = arith.constant 7 : index
    %n = memref.dim %x, %c0 : memref<?xf32>
    %square = arith.muli %n, %n : index
    %times = arith.muli %n, %minus_three : index
    %low = arith.addi %times, %minus_one : index
    %sum = arith.addi %low, %square : index
    %size = arith.addi %sum, %seven : index
    %a = memref.alloc(%size) : memref<?xf32>
    memref.copy %x, %a : memref<?xf32> to memref<?xf32>
    memref.dealloc %a : memref<?xf32>
    return
  }
}

// -----

// These stay: buffers that threads allocate for themselves, buffers whose size
// is no size of an argument, and functions with results.
// CHECK-LABEL: func.func @kept(
// CHECK-SAME:    %{{[a-z0-9]+}}: memref<?xf32> {{{.*}}}, %{{[a-z0-9]+}}: memref<i64> {{{[^}]*}}}) {
// CHECK-COUNT-2: memref.alloc
func.func @kept(%x: memref<?xf32> {attn.name = "x", attn.dims = ["N"]},
                %i: memref<i64> {attn.name = "i"}) {
  %c0 = arith.constant 0 : index
  %loaded = memref.load %i[] : memref<i64>
  %n = arith.index_cast %loaded : i64 to index
  %a = memref.alloc(%n) : memref<?xf32>
  memref.copy %a, %x : memref<?xf32> to memref<?xf32>
  memref.dealloc %a : memref<?xf32>
  omp.parallel {
    %b = memref.alloc() : memref<4xf32>
    %number = memref.load %b[%c0] : memref<4xf32>
    memref.store %number, %x[%c0] : memref<?xf32>
    memref.dealloc %b : memref<4xf32>
    omp.terminator
  }
  return
}
// CHECK-LABEL: func.func private @result(
// CHECK:         memref.alloc
func.func private @result() -> i64 {
  %c0 = arith.constant 0 : index
  %a = memref.alloc() : memref<4xi64>
  %number = memref.load %a[%c0] : memref<4xi64>
  memref.dealloc %a : memref<4xi64>
  return %number : i64
}

// -----

// Where sizes are known the largest take their parts first: the small one that
// comes between two large ones does not take theirs.
// CHECK:       \22workspace\22:1088}
// CHECK-LABEL: func.func private @sizes.in_workspace(
module attributes {attn.manifest = "{\"entries\":[{\"name\":\"sizes\"}]}"} {
  func.func private @make(memref<256xf32>)
  func.func private @read(memref<16xf32>, memref<256xf32>)
  func.func @sizes() {
    %one = memref.alloc() : memref<256xf32>
    func.call @make(%one) : (memref<256xf32>) -> ()
    memref.dealloc %one : memref<256xf32>
    %small = memref.alloc() : memref<16xf32>
    %two = memref.alloc() : memref<256xf32>
    func.call @read(%small, %two) : (memref<16xf32>, memref<256xf32>) -> ()
    memref.dealloc %two : memref<256xf32>
    memref.dealloc %small : memref<16xf32>
    return
  }
}

// -----

// A truth value is a byte in memory.
// CHECK:       \22workspace\22:[\22multiply\22,[\22divide\22,[\22add\22,\22N\22,63],64],64]
// CHECK-LABEL: func.func private @truth.in_workspace(
// CHECK:         memref.view %{{.+}}[%c0][%{{.+}}] : memref<?xi8> to memref<?xi1>
module attributes {attn.manifest = "{\"entries\":[{\"name\":\"truth\"}]}"} {
  func.func @truth(%x: memref<?xi1> {attn.name = "x", attn.dims = ["N"]}) {
    %c0 = arith.constant 0 : index
    %n = memref.dim %x, %c0 : memref<?xi1>
    %a = memref.alloc(%n) : memref<?xi1>
    memref.copy %x, %a : memref<?xi1> to memref<?xi1>
    memref.copy %a, %x : memref<?xi1> to memref<?xi1>
    memref.dealloc %a : memref<?xi1>
    return
  }
}
