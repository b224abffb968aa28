// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Reads what CPUID says of family and caches, and writes machines as text.
#include "lib/Runtime/MachineDescription.h"
#include <algorithm>
#include <cctype>
#include <charconv>
#include <cstdio>
#include <cstring>

using namespace mixattn;

//===----------------------------------------------------------------------===//
// CPUID
//===----------------------------------------------------------------------===//

/// Bits `low` to `high` of `value`.
static uint32_t bits(uint32_t value, unsigned high, unsigned low) {
  return value >> low & ((uint64_t(1) << (high - low + 1)) - 1);
}

static std::string readVendor(const CpuRecord &record) {
  std::string vendor;
  for (auto reg : {CpuRecord::Ebx, CpuRecord::Edx, CpuRecord::Ecx}) {
    uint32_t four = record.get(0, 0, reg);
    char letters[4];
    std::memcpy(letters, &four, sizeof(letters));
    for (char letter : letters)
      if (std::isalnum(static_cast<unsigned char>(letter)))
        vendor += letter;
  }
  return vendor;
}

/// Reads caches from a leaf that has one in each subleaf: 4, Intel's, and
/// 0x8000001d, AMD's, which are alike.
static void readCaches(const CpuRecord &record, uint32_t leaf,
                       CpuFacts &facts) {
  enum Type : uint32_t { None, Data, Instruction, Unified };
  for (uint32_t subleaf = 0; subleaf < 8; ++subleaf) {
    uint32_t eax = record.get(leaf, subleaf, CpuRecord::Eax);
    uint32_t ebx = record.get(leaf, subleaf, CpuRecord::Ebx);
    uint32_t type = bits(eax, 4, 0), level = bits(eax, 7, 5);
    if ((type != Data && type != Unified) || level < 1 || level > 3)
      continue;
    int64_t ways = bits(ebx, 31, 22) + 1, partitions = bits(ebx, 21, 12) + 1;
    int64_t line = bits(ebx, 11, 0) + 1;
    int64_t sets = int64_t(record.get(leaf, subleaf, CpuRecord::Ecx)) + 1;
    int64_t *sizes[] = {&facts.l1, &facts.l2, &facts.l3};
    *sizes[level - 1] = ways * partitions * line * sets;
    if (level == 3)
      facts.l3Threads = bits(eax, 25, 14) + 1;
  }
}

CpuFacts mixattn::factsOf(const CpuRecord &record) {
  CpuFacts facts;
  facts.vendor = readVendor(record);
  uint32_t version = record.get(1, 0, CpuRecord::Eax);
  uint32_t family = bits(version, 11, 8);
  bool isExtended = family == 6 || family == 15;
  facts.family = family == 15 ? family + bits(version, 27, 20) : family;
  facts.model =
      bits(version, 7, 4) + (isExtended ? bits(version, 19, 16) << 4 : 0);
  facts.stepping = bits(version, 3, 0);
  facts.cores = record.cores;
  readCaches(record, facts.vendor == "AuthenticAMD" ? 0x8000001d : 4, facts);
  int64_t *sizes[] = {&facts.l1, &facts.l2, &facts.l3};
  for (size_t level = 0; level < 3; ++level)
    if (*sizes[level] == 0)
      *sizes[level] = record.caches[level];
  return facts;
}

//===----------------------------------------------------------------------===//
// Text
//===----------------------------------------------------------------------===//

/// Calls `then` with the name and the place of each number.
template <typename Facts, typename Then>
static void forEachNumber(Facts &facts, Then then) {
  then("family", facts.family);
  then("model", facts.model);
  then("stepping", facts.stepping);
  then("cores", facts.cores);
  then("l1", facts.l1);
  then("l2", facts.l2);
  then("l3", facts.l3);
  then("l3_threads", facts.l3Threads);
}

std::string mixattn::toText(const CpuFacts &facts) {
  std::string text = "vendor=" + facts.vendor;
  forEachNumber(facts, [&](const char *name, int64_t number) {
    text += std::string(",") + name + "=" + std::to_string(number);
  });
  return text;
}

Result<CpuFacts> mixattn::parseCpuFacts(std::string_view text) {
  CpuFacts facts;
  std::string_view rest = text;
  // The next field, less its name.
  auto take = [&](std::string_view name) {
    std::string_view field = rest.substr(0, rest.find(','));
    rest.remove_prefix(std::min(rest.size(), field.size() + 1));
    return field.substr(std::min(field.size(), name.size() + 1));
  };
  facts.vendor = take("vendor");
  bool hasNegative = false;
  forEachNumber(facts, [&](const char *name, int64_t &number) {
    std::string_view digits = take(name);
    std::from_chars(digits.data(), digits.data() + digits.size(), number);
    hasNegative |= number < 0;
  });
  // A text that does not print as it was read is not a description.
  if (hasNegative || toText(facts) != text)
    return makeError("expected a machine like '{}', but got '{}'",
                     toText(CpuFacts()), text);
  return facts;
}

/// Bytes in the largest unit of which they are a whole number.
static std::string sizeOf(int64_t bytes) {
  constexpr int64_t KiB = 1024, MiB = 1024 * KiB;
  return bytes % MiB == 0 ? std::to_string(bytes / MiB) + " MiB"
                          : std::to_string(bytes / KiB) + " KiB";
}

static std::string toDecimals(double number) {
  char text[32];
  snprintf(text, sizeof(text), "%g", number);
  return text;
}

std::string mixattn::toSentence(const MachineDescription &machine) {
  std::string text;
  if (!machine.vendor.empty())
    text = machine.vendor + " family " + std::to_string(machine.family) +
           " model " + std::to_string(machine.model) + " stepping " +
           std::to_string(machine.stepping) + "; ";
  text += std::to_string(machine.cores) +
          (machine.cores == 1 ? " core at " : " cores at ") +
          toDecimals(machine.hertz / 1e9) + " GHz; caches of " +
          sizeOf(machine.l1) + ", " + sizeOf(machine.l2) + ", " +
          sizeOf(machine.l3);
  if (machine.l3Threads)
    text += " for " + std::to_string(machine.l3Threads) +
            (machine.l3Threads == 1 ? " thread" : " threads");
  text += "; a cycle begins " + toDecimals(machine.multiplyAdds) +
          (machine.multiplyAdds == 1 ? " multiply-add" : " multiply-adds");
  if (machine.pairProducts > 0)
    text += " or " + toDecimals(machine.pairProducts) + " of bf16 pairs";
  if (machine.sharesPorts)
    text += ", on the ports of all vector arithmetic";
  if (size_t count = machine.calibration.size())
    text += "; " + std::to_string(count) +
            (count == 1 ? " number" : " numbers") +
            " of predictions from a file";
  return text;
}
