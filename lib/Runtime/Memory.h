// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Memory of whatever an artifact's code runs on.
#ifndef MIXATTN_LIB_RUNTIME_MEMORY_H
#define MIXATTN_LIB_RUNTIME_MEMORY_H

#include "lib/Runtime/Result.h"
#include <cstddef>

namespace mixattn {

/// Bytes that a call is given, on the device that it runs on.
class Memory {
public:
  virtual ~Memory() = default;
  Memory(const Memory &) = delete;
  Memory &operator=(const Memory &) = delete;

  /// Where the device has them, and how many.
  void *address() const { return start; }
  size_t bytes() const { return count; }

  /// Sets every byte to `value`.
  virtual Status fill(unsigned char value) = 0;
  /// Copies all bytes from the host's memory, or to it.
  virtual Status write(const char *from) = 0;
  virtual Status read(char *to) const = 0;

  /// Of guarded memory: calls must not write to it from now on.
  virtual Status protect() { return Success(); }
  /// Of guarded memory: an error if calls have written next to it, or to it
  /// since it is protected, and the process has lived to tell.
  virtual Status checkGuard() const { return Success(); }

protected:
  Memory() = default;

  void *start = nullptr;
  size_t count = 0;
};

} // namespace mixattn

#endif // MIXATTN_LIB_RUNTIME_MEMORY_H
