// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The code on the device: a function for every launch of the entry.
#ifndef MIXATTN_EXAMPLES_CUDA_HOST_CODE_H
#define MIXATTN_EXAMPLES_CUDA_HOST_CODE_H

#include "driver.h"
#include "manifest.h"

struct code {
  CUmodule module;
  CUfunction functions[MOST_LAUNCHES];
};

// Loads all that launches need, so that a launch only launches. `image` are the
// bytes of the file.
void code_load(struct code *code, const struct driver *driver,
               const struct entry *entry, const void *image);

#endif // MIXATTN_EXAMPLES_CUDA_HOST_CODE_H
