// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The symbols that objects need: those of libc, libm and OpenMP, no more.
#ifndef MIXATTN_LIB_TARGET_IMPORTS_H
#define MIXATTN_LIB_TARGET_IMPORTS_H

#include "lib/Runtime/Result.h"
#include "lib/Runtime/Sanitizer.h"

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"

#include <string>
#include <vector>

namespace mixattn {

/// Whether libc, libm or OpenMP has a function of that name which code may
/// call: code has none of its own of that name.
bool isImported(llvm::StringRef name);

/// Names that the ELF objects `objects` use and none of them has, in order.
/// Symbols that are used weakly need not be there.
std::vector<std::string>
listUndefinedSymbols(llvm::ArrayRef<std::string> objects);

/// Lists the shared libraries, by soname, that hold the undefined symbols of
/// the ELF objects `objects`, the parts of what `emitCode` made: always libc,
/// libm and OpenMP when asked for. A symbol of no such library is an error, for
/// the artifact could not be loaded; the runtime of `sanitizer`, which they
/// were instrumented with, is the process's.
Result<std::vector<std::string>>
findNeededLibraries(llvm::ArrayRef<std::string> objects, Sanitizer sanitizer);

} // namespace mixattn

#endif // MIXATTN_LIB_TARGET_IMPORTS_H
