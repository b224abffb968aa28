// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: mixattn-opt --verify-roundtrip %s -o /dev/null
//
// Softmax whose exponentials are weighed by the sigmoid of their scores.
//
//   o[b,h,i,:] = sum_j A[b,h,i,j] v[b,h,j,:]
//   A[b,h,i,j] = exp(a[b,h,i,j]) sig(a[b,h,i,j]) / sum over j of the same
//   a[b,h,i,j] = q[b,h,i,:] . k[b,h,j,:] / sqrt(64)
//
// That is softmax_j(a - log(1 + exp(-a))), which is how it is computed: the
// largest exponent is taken off inside the exponential, never inside the
// sigmoid. "Mixhead" (Zhang et al. 2022), equation 21; "Sigsoftmax: Reanalysis
// of the Softmax Bottleneck" (Kanai et al. 2018).
func.func @sigsoftmax(
    %q: tensor<?x8x?x64xf32> {attn.name = "q", attn.dims = ["B", "N"]},
    %k: tensor<?x8x?x64xf32> {attn.name = "k", attn.dims = ["B", "S"]},
    %v: tensor<?x8x?x64xf32> {attn.name = "v", attn.dims = ["B", "S"]})
    -> (tensor<?x8x?x64xf32> {attn.name = "o", attn.dims = ["B", "N"]}) {
  %o = attn.softmax %q, %k, %v sigsoftmax
      : (tensor<?x8x?x64xf32>, tensor<?x8x?x64xf32>, tensor<?x8x?x64xf32>)
      -> tensor<?x8x?x64xf32>
  return %o : tensor<?x8x?x64xf32>
}
