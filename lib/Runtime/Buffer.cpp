// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Allocation that fails with a sentence.
#include "lib/Runtime/Buffer.h"
#include <cstdlib>
#include <sys/mman.h>
#include <unistd.h>

using namespace mixattn;

Buffer Buffer::borrow(std::string_view bytes) {
  Buffer buffer;
  buffer.bytes = bytes.size();
  buffer.memory = {const_cast<char *>(bytes.data()), Free(Kind::Borrowed, 0)};
  return buffer;
}

Buffer Buffer::ofPages(void *pages, size_t bytes) {
  Buffer buffer;
  buffer.bytes = bytes;
  buffer.memory = {static_cast<char *>(pages), Free(Kind::Pages, bytes)};
  return buffer;
}

void Buffer::Free::operator()(char *pointer) const {
  if (kind == Kind::Owned)
    std::free(pointer);
  else if (kind == Kind::Pages)
    munmap(pointer, bytes);
}

Result<Buffer> mixattn::Buffer::allocate(size_t bytes) {
  static const size_t machine = static_cast<size_t>(sysconf(_SC_PHYS_PAGES)) *
                                static_cast<size_t>(sysconf(_SC_PAGESIZE));
  Buffer buffer;
  buffer.bytes = bytes;
  // Not a byte more than asked for, or a sanitizer takes it for the caller's.
  void *memory = nullptr;
  if (bytes <= machine && posix_memalign(&memory, 64, bytes ? bytes : 1) == 0)
    buffer.memory.reset(static_cast<char *>(memory));
  if (!buffer.memory)
    return makeError("cannot allocate {} bytes", bytes);
  return buffer;
}
