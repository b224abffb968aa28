// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Keys and values of new positions go into caches; heads mix.
func.func @step(%q: tensor<?x8x?x64xf32> {attn.name = "q", attn.dims = ["B", "N"]},
    %k: tensor<?x8x?x64xf32> {attn.name = "k", attn.dims = ["B", "N"]},
    %v: tensor<?x8x?x64xf32> {attn.name = "v", attn.dims = ["B", "N"]},
    %keys: tensor<?x8x?x64xf32> {attn.name = "keys", attn.dims = ["B", "S"]},
    %values: tensor<?x8x?x64xf32> {attn.name = "values", attn.dims = ["B", "S"]},
    %mixer: tensor<8x8xf32> {attn.name = "mixer"},
    %start: tensor<?xi32> {attn.name = "start", attn.dims = ["B"]})
    -> (tensor<?x8x?x64xf32> {attn.name = "o"}, tensor<?x8x?x64xf32>, tensor<?x8x?x64xf32>) {
  %all = attn.append %k into %keys at(%start)
      : tensor<?x8x?x64xf32>, tensor<?xi32> into tensor<?x8x?x64xf32> -> tensor<?x8x?x64xf32>
  %pooled = attn.append %v into %values at(%start)
      : tensor<?x8x?x64xf32>, tensor<?xi32> into tensor<?x8x?x64xf32> -> tensor<?x8x?x64xf32>
  %o = attn.mix_heads %q, %all, %pooled mixer(%mixer : tensor<8x8xf32>) causal from(%start : tensor<?xi32>)
      : (tensor<?x8x?x64xf32>, tensor<?x8x?x64xf32>, tensor<?x8x?x64xf32>) -> tensor<?x8x?x64xf32>
  return %o, %all, %pooled : tensor<?x8x?x64xf32>, tensor<?x8x?x64xf32>, tensor<?x8x?x64xf32>
}
