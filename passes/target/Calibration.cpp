// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The constants of predictions, and those that a file gives.

#include "passes/target/Calibration.h"

#include "lib/Runtime/Json.h"
#include "passes/target/CpuModel.h"

#include <cerrno>
#include <fstream>
#include <system_error>

using namespace mixattn;
using llvm::StringRef;

/// Where exps take the ports of products nothing of them hides; part of a
/// strip's traffic does, and of reading keys: measured on Granite Rapids.
/// Elements are transposed, and words of Philox multiplied, on one or two of
/// the ports: measured on Emerald Rapids.
static void shareThePorts(Calibration &costs) {
  costs.hiddenExp = costs.nakedExp = 13;
  costs.strip = 0.3;
  costs.hiddenReads = 0.3;
  costs.read = 19;
  costs.draw = 130;
}

/// Where exps come after products, in vectors of 256 bits: estimates for Zen 3
/// from two runs of scripts/calibrate.sh on one that was not quiet, lowered
/// where the times of single kernels were less.
static void comeAfterProducts(Calibration &costs) {
  costs.nakedExp = 10;
  costs.scoreOverhead = 3;
  costs.poolOverhead = 8;
  costs.other = 3;
  costs.mix = 2;
  costs.read = 32;
  costs.draw = 230;
  costs.strip = 3;
  costs.pack = 3;
  costs.decodeRow = 24;
  costs.exposed = 1;
  costs.linearShare = 0.65;
  costs.pieceShare = 0.21;
  costs.pieceOther = 1.5;
  costs.denseShare = 0.75;
  costs.threads = 1.15;
}

/// Where one multiply-add of 512 bits begins in a cycle, and loads and other
/// arithmetic begin as many as elsewhere: they take fewer slots, and narrow
/// tiles wait for no loads. Measured on Zen 4 by scripts/calibrate.sh, but
/// `oneVector` and `decodeRow`, which single kernels of more sizes gave: of one
/// query a row takes more, of several less.
static void multiplyOnceACycle(Calibration &costs) {
  costs.scoreOverhead = 1.4;
  costs.poolOverhead = 2.3;
  costs.hiddenExp = 2.5;
  costs.nakedExp = 3.4;
  costs.mix = costs.other = 0.8;
  costs.read = 10;
  costs.draw = 73;
  costs.oneVector = 1.03;
  costs.twoVectors = 1.05;
  costs.onePairVector = 1.4;
  costs.tile = 210;
  costs.strip = 0.95;
  costs.decodeRow = 1.2;
  costs.exposed = 0.3;
  costs.linearShare = 0.95;
  costs.pieceShare = 0.62;
  costs.pieceOverhead = 2.7;
  costs.pieceOther = 0.5;
}

Calibration mixattn::calibrationOf(const CpuModel &cpu) {
  Calibration costs;
  if (cpu.multipliesOnceACycle())
    multiplyOnceACycle(costs);
  if (cpu.sharesPorts)
    shareThePorts(costs);
  if (!cpu.overlapsExps)
    comeAfterProducts(costs);
  return costs;
}

#define RATE(name, member)                                                     \
  CalibrationNumber {                                                          \
    name, [](CpuModel &cpu) -> double & { return cpu.member; }                 \
  }
#define COST(name, member) RATE(name, costs.member)

static constexpr CalibrationNumber numbers[] = {
    RATE("hertz", hertz),
    RATE("multiply_adds", multiplyAdds),
    RATE("pair_products", pairProducts),
    RATE("l2_rate", l2Rate),
    RATE("l3_rate", l3Rate),
    RATE("memory_rate", memoryRate),
    RATE("all_memory_rate", allMemoryRate),
    COST("score_overhead", scoreOverhead),
    COST("pool_overhead", poolOverhead),
    COST("hidden_exp", hiddenExp),
    COST("naked_exp", nakedExp),
    COST("hiding_slots", hidingSlots),
    COST("amx_multiply_add", amxMultiplyAdd),
    COST("amx_store", amxStore),
    COST("amx_sums", amxSums),
    COST("amx_weight", amxWeight),
    COST("amx_pack", amxPack),
    COST("mix", mix),
    COST("other", other),
    COST("read", read),
    COST("draw", draw),
    COST("one_vector", oneVector),
    COST("two_vectors", twoVectors),
    COST("one_pair_vector", onePairVector),
    COST("overflow", overflow),
    COST("most_overflow", mostOverflow),
    COST("roomy", roomy),
    COST("crowding", crowding),
    COST("amx_overflow", amxOverflow),
    COST("amx_exposed", amxExposed),
    COST("hidden_reads", hiddenReads),
    COST("strip", strip),
    COST("pack", pack),
    COST("tile", tile),
    COST("block", block),
    COST("call", call),
    COST("wake", wake),
    COST("threads", threads),
    COST("decode_row", decodeRow),
    COST("exposed", exposed),
    COST("merge", merge),
    COST("linear_share", linearShare),
    COST("piece_share", pieceShare),
    COST("piece_overhead", pieceOverhead),
    COST("piece_other", pieceOther),
    COST("dense_share", denseShare),
    COST("packed_vector", packedVector),
    COST("amx_dense_share", amxDenseShare),
    COST("row_other", rowOther),
    COST("plain_multiply_add", plainMultiplyAdd),
    COST("plain_other", plainOther),
    COST("plain_exp", plainExp)};
#undef COST
#undef RATE

llvm::ArrayRef<CalibrationNumber> mixattn::getCalibrationNumbers() {
  return numbers;
}

const CalibrationNumber *mixattn::findCalibrationNumber(StringRef name) {
  const CalibrationNumber *found =
      llvm::find_if(numbers, [&](const CalibrationNumber &each) {
        return each.name == name;
      });
  return found == std::end(numbers) ? nullptr : found;
}

Result<std::vector<GivenNumber>> mixattn::parseTargetFile(StringRef text,
                                                          StringRef cpu) {
  Result<Json> json = parseJson(std::string_view(text));
  if (!json)
    return json.error();
  std::optional<Error> error;
  JsonView file(*json, "", error);
  for (const auto &[name, value] : file.members())
    if (name != "format" && name != "cpu" && name != "numbers")
      value.complain(makeError("expected 'format', 'cpu' and 'numbers' alone"));
  if (int64_t format = file["format"].integer(); format != 1)
    file["format"].complain(makeError("expected 1, but got {}", format));
  if (std::string made = file["cpu"].text(); made != cpu)
    file["cpu"].complain(
        makeError("expected the target '{}', but the numbers are of '{}'",
                  cpu.str(), made));
  std::vector<GivenNumber> given;
  for (const auto &[name, value] : file["numbers"].members()) {
    double number = value.number();
    if (!findCalibrationNumber(name))
      value.complain(makeError("expected the name of a number that plans "
                               "depend on"));
    if (!(number > 0 && number <= largestCalibration))
      value.complain(makeError(
          "expected a number above 0 and at most 1e15, but got {}", number));
    given.emplace_back(name, number);
  }
  if (error)
    return *error;
  return given;
}

Result<std::vector<GivenNumber>> mixattn::readTargetFile(StringRef path,
                                                         StringRef cpu) {
  constexpr uint64_t mostBytes = 64 * 1024;
  std::ifstream file(path.str(), std::ios::binary);
  std::string text(mostBytes + 1, '\0');
  file.read(text.data(), std::streamsize(text.size()));
  text.resize(size_t(file.gcount()));
  // A folder opens, and does not read.
  if (!file.is_open() || file.bad())
    return makeError("cannot read '{}': {}", path.str(),
                     std::generic_category().message(errno));
  if (text.size() > mostBytes)
    return makeError("'{}': expected at most {} bytes", path.str(), mostBytes);
  auto given = parseTargetFile(text, cpu);
  if (!given)
    return makeError("'{}': {}", path.str(), given.message());
  return given;
}
