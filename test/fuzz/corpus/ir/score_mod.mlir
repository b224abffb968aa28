func.func @s(%q: tensor<2x4x5x8xbf16>, %k: tensor<2x4x7x8xbf16>, %v: tensor<2x4x7x8xf16>, %m: tensor<2x1x5x7xi1>, %slope: tensor<4xf32>) -> tensor<2x4x5x8xf16> {
  %o = attn.softmax %q, %k, %v score_mod {
  ^bb0(%s: f32, %b: index, %h: index, %i: index, %j: index):
    %x = tensor.extract %slope[%h] : tensor<4xf32>
    %d = arith.subi %i, %j : index
    %e = arith.index_cast %d : index to i64
    %f = arith.sitofp %e : i64 to f32
    %g = arith.mulf %x, %f : f32
    %y = arith.addf %s, %g : f32
    attn.yield %y : f32
  } mask(%m : tensor<2x1x5x7xi1>) : (tensor<2x4x5x8xbf16>, tensor<2x4x7x8xbf16>, tensor<2x4x7x8xf16>) -> tensor<2x4x5x8xf16>
  return %o : tensor<2x4x5x8xf16>
}
