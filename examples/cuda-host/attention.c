// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Query [B,H,N,D], key [B,Hk,S,D], value [B,Hv,S,E], result [B,H,N,E]; Hk and
// Hv divide H.
#include "attention.h"

#include "fail.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

double from_bf16(uint16_t bits) {
  uint32_t wide = (uint32_t)bits << 16;
  float number;
  memcpy(&number, &wide, sizeof number);
  return number;
}

uint16_t to_bf16(float number) {
  uint32_t wide;
  memcpy(&wide, &number, sizeof wide);
  return (uint16_t)(wide >> 16);
}

// Whether the shape is [batch, a divisor of heads, rows, columns].
static bool fits(const struct tensor *tensor, int64_t batch, int64_t heads,
                 int64_t rows, int64_t columns) {
  const int64_t *sizes = tensor->sizes;
  return tensor->rank == 4 && sizes[0] == batch && heads % sizes[1] == 0 &&
         sizes[2] == rows && sizes[3] == columns;
}

void attention_check(const struct entry *entry) {
  const struct attention *attention = &entry->attention;
  for (int i = 0; i < entry->tensor_count; ++i)
    if (strcmp(entry->tensors[i].dtype, "bf16") != 0)
      fail("expected tensors of bf16, but '%s' is %s", entry->tensors[i].name,
           entry->tensors[i].dtype);
  const struct tensor *q = &entry->tensors[attention->query];
  const struct tensor *k = &entry->tensors[attention->key];
  const struct tensor *v = &entry->tensors[attention->value];
  const struct tensor *o = &entry->tensors[attention->result];
  const int64_t *s = q->sizes;
  if (q->rank != 4 || !fits(k, s[0], s[1], k->sizes[2], s[3]) ||
      !fits(v, s[0], s[1], k->sizes[2], v->sizes[3]) ||
      !fits(o, s[0], s[1], s[2], v->sizes[3]) || o->sizes[1] != s[1])
    fail("expected shapes of attention, but those of '%s' do not fit",
         entry->name);
}

// The first element of a head: query head `head` of `heads` reads the head
// head * Hk / heads.
static const uint16_t *head_of(const struct tensor *tensor,
                               const uint16_t *data, int64_t batch,
                               int64_t head, int64_t heads) {
  return data + batch * tensor->strides[0] +
         head * tensor->sizes[1] / heads * tensor->strides[1];
}

// weight[j] = exp(scale * q . k[j] - the largest of these); returns their sum.
static double weigh(const uint16_t *q, const uint16_t *k, int64_t keys,
                    int64_t width, double scale, double *weight) {
  double most = -INFINITY, sum = 0;
  for (int64_t j = 0; j < keys; ++j) {
    weight[j] = 0;
    for (int64_t d = 0; d < width; ++d)
      weight[j] += scale * from_bf16(q[d]) * from_bf16(k[j * width + d]);
    most = fmax(most, weight[j]);
  }
  for (int64_t j = 0; j < keys; ++j)
    sum += weight[j] = exp(weight[j] - most);
  return sum;
}

double attention_error(const struct entry *entry, uint16_t *const data[]) {
  const struct attention *a = &entry->attention;
  const struct tensor *q = &entry->tensors[a->query];
  const struct tensor *k = &entry->tensors[a->key];
  const struct tensor *v = &entry->tensors[a->value];
  const struct tensor *o = &entry->tensors[a->result];
  int64_t heads = q->sizes[1], rows = q->sizes[2], width = q->sizes[3];
  int64_t keys = k->sizes[2], columns = v->sizes[3];
  double *weight = malloc((size_t)keys * sizeof *weight), error = 0;
  if (!weight)
    fail("there is no memory for %lld weights", (long long)keys);
  // One row of one head after the other, of all batches.
  for (int64_t row = 0; row < q->elements / width; ++row) {
    int64_t batch = row / rows / heads, head = row / rows % heads;
    const uint16_t *key = head_of(k, data[a->key], batch, head, heads);
    const uint16_t *value = head_of(v, data[a->value], batch, head, heads);
    double sum =
        weigh(data[a->query] + row * width, key, keys, width, a->scale, weight);
    for (int64_t e = 0; e < columns; ++e) {
      double expected = 0;
      for (int64_t j = 0; j < keys; ++j)
        expected += weight[j] / sum * from_bf16(value[j * columns + e]);
      double got = from_bf16(data[a->result][row * o->sizes[3] + e]);
      error = isnan(got) ? INFINITY : fmax(error, fabs(got - expected));
    }
  }
  free(weight);
  return error;
}
