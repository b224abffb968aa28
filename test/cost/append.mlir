// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// New rows of a cache are read once and written once, whatever the cache's size.
//
// RUN: mixattn-compile %s --cost -o - | FileCheck %s

// CHECK:      parameters multiply-adds other exps bytes flops/byte operations macs
// CHECK-NEXT: attn.append {{[0-9]+}}:{{[0-9]+}} 0 0 0 0 128 B N + 4 B 0 0{{$}}
func.func @f(%x: tensor<?x?x16xf32> {attn.name = "x", attn.dims = ["B", "N"]},
             %c: tensor<?x?x16xf32> {attn.name = "c", attn.dims = ["B", "S"]},
             %at: tensor<?xi32> {attn.name = "at"}) -> tensor<?x?x16xf32> {
  %r = attn.append %x into %c at(%at)
      : tensor<?x?x16xf32>, tensor<?xi32> into tensor<?x?x16xf32> -> tensor<?x?x16xf32>
  return %r : tensor<?x?x16xf32>
}
