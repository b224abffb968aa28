// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The oracle of an entry's op, and the rows of quotients.
#include "lib/Reference/Reference.h"
#include "lib/Reference/Oracles.h"
#include <algorithm>
#include <cmath>

using namespace mixattn;

void QuotientRows::add(double terms, double denominator) {
  double ratio = terms == 0 ? 1 : terms / std::fabs(denominator);
  leftOut.push_back(ratio > largestKappa);
  if (ratio <= largestKappa)
    largest = std::fmax(largest, ratio);
}

double QuotientRows::kappa() const {
  bool isNoneKept =
      !leftOut.empty() &&
      std::find(leftOut.begin(), leftOut.end(), false) == leftOut.end();
  return isNoneKept ? infinity : largest;
}

Result<ReferenceReport> mixattn::runReference(const Entry &entry,
                                              const Arguments &arguments) {
  if (!entry.op)
    return makeError("entry '{}' has no attention op to compare with: {}",
                     entry.name, entry.attentionReason);
  return std::visit(
      [&](const auto &op) { return runOracle(op, entry, arguments); },
      *entry.op);
}
