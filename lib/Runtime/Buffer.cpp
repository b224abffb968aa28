// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Allocation that fails with a sentence.
#include "lib/Runtime/Buffer.h"
#include <unistd.h>

using namespace mixattn;

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
