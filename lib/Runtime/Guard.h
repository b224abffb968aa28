// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Memory directly next to an inaccessible page.
#ifndef MIXATTN_LIB_RUNTIME_GUARD_H
#define MIXATTN_LIB_RUNTIME_GUARD_H

#include "lib/Runtime/Result.h"
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

} // namespace mixattn

#endif // MIXATTN_LIB_RUNTIME_GUARD_H
