// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A folder for files that other programs read and write.
#ifndef MIXATTN_LIB_TARGET_TEMPORARYFOLDER_H
#define MIXATTN_LIB_TARGET_TEMPORARYFOLDER_H

#include "lib/Runtime/Result.h"

#include "llvm/ADT/SmallString.h"
#include "llvm/ADT/StringRef.h"

#include <cstdint>
#include <string>
#include <vector>

namespace mixattn {

/// A folder whose files go when this object goes, or when the process is
/// interrupted.
class TemporaryFolder {
public:
  TemporaryFolder() = default;
  TemporaryFolder(const TemporaryFolder &) = delete;
  TemporaryFolder &operator=(const TemporaryFolder &) = delete;
  ~TemporaryFolder();

  Status create();

  /// Fails where the folder has no room for so many bytes: programs that map
  /// their outputs into memory crash there.
  Status reserve(uint64_t bytes);

  /// The path of the file `name` in this folder, which may not exist yet.
  std::string add(llvm::StringRef name);

  /// Writes a file `name` into this folder and returns its path.
  Result<std::string> add(llvm::StringRef name, llvm::StringRef content);

  /// The bytes of the file at `path`, which lies in this folder.
  static Result<std::string> read(const std::string &path);

private:
  llvm::SmallString<128> path;
  std::vector<std::string> files;
};

} // namespace mixattn

#endif // MIXATTN_LIB_TARGET_TEMPORARYFOLDER_H
