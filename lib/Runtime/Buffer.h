// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Owned, aligned, fallible memory, memory of others, or pages of a file.
#ifndef MIXATTN_LIB_RUNTIME_BUFFER_H
#define MIXATTN_LIB_RUNTIME_BUFFER_H

#include "lib/Runtime/Result.h"
#include <cassert>
#include <cstddef>
#include <memory>

namespace mixattn {

/// Bytes aligned to 64, unless they are borrowed. Movable only.
class Buffer {
public:
  Buffer() = default;
  /// Memory with undefined content. More than the machine's memory is an
  /// error rather than a process killed later.
  static Result<Buffer> allocate(size_t bytes);

  /// Memory of another's, which is not written and outlives the buffer.
  static Buffer borrow(std::string_view bytes);
  /// Pages of a file that `mmap` gave, which are not written.
  static Buffer ofPages(void *pages, size_t bytes);

  char *data() {
    assert(memory.get_deleter().kind == Kind::Owned && "bytes are read only");
    return memory.get();
  }
  const char *data() const { return memory.get(); }
  size_t size() const { return bytes; }
  /// Forgets the bytes from `size` on.
  void shrink(size_t size) { bytes = size < bytes ? size : bytes; }
  std::string_view view() const { return {memory.get(), bytes}; }

private:
  enum class Kind { Owned, Borrowed, Pages };
  struct Free {
    Free() : Free(Kind::Owned, 0) {}
    Free(Kind kind, size_t bytes) : kind(kind), bytes(bytes) {}
    Kind kind;
    /// Bytes of pages.
    size_t bytes;
    void operator()(char *pointer) const;
  };
  std::unique_ptr<char, Free> memory;
  size_t bytes = 0;
};

} // namespace mixattn

#endif // MIXATTN_LIB_RUNTIME_BUFFER_H
