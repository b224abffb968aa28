// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// From objects to a shared library, with lld in this process.
#ifndef MIXATTN_LIB_TARGET_SHAREDLIBRARY_H
#define MIXATTN_LIB_TARGET_SHAREDLIBRARY_H

#include "lib/Runtime/Result.h"
#include "lib/Runtime/Sanitizer.h"

#include "llvm/ADT/ArrayRef.h"

#include <string>

namespace mixattn {

/// Links the ELF objects `objects` into a shared library and returns its bytes.
/// Exported are the symbols `mixattn_*` and `__tvm_ffi_*`; needed are libc, and
/// libm and OpenMP when the objects call them; the runtime of `sanitizer`,
/// which they were instrumented with, is not. No compiler driver, library or
/// other file of this machine is read, so the bytes depend on the objects only.
Result<std::string> linkSharedLibrary(llvm::ArrayRef<std::string> objects,
                                      Sanitizer sanitizer);

} // namespace mixattn

#endif // MIXATTN_LIB_TARGET_SHAREDLIBRARY_H
