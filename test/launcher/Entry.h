/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The functions of an entry over a table `library`, for artifacts by hand. */
#ifndef MIXATTN_TEST_LAUNCHER_ENTRY_H
#define MIXATTN_TEST_LAUNCHER_ENTRY_H

#include "lib/Target/launcher/table.h"

#define COUNT(array) ((int64_t)(sizeof(array) / sizeof *(array)))

#define ENTRY(name, number)                                                    \
  int32_t mixattn_##name(const DLTensor *const *tensors, int32_t count,        \
                         const mixattn_call *call) {                           \
    return mixattn_launcher_call(&library, number, tensors, count, call);      \
  }                                                                            \
  int32_t mixattn_workspace_##name(const DLTensor *const *tensors,             \
                                   int32_t count, uint64_t *bytes,             \
                                   const mixattn_call *call) {                 \
    return mixattn_launcher_workspace(&library, number, tensors, count, bytes, \
                                      call);                                   \
  }                                                                            \
  int32_t mixattn_prepare_##name(int32_t device, const mixattn_call *call) {   \
    return mixattn_launcher_prepare(&library, device, call);                   \
  }

#endif /* MIXATTN_TEST_LAUNCHER_ENTRY_H */
