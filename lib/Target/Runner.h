// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A compiled runner: mixattn-run with an artifact inside.
#ifndef MIXATTN_LIB_TARGET_RUNNER_H
#define MIXATTN_LIB_TARGET_RUNNER_H

#include "lib/Runtime/Files.h"

#include <string>

namespace mixattn {

/// Appends the shared library `library` to the program `runner`, and after it
/// the 16 bytes by which the program finds it: the size of `library` as a
/// little-endian uint64, and "MIXATTN1". Returns the new program's bytes.
Result<SizedBytes> makeRunner(const std::string &runner, SizedBytes library);

/// The path of the program `mixattn-run` in the folder of the running one.
std::string findRunner();

} // namespace mixattn

#endif // MIXATTN_LIB_TARGET_RUNNER_H
