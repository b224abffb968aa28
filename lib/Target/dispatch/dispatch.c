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

void mixattn_dispatch_say(const mixattn_call *given, const char *format, ...) {
  mixattn_call call = {0};
  if (given)
    memcpy(&call, given, given->size < sizeof call ? given->size : sizeof call);
  va_list values;
  va_start(values, format);
  if (call.message && call.message_size)
    vsnprintf(call.message, call.message_size, format, values);
  va_end(values);
}

// Sets `code` to that for the host, and gives 0; or why the machine runs none.
static int32_t find_on_host(const struct mixattn_targets *entry,
                            const mixattn_call *call,
                            const struct mixattn_code **code) {
  int32_t number = mixattn_choose_version(entry, call);
  if (number < 0)
    return number;
  *code = &entry->versions[number].code;
  return 0;
}

// Sets `code` to that for the tensors, and gives 0; or says which tensor lies
// elsewhere. The code says all else that is wrong, the host's where no tensor
// tells, or there is no other.
static int32_t find(const struct mixattn_targets *entry,
                    const DLTensor *const *tensors, int32_t count,
                    const mixattn_call *call,
                    const struct mixattn_code **code) {
  if (!entry->cuda || !tensors || count != entry->count)
    return find_on_host(entry, call, code);
  int32_t first = -1;
  for (int32_t i = 0; i < count; ++i) {
    if (!tensors[i])
      continue;
    DLDevice device = tensors[i]->device;
    if (device.device_type != kDLCPU && !is_cuda(device)) {
      mixattn_dispatch_say(call,
                           "%s: expected a tensor in host memory or CUDA "
                           "memory, but got DLPack device %d",
                           entry->titles[i], (int)device.device_type);
      return 1 + i;
    }
    if (first < 0)
      first = i;
    DLDevice expected = tensors[first]->device;
    if (is_cuda(device) != is_cuda(expected)) {
      mixattn_dispatch_say(call, "%s: expected %s as in %s, but got %s",
                           entry->titles[i], place_of(expected).text,
                           entry->titles[first], place_of(device).text);
      return 1 + i;
    }
  }
  if (first < 0 || !is_cuda(tensors[first]->device))
    return find_on_host(entry, call, code);
  *code = entry->cuda;
  return 0;
}

int32_t mixattn_dispatch_call(const struct mixattn_targets *entry,
                              const DLTensor *const *tensors, int32_t count,
                              const mixattn_call *call) {
  const struct mixattn_code *code;
  int32_t failed = find(entry, tensors, count, call, &code);
  return failed ? failed : code->call(tensors, count, call);
}

int32_t mixattn_dispatch_workspace(const struct mixattn_targets *entry,
                                   const DLTensor *const *tensors,
                                   int32_t count, uint64_t *bytes,
                                   const mixattn_call *call) {
  const struct mixattn_code *code;
  int32_t failed = find(entry, tensors, count, call, &code);
  return failed ? failed : code->workspace(tensors, count, bytes, call);
}

int32_t mixattn_dispatch_prepare(const struct mixattn_targets *entry,
                                 int32_t device, const mixattn_call *call) {
  const struct mixattn_code *code = entry->cuda;
  int32_t failed = device < 0 || !code ? find_on_host(entry, call, &code) : 0;
  return failed ? failed : code->prepare(device, call);
}
