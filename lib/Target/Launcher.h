// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The launcher that GPU artifacts hold, as an object.
#ifndef MIXATTN_LIB_TARGET_LAUNCHER_H
#define MIXATTN_LIB_TARGET_LAUNCHER_H

#include "llvm/ADT/StringRef.h"

namespace mixattn {

/// The ELF object of lib/Target/launcher for any 64-bit x86 CPU, which was
/// compiled when mixattn was.
llvm::StringRef getLauncherObject();

} // namespace mixattn

#endif // MIXATTN_LIB_TARGET_LAUNCHER_H
