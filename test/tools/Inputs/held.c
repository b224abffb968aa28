// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// An artifact by hand whose arguments must hold more than their types say.
// -DMANIFEST='"FILE"' names the manifest's text.
#include "lib/Runtime/abi.h"
#include <string.h>

__asm__(".pushsection .mixattn.manifest, \"a\"\n"
        ".incbin "
        "\"" MANIFEST "\"\n"
        ".byte 0\n"
        ".popsection\n");

/* The rows of a band of width 1 and of sparse elements, divided by their sums:
 * 42 where the sum is 0. */
int32_t mixattn_pool(const DLTensor *const *tensors, int32_t count,
                     const mixattn_call *call) {
  (void)count, (void)call;
  const float *band = tensors[0]->data, *error = tensors[2]->data;
  const int64_t *at = tensors[1]->data;
  const float *v = tensors[3]->data;
  float *o = tensors[4]->data;
  int64_t N = tensors[0]->shape[1], E = tensors[1]->shape[0];
  for (int64_t row = 0; row < tensors[3]->shape[0] * 2 * N; ++row) {
    int64_t b = row / (2 * N), h = row / N % 2, i = row % N;
    double sum = 0, pooled[3] = {0, 0, 0};
    for (int64_t j = 0; j < N; ++j) {
      double weight =
          j - i > 1 || i - j > 1 ? 0 : band[(h * N + i) * 3 + j - i + 1];
      for (int64_t e = 0; e < E; ++e)
        if (at[3 * e] == h && at[3 * e + 1] == i && at[3 * e + 2] == j)
          weight += error[e];
      sum += weight;
      for (int d = 0; d < 3; ++d)
        pooled[d] += weight * v[(b * N + j) * 3 + d];
    }
    for (int d = 0; d < 3; ++d)
      o[row * 3 + d] = sum == 0 ? 42 : (float)(pooled[d] / sum);
  }
  return 0;
}

int32_t mixattn_accept(const DLTensor *const *tensors, int32_t count,
                       const mixattn_call *call) {
  (void)count, (void)call;
  memcpy(tensors[4]->data, tensors[3]->data, 4 * tensors[3]->shape[0]);
  return 0;
}
