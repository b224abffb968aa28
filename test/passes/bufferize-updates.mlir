// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// An argument that is updated is updated where it lies, or it is an error.
//
// RUN: mixattn-opt --attn-bufferize --split-input-file --verify-diagnostics %s | FileCheck %s

!rows = tensor<1x2x3xf32>
!cache = tensor<1x9x3xf32>

// CHECK-LABEL: func.func @in_place
// CHECK-NOT:     memref.{{alloc|copy}}
// CHECK:         attn.append %{{.*}} into %arg1 at(%{{.*}})
// CHECK-NOT:     memref.{{alloc|copy}}
// CHECK:         return
func.func @in_place(%x: memref<1x2x3xf32>, %c: memref<1x9x3xf32> {attn.name = "c", attn.updates},
                    %at: memref<1xi32>) {
  %rows = bufferization.to_tensor %x restrict : memref<1x2x3xf32> to !rows
  %cache = bufferization.to_tensor %c restrict writable : memref<1x9x3xf32> to !cache
  %start = bufferization.to_tensor %at restrict : memref<1xi32> to tensor<1xi32>
  %r = attn.append %rows into %cache at(%start) : !rows, tensor<1xi32> into !cache -> !cache
  bufferization.materialize_in_destination %r in restrict writable %c : (!cache, memref<1x9x3xf32>) -> ()
  return
}

// -----

func.func @elsewhere(%x: memref<1x9x3xf32>, %c: memref<1x9x3xf32> {attn.name = "c", attn.updates}) {
  %other = bufferization.to_tensor %x restrict : memref<1x9x3xf32> to tensor<1x9x3xf32>
  // expected-error @+1 {{expected argument 'c' to be updated in place, but its new value is computed elsewhere}}
  bufferization.materialize_in_destination %other in restrict writable %c : (tensor<1x9x3xf32>, memref<1x9x3xf32>) -> ()
  return
}
