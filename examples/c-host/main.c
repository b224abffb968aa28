// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Calls compiled attention from C11. It runs without C++, Python and mixattn.
//
//   mixattn-compile examples/variants/mixhead_a.mlir -o layer.so
//   cc -std=c11 -I. -IPREFIX/include main.c layer.so -Wl,-rpath,. -o host
//
// `layer.h`, made next to `layer.so`, declares attn_mixhead_a.
#include "layer.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { B = 2, H = 8, N = 5, S = 7, D = 64 };

// A small number that depends on i only, between -1 and 1.
static float number(size_t i) { return sinf((float)i * 0.7F); }

// Memory for `count` floats, or the end of the program.
static float *allocate(size_t count) {
  float *data = malloc(count * sizeof(float));
  if (!data) {
    fprintf(stderr, "c-host: error: no memory\n");
    exit(1);
  }
  return data;
}

int main(void) {
  size_t queries = (size_t)B * H * N * D, keys = (size_t)B * H * S * D;
  float *q = allocate(queries), *k = allocate(keys), *v = allocate(keys);
  float *o = allocate(queries);
  float mixer[H * H];

  for (size_t i = 0; i < queries; ++i)
    q[i] = number(i);
  // Every key has the value row 0, 1, 2, …: so has every weighted mean.
  for (size_t i = 0; i < keys; ++i) {
    k[i] = number(3 * i);
    v[i] = (float)(i % D);
  }
  // Each output head takes a quarter of every source head: eight quarters.
  for (size_t i = 0; i < H * H; ++i)
    mixer[i] = 0.25F;

  char message[256] = "";
  mixattn_call call = {
      .size = sizeof call, .message = message, .message_size = sizeof message};
  int32_t status = attn_mixhead_a(B, N, S, q, k, v, mixer, o, &call);
  if (status) {
    fprintf(stderr, "c-host: error: %s (%d)\n", message, (int)status);
    return 1;
  }

  float error = 0;
  for (size_t i = 0; i < queries; ++i)
    error = fmaxf(error, fabsf(o[i] - 2 * (float)(i % D)));
  printf("mixed %d heads over %d queries and %d keys, error %s\n", H, N, S,
         error < 1e-4F ? "below 1e-4" : "too large");

  // A wrong tensor is refused with a sentence, before anything is written.
  int64_t shape[4] = {B, H, N, D - 1};
  DLTensor bad = {q, {kDLCPU, 0}, 4, {kDLFloat, 32, 1}, shape, NULL, 0};
  const DLTensor *tensors[5] = {&bad, &bad, &bad, &bad, &bad};
  status = mixattn_mixhead_a(tensors, 5, &call);
  printf("refused tensor %d: %s\n", (int)status - 1, message);

  free(q);
  free(k);
  free(v);
  free(o);
  return error < 1e-4F && status > 0 ? 0 : 1;
}
