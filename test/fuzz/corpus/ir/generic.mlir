func.func @g(%q: tensor<?x8x?x64xf32>, %k: tensor<?x2x?x64xf32>, %v: tensor<?x2x?x96xf32>, %m: tensor<8x8xf32>, %n: tensor<?xi64>) -> tensor<?x8x?x96xf32> {
  %o = attn.generic scores(%q, %k : tensor<?x8x?x64xf32>, tensor<?x2x?x64xf32>) scale 0.125 lengths(%n : tensor<?xi64>) causal band <3, 0> postmix(%m : tensor<8x8xf32>) pool(%v : tensor<?x2x?x96xf32>) -> tensor<?x8x?x96xf32>
  return %o : tensor<?x8x?x96xf32>
}
