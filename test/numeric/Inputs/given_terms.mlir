// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Given terms, in addition to those that Gaussians and shifted keys make.

!q = tensor<?x4x?x24xf32>
!k = tensor<?x2x?x24xf32>
!v = tensor<?x2x?x16xf32>
!o = tensor<?x4x?x16xf32>
!s = tensor<2x3x24xf32>
!t = tensor<?x2x?xf32>
!u = tensor<?x4x3x?xf32>

func.func @gaussian(%q: !q {attn.name = "q", attn.dims = ["B", "N"]},
    %k: !k {attn.name = "k", attn.dims = ["B", "S"]}, %v: !v {attn.name = "v", attn.dims = ["B", "S"]},
    %s: !s {attn.name = "s"}, %t: !t {attn.name = "t", attn.dims = ["B", "S"]},
    %u: !u {attn.name = "u", attn.dims = ["B", "N"]}) -> (!o {attn.name = "o", attn.dims = ["B", "N"]}) {
  %o = attn.generic scores(%q, %k : !q, !k) shifted_by(%s : !s) gaussian variances [8.0, 24.0, 8.0]
      query_term(%u : !u) key_term(%t : !t) pool(%v : !v) -> !o
  return %o : !o
}

func.func @products(%q: !q {attn.name = "q", attn.dims = ["B", "N"]},
    %k: !k {attn.name = "k", attn.dims = ["B", "S"]}, %v: !v {attn.name = "v", attn.dims = ["B", "S"]},
    %s: !s {attn.name = "s"}, %t: !t {attn.name = "t", attn.dims = ["B", "S"]},
    %u: !u {attn.name = "u", attn.dims = ["B", "N"]}) -> (!o {attn.name = "o", attn.dims = ["B", "N"]}) {
  %o = attn.generic scores(%q, %k : !q, !k) shifted_by(%s : !s) variances [8.0, 24.0, 8.0]
      query_term(%u : !u) key_term(%t : !t) pool(%v : !v) -> !o
  return %o : !o
}

func.func @unequal(%q: !q {attn.name = "q", attn.dims = ["B", "N"]},
    %k: !k {attn.name = "k", attn.dims = ["B", "S"]}, %v: !v {attn.name = "v", attn.dims = ["B", "S"]},
    %t: !t {attn.name = "t", attn.dims = ["B", "S"]},
    %u: !u {attn.name = "u", attn.dims = ["B", "N"]}) -> (!o {attn.name = "o", attn.dims = ["B", "N"]}) {
  %o = attn.generic scores(%q, %k : !q, !k) variances [8.0, 24.0, 2.0]
      query_term(%u : !u) key_term(%t : !t) pool(%v : !v) -> !o
  return %o : !o
}
