// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// From an object to a shared library, with lld in this process.
#ifndef MIXATTN_LIB_TARGET_SHAREDLIBRARY_H
#define MIXATTN_LIB_TARGET_SHAREDLIBRARY_H

#include "lib/Runtime/Result.h"
#include "lib/Runtime/Sanitizer.h"

#include "llvm/ADT/StringRef.h"

#include <string>

namespace mixattn {

/// Links the ELF object `object` into a shared library and returns its bytes.
/// Exported are the symbols `mixattn_*`; needed are libc, and libm and OpenMP
/// when the object calls them; the runtime of `sanitizer`, which it was
/// instrumented with, is not. No compiler driver, library or other file of this
/// machine is read, so the bytes depend on the object only.
Result<std::string> linkSharedLibrary(llvm::StringRef object,
                                      Sanitizer sanitizer);

} // namespace mixattn

#endif // MIXATTN_LIB_TARGET_SHAREDLIBRARY_H
