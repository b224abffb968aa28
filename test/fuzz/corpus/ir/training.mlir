func.func @s(%q: tensor<?x4x?x64xf32>, %keys: tensor<?x2x2x?x64xf32>, %lengths: tensor<?xi64>) -> tensor<4x2x?xf32> {
  %p = arith.constant dense<[[0.0, 1.0], [2.0, 3.0], [4.0, 7.0], [8.0, 0.125]]> : tensor<4x2xf32>
  %g = attn.responsibilities %q, %keys variances [8.0, 64.0] prior(%p : tensor<4x2xf32>) lengths(%lengths : tensor<?xi64>) causal : (tensor<?x4x?x64xf32>, tensor<?x2x2x?x64xf32>) -> tensor<?x4x2x?x?xf32>
  %o = attn.prior_update %g per_key : tensor<?x4x2x?x?xf32> -> tensor<4x2x?xf32>
  return %o : tensor<4x2x?xf32>
}
func.func @r(%m: tensor<8x8xf32> {attn.name = "m"}, %p: tensor<8x2xf32> {attn.holds = {kind = "prior"}}) -> tensor<f32> {
  %o = attn.orthogonal_penalty %m : tensor<8x8xf32> -> tensor<f32>
  return %o : tensor<f32>
}
