// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Whole files in and out; `-` is standard input or output.
#ifndef MIXATTN_LIB_RUNTIME_FILES_H
#define MIXATTN_LIB_RUNTIME_FILES_H

#include "lib/Runtime/Buffer.h"
#include <string>
#include <vector>

namespace mixattn {

/// The bytes of a file. Errors name the path.
Result<Buffer> readFile(const std::string &path);

/// Files to be written all together or not at all: `add` writes beside the
/// final place, `commit` renames. What is not committed is removed. Devices,
/// pipes and `-` have no other place and are written by `commit`.
class OutputFiles {
public:
  OutputFiles() = default;
  OutputFiles(const OutputFiles &) = delete;
  OutputFiles &operator=(const OutputFiles &) = delete;
  ~OutputFiles();

  /// Prepares a file of that content. Errors name the path.
  Status add(const std::string &path, std::string content);
  /// Puts everything added in its place.
  Status commit();

private:
  struct File {
    std::string path;
    /// Where the content lies until `commit`; empty: in `content`.
    std::string temporary;
    std::string content;
  };
  std::vector<File> files;
};

} // namespace mixattn

#endif // MIXATTN_LIB_RUNTIME_FILES_H
