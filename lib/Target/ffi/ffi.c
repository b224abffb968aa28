// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Calls of an artifact's entries by TVM FFI's C calling convention.
#include "lib/Target/ffi/ffi.h"

#include <stdbool.h>
#include <stdio.h>

// TVMFFITypeIndex: a borrowed DLTensor, and an object that holds one.
enum { TypeDLTensor = 7, TypeTensor = 70 };

// TVMFFIObject, the header of every object; a tensor's DLTensor comes after it.
struct object {
  uint64_t references;
  int32_t type;
  uint32_t padding;
  void *deleter;
};

#define WEAK __attribute__((weak))
WEAK void TVMFFIErrorSetRaisedFromCStr(const char *kind, const char *message);
WEAK void TVMFFIErrorMoveFromRaised(void **error);
WEAK void TVMFFIErrorSetRaised(void *error);
WEAK void *TVMFFIEnvGetStream(int32_t device_type, int32_t device_id);
WEAK void *TVMFFIEnvGetDLPackManagedTensorAllocator(void);
WEAK int TVMFFIEnvTensorAlloc(DLTensor *prototype, void **tensor);
WEAK int TVMFFIObjectDecRef(void *object);

// A workspace's address is a multiple of this, for artifacts of any target.
enum { Alignment = 256 };

static int32_t raise(const char *kind, const char *message) {
  if (TVMFFIErrorSetRaisedFromCStr)
    TVMFFIErrorSetRaisedFromCStr(kind, message);
  return -1;
}

static const DLTensor *tensor_of(const struct mixattn_ffi_any *value) {
  if (value->type == TypeDLTensor)
    return value->value.pointer;
  if (value->type == TypeTensor)
    return (const DLTensor *)((const char *)value->value.pointer +
                              sizeof(struct object));
  return NULL;
}

static const char *kind_of(int32_t code) {
  if (code > 0 || code == MIXATTN_ERROR_COUNT)
    return "ValueError";
  return code == MIXATTN_ERROR_MEMORY ? "MemoryError" : "RuntimeError";
}

// The device that streams and allocators are asked for: they know a GPU's
// managed memory as that GPU.
static DLDevice device_of(const DLTensor *tensor) {
  DLDevice device = tensor->device;
  if (device.device_type == kDLCUDAManaged)
    device.device_type = kDLCUDA;
  return device;
}

// Whether the thread has an error raised, which stays.
static bool is_raised(void) {
  if (!TVMFFIErrorMoveFromRaised || !TVMFFIErrorSetRaised)
    return false;
  void *error = NULL;
  TVMFFIErrorMoveFromRaised(&error);
  if (!error)
    return false;
  TVMFFIErrorSetRaised(error);
  TVMFFIObjectDecRef(error);
  return true;
}

// The allocator has no memory for `bytes`.
static int32_t fail_to_allocate(uint64_t bytes) {
  char message[128];
  snprintf(message, sizeof(message),
           "the caller's allocator gave no memory for a workspace of %llu "
           "bytes",
           (unsigned long long)bytes);
  return raise("MemoryError", message);
}

// Gives `call` memory of the caller's allocator on `device`, which `held`
// keeps. Where the caller has set no allocator there is none: an entry takes
// its own, or says why it cannot. Returns 0, or -1 with an error raised.
static int32_t allocate(DLDevice device, uint64_t bytes,
                        struct mixattn_call *call, void **held) {
  if (bytes == 0 || !TVMFFIEnvTensorAlloc || !TVMFFIObjectDecRef ||
      !TVMFFIEnvGetDLPackManagedTensorAllocator ||
      !TVMFFIEnvGetDLPackManagedTensorAllocator())
    return 0;
  if (bytes > INT64_MAX - Alignment)
    return fail_to_allocate(bytes);
  int64_t size = (int64_t)bytes + Alignment;
  DLTensor prototype = {.device = device,
                        .ndim = 1,
                        .dtype = {.code = kDLUInt, .bits = 8, .lanes = 1},
                        .shape = &size};
  // Its own error tells more than ours.
  if (TVMFFIEnvTensorAlloc(&prototype, held))
    return is_raised() ? -1 : fail_to_allocate(bytes);
  if (!*held)
    return fail_to_allocate(bytes);
  const DLTensor *memory =
      (const DLTensor *)((const char *)*held + sizeof(struct object));
  uintptr_t begin = (uintptr_t)memory->data + memory->byte_offset;
  begin = (begin + Alignment - 1) / Alignment * Alignment;
  call->workspace = (void *)begin;
  call->workspace_bytes = bytes;
  return 0;
}

int32_t mixattn_ffi_call(const struct mixattn_ffi_entry *entry,
                         const struct mixattn_ffi_any *values, int32_t count) {
  char message[512];
  message[0] = 0;
  if (count != entry->count) {
    snprintf(message, sizeof(message),
             "expected %d tensors, arguments and then results, but got %d",
             (int)entry->count, (int)count);
    return raise("TypeError", message);
  }
  const DLTensor *tensors[count + 1];
  for (int32_t i = 0; i < count; ++i) {
    tensors[i] = tensor_of(&values[i]);
    if (tensors[i])
      continue;
    snprintf(message, sizeof(message),
             "expected '%s' to be a tensor, but got a value of type %d",
             entry->names[i], (int)values[i].type);
    return raise("TypeError", message);
  }
  mixattn_call call = {.size = sizeof(call),
                       .message = message,
                       .message_size = sizeof(message)};
  void *held = NULL;
  if (count > 0) {
    DLDevice device = device_of(tensors[0]);
    if (device.device_type == kDLCUDA && TVMFFIEnvGetStream)
      call.stream = TVMFFIEnvGetStream(device.device_type, device.device_id);
    uint64_t bytes = 0;
    if (entry->workspace && !entry->workspace(tensors, count, &bytes, &call) &&
        allocate(device, bytes, &call, &held))
      return -1;
  }
  int32_t code = entry->call(tensors, count, &call);
  if (held)
    TVMFFIObjectDecRef(held);
  return code ? raise(kind_of(code), message) : 0;
}
