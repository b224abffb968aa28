// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Records of machines, as `cpuid -1 -r` prints answers of CPUID, and before
// these what the system says: `xcr0 BITS`, `cores COUNT`, `cache LEVEL BYTES`.
#ifndef MIXATTN_TEST_UNIT_TARGET_RECORDS_H
#define MIXATTN_TEST_UNIT_TARGET_RECORDS_H

#include "lib/Runtime/CpuRecord.h"
#include "gtest/gtest.h"
#include <cstdio>
#include <fstream>
#include <string>

namespace mixattn {

/// Reads Inputs/NAME.cpuid.
inline CpuRecord readRecord(const std::string &name) {
  CpuRecord record;
  std::ifstream file(MIXATTN_RECORDS "/" + name + ".cpuid");
  EXPECT_TRUE(bool(file)) << name;
  for (std::string line; std::getline(file, line);) {
    uint32_t leaf, subleaf;
    std::array<uint32_t, 4> values;
    unsigned long long bits;
    long long number, bytes;
    if (sscanf(line.c_str(), "%x %x: eax=%x ebx=%x ecx=%x edx=%x", &leaf,
               &subleaf, &values[0], &values[1], &values[2], &values[3]) == 6)
      record.answers[{leaf, subleaf}] = values;
    else if (sscanf(line.c_str(), "xcr0 %llx", &bits) == 1)
      record.savedState = bits;
    else if (sscanf(line.c_str(), "cores %lld", &number) == 1)
      record.cores = number;
    else if (sscanf(line.c_str(), "cache %lld %lld", &number, &bytes) == 2)
      record.caches.at(size_t(number - 1)) = bytes;
    else
      EXPECT_EQ(line.substr(0, 1), "#") << name << ": " << line;
  }
  return record;
}

} // namespace mixattn

#endif // MIXATTN_TEST_UNIT_TARGET_RECORDS_H
