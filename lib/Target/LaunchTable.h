// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The host's part of a GPU artifact: the launcher, and the table that drives
// it.
#ifndef MIXATTN_LIB_TARGET_LAUNCHTABLE_H
#define MIXATTN_LIB_TARGET_LAUNCHTABLE_H

#include "lib/Target/GpuImages.h"

#include <string>
#include <vector>

namespace mixattn {
struct Manifest;

/// The objects of a library for any 64-bit x86 CPU that launches the kernels of
/// `images` as `manifest`, whose text is `manifestText`, says: the launcher
/// (lib/Target/launcher) and its table, with the functions that a library
/// exports for each entry NAME: `mixattn_NAME`, `mixattn_workspace_NAME` and
/// `mixattn_prepare_NAME`. With a `prefix`, which goes before these names, they
/// are for a library that has other functions in front of them, and the
/// manifest. The bytes depend on the arguments only.
Result<std::vector<std::string>>
makeLaunchObjects(const Manifest &manifest, llvm::StringRef manifestText,
                  llvm::ArrayRef<GpuImage> images, llvm::StringRef prefix = "");

} // namespace mixattn

#endif // MIXATTN_LIB_TARGET_LAUNCHTABLE_H
