func.func @f(%q: tensor<?x8x?x64xf32>, %k: tensor<?x2x?x64xf32>, %v: tensor<?x2x?x96xf32>, %shifts: tensor<2x3x64xf32>, %prior: tensor<2x3xf32>, %m: tensor<2x8xf32>, %n: tensor<?xi64>) -> tensor<?x8x?x96xf32> {
  %o = attn.linear_generic features(%q, %k : tensor<?x8x?x64xf32>, tensor<?x2x?x64xf32>) shifted_by(%shifts : tensor<2x3x64xf32>) feature_map <dpfp, rolls = 2> prior(%prior : tensor<2x3xf32>) premix(%m : tensor<2x8xf32>) lengths(%n : tensor<?xi64>) causal eps 1.0 output_scale 0.125 pool(%v : tensor<?x2x?x96xf32>) -> tensor<?x8x?x96xf32>
  return %o : tensor<?x8x?x96xf32>
}
func.func @g(%q: tensor<?x8x?x64xf32>, %k: tensor<?x2x?x64xf32>, %v: tensor<?x2x?x64xf32>, %w: tensor<64x7xf32>, %w1: tensor<2x3xf32>, %b1: tensor<3xf32>, %w2: tensor<3x8xf32>, %b2: tensor<8xf32>, %m: tensor<2x8xf32>) -> (tensor<?x8x?x64xf32>, tensor<?x8x?x64xf32>) {
  %0 = attn.linear %q, %k, %v feature_map <favor> favor(%w : tensor<64x7xf32>) causal : (tensor<?x8x?x64xf32>, tensor<?x2x?x64xf32>, tensor<?x2x?x64xf32>) -> tensor<?x8x?x64xf32>
  %1 = attn.linear_admixture_heads %q, %k, %v mlp(%w1, %b1, %w2, %b2 : tensor<2x3xf32>, tensor<3xf32>, tensor<3x8xf32>, tensor<8xf32>) normaliser(%m : tensor<2x8xf32>) feature_map <normalized_elu> : (tensor<?x8x?x64xf32>, tensor<?x2x?x64xf32>, tensor<?x2x?x64xf32>) -> tensor<?x8x?x64xf32>
  return %0, %1 : tensor<?x8x?x64xf32>, tensor<?x8x?x64xf32>
}
