// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A contraction with a bias and relu is planned, one kernel, and one grid of
// tiles whose rows go through both before they are stored.
//
// RUN: mixattn-opt %s --attn-set-target='family=x86 chip=x86-64-v3 threads=2' --attn-plan --attn-form-kernels --cse | FileCheck %s --check-prefix=FORMED
// RUN: mixattn-opt %s --attn-set-target='family=x86 chip=x86-64-v3 threads=2' --attn-plan --attn-form-kernels --attn-bufferize --attn-stage-kernels --attn-schedule-kernels --canonicalize --cse | FileCheck %s --check-prefix=TILED

#all = affine_map<(i, j) -> (i, j)>
#row = affine_map<(i, j) -> (i)>
#column = affine_map<(i, j) -> (j)>
#turned = affine_map<(i, j) -> (j, i)>
!x = tensor<?x?xf32>

// The op that fills the tensor that is added to goes along, and so do constants.
// FORMED-LABEL: func.func @layer(
// FORMED-SAME:    %[[X:[a-z0-9]+]]: tensor<?x?xf32>, %[[W:[a-z0-9]+]]: tensor<?x?xf32>, %[[B:[a-z0-9]+]]: tensor<?xf32>, %[[S:[a-z0-9]+]]: tensor<?xbf16>)
// FORMED-NOT:     linalg.generic
// FORMED:         attn.kernel ins(%[[X]], %[[W]], %{{.+}}, %{{.+}}, %[[B]], %[[S]] :
// FORMED:           %[[FILL:.+]] = linalg.fill
// FORMED:           %[[P:.+]] = linalg.matmul {attn.plan = #attn.plan<[else : dense]>} {{.*}} outs(%[[FILL]] :
// FORMED:           %[[BIASED:.+]] = linalg.generic {{.*}} ins(%[[P]], %{{.+}} :
// FORMED:           %[[RELU:.+]] = linalg.generic {{.*}} ins(%[[BIASED]], %{{.+}} :
// FORMED:           attn.results %[[RELU]]

// TILED-LABEL: func.func @layer(
// One row has tiles of its own, wide ones, and reads the right side as it lies.
// TILED:         scf.if
// TILED:           tile.grid
// TILED:             tile.x86.product %{{.+}} count %{{.+}} onto %{{.+}} : {{.*}}, memref<128x32xf32, strided<[?, 1], offset: ?>>, memref<1x32
// TILED:         } else {
// TILED:         tile.grid %{{.+}} shared_if %{{.+}} scratch %{{.+}} {
// TILED:           scf.for %{{.+}} = %c0 to %[[K:.+]] step %c128 {
// Rows of the right side, with zeros where there are no columns.
// TILED:             vector.maskedload %{{.+}} : memref<?x?xf32>,
// TILED:             tile.x86.product %{{.+}} last %{{.+}}, %{{.+}} count %{{.+}} onto %{{.+}} : {{.*}}, memref<128x8xf32>, memref<6x
// TILED:           vector.maskedload %{{.+}} : memref<?xf32>,
// TILED:           arith.addf
// TILED:           memref.load %{{.+}} : memref<?xbf16>
// TILED:           arith.mulf
// TILED:           arith.maximumf
// TILED:           vector.maskedstore
func.func @layer(%x: !x, %w: !x, %b: tensor<?xf32>, %s: tensor<?xbf16>) -> !x {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f32
  %n = tensor.dim %x, %c0 : !x
  %m = tensor.dim %w, %c1 : !x
  %empty = tensor.empty(%n, %m) : !x
  %init = linalg.fill ins(%zero : f32) outs(%empty : !x) -> !x
  %p = linalg.matmul ins(%x, %w : !x, !x) outs(%init : !x) -> !x
  %biased = linalg.generic {indexing_maps = [#all, #column, #all], iterator_types = ["parallel", "parallel"]}
      ins(%p, %b : !x, tensor<?xf32>) outs(%empty : !x) {
  ^bb0(%in: f32, %bias: f32, %out: f32):
    %sum = arith.addf %in, %bias : f32
    linalg.yield %sum : f32
  } -> !x
  %y = linalg.generic {indexing_maps = [#all, #row, #all], iterator_types = ["parallel", "parallel"]}
      ins(%biased, %s : !x, tensor<?xbf16>) outs(%empty : !x) {
  ^bb0(%in: f32, %scale: bf16, %out: f32):
    %wide = arith.extf %scale : bf16 to f32
    %scaled = arith.mulf %in, %wide : f32
    %relu = arith.maximumf %scaled, %zero : f32
    linalg.yield %relu : f32
  } -> !x
  return %y : !x
}

// A result that two ops read, and one that is turned, end the kernel.
// FORMED-LABEL: func.func @apart(
// FORMED:         %[[P:.+]] = attn.kernel
// FORMED-NOT:       linalg.generic
// FORMED:           attn.results
// FORMED:         attn.kernel ins(%[[P]] :
// FORMED:         attn.kernel ins(%[[P]] :
// FORMED-LABEL: func.func @turned(
// FORMED:         %[[P:.+]] = attn.kernel
// FORMED-NOT:       linalg.generic
// FORMED:           attn.results
// FORMED:         attn.kernel ins(%[[P]] :
func.func @apart(%x: tensor<8x8xf32>) -> (tensor<8x8xf32>, tensor<8x8xf32>) {
  %zero = arith.constant 0.0 : f32
  %empty = tensor.empty() : tensor<8x8xf32>
  %init = linalg.fill ins(%zero : f32) outs(%empty : tensor<8x8xf32>) -> tensor<8x8xf32>
  %p = linalg.matmul ins(%x, %x : tensor<8x8xf32>, tensor<8x8xf32>) outs(%init : tensor<8x8xf32>) -> tensor<8x8xf32>
  %y = linalg.generic {indexing_maps = [#all, #all], iterator_types = ["parallel", "parallel"]}
      ins(%p : tensor<8x8xf32>) outs(%empty : tensor<8x8xf32>) {
  ^bb0(%in: f32, %out: f32):
    %e = math.exp %in : f32
    linalg.yield %e : f32
  } -> tensor<8x8xf32>
  %z = linalg.generic {indexing_maps = [#all, #all], iterator_types = ["parallel", "parallel"]}
      ins(%p : tensor<8x8xf32>) outs(%empty : tensor<8x8xf32>) {
  ^bb0(%in: f32, %out: f32):
    %t = math.tanh %in : f32
    linalg.yield %t : f32
  } -> tensor<8x8xf32>
  return %y, %z : tensor<8x8xf32>, tensor<8x8xf32>
}
func.func @turned(%x: tensor<8x8xf32>) -> tensor<8x8xf32> {
  %zero = arith.constant 0.0 : f32
  %empty = tensor.empty() : tensor<8x8xf32>
  %init = linalg.fill ins(%zero : f32) outs(%empty : tensor<8x8xf32>) -> tensor<8x8xf32>
  %p = linalg.matmul ins(%x, %x : tensor<8x8xf32>, tensor<8x8xf32>) outs(%init : tensor<8x8xf32>) -> tensor<8x8xf32>
  %y = linalg.generic {indexing_maps = [#turned, #all], iterator_types = ["parallel", "parallel"]}
      ins(%p : tensor<8x8xf32>) outs(%empty : tensor<8x8xf32>) {
  ^bb0(%in: f32, %out: f32):
    linalg.yield %in : f32
  } -> tensor<8x8xf32>
  return %y : tensor<8x8xf32>
}

// The consumer knows sizes that the contraction does not: so does the kernel.
// FORMED-LABEL: func.func @known(
// FORMED:         %[[OUT:.+]] = tensor.empty() : tensor<8x8xf32>
// FORMED:         attn.kernel {{.*}} outs(%[[OUT]] : tensor<8x8xf32>)
// FORMED:           attn.results %{{.+}} : tensor<8x8xf32>
func.func @known(%x: !x) -> tensor<8x8xf32> {
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0.0 : f32
  %n = tensor.dim %x, %c0 : !x
  %empty = tensor.empty(%n, %n) : !x
  %init = linalg.fill ins(%zero : f32) outs(%empty : !x) -> !x
  %p = linalg.matmul ins(%x, %x : !x, !x) outs(%init : !x) -> !x
  %out = tensor.empty() : tensor<8x8xf32>
  %y = linalg.generic {indexing_maps = [#all, #all], iterator_types = ["parallel", "parallel"]}
      ins(%p : !x) outs(%out : tensor<8x8xf32>) {
  ^bb0(%in: f32, %o: f32):
    %e = math.exp %in : f32
    linalg.yield %e : f32
  } -> tensor<8x8xf32>
  return %y : tensor<8x8xf32>
}
