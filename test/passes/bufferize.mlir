// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// attn-bufferize: buffers around kernels, whose regions stay on tensors.
//
// RUN: mixattn-opt --attn-bufferize --canonicalize --split-input-file %s | FileCheck %s --implicit-check-not=linalg.generic

// A kernel writes to the caller's buffer, without a copy.
// CHECK-LABEL: func.func @in_place
// CHECK-SAME:    %[[Q:.+]]: memref<1x2x?x4xf32, strided<[?, ?, ?, 1]>>, %[[O:.+]]: memref<1x2x?x4xf32, strided<[?, ?, ?, 1]>>
// CHECK-NOT:     memref.{{alloc|copy}}
// CHECK:         attn.kernel ins(%[[Q]] : memref<1x2x?x4xf32, strided<[?, ?, ?, 1]>>) outs(%[[O]] : memref<1x2x?x4xf32, strided<[?, ?, ?, 1]>>) {
// CHECK-NEXT:    ^bb0(%[[A:.+]]: tensor<1x2x?x4xf32>):
// CHECK-NEXT:      %[[R:.+]] = attn.generic scores(%[[A]], %[[A]] :
// CHECK-NEXT:      attn.results %[[R]] : tensor<1x2x?x4xf32>
// CHECK-NEXT:    }
// CHECK-NEXT:    return
!q = tensor<1x2x?x4xf32>
!buffer = memref<1x2x?x4xf32, strided<[?, ?, ?, 1]>>
func.func @in_place(%in: !buffer, %out: !buffer) {
  %q = bufferization.to_tensor %in restrict : !buffer to !q
  %init = bufferization.to_tensor %out restrict writable : !buffer to !q
  %o = attn.kernel ins(%q : !q) outs(%init : !q) {
  ^bb0(%a: !q):
    %r = attn.generic scores(%a, %a : !q, !q) pool(%a : !q) -> !q
    attn.results %r : !q
  } -> !q
  bufferization.materialize_in_destination %o in restrict writable %out : (!q, !buffer) -> ()
  return
}

// -----

// Inputs are read: what they hold later needs memory of its own.
// CHECK-LABEL: func.func @read_before_written
// CHECK:         %[[COPY:.+]] = memref.alloc
// CHECK:         attn.kernel ins(%{{.+}} : {{.*}}) outs(%[[COPY]] :
!q = tensor<1x2x3x4xf32>
!buffer = memref<1x2x3x4xf32>
func.func @read_before_written(%in: !buffer) -> !q {
  %q = bufferization.to_tensor %in restrict writable : !buffer to !q
  %o = attn.kernel ins(%q : !q) outs(%q : !q) {
  ^bb0(%a: !q):
    %r = attn.generic scores(%a, %a : !q, !q) pool(%a : !q) -> !q
    attn.results %r : !q
  } -> !q
  return %o : !q
}

// -----

// Schedules read rows: columns apart are copied first, and results after.
// CHECK-LABEL: func.func @apart
// CHECK-SAME:    %[[Q:.+]]: memref<1x2x3x4xf32, strided<[48, 24, 8, 2]>>, %[[O:.+]]: memref<1x2x3x4xf32, strided<[48, 24, 8, 2]>>
// CHECK:         %[[COPY:.+]] = memref.alloc() : memref<1x2x3x4xf32>
// CHECK:         memref.copy %[[Q]], %[[COPY]]
// CHECK:         %[[RESULT:.+]] = memref.alloc() : memref<1x2x3x4xf32>
// CHECK:         attn.kernel ins(%[[COPY]] : memref<1x2x3x4xf32>) outs(%[[RESULT]] : memref<1x2x3x4xf32>) {
// CHECK:         memref.copy %[[RESULT]], %[[O]]
!q = tensor<1x2x3x4xf32>
!buffer = memref<1x2x3x4xf32, strided<[48, 24, 8, 2]>>
func.func @apart(%in: !buffer, %out: !buffer) {
  %q = bufferization.to_tensor %in restrict : !buffer to !q
  %init = bufferization.to_tensor %out restrict writable : !buffer to !q
  %o = attn.kernel ins(%q : !q) outs(%init : !q) {
  ^bb0(%a: !q):
    %r = attn.generic scores(%a, %a : !q, !q) pool(%a : !q) -> !q
    attn.results %r : !q
  } -> !q
  bufferization.materialize_in_destination %o in restrict writable %out : (!q, !buffer) -> ()
  return
}
