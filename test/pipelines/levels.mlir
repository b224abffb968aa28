// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// One entry at each level: what is there, and what is there no longer.
//
// RUN: mixattn-opt --attn-to-normal %s | FileCheck %s --check-prefix=NORMAL \
// RUN:   --implicit-check-not=attn.mix_heads --implicit-check-not='call @'
// RUN: mixattn-opt --attn-set-target="chip=x86-64-v4 features=avx2,avx512f,fma threads=1" --attn-to-planned %s | FileCheck %s --check-prefix=PLANNED
// RUN: mixattn-opt --attn-to-planned="plan=unfused" %s | FileCheck %s --check-prefix=FORCED
// RUN: mixattn-opt --attn-to-bufferized %s | FileCheck %s --check-prefix=BUFFERIZED \
// RUN:   --implicit-check-not=memref.alloc --implicit-check-not=linalg
// RUN: mixattn-opt --attn-to-bufferized="plan=unfused" %s | FileCheck %s --check-prefix=PLAIN \
// RUN:   --implicit-check-not=attn.generic --implicit-check-not=tensor
// RUN: mixattn-opt --attn-to-tiled="plan=panel" %s | FileCheck %s --check-prefix=TILED \
// RUN:   --implicit-check-not=attn.kernel --implicit-check-not=attn.generic --implicit-check-not=tensor
// RUN: mixattn-opt --attn-to-llvm %s | FileCheck %s --check-prefix=LLVM \
// RUN:   --implicit-check-not={{[^l]}}func. --implicit-check-not=memref \
// RUN:   --implicit-check-not=linalg. --implicit-check-not=arith. \
// RUN:   --implicit-check-not=math. --implicit-check-not=cf. \
// RUN:   --implicit-check-not=scf. --implicit-check-not=unrealized

// One op is one attention; parties and sizes have names, the module has its
// manifest.
// NORMAL:      module attributes {attn.manifest = "{
// NORMAL:      func.func @f(
// NORMAL-SAME:   %[[Q:[a-z0-9]+]]: tensor<?x2x?x4xf32> {attn.dims = ["d0", "d1"], attn.name = "arg0"}
// NORMAL-SAME:   %[[K:[a-z0-9]+]]: tensor<?x2x?x4xf32> {attn.dims = ["d0", "d2"], attn.name = "arg1"}
// NORMAL-SAME:   %[[M:[a-z0-9]+]]: tensor<2x2xf32> {attn.name = "arg2"}
// NORMAL-SAME:   -> (tensor<?x2x?x4xf32> {attn.dims = ["d0", "d1"], attn.name = "result0"})
// NORMAL:        %[[O:.+]] = attn.generic scores(%[[Q]], %[[K]] : {{.*}}) scale 0.72134{{[0-9]+}} causal postmix(%[[M]] : tensor<2x2xf32>) base2 pool(%[[K]] :
// NORMAL-NEXT:   return %[[O]]

// The same, with a plan.
// PLANNED:     attn.generic scores({{.*}} {attn.plan = #attn.plan<[{{.*}}else : panel {width = {{[0-9]+}}, block = {{[0-9]+}}}]>}
// FORCED:      attn.generic scores({{.*}} {attn.plan = #attn.plan<[else : unfused]>}

// Buffers: the caller's for arguments and result. The computation of a
// kernel stays as it was.
// BUFFERIZED:      module attributes {attn.manifest = "{
// BUFFERIZED:      func.func @f(
// BUFFERIZED-SAME:   memref<?x2x?x4xf32, strided<[?, ?, ?, 1]>> {attn.dims = ["d0", "d1"], attn.name = "arg0"}
// BUFFERIZED-SAME:   %[[O:[a-z0-9]+]]: memref<?x2x?x4xf32, strided<[?, ?, ?, 1]>> {attn.dims = ["d0", "d1"], attn.name = "result0", attn.result}
// BUFFERIZED:      attn.kernel ins({{.*}}) outs(%[[O]] : memref<?x2x?x4xf32, strided<[?, ?, ?, 1]>>) {
// BUFFERIZED:        %[[R:.+]] = attn.generic scores({{.*}} -> tensor<?x2x?x4xf32>
// BUFFERIZED-NEXT:   attn.results %[[R]] : tensor<?x2x?x4xf32>
// BUFFERIZED:      return{{$}}

// On the plain path buffers hold the scores, and are freed.
// PLAIN:      func.func @f(
// PLAIN-SAME:   %[[O:[a-z0-9]+]]: memref<?x2x?x4xf32, strided<[?, ?, ?, 1]>> {attn.dims = ["d0", "d1"], attn.name = "result0", attn.result}
// PLAIN-NOT:  memref.copy
// PLAIN:      %[[SCORES:.+]] = memref.alloc
// PLAIN:      linalg.generic {{.*}} outs(%[[SCORES]] :
// PLAIN:      linalg.generic {{.*}} outs(%[[O]] :
// PLAIN:      memref.dealloc %[[SCORES]]
// PLAIN:      return{{$}}

// The tiles are items of one grid, which need scratch memory and no buffer.
// TILED:      func.func @f(
// TILED-NOT:  memref.alloc
// TILED:      tile.grid %{{.+}} shared_if %{{.+}} scratch
// TILED:        tile.x86.product %{{.+}} last
// TILED:        tile.x86.product transposed
// TILED:      return{{$}}

// The wrapper is exported, and the manifest; the kernel is internal, and so
// are the messages.
// LLVM:      module attributes {attn.manifest = "{
// LLVM-DAG:  llvm.mlir.global external constant @mixattn_manifest_of_f("{{.*}}section = ".mixattn.manifest"
// LLVM-DAG:  llvm.mlir.global internal constant @mixattn_f.message.0(
// LLVM-DAG:  llvm.func @malloc(
// LLVM-DAG:  llvm.func @free(
// LLVM-DAG:  llvm.func @snprintf(
// LLVM-DAG:  llvm.func internal @mixattn.report(
// LLVM-DAG:  llvm.func @mixattn_f(%{{.+}}: !llvm.ptr, %{{.+}}: i32, %{{.+}}: !llvm.ptr) -> i32
// LLVM-DAG:  llvm.func internal @f.kernel(
!q = tensor<?x2x?x4xf32>
func.func @f(%q: !q, %k: !q, %m: tensor<2x2xf32>) -> !q {
  %o = call @layer(%q, %k, %m) : (!q, !q, tensor<2x2xf32>) -> !q
  return %o : !q
}
func.func private @layer(%q: !q, %k: !q, %m: tensor<2x2xf32>) -> !q {
  %o = attn.mix_heads %q, %k, %k mixer(%m : tensor<2x2xf32>) causal : (!q, !q, !q) -> !q
  return %o : !q
}
