// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Parameters become globals, one for all entries, and leave the manifest.
//
// RUN: mixattn-opt --split-input-file --attn-embed-parameters %s | FileCheck %s
// RUN: mixattn-opt --attn-embed-parameters --canonicalize --attn-pack-parameters --canonicalize --cse %S/Inputs/embedded-layers.mlir | FileCheck %s --check-prefix=PACK

// CHECK:       module attributes
// CHECK-SAME:    attn.embedded_manifest = "{\22entries\22:[{\22arguments\22:[{\22name\22:\22x\22},{\22name\22:\22w\22,\22parameter\22:true}],\22attention\22:{},\22name\22:\22f\22},{\22arguments\22:[{\22name\22:\22y\22}],\22attention\22:{},\22name\22:\22g\22}]}\0A"
// CHECK-SAME:    attn.manifest = "{\22entries\22:[{\22arguments\22:[{\22name\22:\22x\22}],\22attention\22:null,\22attention_reason\22:\22its parameters are embedded\22,\22name\22:\22f\22},{\22arguments\22:[{\22name\22:\22y\22}],\22attention\22:{},\22name\22:\22g\22}]}
// CHECK:       memref.global constant @mixattn_weight.w : memref<3xf32> {alignment = 64 : i64}
// CHECK-NOT:   memref.global
// CHECK-LABEL: func.func @f(
// CHECK-SAME:    %[[X:[a-z0-9]+]]: memref<?xf32> {attn.dims = ["N"], attn.name = "x"}) {
// CHECK:         %[[HELD:.+]] = memref.get_global @mixattn_weight.w : memref<3xf32>
// CHECK:         %[[W:.+]] = memref.cast %[[HELD]] : memref<3xf32> to memref<3xf32, strided<[1], offset: ?>>
// CHECK:         memref.load %[[W]]
module attributes {attn.manifest = "{\22entries\22:[{\22arguments\22:[{\22name\22:\22x\22},{\22name\22:\22w\22,\22parameter\22:true}],\22attention\22:{},\22name\22:\22f\22},{\22arguments\22:[{\22name\22:\22y\22}],\22attention\22:{},\22name\22:\22g\22}]}"} {
  func.func @f(%x: memref<?xf32> {attn.name = "x", attn.dims = ["N"]},
               %w: memref<3xf32, strided<[1], offset: ?>> {attn.name = "w", attn.parameter}) {
    %c0 = arith.constant 0 : index
    %a = memref.load %w[%c0] : memref<3xf32, strided<[1], offset: ?>>
    memref.store %a, %x[%c0] : memref<?xf32>
    return
  }
  func.func @g(%w: memref<3xf32, strided<[1], offset: ?>> {attn.name = "w", attn.parameter},
               %y: memref<3xf32> {attn.name = "y"}) {
    memref.copy %w, %y : memref<3xf32, strided<[1], offset: ?>> to memref<3xf32>
    return
  }
}

// Kernels that read one view of a parameter read the same panels; what is not
// a right side stays as it lies.
// PACK:        attn.embedded_panels = {mixattn_panels.0 = {batches = array<i64>, lanes = array<i64: 0>, of = "w", offset = array<i64: 7680>, pairs = array<i64: 0>, sizes = array<i64: 70, 768>, strides = array<i64: 768, 1>, terms = array<i64: 1>, width = array<i64: 48>}}
// PACK:        memref.global constant @mixattn_panels.0 : memref<2x768x48xf32> {alignment = 64 : i64}
// PACK:        memref.global constant @mixattn_weight.w : memref<80x768xf32> {alignment = 64 : i64}
// PACK-NOT:    attn.packed
// PACK:        %[[PANELS:.+]] = memref.get_global @mixattn_panels.0 : memref<2x768x48xf32>
// PACK-NOT:    scf.if
// PACK:        attn.kernel ins({{.+}}) panels(%[[PANELS]] : memref<2x768x48xf32>) {
// PACK:        attn.kernel ins({{.+}}) panels(%[[PANELS]] : memref<2x768x48xf32>) {
