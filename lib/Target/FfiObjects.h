// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The entries of a library under TVM FFI's calling convention.
#ifndef MIXATTN_LIB_TARGET_FFIOBJECTS_H
#define MIXATTN_LIB_TARGET_FFIOBJECTS_H

#include <string>
#include <vector>

namespace mixattn {
struct Manifest;

/// The objects that give a library of the entries of `manifest` a function
/// `__tvm_ffi_NAME` for each `mixattn_NAME`: what lib/Target/ffi is compiled
/// to, and a module with the functions, for any 64-bit x86 CPU.
std::vector<std::string> makeFfiObjects(const Manifest &manifest);

} // namespace mixattn

#endif // MIXATTN_LIB_TARGET_FFIOBJECTS_H
