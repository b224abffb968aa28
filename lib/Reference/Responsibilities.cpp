// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The share of each component in a score: gamma_r = exp(s_r) / sum of exp(s).
#include "lib/Reference/ComponentScores.h"
#include "lib/Reference/Oracles.h"
#include "lib/Reference/Visibility.h"

using namespace mixattn;

Result<ReferenceReport> mixattn::runOracle(const Responsibilities &op,
                                           const Entry &entry,
                                           const Arguments &arguments) {
  ComponentScores scores;
  if (Status bound = scores.bind(op, arguments); !bound)
    return bound.error();
  int64_t heads = scores.heads(), count = scores.count();
  int64_t queries = scores.queries(), keys = scores.keys();
  Sight sight;
  if (Status bound =
          sight.bind(op, {scores.batches(), heads, queries, keys}, arguments);
      !bound)
    return bound.error();
  Largest largest;
  std::vector<double> gamma(scores.batches() * heads * count * queries * keys);
  for (int64_t b = 0; b < scores.batches(); ++b)
    for (int64_t h = 0; h < heads; ++h)
      for (int64_t i = 0; i < queries; ++i)
        for (int64_t j = 0; j < keys; ++j) {
          if (!sight.isVisible(b, h, i, j))
            continue;
          std::vector<double> sizes, row = scores.at(b, h, i, j, sizes);
          SumOfExp sum(row);
          for (int64_t r = 0; r < count; ++r) {
            if (matters(sum.logShare(row[r]), sizes[r]))
              largest.note(sizes[r]);
            gamma[(((b * heads + h) * count + r) * queries + i) * keys + j] =
                sum.share(row[r]);
          }
        }
  ReferenceReport report;
  report.largestScore = largest.value();
  report.results[op.result] = std::move(gamma);
  return report;
}
