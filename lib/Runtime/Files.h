// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Whole files in and out; `-` is standard input or output.
#ifndef MIXATTN_LIB_RUNTIME_FILES_H
#define MIXATTN_LIB_RUNTIME_FILES_H

#include "lib/Runtime/Buffer.h"
#include <cstdint>
#include <functional>
#include <string>
#include <sys/types.h>
#include <vector>

namespace mixattn {

/// The bytes of a file. Errors name the path.
Result<Buffer> readFile(const std::string &path);

/// The same without a copy where it is an ordinary file: its pages are read as
/// they are looked at, and shared with others who read them. Who cuts the file
/// in the meantime ends the process.
Result<Buffer> mapFile(const std::string &path);

/// Whether `path` is, or will be, an ordinary file: not standard output, a
/// device or a pipe, which have no neighbours.
bool isOrdinaryFile(const std::string &path);

/// Takes the next bytes of a file; false where it cannot.
using ByteSink = std::function<bool(std::string_view)>;
/// Gives all bytes of a file, one piece after the other, and stops with false
/// where one is not taken: no file of weights is in memory as a whole.
using ByteSource = std::function<bool(const ByteSink &)>;

/// The bytes of a file, and how many they are.
struct SizedBytes {
  uint64_t size;
  ByteSource bytes;

  /// Those of a text.
  static SizedBytes of(std::string content);
};

/// Files to be written together: `add` writes next to the final place, which is
/// where a link leads, and `commit` renames. Where anything before the first
/// rename fails, all places keep what they had. Files that are not committed
/// are removed, also when the process is interrupted. Places that are no
/// ordinary file are written by `commit`, first.
class OutputFiles {
public:
  OutputFiles() = default;
  OutputFiles(const OutputFiles &) = delete;
  OutputFiles &operator=(const OutputFiles &) = delete;
  ~OutputFiles();

  /// Lets no output take the place of the file that `path` leads to.
  void keep(const std::string &path);
  /// Prepares a file of that content, which may be executed if asked for.
  /// Errors name the path.
  Status add(const std::string &path, std::string content,
             bool isExecutable = false);
  /// The same of the bytes that `content` gives, now or in `commit`.
  Status add(const std::string &path, ByteSource content,
             bool isExecutable = false);
  /// Puts everything added in its place.
  Status commit();

private:
  struct File {
    std::string path;
    /// Where `path` leads, and where the content lies until `commit`. Empty:
    /// the content is in `content`.
    std::string target, temporary;
    ByteSource content;
  };
  /// A file that is no output.
  struct Kept {
    std::string path;
    dev_t device;
    ino_t inode;
  };
  Status checkKept(const std::string &path) const;

  std::vector<File> files;
  std::vector<Kept> kept;
};

} // namespace mixattn

#endif // MIXATTN_LIB_RUNTIME_FILES_H
