// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Memory, copies and the stream of a call.
#include "call.h"

#include "attention.h"
#include "fail.h"

#include <stdlib.h>

static size_t bytes_of(const struct call *call, int tensor) {
  return (size_t)call->entry->tensors[tensor].elements * sizeof(uint16_t);
}

void call_open(struct call *call, const struct driver *driver,
               const struct code *code, const struct entry *entry) {
  *call = (struct call){.driver = driver, .code = code, .entry = entry};
  driver_check(driver,
               driver->cuStreamCreate(&call->stream, CU_STREAM_NON_BLOCKING),
               "a stream");
  for (int i = 0; i < entry->tensor_count; ++i) {
    call->data[i] = malloc(bytes_of(call, i));
    if (!call->data[i])
      fail("there is no memory for '%s'", entry->tensors[i].name);
    driver_check(driver,
                 driver->cuMemAlloc_v2(&call->addresses[i], bytes_of(call, i)),
                 "memory");
  }
  // The driver's memory begins at multiples of 256 bytes, as kernels want it.
  if (entry->workspace_bytes > 0)
    driver_check(
        driver,
        driver->cuMemAlloc_v2(&call->workspace, (size_t)entry->workspace_bytes),
        "the workspace");
}

// One of 256 numbers from -1 to below 1, all exact in bf16.
static float random_number(void) {
  static uint32_t state = 1;
  state ^= state << 13;
  state ^= state >> 17;
  state ^= state << 5;
  return ((float)(state >> 24) - 128) / 128;
}

void call_fill(struct call *call) {
  const struct attention *attention = &call->entry->attention;
  for (int i = 0; i < call->entry->tensor_count; ++i) {
    // Larger queries make weights that differ more. A prior outweighs the
    // distances that they make, so that each component has heads of its own.
    float factor = i == attention->query ? 4 : i == attention->prior ? 16 : 1;
    for (int64_t j = 0; j < call->entry->tensors[i].elements; ++j)
      call->data[i][j] = i == attention->result
                             ? UINT16_MAX
                             : to_bf16(factor * random_number());
    driver_check(
        call->driver,
        call->driver->cuMemcpyHtoDAsync_v2(call->addresses[i], call->data[i],
                                           bytes_of(call, i), call->stream),
        "a copy to the device");
  }
}

void call_finish(struct call *call) {
  int result = call->entry->attention.result;
  driver_check(call->driver,
               call->driver->cuMemcpyDtoHAsync_v2(
                   call->data[result], call->addresses[result],
                   bytes_of(call, result), call->stream),
               "a copy of the result");
  driver_check(call->driver, call->driver->cuStreamSynchronize(call->stream),
               "to run the kernels");
}

void call_close(struct call *call) {
  for (int i = 0; i < call->entry->tensor_count; ++i) {
    free(call->data[i]);
    call->driver->cuMemFree_v2(call->addresses[i]);
  }
  if (call->workspace)
    call->driver->cuMemFree_v2(call->workspace);
  call->driver->cuStreamDestroy_v2(call->stream);
}
