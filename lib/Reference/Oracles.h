// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The oracle of each op; every one has a file of its own.
#ifndef MIXATTN_LIB_REFERENCE_ORACLES_H
#define MIXATTN_LIB_REFERENCE_ORACLES_H

#include "lib/Reference/Array.h"
#include "lib/Reference/Reference.h"

namespace mixattn {

Result<ReferenceReport> runOracle(const Attention &op, const Entry &entry,
                                  const Arguments &arguments);
Result<ReferenceReport> runOracle(const LinearAttention &op, const Entry &entry,
                                  const Arguments &arguments);
Result<ReferenceReport> runOracle(const StructuredPool &op, const Entry &entry,
                                  const Arguments &arguments);
Result<ReferenceReport> runOracle(const Responsibilities &op,
                                  const Entry &entry,
                                  const Arguments &arguments);
Result<ReferenceReport> runOracle(const PriorUpdate &op, const Entry &entry,
                                  const Arguments &arguments);
Result<ReferenceReport> runOracle(const OrthogonalPenalty &op,
                                  const Entry &entry,
                                  const Arguments &arguments);

} // namespace mixattn

#endif // MIXATTN_LIB_REFERENCE_ORACLES_H
