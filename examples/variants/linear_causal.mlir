// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: mixattn-opt --verify-roundtrip %s -o /dev/null
//
// Linear attention, no query looking ahead: running sums of keys and values.
//
//   o[b,h,i,:] = phi(q[b,h,i,:]) S[b,h,i] / (phi(q[b,h,i,:]) . z[b,h,i])
//   S[b,h,i] = sum over j <= i + (S - N) of phi(k[b,h,j,:])^T v[b,h,j,:]
//   z[b,h,i] = sum over j <= i + (S - N) of phi(k[b,h,j,:])
//   phi(x) = x + 1 where x > 0, else exp(x)
//
// "Transformers are RNNs: Fast Autoregressive Transformers with Linear
// Attention" (Katharopoulos et al. 2020), equations 8 to 12.
func.func @linear_causal(
    %q: tensor<?x8x?x64xf32> {attn.name = "q", attn.dims = ["B", "N"]},
    %k: tensor<?x8x?x64xf32> {attn.name = "k", attn.dims = ["B", "S"]},
    %v: tensor<?x8x?x64xf32> {attn.name = "v", attn.dims = ["B", "S"]})
    -> (tensor<?x8x?x64xf32> {attn.name = "o", attn.dims = ["B", "N"]}) {
  %o = attn.linear %q, %k, %v feature_map <elu> causal
      : (tensor<?x8x?x64xf32>, tensor<?x8x?x64xf32>, tensor<?x8x?x64xf32>)
      -> tensor<?x8x?x64xf32>
  return %o : tensor<?x8x?x64xf32>
}
