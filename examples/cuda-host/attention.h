// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Softmax attention as its formula has it, for comparison.
#ifndef MIXATTN_EXAMPLES_CUDA_HOST_ATTENTION_H
#define MIXATTN_EXAMPLES_CUDA_HOST_ATTENTION_H

#include "manifest.h"

#include <stdint.h>

// The values of bf16, the upper half of a float, and back; `number` must be a
// bf16 already.
double from_bf16(uint16_t bits);
uint16_t to_bf16(float number);

// Ends the program unless the entry is attention of bf16 in shapes that fit.
void attention_check(const struct entry *entry);

// The largest difference between the result and what it ought to be, infinite
// where the result holds what is no number. `data` are the entry's tensors.
double attention_error(const struct entry *entry, uint16_t *const data[]);

#endif // MIXATTN_EXAMPLES_CUDA_HOST_ATTENTION_H
