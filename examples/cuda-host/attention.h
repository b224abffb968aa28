// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Softmax attention as its formula has it, for comparison. Plain, with the
// kernel of a Gaussian, or with several keys at each position, which are the
// components of a mixture.
#ifndef MIXATTN_EXAMPLES_CUDA_HOST_ATTENTION_H
#define MIXATTN_EXAMPLES_CUDA_HOST_ATTENTION_H

#include "reader.h"

#include <stdbool.h>
#include <stdint.h>

struct entry;

enum { MOST_COMPONENTS = 8 };

// result = softmax(scale * score(query, key)) * value. Query [B,H,N,D], key
// [B,Hk,S,D] or with components [B,Hk,R,S,D], value [B,Hv,S,E], result
// [B,H,N,E], prior [H,R]; Hk and Hv divide H.
struct attention {
  // Which tensors of the entry they are; prior is -1 where there is none.
  int query, key, value, result, prior;
  double scale;
  // The score of a component r is q.k_r, or -|q - k_r|^2 / 2; then it is
  // divided by the variance of r.
  bool is_gaussian;
  double variances[MOST_COMPONENTS];
  // The scores of components become one: log(sum of exp(score_r + prior_r)).
  bool has_components;
  int component_count;
};

// The values of bf16, the upper half of a float, and back; `number` must be a
// bf16 already.
double from_bf16(uint16_t bits);
uint16_t to_bf16(float number);

// Reads the entry's "attention". Ends the program unless it is one of those
// above, of bf16, in shapes that fit.
void attention_read(const struct reader *reader, const char *object,
                    struct entry *entry);

// The largest difference between the result and what it ought to be, infinite
// where the result holds what is no number. `data` are the entry's tensors.
double attention_error(const struct entry *entry, uint16_t *const data[]);

#endif // MIXATTN_EXAMPLES_CUDA_HOST_ATTENTION_H
