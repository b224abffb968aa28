// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The entries of a library that holds code for several targets: the device of a
// call's tensors says which kind of them it takes, and of CPUs CPUID and the
// system.

#ifndef MIXATTN_LIB_TARGET_DISPATCH_DISPATCH_H
#define MIXATTN_LIB_TARGET_DISPATCH_DISPATCH_H

#include "lib/Runtime/abi.h"

// The functions of the ABI of an entry's code for one CPU, or for GPUs.
struct mixattn_code {
  mixattn_entry call;
  mixattn_workspace_query workspace;
  mixattn_preparation prepare;
};

// The answer of a CPU that has a feature: `(register & mask) >= least`, and
// that the system saves `state`, bits of XCR0.
struct mixattn_feature {
  // LLVM's name, for messages.
  const char *name;
  // EAX to EDX are 0 to 3.
  uint32_t leaf, subleaf, number, mask, least, state;
};

// An entry's code for one CPU, and what a machine must have that runs it.
struct mixattn_version {
  // LLVM's name, for messages.
  const char *cpu;
  struct mixattn_code code;
  const struct mixattn_feature *features;
  int64_t count;
};

// One entry of a library. The compiler writes these
// (lib/Target/DispatchObjects).
struct mixattn_targets {
  // One or several, those that are preferred first.
  const struct mixattn_version *versions;
  int64_t version_count;
  // NULL where there is none for GPUs.
  const struct mixattn_code *cuda;
  // The names of tensors in messages: "argument 'q'", arguments first.
  const char *const *titles;
  int64_t count;
  // 1 + the number of the version that this process takes; 0 before the first
  // call.
  int32_t *chosen;
};

// The functions of the ABI for `entry`: `mixattn_NAME`,
// `mixattn_workspace_NAME`, `mixattn_prepare_NAME` and `mixattn_version_NAME`.
// The first two take the code that the tensors' device asks for, or fail with
// 1 + the number of a tensor that lies elsewhere; the third takes a CPU's where
// `device` is negative, or there are no GPUs. Of several CPUs all take the
// first one whose code this machine and the system let the process run.
int32_t mixattn_dispatch_call(const struct mixattn_targets *entry,
                              const DLTensor *const *tensors, int32_t count,
                              const mixattn_call *call);
int32_t mixattn_dispatch_workspace(const struct mixattn_targets *entry,
                                   const DLTensor *const *tensors,
                                   int32_t count, uint64_t *bytes,
                                   const mixattn_call *call);
int32_t mixattn_dispatch_prepare(const struct mixattn_targets *entry,
                                 int32_t device, const mixattn_call *call);
int32_t mixattn_dispatch_version(const struct mixattn_targets *entry,
                                 const mixattn_call *call);

// The number of the version that calls on the host take, the same in all
// threads; or MIXATTN_ERROR_MACHINE, and why it is not the last one.
int32_t mixattn_choose_version(const struct mixattn_targets *entry,
                               const mixattn_call *call);

// Writes a sentence into the message of the caller, whose struct may be of an
// earlier version, or NULL.
__attribute__((format(printf, 2, 3))) void
mixattn_dispatch_say(const mixattn_call *given, const char *format, ...);

#endif // MIXATTN_LIB_TARGET_DISPATCH_DISPATCH_H
