func.func @p(%v: tensor<?x2x?x4xf32>, %band: tensor<8x?x7xf32>, %index: tensor<?x3xi64>, %value: tensor<?xf32>) -> tensor<?x8x?x4xf32> {
  %o = attn.structured_pool %v band(%band : tensor<8x?x7xf32>) error(%index, %value : tensor<?x3xi64>, tensor<?xf32>) row_normalise : tensor<?x2x?x4xf32> -> tensor<?x8x?x4xf32>
  return %o : tensor<?x8x?x4xf32>
}
func.func @w(%v: tensor<1x2x8x4xf32>) -> tensor<1x2x8x4xf32> {
  %t = arith.constant dense<[[1, 0, 2], [4, 3, 1]]> : tensor<2x3xi64>
  %o = attn.structured_pool %v windows(%t : tensor<2x3xi64>) : tensor<1x2x8x4xf32> -> tensor<1x2x8x4xf32>
  return %o : tensor<1x2x8x4xf32>
}
