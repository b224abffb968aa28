// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Names CPUs: families and models of Intel's manual, volume 4, table 2-1, and
// of AMD's revision guides.
#include "lib/Target/Microarchitecture.h"

#include "lib/Runtime/CpuFeatures.h"
#include "lib/Runtime/MachineDescription.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/TargetParser/X86TargetParser.h"

using namespace mixattn;
using llvm::StringRef;

namespace {

/// The models of a family from `first` to `last`, and of a model the steppings
/// from `stepping` on.
struct Models {
  StringRef vendor;
  int64_t family, first, last, stepping;
  StringRef name;
};

} // namespace

static constexpr StringRef intel = "GenuineIntel", amd = "AuthenticAMD";

/// Of several rows that fit the first is meant.
// clang-format off
static constexpr Models models[] = {
    {intel, 6, 0x2a, 0x2a, 0, "sandybridge"},
    {intel, 6, 0x2d, 0x2d, 0, "sandybridge"},
    {intel, 6, 0x3a, 0x3a, 0, "ivybridge"},
    {intel, 6, 0x3e, 0x3e, 0, "ivybridge"},
    {intel, 6, 0x3c, 0x3c, 0, "haswell"},
    {intel, 6, 0x3f, 0x3f, 0, "haswell"},
    {intel, 6, 0x45, 0x46, 0, "haswell"},
    {intel, 6, 0x3d, 0x3d, 0, "broadwell"},
    {intel, 6, 0x47, 0x47, 0, "broadwell"},
    {intel, 6, 0x4f, 0x4f, 0, "broadwell"},
    {intel, 6, 0x56, 0x56, 0, "broadwell"},
    {intel, 6, 0x4e, 0x4e, 0, "skylake"},
    {intel, 6, 0x5e, 0x5e, 0, "skylake"},
    {intel, 6, 0x8e, 0x8e, 0, "skylake"},
    {intel, 6, 0x9e, 0x9e, 0, "skylake"},
    {intel, 6, 0xa5, 0xa6, 0, "skylake"},
    {intel, 6, 0x55, 0x55, 10, "cooperlake"},
    {intel, 6, 0x55, 0x55, 5, "cascadelake"},
    {intel, 6, 0x55, 0x55, 0, "skylake-avx512"},
    {intel, 6, 0x7d, 0x7e, 0, "icelake-client"},
    {intel, 6, 0x6a, 0x6a, 0, "icelake-server"},
    {intel, 6, 0x6c, 0x6c, 0, "icelake-server"},
    {intel, 6, 0x8c, 0x8d, 0, "tigerlake"},
    {intel, 6, 0xa7, 0xa7, 0, "rocketlake"},
    {intel, 6, 0x97, 0x97, 0, "alderlake"},
    {intel, 6, 0x9a, 0x9a, 0, "alderlake"},
    {intel, 6, 0xb7, 0xb7, 0, "raptorlake"},
    {intel, 6, 0xba, 0xba, 0, "raptorlake"},
    {intel, 6, 0xbf, 0xbf, 0, "raptorlake"},
    {intel, 6, 0xaa, 0xaa, 0, "meteorlake"},
    {intel, 6, 0xac, 0xac, 0, "meteorlake"},
    {intel, 6, 0xb5, 0xb5, 0, "arrowlake"},
    {intel, 6, 0xc5, 0xc5, 0, "arrowlake"},
    {intel, 6, 0xc6, 0xc6, 0, "arrowlake-s"},
    {intel, 6, 0xbd, 0xbd, 0, "lunarlake"},
    {intel, 6, 0xaf, 0xaf, 0, "sierraforest"},
    {intel, 6, 0x8f, 0x8f, 0, "sapphirerapids"},
    {intel, 6, 0xcf, 0xcf, 0, "emeraldrapids"},
    {intel, 6, 0xad, 0xad, 0, "graniterapids"},
    {intel, 6, 0xae, 0xae, 0, "graniterapids-d"},
    {amd, 0x17, 0x00, 0x2f, 0, "znver1"},
    {amd, 0x17, 0x30, 0xaf, 0, "znver2"},
    {amd, 0x19, 0x10, 0x1f, 0, "znver4"},
    {amd, 0x19, 0x60, 0x7f, 0, "znver4"},
    {amd, 0x19, 0xa0, 0xaf, 0, "znver4"},
    {amd, 0x19, 0x00, 0x5f, 0, "znver3"},
    {amd, 0x1a, 0x00, 0x4f, 0, "znver5"},
    {amd, 0x1a, 0x60, 0x77, 0, "znver5"},
};
// clang-format on

/// CPUs that a machine may be taken for by its features, oldest first. They are
/// those of servers, which virtual machines run on.
static constexpr StringRef ofIntel[] = {
    "sandybridge",    "ivybridge",      "haswell",     "broadwell",
    "skylake",        "skylake-avx512", "cascadelake", "icelake-server",
    "sapphirerapids", "graniterapids"};
static constexpr StringRef ofAmd[] = {"znver1", "znver2", "znver3", "znver4",
                                      "znver5"};
static constexpr StringRef levels[] = {"x86-64-v4", "x86-64-v3", "x86-64-v2"};

/// Features of vectors that tell CPUs apart.
static constexpr StringRef telling[] = {
    "amx-bf16",     "amx-complex",  "amx-fp16",   "amx-int8",
    "amx-tile",     "avx",          "avx2",       "avx512bf16",
    "avx512bitalg", "avx512bw",     "avx512cd",   "avx512dq",
    "avx512f",      "avx512fp16",   "avx512ifma", "avx512vbmi",
    "avx512vbmi2",  "avx512vl",     "avx512vnni", "avx512vpopcntdq",
    "avxifma",      "avxneconvert", "avxvnni",    "avxvnniint16",
    "avxvnniint8",  "f16c",         "fma",        "gfni",
    "sse4.2",       "vaes",         "vpclmulqdq", "avx512vp2intersect"};

static StringRef nameOfModel(const CpuFacts &facts) {
  for (const Models &row : models)
    if (row.vendor == facts.vendor && row.family == facts.family &&
        row.first <= facts.model && facts.model <= row.last &&
        row.stepping <= facts.stepping)
      return row.name;
  return "";
}

/// The features of LLVM's CPU, and all that they imply.
static llvm::StringMap<bool> featuresOf(StringRef cpu) {
  llvm::StringMap<bool> present;
  llvm::SmallVector<StringRef> listed;
  llvm::X86::getFeaturesForCPU(cpu, listed);
  for (StringRef feature : listed) {
    present[feature] = true;
    llvm::X86::updateImpliedFeatures(feature, /*Enabled=*/true, present);
  }
  return present;
}

/// A telling feature of `record` that LLVM's CPU has not, or nothing.
static StringRef firstLacking(StringRef cpu, const CpuRecord &record) {
  llvm::StringMap<bool> present = featuresOf(cpu);
  for (StringRef feature : telling)
    if (hasCpuFeature(record, feature) && !present.lookup(feature))
      return feature;
  return "";
}

/// The highest level of x86-64 all of whose telling features `record` has.
static StringRef levelOf(const CpuRecord &record) {
  for (StringRef level : levels) {
    llvm::StringMap<bool> needed = featuresOf(level);
    if (llvm::all_of(telling, [&](StringRef feature) {
          return !needed.lookup(feature) || hasCpuFeature(record, feature);
        }))
      return level;
  }
  return "x86-64";
}

Microarchitecture mixattn::nameMicroarchitecture(const CpuRecord &record) {
  CpuFacts facts = factsOf(record);
  StringRef byModel = nameOfModel(facts);
  StringRef lacking = byModel.empty() ? "" : firstLacking(byModel, record);
  if (!byModel.empty() && lacking.empty())
    return {byModel.str(), ""};
  std::string why = llvm::formatv(
      "{0} family {1} model {2} stepping {3} {4}", facts.vendor, facts.family,
      facts.model, facts.stepping,
      byModel.empty() ? "is not known"
                      : llvm::formatv("is '{0}', but has '{1}', which that "
                                      "lacks",
                                      byModel, lacking)
                            .str());
  llvm::ArrayRef<StringRef> known;
  if (facts.vendor == intel)
    known = ofIntel;
  else if (facts.vendor == amd)
    known = ofAmd;
  for (StringRef name : known)
    if (firstLacking(name, record).empty())
      return {name.str(),
              why + ": taken for '" + name.str() +
                  "', the oldest of its maker's with all its features"};
  StringRef level = levelOf(record);
  return {level.str(), why + ": taken for '" + level.str() +
                           "', as no CPU of its maker's is known with all its "
                           "features"};
}
