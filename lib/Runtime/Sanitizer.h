// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The sanitizers that watch the memory accesses of compiled code.
#ifndef MIXATTN_LIB_RUNTIME_SANITIZER_H
#define MIXATTN_LIB_RUNTIME_SANITIZER_H

#include "lib/Runtime/Result.h"
#include <optional>

namespace mixattn {

/// A tool that finds accesses outside of memory, or races.
enum class Sanitizer { None, Address, Thread };

/// The name of a sanitizer: `none`, `address` or `thread`.
std::string_view nameOf(Sanitizer sanitizer);
/// The sanitizer of that name.
std::optional<Sanitizer> sanitizerNamed(std::string_view name);

/// An error that says how to start a program, if this process lacks what code
/// with that sanitizer calls.
Status checkSanitizer(Sanitizer sanitizer);

} // namespace mixattn

#endif // MIXATTN_LIB_RUNTIME_SANITIZER_H
