// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// CPU features by CPUID: Intel's manual, volume 2A, CPUID, and AMD's, volume
// 3, appendix E. LLVM's names are those of `llc -march=x86-64 -mattr=help`.
#include "lib/Runtime/CpuFeatures.h"
#include <algorithm>

using namespace mixattn;

namespace {
constexpr auto Eax = CpuRecord::Eax, Ebx = CpuRecord::Ebx, Ecx = CpuRecord::Ecx,
               Edx = CpuRecord::Edx;

/// Registers that the operating system must save.
enum State : uint32_t { None = 0, Avx = 0x6, Avx512 = 0xe6, Amx = 0x60000 };

struct Feature {
  std::string_view name;
  uint32_t leaf, subleaf;
  CpuRecord::Register reg;
  uint32_t bit;
  State state;
};
} // namespace

static constexpr uint32_t extended = 0x80000001;

// clang-format off
static constexpr Feature features[] = {
    {"x87", 1, 0, Edx, 0, None},
    {"cx8", 1, 0, Edx, 8, None},
    {"cmov", 1, 0, Edx, 15, None},
    {"mmx", 1, 0, Edx, 23, None},
    {"fxsr", 1, 0, Edx, 24, None},
    {"sse", 1, 0, Edx, 25, None},
    {"sse2", 1, 0, Edx, 26, None},
    {"sse3", 1, 0, Ecx, 0, None},
    {"pclmul", 1, 0, Ecx, 1, None},
    {"ssse3", 1, 0, Ecx, 9, None},
    {"fma", 1, 0, Ecx, 12, Avx},
    {"cx16", 1, 0, Ecx, 13, None},
    {"sse4.1", 1, 0, Ecx, 19, None},
    {"sse4.2", 1, 0, Ecx, 20, None},
    {"crc32", 1, 0, Ecx, 20, None},
    {"movbe", 1, 0, Ecx, 22, None},
    {"popcnt", 1, 0, Ecx, 23, None},
    {"aes", 1, 0, Ecx, 25, None},
    {"avx", 1, 0, Ecx, 28, Avx},
    {"f16c", 1, 0, Ecx, 29, Avx},
    {"rdrnd", 1, 0, Ecx, 30, None},
    {"bmi", 7, 0, Ebx, 3, None},
    {"avx2", 7, 0, Ebx, 5, Avx},
    {"bmi2", 7, 0, Ebx, 8, None},
    {"avx512f", 7, 0, Ebx, 16, Avx512},
    {"evex512", 7, 0, Ebx, 16, Avx512},
    {"avx512dq", 7, 0, Ebx, 17, Avx512},
    {"rdseed", 7, 0, Ebx, 18, None},
    {"adx", 7, 0, Ebx, 19, None},
    {"avx512ifma", 7, 0, Ebx, 21, Avx512},
    {"avx512cd", 7, 0, Ebx, 28, Avx512},
    {"sha", 7, 0, Ebx, 29, None},
    {"avx512bw", 7, 0, Ebx, 30, Avx512},
    {"avx512vl", 7, 0, Ebx, 31, Avx512},
    {"avx512vbmi", 7, 0, Ecx, 1, Avx512},
    {"avx512vbmi2", 7, 0, Ecx, 6, Avx512},
    {"gfni", 7, 0, Ecx, 8, None},
    {"vaes", 7, 0, Ecx, 9, Avx},
    {"vpclmulqdq", 7, 0, Ecx, 10, Avx},
    {"avx512vnni", 7, 0, Ecx, 11, Avx512},
    {"avx512bitalg", 7, 0, Ecx, 12, Avx512},
    {"avx512vpopcntdq", 7, 0, Ecx, 14, Avx512},
    {"rdpid", 7, 0, Ecx, 22, None},
    {"movdiri", 7, 0, Ecx, 27, None},
    {"movdir64b", 7, 0, Ecx, 28, None},
    {"avx512vp2intersect", 7, 0, Edx, 8, Avx512},
    {"amx-bf16", 7, 0, Edx, 22, Amx},
    {"avx512fp16", 7, 0, Edx, 23, Avx512},
    {"amx-tile", 7, 0, Edx, 24, Amx},
    {"amx-int8", 7, 0, Edx, 25, Amx},
    {"sha512", 7, 1, Eax, 0, Avx},
    {"sm3", 7, 1, Eax, 1, Avx},
    {"sm4", 7, 1, Eax, 2, Avx},
    {"raoint", 7, 1, Eax, 3, None},
    {"avxvnni", 7, 1, Eax, 4, Avx},
    {"avx512bf16", 7, 1, Eax, 5, Avx512},
    {"cmpccxadd", 7, 1, Eax, 7, None},
    {"amx-fp16", 7, 1, Eax, 21, Amx},
    {"avxifma", 7, 1, Eax, 23, Avx},
    {"movrs", 7, 1, Eax, 31, None},
    {"avxvnniint8", 7, 1, Edx, 4, Avx},
    {"avxneconvert", 7, 1, Edx, 5, Avx},
    {"amx-complex", 7, 1, Edx, 8, Amx},
    {"avxvnniint16", 7, 1, Edx, 10, Avx},
    {"prefetchi", 7, 1, Edx, 14, None},
    {"egpr", 7, 1, Edx, 21, None},
    {"push2pop2", 7, 1, Edx, 21, None},
    {"ppx", 7, 1, Edx, 21, None},
    {"ndd", 7, 1, Edx, 21, None},
    {"ccmp", 7, 1, Edx, 21, None},
    {"nf", 7, 1, Edx, 21, None},
    {"cf", 7, 1, Edx, 21, None},
    {"zu", 7, 1, Edx, 21, None},
    {"amx-fp8", 0x1e, 1, Eax, 4, Amx},
    {"amx-tf32", 0x1e, 1, Eax, 6, Amx},
    {"amx-avx512", 0x1e, 1, Eax, 7, Amx},
    {"amx-movrs", 0x1e, 1, Eax, 8, Amx},
    {"sahf", extended, 0, Ecx, 0, None},
    {"lzcnt", extended, 0, Ecx, 5, None},
    {"sse4a", extended, 0, Ecx, 6, None},
    {"prfchw", extended, 0, Ecx, 8, None},
    {"xop", extended, 0, Ecx, 11, Avx},
    {"fma4", extended, 0, Ecx, 16, Avx},
    {"tbm", extended, 0, Ecx, 21, None},
    {"64bit", extended, 0, Edx, 29, None},
};

/// Instructions that no compiled attention contains.
static constexpr std::string_view unused[] = {
    "64bit-mode", "branch-hint", "branchfusion", "cldemote", "clflushopt", "clwb",
    "clzero", "enqcmd", "ermsb", "faster-shift-than-shuffle", "fsgsbase", "fsrm",
    "hreset", "invpcid", "kl", "lwp", "macrofusion", "mwaitx", "nopl", "pconfig",
    "pku", "ptwrite", "rdpru", "rtm", "sbb-dep-breaking", "serialize", "sgx",
    "shstk", "sse-unaligned-mem", "tsxldtrk", "uintr", "usermsr", "vzeroupper",
    "waitpkg", "wbnoinvd", "widekl", "xsave", "xsavec", "xsaveopt", "xsaves",
};

/// How the names of LLVM's tuning features begin.
static constexpr std::string_view tuning[] = {
    "allow-", "false-deps-", "fast-", "idiv", "lea-", "no-bypass-delay", "pad-",
    "prefer-", "slow-", "tuning-", "use-",
};
// clang-format on

/// AVX10 counts versions in a leaf of its own.
static std::vector<CpuAnswer> answersWithAvx10(uint32_t version) {
  constexpr uint32_t avx10 = 1u << 19;
  return {{7, 1, Edx, avx10, avx10, Avx512},
          {0x24, 0, Ebx, 0xff, version, Avx512}};
}

std::optional<std::vector<CpuAnswer>>
mixattn::answersWith(std::string_view name) {
  for (const Feature &feature : features)
    if (feature.name == name) {
      uint32_t bit = 1u << feature.bit;
      return std::vector<CpuAnswer>{{feature.leaf, feature.subleaf, feature.reg,
                                     bit, bit, feature.state}};
    }
  if (name.substr(0, 7) == "avx10.1")
    return answersWithAvx10(1);
  if (name.substr(0, 7) == "avx10.2")
    return answersWithAvx10(2);
  auto isPrefix = [&](std::string_view prefix) {
    return name.substr(0, prefix.size()) == prefix;
  };
  if (std::find(std::begin(unused), std::end(unused), name) !=
          std::end(unused) ||
      std::any_of(std::begin(tuning), std::end(tuning), isPrefix))
    return std::vector<CpuAnswer>();
  return std::nullopt;
}

bool mixattn::hasCpuFeature(const CpuRecord &record, std::string_view name) {
  std::optional<std::vector<CpuAnswer>> answers = answersWith(name);
  return answers &&
         std::all_of(
             answers->begin(), answers->end(), [&](const CpuAnswer &answer) {
               uint32_t own =
                   record.get(answer.leaf, answer.subleaf, answer.reg);
               return (own & answer.mask) >= answer.least &&
                      (record.savedState & answer.state) == answer.state;
             });
}

Status mixattn::checkTarget(const Target &target) {
  if (target.isGpu())
    return Success();
  if (target.arch != "x86_64")
    return makeError("expected a target of arch 'x86_64', but got '{}'",
                     target.arch);
  for (const std::string &feature : target.features)
    if (!hasCpuFeature(recordOfThisMachine(), feature))
      return makeError("made for CPU '{}', but this machine lacks its feature "
                       "'{}'",
                       target.cpu, feature);
  return Success();
}

Status mixattn::checkCode(const Manifest &manifest) {
  for (const Target &version : manifest.versions)
    if (checkTarget(version))
      return Success();
  return checkTarget(manifest.target);
}
