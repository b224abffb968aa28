// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The entries of a library that holds code for several targets.
#ifndef MIXATTN_LIB_TARGET_DISPATCHOBJECTS_H
#define MIXATTN_LIB_TARGET_DISPATCHOBJECTS_H

#include "llvm/ADT/StringRef.h"

#include <string>
#include <vector>

namespace mixattn {
struct Manifest;

/// The prefixes of the names of functions of the code for a CPU, the one of
/// that number of several, and of that for GPUs, in a library that holds code
/// for several targets: these are hidden.
std::string hostPrefix(size_t number);
inline constexpr llvm::StringLiteral cudaPrefix = "cuda.";

/// The objects that give a library with code for CPUs, and for GPUs or none,
/// the functions of the ABI, for each entry of `manifest`, whose text is
/// `manifestText` and goes into the library: what lib/Target/dispatch is
/// compiled to, and a module with the functions, for any 64-bit x86 CPU.
/// Features of several CPUs are known (`answersWith`).
std::vector<std::string> makeDispatchObjects(const Manifest &manifest,
                                             llvm::StringRef manifestText);

} // namespace mixattn

#endif // MIXATTN_LIB_TARGET_DISPATCHOBJECTS_H
