// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A library's entries under TVM FFI's C calling convention.
//
// Libraries of kernels are loaded by it from NumPy, PyTorch, JAX and others
// (https://tvm.apache.org/ffi, "Stable C ABI"; tvm/ffi/c_api.h 0.1). A library
// does not link that project's: it asks for its functions as weak symbols.

#ifndef MIXATTN_LIB_TARGET_FFI_FFI_H
#define MIXATTN_LIB_TARGET_FFI_FFI_H

#include "lib/Runtime/abi.h"

// One entry of an artifact. The compiler writes these (lib/Target/FfiObjects).
struct mixattn_ffi_entry {
  mixattn_entry call;
  // NULL where the artifact has none.
  mixattn_workspace_query workspace;
  // Those of arguments, then those of results.
  const char *const *names;
  int32_t count;
};

// TVMFFIAny: a value of any type.
struct mixattn_ffi_any {
  int32_t type;
  uint32_t padding;
  union {
    int64_t number;
    void *pointer;
  } value;
};

// Calls `entry` with `count` values, each a tensor, results included; the
// stream is the caller's current one, the workspace comes from the caller's
// allocator where it has set one. Returns 0, or -1 with an error raised: a
// TypeError, ValueError, MemoryError or RuntimeError of one sentence.
int32_t mixattn_ffi_call(const struct mixattn_ffi_entry *entry,
                         const struct mixattn_ffi_any *values, int32_t count);

#endif // MIXATTN_LIB_TARGET_FFI_FFI_H
