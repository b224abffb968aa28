// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Reading of files into buffers, and writing that leaves nothing half-done.
#include "lib/Runtime/Files.h"
#include "lib/Runtime/TemporaryFiles.h"
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

using namespace mixattn;

namespace {
/// Closes a file descriptor when the scope ends.
struct Descriptor {
  int number;
  ~Descriptor() {
    if (number > STDERR_FILENO)
      close(number);
  }
};
} // namespace

static Error cannotRead(const std::string &path) {
  return makeError("cannot read '{}': {}", path, strerror(errno));
}

static Error cannotWrite(const std::string &path) {
  return makeError("cannot write '{}': {}", path, strerror(errno));
}

/// Fills the buffer from the descriptor; the number of bytes, or -1.
static ssize_t readUpTo(int descriptor, char *data, size_t size) {
  size_t done = 0;
  while (done < size) {
    ssize_t got = read(descriptor, data + done, size - done);
    if (got < 0 && errno == EINTR)
      continue;
    if (got < 0)
      return -1;
    if (got == 0)
      break;
    done += static_cast<size_t>(got);
  }
  return static_cast<ssize_t>(done);
}

/// Reads what has no size: a pipe, a terminal, a file of /proc.
static Result<Buffer> readStream(int descriptor, const std::string &path) {
  std::string content;
  char piece[1 << 16];
  for (;;) {
    ssize_t got = readUpTo(descriptor, piece, sizeof(piece));
    if (got < 0)
      return cannotRead(path);
    if (got == 0)
      break;
    content.append(piece, static_cast<size_t>(got));
  }
  Result<Buffer> buffer = Buffer::allocate(content.size());
  if (buffer)
    memcpy(buffer->data(), content.data(), content.size());
  return buffer;
}

Result<Buffer> mixattn::readFile(const std::string &path) {
  if (path == "-")
    return readStream(STDIN_FILENO, path);
  Descriptor file{open(path.c_str(), O_RDONLY | O_CLOEXEC)};
  struct stat status;
  if (file.number < 0 || fstat(file.number, &status) != 0)
    return cannotRead(path);
  if (!S_ISREG(status.st_mode) || status.st_size == 0)
    return readStream(file.number, path);
  Result<Buffer> buffer = Buffer::allocate(static_cast<size_t>(status.st_size));
  if (!buffer)
    return inPlace(path, buffer.error());
  ssize_t got = readUpTo(file.number, buffer->data(), buffer->size());
  if (got < 0)
    return cannotRead(path);
  buffer->shrink(static_cast<size_t>(got));
  return buffer;
}

Result<Buffer> mixattn::mapFile(const std::string &path) {
  if (path == "-")
    return readFile(path);
  Descriptor file{open(path.c_str(), O_RDONLY | O_CLOEXEC)};
  struct stat status;
  if (file.number < 0 || fstat(file.number, &status) != 0)
    return cannotRead(path);
  size_t bytes = static_cast<size_t>(status.st_size);
  if (!S_ISREG(status.st_mode) || bytes == 0)
    return readStream(file.number, path);
  void *pages = mmap(nullptr, bytes, PROT_READ, MAP_PRIVATE, file.number, 0);
  if (pages == MAP_FAILED)
    return cannotRead(path);
  return Buffer::ofPages(pages, bytes);
}

static bool writePiece(int descriptor, std::string_view content) {
  while (!content.empty()) {
    ssize_t put = write(descriptor, content.data(), content.size());
    if (put < 0 && errno == EINTR)
      continue;
    if (put < 0)
      return false;
    content.remove_prefix(static_cast<size_t>(put));
  }
  return true;
}

static bool writeAll(int descriptor, const ByteSource &content) {
  return content([descriptor](std::string_view piece) {
    return writePiece(descriptor, piece);
  });
}

bool mixattn::isOrdinaryFile(const std::string &path) {
  struct stat status;
  return path != "-" &&
         (stat(path.c_str(), &status) != 0 || S_ISREG(status.st_mode));
}

/// Follows the links of `path`, so that a rename does not replace a link.
static std::string resolve(const std::string &path) {
  char *target = realpath(path.c_str(), nullptr);
  std::string resolved = target ? target : path;
  free(target);
  return resolved;
}

OutputFiles::~OutputFiles() {
  for (const File &file : files)
    if (!file.temporary.empty()) {
      unlink(file.temporary.c_str());
      keepOnInterrupt(file.temporary);
    }
}

void OutputFiles::keep(const std::string &path) {
  struct stat status;
  if (path != "-" && stat(path.c_str(), &status) == 0)
    kept.push_back({path, status.st_dev, status.st_ino});
}

/// An error where `path` leads to a file that is to be kept.
Status OutputFiles::checkKept(const std::string &path) const {
  struct stat status;
  if (stat(path.c_str(), &status) != 0)
    return Success();
  for (const Kept &file : kept)
    if (file.device == status.st_dev && file.inode == status.st_ino)
      return makeError(
          "expected an output other than '{}', but got '{}', which is "
          "the same file",
          file.path, path);
  return Success();
}

SizedBytes SizedBytes::of(std::string content) {
  uint64_t size = content.size();
  return {size, [content = std::move(content)](const ByteSink &sink) {
            return sink(content);
          }};
}

Status OutputFiles::add(const std::string &path, std::string content,
                        bool isExecutable) {
  return add(path, SizedBytes::of(std::move(content)).bytes, isExecutable);
}

Status OutputFiles::add(const std::string &path, ByteSource content,
                        bool isExecutable) {
  if (!isOrdinaryFile(path)) {
    files.push_back({path, "", "", std::move(content)});
    return Success();
  }
  if (Status other = checkKept(path); !other)
    return other;
  std::string target = resolve(path);
  std::string temporary = target + "." + std::to_string(getpid()) + ".tmp";
  removeOnInterrupt(temporary);
  Descriptor out{open(temporary.c_str(),
                      O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC,
                      isExecutable ? 0777 : 0666)};
  if (out.number < 0) {
    Error error = cannotWrite(path);
    keepOnInterrupt(temporary);
    return error;
  }
  files.push_back({path, target, temporary, nullptr});
  if (!writeAll(out.number, content))
    return cannotWrite(path);
  return Success();
}

/// Writes to what has no other place: standard output, a device, a pipe.
static Status writeSpecial(const std::string &path, const ByteSource &content) {
  bool standard = path == "-";
  if (standard)
    fflush(stdout);
  Descriptor out{standard ? STDOUT_FILENO
                          : open(path.c_str(), O_WRONLY | O_CLOEXEC)};
  if (out.number < 0 || !writeAll(out.number, content))
    return cannotWrite(path);
  return Success();
}

Status OutputFiles::commit() {
  // First what may still fail.
  for (const File &file : files)
    if (file.temporary.empty())
      if (Status written = writeSpecial(file.path, file.content); !written)
        return written;
  for (File &file : files) {
    if (file.temporary.empty())
      continue;
    if (rename(file.temporary.c_str(), file.target.c_str()) != 0)
      return cannotWrite(file.path);
    keepOnInterrupt(file.temporary);
    file.temporary.clear();
  }
  files.clear();
  return Success();
}
