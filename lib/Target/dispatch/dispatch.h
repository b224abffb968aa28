// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The entries of a library that holds code for a CPU and for GPUs: the device
// of a call's tensors says which of the two it takes.

#ifndef MIXATTN_LIB_TARGET_DISPATCH_DISPATCH_H
#define MIXATTN_LIB_TARGET_DISPATCH_DISPATCH_H

#include "lib/Runtime/abi.h"

// The functions of the ABI of an entry's code for one kind of device.
struct mixattn_half {
  mixattn_entry call;
  mixattn_workspace_query workspace;
  mixattn_preparation prepare;
};

// One entry of a library. The compiler writes these
// (lib/Target/DispatchObjects).
struct mixattn_both {
  struct mixattn_half host, cuda;
  // The names of tensors in messages: "argument 'q'", arguments first.
  const char *const *titles;
  int32_t count;
};

// The functions of the ABI for `entry`: `mixattn_NAME`,
// `mixattn_workspace_NAME` and `mixattn_prepare_NAME`. The first two take the
// half that the tensors' device asks for, or fail with 1 + the number of a
// tensor that lies elsewhere; the last takes the CPU's where `device` is
// negative, else the GPUs'.
int32_t mixattn_dispatch_call(const struct mixattn_both *entry,
                              const DLTensor *const *tensors, int32_t count,
                              const mixattn_call *call);
int32_t mixattn_dispatch_workspace(const struct mixattn_both *entry,
                                   const DLTensor *const *tensors,
                                   int32_t count, uint64_t *bytes,
                                   const mixattn_call *call);
int32_t mixattn_dispatch_prepare(const struct mixattn_both *entry,
                                 int32_t device, const mixattn_call *call);

#endif // MIXATTN_LIB_TARGET_DISPATCH_DISPATCH_H
