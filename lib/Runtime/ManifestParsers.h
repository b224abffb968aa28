// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Parts of the manifest's parser that have files of their own.
#ifndef MIXATTN_LIB_RUNTIME_MANIFESTPARSERS_H
#define MIXATTN_LIB_RUNTIME_MANIFESTPARSERS_H

#include "lib/Runtime/Json.h"
#include "lib/Runtime/Manifest.h"

namespace mixattn {

/// Reads a score_mod over the entry's arguments.
Expression parseExpression(const JsonView &json, const Entry &entry);

/// Reads the attention object of an entry whose arguments and results are
/// known, and checks names, element types, ranks and head counts.
Attention parseAttention(const JsonView &json, const Entry &entry);

} // namespace mixattn

#endif // MIXATTN_LIB_RUNTIME_MANIFESTPARSERS_H
