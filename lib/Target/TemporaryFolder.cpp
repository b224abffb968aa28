// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A folder for files that other programs read and write.
#include "lib/Target/TemporaryFolder.h"

#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Signals.h"
#include "llvm/Support/raw_ostream.h"

#include <fcntl.h>
#include <unistd.h>

using namespace mixattn;
using llvm::StringRef;

static Error cannotUse(std::error_code error) {
  return makeError("cannot use a temporary folder: {}", error.message());
}

TemporaryFolder::~TemporaryFolder() {
  for (const std::string &file : files) {
    llvm::sys::fs::remove(file);
    llvm::sys::DontRemoveFileOnSignal(file);
  }
  if (!path.empty())
    llvm::sys::fs::remove(path);
}

Status TemporaryFolder::create() {
  if (std::error_code error =
          llvm::sys::fs::createUniqueDirectory("mixattn", path))
    return cannotUse(error);
  return Success{};
}

Status TemporaryFolder::reserve(uint64_t bytes) {
  std::string file = add("room");
  int room;
  std::error_code error = llvm::sys::fs::openFileForWrite(file, room);
  if (!error) {
    int code = posix_fallocate(room, 0, static_cast<off_t>(bytes));
    error = std::error_code(code, std::generic_category());
    close(room);
  }
  llvm::sys::fs::remove(file);
  if (error)
    return cannotUse(error);
  return Success{};
}

std::string TemporaryFolder::add(StringRef name) {
  llvm::SmallString<128> file(path);
  llvm::sys::path::append(file, name);
  files.push_back(file.str().str());
  llvm::sys::RemoveFileOnSignal(file);
  return files.back();
}

Result<std::string> TemporaryFolder::add(StringRef name, StringRef content) {
  std::string file = add(name);
  std::error_code error;
  llvm::raw_fd_ostream stream(file, error);
  if (!error) {
    stream << content;
    stream.close();
    error = stream.error();
    stream.clear_error();
  }
  if (error)
    return cannotUse(error);
  return file;
}

Result<std::string> TemporaryFolder::read(const std::string &path) {
  auto bytes = llvm::MemoryBuffer::getFile(path, /*IsText=*/false,
                                           /*RequiresNullTerminator=*/false);
  if (!bytes)
    return cannotUse(bytes.getError());
  return (*bytes)->getBuffer().str();
}
