// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The mean of responsibilities, by head and component, perhaps by key.
#include "lib/Reference/Oracles.h"

using namespace mixattn;

Result<ReferenceReport> mixattn::runOracle(const PriorUpdate &op,
                                           const Entry &entry,
                                           const Arguments &arguments) {
  Array gamma;
  if (Status read = gamma.read(op.responsibilities, arguments); !read)
    return read.error();
  int64_t batches = gamma.shape[0], heads = gamma.shape[1];
  int64_t components = gamma.shape[2], queries = gamma.shape[3];
  int64_t keys = gamma.shape[4], columns = op.perKey ? keys : 1;
  std::vector<double> prior(heads * components * columns, 0.0);
  double count =
      static_cast<double>(batches * queries * (op.perKey ? 1 : keys));
  for (int64_t b = 0; b < batches; ++b)
    for (int64_t h = 0; h < heads; ++h)
      for (int64_t r = 0; r < components; ++r)
        for (int64_t i = 0; i < queries; ++i)
          for (int64_t j = 0; j < keys; ++j)
            prior[(h * components + r) * columns + (op.perKey ? j : 0)] +=
                gamma(b, h, r, i, j);
  for (double &mean : prior)
    mean /= count;
  ReferenceReport report;
  report.results[op.result] = std::move(prior);
  return report;
}
