// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The functions of a GPU artifact: checks, then launches.

#include "lib/Target/launcher/launcher.h"

#include <string.h>

_Static_assert(offsetof(mixattn_call, status) % 8 == 0 &&
                   sizeof(mixattn_call) % 8 == 0,
               "fields but the first take 8 bytes each");

// Addresses of the workspace: what allocators of GPU memory give.
enum { WORKSPACE_ALIGNMENT = 256 };

// Reads the caller's struct, or as much of it as there is.
static int32_t begin(struct mixattn_request *request,
                     const struct mixattn_library *library,
                     const mixattn_call *call) {
  memset(request, 0, sizeof *request);
  request->library = library;
  if (call && call->size < sizeof call->size)
    return MIXATTN_ERROR_CALL;
  if (call) {
    size_t bytes = call->size < sizeof *call ? call->size : sizeof *call;
    memcpy(&request->call, call, bytes / 8 * 8);
  }
  return 0;
}

static int32_t begin_entry(struct mixattn_request *request,
                           const struct mixattn_library *library, int64_t entry,
                           const DLTensor *const *tensors, int32_t count,
                           const mixattn_call *call) {
  int32_t code = begin(request, library, call);
  if (code)
    return code;
  request->entry = &library->entries[entry];
  request->tensors = tensors;
  for (int64_t dim = 0; dim < request->entry->dim_count; ++dim)
    request->dims[dim] = -1;
  if (count != request->entry->tensor_count)
    return mixattn_fail(request, MIXATTN_ERROR_COUNT,
                        "expected %lld tensors, but got %d",
                        (long long)request->entry->tensor_count, count);
  if (!tensors)
    return mixattn_fail(request, MIXATTN_ERROR_COUNT,
                        "expected tensors, but got NULL");
  return 0;
}

static int32_t find_workspace(struct mixattn_request *request) {
  int64_t *bytes = &request->workspace_bytes;
  if (mixattn_evaluate(request, request->entry->workspace, bytes) &&
      *bytes >= 0)
    return 0;
  return mixattn_fail(request, MIXATTN_ERROR_WORKSPACE,
                      "the workspace would take a number of bytes that is out "
                      "of range");
}

// Checks the caller's workspace and status word, as far as the host can tell.
static int32_t check_memory(struct mixattn_request *request) {
  const mixattn_call *call = &request->call;
  int32_t code = find_workspace(request);
  if (code)
    return code;
  int64_t bytes = request->workspace_bytes;
  uint64_t given = call->workspace ? call->workspace_bytes : 0;
  if (given < (uint64_t)bytes)
    return mixattn_fail(request, MIXATTN_ERROR_WORKSPACE,
                        "expected a workspace of %lld bytes, but got %lld",
                        (long long)bytes, (long long)given);
  int above = (int)((uintptr_t)call->workspace % WORKSPACE_ALIGNMENT);
  if (bytes && above)
    return mixattn_fail(request, MIXATTN_ERROR_WORKSPACE,
                        "expected a workspace at an address that is a multiple "
                        "of %d, but got one that is %d above",
                        WORKSPACE_ALIGNMENT, above);
  above = (int)((uintptr_t)call->status % sizeof *call->status);
  if (above)
    return mixattn_fail(request, MIXATTN_ERROR_CALL,
                        "expected a status word at an address that is a "
                        "multiple of %d, but got one that is %d above",
                        (int)sizeof *call->status, above);
  return 0;
}

// The driver, and a context of the device, unless `code` says that it was in
// vain already.
static int32_t enter(struct mixattn_request *request, int32_t code) {
  if (!code)
    code = mixattn_open_driver(request);
  return code ? code : mixattn_enter(request);
}

int32_t mixattn_launcher_call(const struct mixattn_library *library,
                              int64_t entry, const DLTensor *const *tensors,
                              int32_t count, const mixattn_call *call) {
  struct mixattn_request request;
  int32_t code = begin_entry(&request, library, entry, tensors, count, call);
  if (!code)
    code = mixattn_check_tensors(&request);
  if (!code)
    code = check_memory(&request);
  code = enter(&request, code);
  if (code)
    return code;
  code = mixattn_check_pointers(&request);
  if (!code)
    code = mixattn_load(&request);
  if (!code)
    code = mixattn_launch(&request);
  mixattn_leave(&request);
  return code;
}

int32_t mixattn_launcher_workspace(const struct mixattn_library *library,
                                   int64_t entry,
                                   const DLTensor *const *tensors,
                                   int32_t count, uint64_t *bytes,
                                   const mixattn_call *call) {
  struct mixattn_request request;
  int32_t code = begin_entry(&request, library, entry, tensors, count, call);
  if (!code && !bytes)
    code = mixattn_fail(&request, MIXATTN_ERROR_CALL,
                        "expected a place for the bytes, but got NULL");
  if (!code)
    code = mixattn_check_shapes(&request);
  if (!code)
    code = find_workspace(&request);
  if (!code)
    *bytes = (uint64_t)request.workspace_bytes;
  return code;
}

int32_t mixattn_launcher_prepare(const struct mixattn_library *library,
                                 int32_t device, const mixattn_call *call) {
  struct mixattn_request request;
  int32_t code = begin(&request, library, call);
  request.device = device;
  code = enter(&request, code);
  if (code)
    return code;
  code = mixattn_load(&request);
  mixattn_leave(&request);
  return code;
}
