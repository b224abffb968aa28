// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Output files that appear whole and together, or not at all.
#ifndef MIXATTN_LIB_TARGET_OUTPUTFILES_H
#define MIXATTN_LIB_TARGET_OUTPUTFILES_H

#include "lib/Runtime/Result.h"

#include <string>
#include <vector>

namespace mixattn {

/// One file to write.
struct OutputFile {
  /// Where to; "-" is the standard output.
  std::string path;
  std::string content;
  /// Whether it may be executed, as shared libraries and programs are.
  bool isExecutable = false;
};

/// Whether `path` is, or will be, an ordinary file: not the standard output,
/// a device or a pipe, which have no neighbours.
bool isOrdinaryFile(const std::string &path);

/// Writes `files`: each into a temporary file in its own folder, and when all
/// are there, each to its name. On an error all names keep what they had.
Status writeFiles(const std::vector<OutputFile> &files);

} // namespace mixattn

#endif // MIXATTN_LIB_TARGET_OUTPUTFILES_H
