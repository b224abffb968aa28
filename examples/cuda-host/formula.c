// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The formula of attention in plain loops of doubles.
#include "attention.h"
#include "fail.h"
#include "manifest.h"

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

// The first element of a head: query head `head` of `heads` reads the head
// head * Hk / heads.
static const uint16_t *head_of(const struct tensor *tensor,
                               const uint16_t *data, int64_t batch,
                               int64_t head, int64_t heads) {
  return data + batch * tensor->strides[0] +
         head * tensor->sizes[1] / heads * tensor->strides[1];
}

// The score of a query and a key, before the division by the variance.
static double score_of(const uint16_t *q, const uint16_t *k, int64_t width,
                       bool is_gaussian) {
  double sum = 0;
  for (int64_t d = 0; d < width; ++d) {
    double left = from_bf16(q[d]), right = from_bf16(k[d]);
    sum += is_gaussian ? -(left - right) * (left - right) / 2 : left * right;
  }
  return sum;
}

// log(sum of exp(numbers)).
static double log_sum_exp(const double *numbers, int count) {
  double most = -INFINITY, sum = 0;
  for (int i = 0; i < count; ++i)
    most = fmax(most, numbers[i]);
  for (int i = 0; i < count; ++i)
    sum += exp(numbers[i] - most);
  return most + log(sum);
}

// The score of a query and the components of a key, the first of which is at
// `k`; the next component is `stride` elements on. `prior` may be NULL.
static double combined_score(const struct attention *attention,
                             const uint16_t *q, const uint16_t *k,
                             int64_t stride, int64_t width,
                             const uint16_t *prior) {
  double scores[MOST_COMPONENTS];
  for (int r = 0; r < attention->component_count; ++r) {
    scores[r] = score_of(q, k + r * stride, width, attention->is_gaussian) /
                attention->variances[r];
    if (prior)
      scores[r] += from_bf16(prior[r]);
  }
  return attention->has_components
             ? log_sum_exp(scores, attention->component_count)
             : scores[0];
}

double attention_error(const struct entry *entry, uint16_t *const data[]) {
  const struct attention *a = &entry->attention;
  const struct tensor *q = &entry->tensors[a->query];
  const struct tensor *k = &entry->tensors[a->key];
  const struct tensor *v = &entry->tensors[a->value];
  const struct tensor *o = &entry->tensors[a->result];
  int64_t heads = q->sizes[1], rows = q->sizes[2], width = q->sizes[3];
  int64_t keys = v->sizes[2], columns = v->sizes[3];
  int64_t component_stride = keys * width;
  double *weight = malloc((size_t)keys * sizeof *weight), error = 0;
  if (!weight)
    fail("there is no memory for %lld weights", (long long)keys);
  // One row of one head after the other, of all batches.
  for (int64_t row = 0; row < q->elements / width; ++row) {
    int64_t batch = row / rows / heads, head = row / rows % heads;
    const uint16_t *query = data[a->query] + row * width;
    const uint16_t *key = head_of(k, data[a->key], batch, head, heads);
    const uint16_t *value = head_of(v, data[a->value], batch, head, heads);
    const uint16_t *prior =
        a->prior < 0 ? NULL : data[a->prior] + head * a->component_count;
    double most = -INFINITY, sum = 0;
    for (int64_t j = 0; j < keys; ++j) {
      weight[j] = a->scale * combined_score(a, query, key + j * width,
                                            component_stride, width, prior);
      most = fmax(most, weight[j]);
    }
    for (int64_t j = 0; j < keys; ++j)
      sum += weight[j] = exp(weight[j] - most);
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
