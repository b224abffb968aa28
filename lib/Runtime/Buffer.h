// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Owned, aligned, fallible memory.
#ifndef MIXATTN_LIB_RUNTIME_BUFFER_H
#define MIXATTN_LIB_RUNTIME_BUFFER_H

#include "lib/Runtime/Result.h"
#include <cstddef>
#include <cstdlib>
#include <memory>

namespace mixattn {

/// Bytes aligned to 64. Movable only.
class Buffer {
public:
  Buffer() = default;
  /// Memory with undefined content. More than the machine's memory is an
  /// error rather than a process killed later.
  static Result<Buffer> allocate(size_t bytes);

  char *data() { return memory.get(); }
  const char *data() const { return memory.get(); }
  size_t size() const { return bytes; }
  /// Forgets the bytes from `size` on.
  void shrink(size_t size) { bytes = size < bytes ? size : bytes; }
  std::string_view view() const { return {memory.get(), bytes}; }

private:
  struct Free {
    void operator()(char *pointer) const { std::free(pointer); }
  };
  std::unique_ptr<char, Free> memory;
  size_t bytes = 0;
};

} // namespace mixattn

#endif // MIXATTN_LIB_RUNTIME_BUFFER_H
