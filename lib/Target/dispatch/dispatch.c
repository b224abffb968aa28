// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Finds the code that suits the device of a call's tensors.
#include "lib/Target/dispatch/dispatch.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

// Room for "CUDA device -2147483648".
struct place {
  char text[32];
};

static int is_cuda(DLDevice device) {
  return device.device_type == kDLCUDA || device.device_type == kDLCUDAManaged;
}

static struct place place_of(DLDevice device) {
  struct place place = {"host memory"};
  if (is_cuda(device))
    snprintf(place.text, sizeof place.text, "CUDA device %d",
             (int)device.device_id);
  return place;
}

// Writes the sentence into the message of the caller, whose struct may be of an
// earlier version, and gives 1 + the number of the tensor.
__attribute__((format(printf, 3, 4))) static int32_t
fail(const mixattn_call *given, int32_t tensor, const char *format, ...) {
  mixattn_call call = {0};
  if (given)
    memcpy(&call, given, given->size < sizeof call ? given->size : sizeof call);
  va_list values;
  va_start(values, format);
  if (call.message && call.message_size)
    vsnprintf(call.message, call.message_size, format, values);
  va_end(values);
  return 1 + tensor;
}

// Sets `half` to the one for the tensors, and gives 0; or says which tensor
// lies elsewhere. Either half says all else that is wrong, the host's where no
// tensor tells.
static int32_t find(const struct mixattn_both *entry,
                    const DLTensor *const *tensors, int32_t count,
                    const mixattn_call *call,
                    const struct mixattn_half **half) {
  *half = &entry->host;
  if (!tensors || count != entry->count)
    return 0;
  int32_t first = -1;
  for (int32_t i = 0; i < count; ++i) {
    if (!tensors[i])
      continue;
    DLDevice device = tensors[i]->device;
    if (device.device_type != kDLCPU && !is_cuda(device))
      return fail(call, i,
                  "%s: expected a tensor in host memory or CUDA memory, but "
                  "got DLPack device %d",
                  entry->titles[i], (int)device.device_type);
    if (first < 0)
      first = i;
    DLDevice expected = tensors[first]->device;
    if (is_cuda(device) != is_cuda(expected))
      return fail(call, i, "%s: expected %s as in %s, but got %s",
                  entry->titles[i], place_of(expected).text,
                  entry->titles[first], place_of(device).text);
  }
  if (first >= 0 && is_cuda(tensors[first]->device))
    *half = &entry->cuda;
  return 0;
}

int32_t mixattn_dispatch_call(const struct mixattn_both *entry,
                              const DLTensor *const *tensors, int32_t count,
                              const mixattn_call *call) {
  const struct mixattn_half *half;
  int32_t code = find(entry, tensors, count, call, &half);
  return code ? code : half->call(tensors, count, call);
}

int32_t mixattn_dispatch_workspace(const struct mixattn_both *entry,
                                   const DLTensor *const *tensors,
                                   int32_t count, uint64_t *bytes,
                                   const mixattn_call *call) {
  const struct mixattn_half *half;
  int32_t code = find(entry, tensors, count, call, &half);
  return code ? code : half->workspace(tensors, count, bytes, call);
}

int32_t mixattn_dispatch_prepare(const struct mixattn_both *entry,
                                 int32_t device, const mixattn_call *call) {
  const struct mixattn_half *half = device < 0 ? &entry->host : &entry->cuda;
  return half->prepare(device, call);
}
