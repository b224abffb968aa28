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
  if (bytes <= machine)
    buffer.memory.reset(
        static_cast<char *>(std::aligned_alloc(64, (bytes + 64) / 64 * 64)));
  if (!buffer.memory)
    return makeError("cannot allocate {} bytes", bytes);
  return buffer;
}
