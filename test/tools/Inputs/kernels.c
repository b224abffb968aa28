// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// An artifact by hand: entries good and bad, for tests of mixattn-run that
// need no compiler. -DMANIFEST='"FILE"' names the manifest's text.
#include "lib/Runtime/abi.h"
#include <math.h>
#include <stdio.h>
#include <string.h>

__asm__(".pushsection .mixattn.manifest, \"a\"\n"
        ".incbin "
        "\"" MANIFEST "\"\n"
        ".byte 0\n"
        ".popsection\n");

#define ENTRY(name)                                                            \
  int32_t mixattn_##name(const DLTensor *const *tensors, int32_t count,        \
                         const mixattn_call *call)

/* softmax(q k / 2) v over the first lengths[b] keys; the two heads share k and
 * v. */
ENTRY(attend) {
  (void)count, (void)call;
  const float *q = tensors[0]->data, *k = tensors[1]->data;
  const float *v = tensors[2]->data;
  const int64_t *lengths = tensors[3]->data;
  float *o = tensors[4]->data;
  int64_t N = tensors[0]->shape[2], S = tensors[1]->shape[2];
  for (int64_t row = 0; row < tensors[0]->shape[0] * 2 * N; ++row) {
    int64_t b = row / (2 * N);
    double sum = 0, value[3] = {0, 0, 0};
    for (int64_t j = 0; j < lengths[b]; ++j) {
      double score = 0;
      for (int d = 0; d < 4; ++d)
        score += 0.5 * q[row * 4 + d] * k[(b * S + j) * 4 + d];
      sum += exp(score);
      for (int e = 0; e < 3; ++e)
        value[e] += exp(score) * v[(b * S + j) * 3 + e];
    }
    for (int e = 0; e < 3; ++e)
      o[row * 3 + e] = (float)(sum == 0 ? 0 : value[e] / sum);
  }
  return 0;
}

ENTRY(zeros) {
  (void)count, (void)call;
  const int64_t *shape = tensors[4]->shape;
  memset(tensors[4]->data, 0, shape[0] * shape[1] * shape[2] * shape[3] * 4);
  return 0;
}

/* Doubles what `keep` marks, and copies the others. */
ENTRY(double) {
  (void)count, (void)call;
  const float *x = tensors[0]->data;
  const uint8_t *keep = tensors[1]->data;
  float *y = tensors[4]->data;
  for (int64_t i = 0; i < tensors[0]->shape[0]; ++i)
    y[i] = keep[i] ? 2 * x[i] : 0;
  memcpy(tensors[5]->data, tensors[2]->data, 2);
  memcpy(tensors[6]->data, tensors[3]->data, 8);
  return 0;
}

/* Copies x to y, from x[first + i] to y[i], and leaves the last `rest`. */
static void copy(const DLTensor *const *tensors, int first, int rest) {
  const float *x = tensors[0]->data;
  float *y = tensors[1]->data;
  for (int64_t i = 0; i < tensors[0]->shape[0] - rest; ++i)
    y[i] = x[first + i];
}

ENTRY(overrun) {
  (void)count, (void)call;
  copy(tensors, 1, 0);
  return 0;
}

ENTRY(underrun) {
  (void)count, (void)call;
  copy(tensors, -1, 0);
  return 0;
}

ENTRY(scribble) {
  (void)count, (void)call;
  copy(tensors, 0, 0);
  *(float *)tensors[0]->data = 0;
  return 0;
}

ENTRY(forget) {
  (void)count, (void)call;
  copy(tensors, 0, 1);
  return 0;
}

ENTRY(refuse) {
  (void)tensors, (void)count;
  snprintf(call->message, call->message_size,
           "argument 'x': expected something else");
  return 1;
}

ENTRY(silent) {
  (void)tensors, (void)count, (void)call;
  return -7;
}
