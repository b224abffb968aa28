// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Sums whose every step rounds the same way, or of many steps, and results wider than values.

!q = tensor<1x2x60x8xf32>
!k = tensor<1x1x?x8xf32>
!v = tensor<1x2x?x16xf32>
!o = tensor<1x2x60x16xf32>
!g = tensor<1x2x?x255xf32>
!h = tensor<1x2x2x255xf32>
!w = tensor<1x2x2x32xf32>
!p = tensor<1x2x?x32xf32>
!x = tensor<1x2x5x40xbf16>
!y = tensor<1x2x5x40xf32>
!l = tensor<1x2x64x4001xf32>
!m = tensor<1x2x150x4001xf32>
!n = tensor<1x2x150x16xf32>
!r = tensor<1x2x64x16xf32>

func.func @equal_weights(%q: !q {attn.name = "q"}, %k: !k {attn.name = "k", attn.dims = ["S"]},
    %v: !v {attn.name = "v", attn.dims = ["S"]}, %m: tensor<2x2xf32> {attn.name = "mixer"})
    -> (!o {attn.name = "o"}) {
  %o = attn.mix_heads %q, %k, %v mixer(%m : tensor<2x2xf32>) : (!q, !k, !v) -> !o
  return %o : !o
}

func.func @large_feature(%q: !g {attn.name = "q", attn.dims = ["N"]}, %k: !h {attn.name = "k"},
    %v: !w {attn.name = "v"}) -> (!p {attn.name = "o", attn.dims = ["N"]}) {
  %o = attn.softmax %q, %k, %v gaussian : (!g, !h, !w) -> !p
  return %o : !p
}

func.func @wide_result(%q: !x {attn.name = "q"}, %k: !x {attn.name = "k"}, %v: !x {attn.name = "v"})
    -> (!y {attn.name = "o"}) {
  %o = attn.softmax %q, %k, %v : (!x, !x, !x) -> !y
  return %o : !y
}

func.func @many_features(%q: !l {attn.name = "q"}, %k: !m {attn.name = "k"}, %v: !n {attn.name = "v"},
    %m: tensor<2x2xf32> {attn.name = "mixer"}) -> (!r {attn.name = "o"}) {
  %o = attn.mix_heads %q, %k, %v mixer(%m : tensor<2x2xf32>) : (!l, !m, !n) -> !r
  return %o : !r
}

func.func @many_linear_features(%q: !l {attn.name = "q"}, %k: !m {attn.name = "k"}, %v: !n {attn.name = "v"})
    -> (!r {attn.name = "o"}) {
  %o = attn.linear %q, %k, %v feature_map <elu> : (!l, !m, !n) -> !r
  return %o : !r
}
