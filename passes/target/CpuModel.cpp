// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Descriptions of CPUs: a table by microarchitecture, and facts of a machine.

#include "passes/target/CpuModel.h"

#include "llvm/ADT/STLExtras.h"

using namespace mixattn;
using llvm::StringRef;

namespace {

/// Properties of a microarchitecture that its features do not tell.
struct KnownCpu {
  /// LLVM's name of the microarchitecture.
  StringRef name;
  double hertz;
  /// Multiply-adds in a cycle of 512 and of 256 bits, and those of pairs of
  /// bf16 in 512 bits.
  double wide, narrow, widePairs;
  /// Whether other arithmetic in 512 bits takes the ports of multiply-adds.
  bool sharesPorts;
  int64_t l1, l2, l3;
  /// Bytes in a cycle: see CpuModel.
  double l2Rate, l3Rate;
  /// See CpuModel.
  int64_t stepsInTurn = 2;
  bool overlapsExps = true;
  double memoryRate = 10, allMemoryRate = 12.5;
  bool asksIntoL2 = false;
};

} // namespace

static constexpr int64_t KiB = 1024, MiB = 1024 * KiB;

// clang-format off
/// plan.md repeats this table. The last is for all other names.
static constexpr KnownCpu knownCpus[] = {
    {"znver5", 4.2e9, 2, 2, 2, false, 48 * KiB, 1 * MiB, 32 * MiB, 64, 25},
    {"znver4", 3.7e9, 1, 2, 1, false, 32 * KiB, 1 * MiB, 32 * MiB, 29, 19, 2, true, 7.7, 8.5, true},
    {"znver3", 3.2e9, 2, 2, 2, false, 32 * KiB, 512 * KiB, 32 * MiB, 64, 25, 2, false},
    {"znver2", 4.0e9, 2, 2, 2, false, 32 * KiB, 512 * KiB, 16 * MiB, 64, 25, 2, false},
    {"znver1", 4.0e9, 1, 1, 1, false, 32 * KiB, 512 * KiB, 8 * MiB, 64, 25},
    {"graniterapids", 3.5e9, 2, 2, 0.5, true, 48 * KiB, 2 * MiB, 60 * MiB, 42, 7, 8},
    {"emeraldrapids", 2.8e9, 2, 2, 0.5, true, 48 * KiB, 2 * MiB, 60 * MiB, 34, 10, 8, true, 6, 10},
    {"sapphirerapids", 3.0e9, 2, 2, 0.5, true, 48 * KiB, 2 * MiB, 60 * MiB, 42, 7, 8},
    {"icelake-server", 2.6e9, 2, 2, 2, true, 48 * KiB, 1280 * KiB, 48 * MiB, 64, 25},
    {"cascadelake", 2.6e9, 2, 2, 2, true, 32 * KiB, 1 * MiB, 24 * MiB, 64, 25},
    {"skylake-avx512", 2.6e9, 2, 2, 2, true, 32 * KiB, 1 * MiB, 24 * MiB, 64, 25},
    {"rocketlake", 4.0e9, 1, 2, 1, true, 48 * KiB, 512 * KiB, 16 * MiB, 64, 25},
    {"tigerlake", 4.0e9, 1, 2, 1, true, 48 * KiB, 1280 * KiB, 12 * MiB, 64, 25},
    {"icelake-client", 4.0e9, 1, 2, 1, true, 48 * KiB, 512 * KiB, 8 * MiB, 64, 25},
    {"broadwell", 3.0e9, 2, 2, 2, false, 32 * KiB, 256 * KiB, 20 * MiB, 64, 25},
    {"haswell", 3.0e9, 2, 2, 2, false, 32 * KiB, 256 * KiB, 20 * MiB, 64, 25},
    {"", 4.0e9, 2, 2, 2, false, 32 * KiB, 1 * MiB, 16 * MiB, 64, 25}};
// clang-format on

CpuModel mixattn::describeCpu(StringRef cpu,
                              llvm::ArrayRef<std::string> features,
                              const std::optional<CpuFacts> &facts) {
  auto has = [&](StringRef name) { return llvm::is_contained(features, name); };
  const KnownCpu *known = llvm::find_if(knownCpus, [&](const KnownCpu &each) {
    return each.name == cpu || each.name.empty();
  });
  CpuModel model;
  if (facts)
    static_cast<CpuFacts &>(model) = *facts;
  bool isWide = has("avx512f");
  model.lanes = isWide ? 16 : has("avx2") ? 8 : 4;
  model.registers = isWide ? 32 : 16;
  model.hasFma = has("fma");
  model.multiplyAdds = isWide ? known->wide : has("fma") ? known->narrow : 1;
  model.pairProducts = isWide && has("avx512bf16") ? known->widePairs : 0;
  model.sharesPorts = isWide && known->sharesPorts;
  model.scalesByPowers = model.sharesPorts && has("avx512dq");
  model.emulatesAmx = isWide && has(emulatedAmx);
  model.hasAmx = model.emulatesAmx || (isWide && has("amx-bf16"));
  model.hertz = known->hertz;
  if (!model.cores)
    model.cores = 8;
  model.threads = model.cores;
  if (!model.l1)
    model.l1 = known->l1;
  if (!model.l2)
    model.l2 = known->l2;
  if (!model.l3)
    model.l3 = known->l3;
  // One load of a whole register a cycle.
  model.l2Rate = std::min(known->l2Rate, 4 * double(model.lanes));
  model.l3Rate = known->l3Rate;
  model.stepsInTurn = known->stepsInTurn;
  model.overlapsExps = known->overlapsExps;
  model.memoryRate = known->memoryRate;
  model.allMemoryRate = known->allMemoryRate;
  model.asksIntoL2 = known->asksIntoL2;
  model.costs = calibrationOf(model);
  return model;
}

/// The numbers among the facts of a machine, by name.
static constexpr std::pair<llvm::StringLiteral, int64_t CpuFacts::*>
    factNumbers[] = {{"family", &CpuFacts::family},
                     {"model", &CpuFacts::model},
                     {"stepping", &CpuFacts::stepping},
                     {"cores", &CpuFacts::cores},
                     {"l1", &CpuFacts::l1},
                     {"l2", &CpuFacts::l2},
                     {"l3", &CpuFacts::l3},
                     {"l3_threads", &CpuFacts::l3Threads}};

mlir::DictionaryAttr mixattn::toAttribute(const CpuFacts &machine,
                                          mlir::MLIRContext *context) {
  mlir::Builder b(context);
  mlir::NamedAttrList list;
  if (!machine.vendor.empty())
    list.set("vendor", b.getStringAttr(machine.vendor));
  for (auto [name, fact] : factNumbers)
    if (machine.*fact)
      list.set(name, b.getI64IntegerAttr(machine.*fact));
  return list.getDictionary(context);
}

mlir::DictionaryAttr mixattn::toAttribute(llvm::ArrayRef<GivenNumber> numbers,
                                          mlir::MLIRContext *context) {
  if (numbers.empty())
    return {};
  mlir::Builder b(context);
  mlir::NamedAttrList list;
  for (const auto &[name, number] : numbers)
    list.set(name, b.getF64FloatAttr(number));
  return list.getDictionary(context);
}

static CpuFacts readFacts(mlir::DictionaryAttr machine) {
  CpuFacts result;
  if (auto vendor = machine.getAs<mlir::StringAttr>("vendor"))
    result.vendor = vendor.str();
  for (auto [name, fact] : factNumbers)
    if (auto number = machine.getAs<mlir::IntegerAttr>(name))
      result.*fact = number.getInt();
  return result;
}

CpuModel mixattn::describeCpu(TargetAttr target) {
  std::optional<CpuFacts> machine;
  if (target.getMachine())
    machine = readFacts(target.getMachine());
  CpuModel model =
      describeCpu(target.getChip(), target.getFeatureNames(), machine);
  if (target.getThreads())
    model.threads = target.getThreads();
  if (mlir::DictionaryAttr given = target.getCalibration())
    for (mlir::NamedAttribute each : given)
      if (const CalibrationNumber *number =
              findCalibrationNumber(each.getName().getValue()))
        number->in(model) = model.calibration[number->name.str()] =
            mlir::cast<mlir::FloatAttr>(each.getValue()).getValueAsDouble();
  return model;
}

CpuModel mixattn::describeCpuOf(mlir::Operation *op) {
  return describeCpu(TargetAttr::of(op));
}

llvm::json::Object mixattn::describeAsJson(const MachineDescription &machine) {
  llvm::json::Object object{{"cores", machine.cores},
                            {"l1", machine.l1},
                            {"l2", machine.l2},
                            {"l3", machine.l3},
                            {"hertz", machine.hertz},
                            {"multiply_adds", machine.multiplyAdds},
                            {"pair_products", machine.pairProducts},
                            {"shares_ports", machine.sharesPorts}};
  if (!machine.vendor.empty()) {
    object["vendor"] = machine.vendor;
    object["family"] = machine.family;
    object["model"] = machine.model;
    object["stepping"] = machine.stepping;
  }
  if (machine.l3Threads)
    object["l3_threads"] = machine.l3Threads;
  if (!machine.calibration.empty()) {
    llvm::json::Object numbers;
    for (const auto &[name, number] : machine.calibration)
      numbers[name] = number;
    object["calibration"] = std::move(numbers);
  }
  return object;
}
