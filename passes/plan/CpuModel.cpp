// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Descriptions of CPUs: a table, and what the operating system tells of this
// one.

#include "passes/plan/CpuModel.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Threading.h"

using namespace mixattn;
using llvm::StringRef;

namespace {

/// What neither the features nor the operating system tell.
struct KnownCpu {
  StringRef name;
  double hertz;
  /// Of 512 bits; narrower ones take two ports everywhere.
  double wideMultiplyAdds;
  int64_t cores, l1, l2, l3;
};

} // namespace

static constexpr int64_t KiB = 1024, MiB = 1024 * KiB;

/// plan.md repeats this table. The last is for all other names.
static constexpr KnownCpu knownCpus[] = {
    {"znver5", 4.2e9, 2, 8, 48 * KiB, 1 * MiB, 32 * MiB},
    {"znver4", 4.2e9, 1, 8, 32 * KiB, 1 * MiB, 32 * MiB},
    {"sapphirerapids", 3.0e9, 2, 8, 48 * KiB, 2 * MiB, 60 * MiB},
    {"emeraldrapids", 3.0e9, 2, 8, 48 * KiB, 2 * MiB, 60 * MiB},
    {"graniterapids", 3.0e9, 2, 8, 48 * KiB, 2 * MiB, 60 * MiB},
    {"skylake-avx512", 2.6e9, 2, 8, 32 * KiB, 1 * MiB, 24 * MiB},
    {"cascadelake", 2.6e9, 2, 8, 32 * KiB, 1 * MiB, 24 * MiB},
    {"", 4.0e9, 2, 8, 32 * KiB, 1 * MiB, 16 * MiB}};

/// The number in a file of the kernel's, with its unit, or 0.
static int64_t readSize(const std::string &path) {
  auto file = llvm::MemoryBuffer::getFileAsStream(path);
  if (!file)
    return 0;
  StringRef text = (*file)->getBuffer().trim();
  int64_t unit = text.consume_back("K")   ? KiB
                 : text.consume_back("M") ? MiB
                                          : 1;
  int64_t size;
  return text.getAsInteger(10, size) ? 0 : size * unit;
}

/// Replaces cores and caches by this machine's, as far as it tells them.
static void askMachine(CpuModel &model) {
  model.cores = llvm::hardware_concurrency().compute_thread_count();
  for (int index = 0; index < 8; ++index) {
    std::string folder = "/sys/devices/system/cpu/cpu0/cache/index" +
                         std::to_string(index) + "/";
    auto type = llvm::MemoryBuffer::getFileAsStream(folder + "type");
    if (!type || (*type)->getBuffer().trim() == "Instruction")
      continue;
    int64_t level = readSize(folder + "level");
    int64_t *caches[] = {&model.l1, &model.l2, &model.l3};
    int64_t size = readSize(folder + "size");
    if (level >= 1 && level <= 3 && size > 0)
      *caches[level - 1] = size;
  }
}

CpuModel mixattn::describeCpu(StringRef cpu,
                              llvm::ArrayRef<std::string> features,
                              bool isNative) {
  auto has = [&](StringRef name) { return llvm::is_contained(features, name); };
  const KnownCpu *known = llvm::find_if(knownCpus, [&](const KnownCpu &each) {
    return each.name == cpu || each.name.empty();
  });
  CpuModel model;
  bool isWide = has("avx512f");
  model.lanes = isWide ? 16 : has("avx2") ? 8 : 4;
  model.registers = isWide ? 32 : 16;
  model.multiplyAdds = isWide ? known->wideMultiplyAdds : has("fma") ? 2 : 1;
  model.hasBf16Products = isWide && has("avx512bf16");
  model.hertz = known->hertz;
  model.cores = known->cores;
  model.l1 = known->l1;
  model.l2 = known->l2;
  model.l3 = known->l3;
  model.l2Rate = 4.0 * double(model.lanes);
  model.l3Rate = 25;
  model.memoryRate = 10;
  model.allMemoryRate = 12.5;
  if (isNative)
    askMachine(model);
  return model;
}
