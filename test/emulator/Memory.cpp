// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Allocates global memory.
#include "Memory.h"

using namespace mixattn::emulator;

Shadow &Allocation::accesses() {
  if (!shadow)
    shadow = std::make_unique<Shadow>(bytes.size(), "global memory");
  return *shadow;
}

uint64_t Memory::allocate(size_t size) {
  uint64_t begin = next;
  // The gap after an allocation belongs to nobody.
  constexpr uint64_t gap = 1 << 20, alignment = 512;
  next += (size + gap + alignment - 1) / alignment * alignment;
  Allocation &allocation = allocations[begin];
  allocation.begin = begin;
  // Bytes that nobody has written are NaN in every floating-point type.
  allocation.bytes.assign(size, 0xff);
  allocated += size;
  return begin;
}

bool Memory::release(uint64_t address) {
  auto found = allocations.find(address);
  if (found == allocations.end())
    return false;
  allocated -= found->second.bytes.size();
  allocations.erase(found);
  last = nullptr;
  return true;
}

Allocation *Memory::find(uint64_t address, size_t size) {
  auto holds = [&](const Allocation &each) {
    return address >= each.begin && size <= each.bytes.size() &&
           address - each.begin <= each.bytes.size() - size;
  };
  if (last && holds(*last))
    return last;
  auto after = allocations.upper_bound(address);
  if (after == allocations.begin() || !holds(std::prev(after)->second))
    return nullptr;
  return last = &std::prev(after)->second;
}

uint8_t *Memory::bytes(uint64_t address, size_t size) {
  Allocation *found = find(address, size);
  return found ? found->bytes.data() + (address - found->begin) : nullptr;
}
