// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: mixattn-opt --verify-roundtrip %s -o /dev/null
//
// Linear attention: products of features instead of exponentials of products.
//
//   o[b,h,i,:] = phi(q[b,h,i,:]) S[b,h] / (phi(q[b,h,i,:]) . z[b,h])
//   S[b,h] = sum_j phi(k[b,h,j,:])^T v[b,h,j,:]
//   z[b,h] = sum_j phi(k[b,h,j,:])
//   phi(x) = x + 1 where x > 0, else exp(x)
//
// Keys and values are summed up once, for all queries. "Transformers are RNNs:
// Fast Autoregressive Transformers with Linear Attention" (Katharopoulos et al.
// 2020), equations 5 to 7.
func.func @linear(
    %q: tensor<?x8x?x64xf32> {attn.name = "q", attn.dims = ["B", "N"]},
    %k: tensor<?x8x?x64xf32> {attn.name = "k", attn.dims = ["B", "S"]},
    %v: tensor<?x8x?x64xf32> {attn.name = "v", attn.dims = ["B", "S"]})
    -> (tensor<?x8x?x64xf32> {attn.name = "o", attn.dims = ["B", "N"]}) {
  %o = attn.linear %q, %k, %v feature_map <elu>
      : (tensor<?x8x?x64xf32>, tensor<?x8x?x64xf32>, tensor<?x8x?x64xf32>)
      -> tensor<?x8x?x64xf32>
  return %o : tensor<?x8x?x64xf32>
}
