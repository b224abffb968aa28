// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Arguments that are appended to are updated in place, or it is an error.
//
// RUN: mixattn-opt %s --attn-bind-names --attn-bind-updates --split-input-file --verify-diagnostics | FileCheck %s

!x = tensor<1x2x3xf32>
!c = tensor<1x9x3xf32>
!at = tensor<1xi32>

// Twice into one cache; a cache that the entry makes is nobody's.
// CHECK-LABEL: func.func @twice
// CHECK-SAME:    %{{[a-z0-9]+}}: tensor<1x9x3xf32> {attn.name = "arg1", attn.updates}
// CHECK-SAME:    -> (tensor<1x9x3xf32> {attn.name = "result0"}, tensor<1x9x3xf32> {attn.name = "result1", attn.updated = "arg1"})
func.func @twice(%x: !x, %c: !c, %at: !at, %more: !at) -> (!c, !c) {
  %zero = arith.constant dense<0.0> : !c
  %own = attn.append %x into %zero at(%at) : !x, !at into !c -> !c
  %once = attn.append %x into %c at(%at) : !x, !at into !c -> !c
  %again = attn.append %x into %once at(%more) : !x, !at into !c -> !c
  return %own, %again : !c, !c
}

// -----

!x = tensor<1x2x3xf32>
!c = tensor<1x9x3xf32>
!at = tensor<1xi32>

func.func @reads_before(%x: !x, %c: !c, %at: !at) -> (!c, !c) {
  // expected-error @+1 {{cannot update argument 'arg1' in place: what stood there before is used elsewhere}}
  %r = attn.append %x into %c at(%at) : !x, !at into !c -> !c
  // expected-note @+1 {{it is used here}}
  %old = math.exp %c : !c
  return %r, %old : !c, !c
}

// -----

!x = tensor<1x2x3xf32>
!c = tensor<1x9x3xf32>
!at = tensor<1xi32>

func.func @keeps(%x: !x, %c: !c, %at: !at) -> !c {
  // expected-error @+1 {{cannot update argument 'arg1' in place: expected the entry to return it once, as the value that the argument has then}}
  %r = attn.append %x into %c at(%at) : !x, !at into !c -> !c
  %y = math.exp %r : !c
  return %y : !c
}

// -----

!x = tensor<1x2x3xf32>
!c = tensor<1x9x3xf32>
!at = tensor<1xi32>

func.func @parameter(%x: !x, %c: !c {attn.parameter}, %at: !at) -> !c {
  // expected-error @+1 {{cannot update argument 'arg1' in place: it is a parameter, which all calls read}}
  %r = attn.append %x into %c at(%at) : !x, !at into !c -> !c
  return %r : !c
}
