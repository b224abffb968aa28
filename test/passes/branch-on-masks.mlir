// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Where no instruction moves some lanes, whole vectors are moved at once.
//
// RUN: sed 's/FEATURES/"avx", "avx2"/' %s \
// RUN:   | mixattn-opt --tile-branch-on-masks | FileCheck %s
// RUN: sed 's/FEATURES/"avx", "avx512bw"/' %s | mixattn-opt --tile-branch-on-masks \
// RUN:   | FileCheck %s --check-prefix=MASKED
// RUN: sed 's/FEATURES/"sse4.1"/' %s | mixattn-opt --tile-branch-on-masks \
// RUN:   | FileCheck %s --check-prefix=SSE

module attributes {attn.target = #attn.target<x86, chip = "x", features = [FEATURES]>} {
  // CHECK-LABEL: func.func @load
  // CHECK-SAME:      (%[[X:.+]]: memref<?xbf16>, %[[I:.+]]: index, %[[N:.+]]: index
  // CHECK-DAG:     %[[MASK:.+]] = vector.create_mask %[[N]]
  // CHECK-DAG:     %[[LANES:.+]] = arith.constant 8 : index
  // CHECK:         %[[WHOLE:.+]] = arith.cmpi sge, %[[N]], %[[LANES]] : index
  // CHECK:         %[[V:.+]] = scf.if %[[WHOLE]] -> (vector<8xbf16>) {
  // CHECK-NEXT:      %[[ALL:.+]] = vector.load %[[X]][%[[I]]]
  // CHECK-NEXT:      scf.yield %[[ALL]]
  // CHECK-NEXT:    } else {
  // CHECK-NEXT:      %[[SOME:.+]] = vector.maskedload %[[X]][%[[I]]], %[[MASK]], %{{.+}}
  // CHECK-NEXT:      scf.yield %[[SOME]]
  // CHECK:         return %[[V]]
  // MASKED-LABEL: func.func @load
  // MASKED-NOT:    scf.if
  func.func @load(%x: memref<?xbf16>, %i: index, %n: index, %zero: vector<8xbf16>)
      -> vector<8xbf16> {
    %mask = vector.create_mask %n : vector<8xi1>
    %0 = vector.maskedload %x[%i], %mask, %zero
        : memref<?xbf16>, vector<8xi1>, vector<8xbf16> into vector<8xbf16>
    return %0 : vector<8xbf16>
  }

  // CHECK-LABEL: func.func @store
  // CHECK:         scf.if
  // CHECK-NEXT:      vector.store %[[V:.+]], %[[X:.+]][%[[I:.+]]]
  // CHECK-NEXT:    } else {
  // CHECK-NEXT:      vector.maskedstore %[[X]][%[[I]]], %{{.+}}, %[[V]]
  // CHECK-NEXT:    }
  func.func @store(%x: memref<?xi8>, %i: index, %n: index, %v: vector<8xi8>) {
    %mask = vector.create_mask %n : vector<8xi1>
    vector.maskedstore %x[%i], %mask, %v
        : memref<?xi8>, vector<8xi1>, vector<8xi8>
    return
  }

  // AVX moves some lanes of 32 bits; what came before it does not.
  //
  // CHECK-LABEL: func.func @wide
  // CHECK-NOT:     scf.if
  // SSE-LABEL:   func.func @wide
  // SSE:           scf.if
  func.func @wide(%x: memref<?xf32>, %i: index, %n: index, %zero: vector<8xf32>)
      -> vector<8xf32> {
    %mask = vector.create_mask %n : vector<8xi1>
    %0 = vector.maskedload %x[%i], %mask, %zero
        : memref<?xf32>, vector<8xi1>, vector<8xf32> into vector<8xf32>
    return %0 : vector<8xf32>
  }

  // A mask that no number says.
  //
  // CHECK-LABEL: func.func @other_masks
  // CHECK-NOT:     scf.if
  func.func @other_masks(%x: memref<?xbf16>, %i: index, %mask: vector<8xi1>,
                         %zero: vector<8xbf16>) -> vector<8xbf16> {
    %0 = vector.maskedload %x[%i], %mask, %zero
        : memref<?xbf16>, vector<8xi1>, vector<8xbf16> into vector<8xbf16>
    return %0 : vector<8xbf16>
  }
}
