// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Any bytes as the text of a target file.
#include "passes/target/CpuModel.h"

#include <cstdint>
#include <cstdlib>

using namespace mixattn;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  llvm::StringRef text(reinterpret_cast<const char *>(data), size);
  auto given = parseTargetFile(text, "znver5");
  if (!given)
    return 0;
  // Each number has a place in a description.
  CpuModel cpu;
  for (const auto &[name, number] : *given) {
    const CalibrationNumber *found = findCalibrationNumber(name);
    if (!found || !(number > 0))
      abort();
    found->in(cpu) = number;
  }
  return 0;
}
