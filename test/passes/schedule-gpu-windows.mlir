// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Where kernels for GPUs read operands: in shared memory, all but what a
// score_mod reads at places of its own.
//
// RUN: mixattn-opt --attn-set-target='family=mma chip=sm_80' --attn-schedule-kernels --canonicalize --cse %s | FileCheck %s --check-prefixes=CHECK,MMA
// RUN: mixattn-opt --attn-set-target='family=wgmma chip=sm_90a' --attn-schedule-kernels --canonicalize --cse %s | FileCheck %s --check-prefixes=CHECK,WGMMA
// RUN: mixattn-opt --attn-set-target='family=mma chip=sm_80' --attn-schedule-kernels %s \
// RUN:   --verify-diagnostics=only-expected --remarks-filter=attn-schedule-kernels --remark-format=emitRemark

// A mask: two stages of 128 x 64 bytes. On mma the block copies it with the keys;
// on wgmma each warp copies 16 rows.
// CHECK-LABEL: func.func @masked(
// MMA:           %[[MASK:.+]] = tile.shared_tile at {{.+}} : <256x64xi8, padded>
// MMA:           tile.fetch %arg1[%{{.+}}, %c0, %{{.+}}, %c0] into %{{.+}} threads 128 : {{.+}}, <128x64xi8, padded>
// MMA:           tile.mma.commit
// MMA:           scf.for
// MMA:             tile.mma.wait 0
// MMA:             tile.fetch
// MMA:             %[[OWN:.+]] = tile.shared_rows %[[MASK]]
// MMA:             tile.map
// MMA:               tile.shared_read %[[OWN]][
// WGMMA:         %[[MASK:.+]] = tile.shared_tile at {{.+}} : <256x64xi8, padded>
// WGMMA:         tile.fetched
// WGMMA:         tile.fetch %arg1[%{{.+}}, %c0, %{{.+}}, %{{.+}}] into %{{.+}} threads 32 : {{.+}}, <16x64xi8, padded>
// WGMMA:         tile.wgmma.await
// WGMMA:         tile.fetched
// WGMMA:         scf.if
// WGMMA:           tile.fetch
// WGMMA:         tile.shared_read
func.func @masked(%q: memref<1x1x?x64xbf16>, %m: memref<1x1x?x?xi8>, %o: memref<1x1x?x64xbf16>) {
  attn.kernel ins(%q, %m : memref<1x1x?x64xbf16>, memref<1x1x?x?xi8>) outs(%o : memref<1x1x?x64xbf16>) {
  ^bb0(%a: tensor<1x1x?x64xbf16>, %mask: tensor<1x1x?x?xi1>):
    %r = attn.generic
        scores(%a, %a : tensor<1x1x?x64xbf16>, tensor<1x1x?x64xbf16>)
        mask(%mask : tensor<1x1x?x?xi1>)
        pool(%a : tensor<1x1x?x64xbf16>) -> tensor<1x1x?x64xbf16>
    attn.results %r : tensor<1x1x?x64xbf16>
  }
  return
}

// A table of 2 numbers comes whole, once; of a table of open size and of a bias
// that the score_mod reads, too, nobody knows the part.
// CHECK-LABEL: func.func @captured(
// CHECK:         tile.shared_tile at {{.+}} : <{{1|8}}x2xbf16, padded>
// CHECK:         tile.fetch %arg2[%c0] into
// CHECK-NOT:     tile.fetch %
// CHECK:         tile.map
// CHECK-DAG:       memref.load %arg1[
// CHECK-DAG:       tile.shared_read
// CHECK-DAG:       memref.load %arg3[
// CHECK:         return
func.func @captured(%q: memref<1x2x?x64xbf16>, %bias: memref<?x?xbf16>, %small: memref<2xbf16>, %large: memref<?xbf16>, %o: memref<1x2x?x64xbf16>) {
  // expected-remark @below {{[Missed] operand | Category:attn-schedule-kernels | Reason="score_mod reads tensor<?xbf16> from the device's memory for each score; shared memory holds tensors of known size up to 2048 bytes"}}
  // expected-remark @below {{reads tensor<?x?xbf16> from}}
  attn.kernel ins(%q, %bias, %small, %large : memref<1x2x?x64xbf16>, memref<?x?xbf16>, memref<2xbf16>, memref<?xbf16>) outs(%o : memref<1x2x?x64xbf16>) {
  ^bb0(%a: tensor<1x2x?x64xbf16>, %t: tensor<?x?xbf16>, %s: tensor<2xbf16>, %l: tensor<?xbf16>):
    %r = attn.generic
        scores(%a, %a : tensor<1x2x?x64xbf16>, tensor<1x2x?x64xbf16>)
        bias(%t : tensor<?x?xbf16>)
        score_mod {
        ^bb1(%score: f32, %b: index, %h: index, %i: index, %j: index):
          %x = tensor.extract %s[%h] : tensor<2xbf16>
          %y = tensor.extract %l[%j] : tensor<?xbf16>
          %z = tensor.extract %t[%j, %i] : tensor<?x?xbf16>
          %u = arith.addf %x, %y : bf16
          %w = arith.addf %u, %z : bf16
          %f = arith.extf %w : bf16 to f32
          %sum = arith.addf %score, %f : f32
          attn.yield %sum : f32
        }
        pool(%a : tensor<1x2x?x64xbf16>) -> tensor<1x2x?x64xbf16>
    attn.results %r : tensor<1x2x?x64xbf16>
  }
  return
}
