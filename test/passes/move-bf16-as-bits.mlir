// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// bf16 travels through memory by its bits.
//
// RUN: mixattn-opt --attn-move-bf16-as-bits %s | FileCheck %s
// RUN: mixattn-opt --attn-move-bf16-as-bits --canonicalize %s \
// RUN:   | FileCheck %s --check-prefix=CANONICAL

// CHECK-LABEL: llvm.func @copy
// CHECK-NEXT:    %[[BITS:.+]] = llvm.load %{{.+}} {alignment = 2 : i64} : !llvm.ptr -> i16
// CHECK-NEXT:    %[[VALUE:.+]] = llvm.bitcast %[[BITS]] : i16 to bf16
// CHECK-NEXT:    %[[BACK:.+]] = llvm.bitcast %[[VALUE]] : bf16 to i16
// CHECK-NEXT:    llvm.store %[[BACK]], %{{.+}} {alignment = 2 : i64} : i16, !llvm.ptr
// CANONICAL-LABEL: llvm.func @copy
// CANONICAL-NEXT:  %[[BITS:.+]] = llvm.load %{{.+}} : !llvm.ptr -> i16
// CANONICAL-NEXT:  llvm.store %[[BITS]],
llvm.func @copy(%from: !llvm.ptr, %to: !llvm.ptr) {
  %0 = llvm.load %from {alignment = 2 : i64} : !llvm.ptr -> bf16
  llvm.store %0, %to {alignment = 2 : i64} : bf16, !llvm.ptr
  llvm.return
}

// CHECK-LABEL: llvm.func @lanes
// CHECK:         %[[X:.+]] = llvm.bitcast %{{.+}} : vector<4xbf16> to vector<4xi16>
// CHECK:         %[[Y:.+]] = llvm.bitcast %{{.+}} : vector<4xbf16> to vector<4xi16>
// CHECK:         %[[S:.+]] = llvm.select %{{.+}}, %[[X]], %[[Y]] : vector<4xi1>, vector<4xi16>
// CHECK:         llvm.shufflevector {{.*}} : vector<4xi16>
// CHECK:         %[[E:.+]] = llvm.extractelement {{.*}} : vector<2xi16>
// CHECK:         llvm.bitcast %[[E]] : i16 to bf16
llvm.func @lanes(%m: vector<4xi1>, %x: vector<4xbf16>, %y: vector<4xbf16>, %i: i32) -> bf16 {
  %s = llvm.select %m, %x, %y : vector<4xi1>, vector<4xbf16>
  %p = llvm.shufflevector %s, %s [1, 2] : vector<4xbf16>
  %e = llvm.extractelement %p[%i : i32] : vector<2xbf16>
  llvm.return %e : bf16
}

// A loop carries bits.
// CHECK-LABEL: llvm.func @loop(
// CHECK-SAME:    %{{.+}}: i1, %[[X:.+]]: vector<4xbf16>
// CHECK:         %[[BITS:.+]] = llvm.bitcast %[[X]] : vector<4xbf16> to vector<4xi16>
// CHECK:         llvm.br ^bb1(%[[BITS]] : vector<4xi16>)
// CHECK:       ^bb1(%[[CARRIED:.+]]: vector<4xi16>):
// CHECK:         %[[VALUE:.+]] = llvm.bitcast %[[CARRIED]] : vector<4xi16> to vector<4xbf16>
// CHECK:         %[[NEXT:.+]] = llvm.bitcast %[[VALUE]] : vector<4xbf16> to vector<4xi16>
// CHECK:         llvm.cond_br %{{.+}}, ^bb1(%[[NEXT]] : vector<4xi16>), ^bb2
// CHECK:         llvm.return %[[VALUE]]
llvm.func @loop(%more: i1, %x: vector<4xbf16>) -> vector<4xbf16> {
  llvm.br ^bb1(%x : vector<4xbf16>)
^bb1(%carried: vector<4xbf16>):
  llvm.cond_br %more, ^bb1(%carried : vector<4xbf16>), ^bb2
^bb2:
  llvm.return %carried : vector<4xbf16>
}

// CHECK-LABEL: llvm.func @others
// CHECK-NEXT:    llvm.load %{{.+}} : !llvm.ptr -> f16
// CHECK-NEXT:    llvm.store %{{.+}}, %{{.+}} : f16, !llvm.ptr
llvm.func @others(%from: !llvm.ptr, %to: !llvm.ptr) {
  %0 = llvm.load %from : !llvm.ptr -> f16
  llvm.store %0, %to : f16, !llvm.ptr
  llvm.return
}
