// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The manifest of code for several CPUs or GPUs, or for CPUs and GPUs.
#ifndef MIXATTN_LIB_TARGET_MERGEMANIFESTS_H
#define MIXATTN_LIB_TARGET_MERGEMANIFESTS_H

#include "llvm/ADT/ArrayRef.h"

#include <string>

namespace mixattn {

/// The manifest of an artifact with code for several GPUs. `texts` are those of
/// one module compiled for each; they differ in targets, launches and
/// workspaces only. Every launch says which GPU it is for. A workspace is large
/// enough on all of them: before a call nobody has said which it will be. One
/// text alone stays as it is.
std::string mergeManifests(llvm::ArrayRef<std::string> texts);

/// The manifest of an artifact with code for several CPUs. `texts` are those of
/// one module compiled for each, those that are preferred first; they differ in
/// targets and memory only. Workspaces and packed parameters are large enough
/// on all of them. One text alone stays as it is.
std::string mergeVersions(llvm::ArrayRef<std::string> texts);

/// The manifest of an artifact with code for CPUs, whose manifest is `host`,
/// and for GPUs, whose is `gpus`, made from one module: the first with what the
/// second says otherwise.
std::string joinManifests(const std::string &host, const std::string &gpus);

} // namespace mixattn

#endif // MIXATTN_LIB_TARGET_MERGEMANIFESTS_H
