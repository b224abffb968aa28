// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Which functions an artifact exports.
//
// RUN: mixattn-opt --attn-to-llvm %s | FileCheck %s --check-prefix=ALL
// RUN: mixattn-opt --attn-to-llvm=entry=decoder %s | FileCheck %s --check-prefix=ONE \
// RUN:   --implicit-check-not=encoder --implicit-check-not=layer

// Every public function is an entry, even one that another calls; the manifest
// lists them in order and is named after the first.
// ALL:     attn.manifest = "{{.*}}\22name\22:\22encoder\22{{.*}}\22name\22:\22decoder\22
// ALL-DAG: @mixattn_manifest_of_encoder(
// ALL-DAG: llvm.func @mixattn_encoder(
// ALL-DAG: llvm.func @mixattn_decoder(

// With an entry chosen, nothing is left of the others.
// ONE-DAG: @mixattn_manifest_of_decoder(
// ONE-DAG: llvm.func @mixattn_decoder(

!q = tensor<1x2x3x4xf32>
func.func @encoder(%q: !q) -> !q {
  %o = call @layer(%q) : (!q) -> !q
  return %o : !q
}
func.func private @layer(%q: !q) -> !q {
  %o = attn.softmax %q, %q, %q : (!q, !q, !q) -> !q
  return %o : !q
}
func.func @decoder(%q: !q) -> !q {
  %0 = call @encoder(%q) : (!q) -> !q
  %o = attn.softmax %0, %q, %q causal : (!q, !q, !q) -> !q
  return %o : !q
}
