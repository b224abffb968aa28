// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Memory directly next to an inaccessible page.
#ifndef MIXATTN_LIB_RUNTIME_GUARD_H
#define MIXATTN_LIB_RUNTIME_GUARD_H

#include "lib/Runtime/Result.h"
#include <csignal>
#include <cstddef>

namespace mixattn {

/// Which end of the memory touches the inaccessible page.
enum class Flush { AtEnd, AtStart };

/// Bytes between two inaccessible pages, flush against one of them. Movable
/// only.
class GuardedMemory {
public:
  static Result<GuardedMemory> allocate(size_t bytes, Flush flush);
  GuardedMemory(GuardedMemory &&other) noexcept;
  GuardedMemory &operator=(GuardedMemory &&) = delete;
  ~GuardedMemory();

  char *data() { return start; }
  /// From now on a write ends the process.
  void makeReadOnly();

private:
  GuardedMemory() = default;

  char *mapping = nullptr;
  size_t mappingBytes = 0;
  char *start = nullptr;
};

/// Turns a touch of an inaccessible page, while it is in scope, into a message
/// on standard error and the end of the process, with exit code 1. One at a
/// time.
class AccessHandler {
public:
  explicit AccessHandler(const std::string &message);
  AccessHandler(const AccessHandler &) = delete;
  AccessHandler &operator=(const AccessHandler &) = delete;
  ~AccessHandler();

private:
  struct sigaction oldSegv, oldBus;
};

} // namespace mixattn

#endif // MIXATTN_LIB_RUNTIME_GUARD_H
