// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Asks this machine what it is: Intel's manual, volume 2A, CPUID, and AMD's,
// volume 3, appendix E.
#include "lib/Runtime/CpuRecord.h"
#include <cpuid.h>
#include <fstream>
#include <sched.h>
#include <string>

using namespace mixattn;

uint32_t CpuRecord::get(uint32_t leaf, uint32_t subleaf, Register reg) const {
  auto found = answers.find({leaf, subleaf});
  return found == answers.end() ? 0 : found->second[reg];
}

/// Records the first `count` subleaves of `leaf`, if there is such a leaf.
static void ask(CpuRecord &record, uint32_t leaf, uint32_t count) {
  for (uint32_t subleaf = 0; subleaf < count; ++subleaf) {
    std::array<uint32_t, 4> values = {};
    if (__get_cpuid_count(leaf, subleaf, &values[0], &values[1], &values[2],
                          &values[3]))
      record.answers[{leaf, subleaf}] = values;
  }
}

static uint64_t readSavedState(const CpuRecord &record) {
  constexpr uint32_t osxsave = 1u << 27;
  if (!(record.get(1, 0, CpuRecord::Ecx) & osxsave))
    return 0;
  uint32_t low, high;
  __asm__ volatile("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
  return uint64_t(high) << 32 | low;
}

/// The first word of a file of the kernel's, or nothing.
static std::string readWord(const std::string &path) {
  std::string word;
  std::ifstream(path) >> word;
  return word;
}

static void askSystem(CpuRecord &record) {
  cpu_set_t allowed;
  if (sched_getaffinity(0, sizeof(allowed), &allowed) == 0)
    record.cores = CPU_COUNT(&allowed);
  for (int index = 0; index < 8; ++index) {
    std::string folder = "/sys/devices/system/cpu/cpu0/cache/index" +
                         std::to_string(index) + "/";
    std::string type = readWord(folder + "type");
    std::string level = readWord(folder + "level");
    if ((type != "Data" && type != "Unified") || level < "1" || level > "3")
      continue;
    // In KiB: "32K".
    record.caches[level[0] - '1'] =
        1024 * std::strtoll(readWord(folder + "size").c_str(), nullptr, 10);
  }
}

const CpuRecord &mixattn::recordOfThisMachine() {
  static const CpuRecord record = [] {
    CpuRecord record;
    constexpr std::pair<uint32_t, uint32_t> leaves[] = {
        {0, 1},    {1, 1},    {4, 8},          {7, 2},
        {0x1e, 2}, {0x24, 1}, {0x80000001, 1}, {0x8000001d, 8}};
    for (auto [leaf, count] : leaves)
      ask(record, leaf, count);
    record.savedState = readSavedState(record);
    askSystem(record);
    return record;
  }();
  return record;
}
