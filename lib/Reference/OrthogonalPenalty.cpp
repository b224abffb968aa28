// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// How far the columns of a matrix are from being orthogonal and of length 1.
#include "lib/Reference/Oracles.h"

using namespace mixattn;

Result<ReferenceReport> mixattn::runOracle(const OrthogonalPenalty &op,
                                           const Entry &entry,
                                           const Arguments &arguments) {
  Array m;
  if (Status read = m.read(op.mixer, arguments); !read)
    return read.error();
  double penalty = 0;
  for (int64_t x = 0; x < m.shape[1]; ++x)
    for (int64_t y = 0; y < m.shape[1]; ++y) {
      double product = x == y ? -1 : 0;
      for (int64_t c = 0; c < m.shape[0]; ++c)
        product += m(c, x) * m(c, y);
      penalty += product * product;
    }
  ReferenceReport report;
  report.results[op.result] = {penalty};
  return report;
}
