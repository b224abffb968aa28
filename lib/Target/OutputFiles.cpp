// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Output files that appear whole and together, or not at all.
#include "lib/Target/OutputFiles.h"

#include "llvm/ADT/ScopeExit.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/raw_ostream.h"

using namespace mixattn;
namespace fs = llvm::sys::fs;

bool mixattn::isOrdinaryFile(const std::string &path) {
  fs::file_status status;
  return path != "-" && (fs::status(path, status) || fs::is_regular_file(path));
}

static Error cannotWrite(const std::string &path, const std::string &reason) {
  return makeError("cannot write '{}': {}", path, reason);
}

/// Writes `content` to an open file and closes it if `closes`.
static std::error_code writeAll(int descriptor, const std::string &content,
                                bool closes) {
  llvm::raw_fd_ostream stream(descriptor, closes);
  stream << content;
  if (closes)
    stream.close();
  else
    stream.flush();
  std::error_code error = stream.error();
  stream.clear_error();
  return error;
}

/// Writes to what is no ordinary file, for instance a pipe: at once.
static Status writeStream(const OutputFile &file) {
  std::error_code error;
  int descriptor = 1;
  if (file.path != "-")
    error = fs::openFileForWrite(file.path, descriptor);
  if (!error)
    error = writeAll(descriptor, file.content, /*closes=*/file.path != "-");
  if (error)
    return cannotWrite(file.path, error.message());
  return Success{};
}

/// Writes to a new temporary file beside `file.path`.
static Result<fs::TempFile> writeBeside(const OutputFile &file) {
  unsigned mode = fs::all_read | fs::all_write;
  if (file.isExecutable)
    mode |= fs::all_exe;
  auto temporary = fs::TempFile::create(file.path + ".%%%%%%", mode);
  if (!temporary)
    return cannotWrite(file.path,
                       llvm::errorToErrorCode(temporary.takeError()).message());
  if (std::error_code error =
          writeAll(temporary->FD, file.content, /*closes=*/false)) {
    llvm::consumeError(temporary->discard());
    return cannotWrite(file.path, error.message());
  }
  return std::move(*temporary);
}

/// Follows the links of `path`, so that a rename does not replace a link.
static std::string resolve(const std::string &path) {
  llvm::SmallString<128> real;
  return fs::real_path(path, real) ? path : real.str().str();
}

Status mixattn::writeFiles(const std::vector<OutputFile> &files) {
  std::vector<std::pair<const OutputFile *, fs::TempFile>> written;
  llvm::scope_exit discard([&] {
    for (auto &[file, temporary] : written)
      llvm::consumeError(temporary.discard());
  });
  for (const OutputFile &file : files) {
    if (!isOrdinaryFile(file.path)) {
      if (Status done = writeStream(file); !done)
        return done;
      continue;
    }
    auto temporary = writeBeside(file);
    if (!temporary)
      return temporary.error();
    written.emplace_back(&file, std::move(*temporary));
  }
  for (auto &[file, temporary] : written)
    if (llvm::Error error = temporary.keep(resolve(file->path)))
      return cannotWrite(file->path,
                         llvm::errorToErrorCode(std::move(error)).message());
  return Success{};
}
