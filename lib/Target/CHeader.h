// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The C header of an artifact: one typed function per entry.
#ifndef MIXATTN_LIB_TARGET_CHEADER_H
#define MIXATTN_LIB_TARGET_CHEADER_H

#include <string>

namespace mixattn {
struct Manifest;

/// Writes a header, C11 and C++17, that declares the entries of `manifest` and
/// for each entry NAME defines `attn_NAME`: it takes the named dims, one typed
/// pointer per argument and result to a dense row-major tensor, and a
/// mixattn_call, and calls the entry. The text depends on `manifest` only.
std::string makeCHeader(const Manifest &manifest);

} // namespace mixattn

#endif // MIXATTN_LIB_TARGET_CHEADER_H
