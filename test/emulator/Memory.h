// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Global memory: allocations, with a gap after each.
#ifndef MIXATTN_TEST_EMULATOR_MEMORY_H
#define MIXATTN_TEST_EMULATOR_MEMORY_H

#include "Shadow.h"

#include <map>
#include <memory>

namespace mixattn::emulator {

struct Allocation {
  uint64_t begin = 0;
  std::vector<uint8_t> bytes;
  /// Made at the first access by a kernel.
  std::unique_ptr<Shadow> shadow;

  Shadow &accesses();
};

class Memory {
public:
  /// The address of new bytes, a multiple of 512 as cuMemAlloc gives.
  uint64_t allocate(size_t size);
  /// Whether there was an allocation that begins there.
  bool release(uint64_t address);
  /// The allocation that holds all these bytes, or none.
  Allocation *find(uint64_t address, size_t size);
  /// The bytes there; null where they are not all inside one allocation.
  uint8_t *bytes(uint64_t address, size_t size);
  size_t allocatedBytes() const { return allocated; }

private:
  std::map<uint64_t, Allocation> allocations;
  Allocation *last = nullptr;
  uint64_t next = 0x100000000ull;
  size_t allocated = 0;
};

} // namespace mixattn::emulator

#endif // MIXATTN_TEST_EMULATOR_MEMORY_H
