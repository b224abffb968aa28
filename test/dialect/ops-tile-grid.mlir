// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The op that all targets share, as text and back.
//
// RUN: mixattn-opt --verify-roundtrip %s | FileCheck %s

// CHECK-LABEL: func.func @grids(
// CHECK:         tile.grid %{{.+}} {
// CHECK-NEXT:    ^bb0(%{{.+}}: index):
// CHECK:         tile.grid %{{.+}} shared_if %{{.+}} scratch %{{.+}} {
// CHECK-NEXT:    ^bb0(%{{.+}}: index, %{{.+}}: memref<?xi8>):
// CHECK:         tile.grid %{{.+}}, %{{.+}}, %{{.+}} threads 128 {
// CHECK-NEXT:    ^bb0(%{{.+}}: index, %{{.+}}: index, %{{.+}}: index):
func.func @grids(%n: index, %isLarge: i1) {
  tile.grid %n {
  ^bb0(%item: index):
  }
  tile.grid %n shared_if %isLarge scratch %n {
  ^bb0(%item: index, %scratch: memref<?xi8>):
  }
  tile.grid %n, %n, %n threads 128 {
  ^bb0(%i: index, %j: index, %k: index):
  }
  return
}
