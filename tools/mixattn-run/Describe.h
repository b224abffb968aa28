// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The manifest as a table for people.
#ifndef MIXATTN_TOOLS_MIXATTN_RUN_DESCRIBE_H
#define MIXATTN_TOOLS_MIXATTN_RUN_DESCRIBE_H

#include "lib/Runtime/Manifest.h"

namespace mixattn {

/// Lines for --describe; with a name, of that entry only. Where `dims` has all
/// dims that the memory of a call depends on, that is a number of bytes.
std::string describe(const Manifest &manifest, std::string_view entry,
                     const DimSizes &dims);

} // namespace mixattn

#endif // MIXATTN_TOOLS_MIXATTN_RUN_DESCRIBE_H
