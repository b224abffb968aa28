// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A call of the entry, and the memory that it has for itself.
#ifndef MIXATTN_EXAMPLES_CUDA_HOST_CALL_H
#define MIXATTN_EXAMPLES_CUDA_HOST_CALL_H

#include "code.h"
#include "driver.h"
#include "manifest.h"

// Two calls that may run at the same time have two streams, two workspaces and
// two results. The code and the entry are the same.
struct call {
  const struct driver *driver;
  const struct code *code;
  const struct entry *entry;
  CUstream stream;
  // The tensors, here and on the device.
  uint16_t *data[MOST_TENSORS];
  CUdeviceptr addresses[MOST_TENSORS];
  // 0 where the entry takes none.
  CUdeviceptr workspace;
};

// Makes the stream and allocates all memory, once.
void call_open(struct call *call, const struct driver *driver,
               const struct code *code, const struct entry *entry);

// Fills the arguments with new random numbers and the results with NaN.
void call_fill(struct call *call);

// Puts all launches on the stream, one after the other: the driver runs them in
// this order. Neither allocates nor waits, so that the stream may be captured.
void call_launch(const struct call *call);

// Waits for the stream and brings the results here.
void call_finish(struct call *call);

void call_close(struct call *call);

#endif // MIXATTN_EXAMPLES_CUDA_HOST_CALL_H
