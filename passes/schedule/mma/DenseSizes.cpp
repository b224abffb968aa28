// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Chooses the sizes of the blocks of a contraction on mma.

#include "passes/schedule/mma/DenseSizes.h"

using namespace mlir;
using namespace mixattn;
using namespace mixattn::mma;

/// The time of a step of `terms` terms for each of them, in that of a term:
/// terms come in products of 16, and a step has a wait.
static double costOf(int64_t terms) {
  constexpr double wait = 8;
  return (double(llvm::alignTo(terms, 16)) + wait) / double(terms);
}

/// Terms of a step: they divide those that there are, if no fewer than 8 do.
static int64_t chooseTerms(int64_t allTerms) {
  constexpr int64_t usualTerms = 32, mostTerms = 64;
  if (ShapedType::isDynamic(allTerms))
    return usualTerms;
  int64_t terms = 1;
  for (int64_t few = 1; few <= std::min(mostTerms, allTerms); ++few)
    if (allTerms % few == 0 && (few <= usualTerms || terms < 16) &&
        costOf(few) < costOf(terms))
      terms = few;
  return terms < std::min<int64_t>(8, allTerms) ? usualTerms : terms;
}

void DenseSizes::chooseTile(const Contraction &op, int64_t sharedBytes) {
  terms = chooseTerms(allTerms);
  int64_t allRows = op.dimOf(rowLoop).size();
  if (!ShapedType::isDynamic(allRows) && allRows <= groupRows)
    rowGroups = 1;
  if (!hasTurns() && comesInTurnsOf(3))
    stages = 3;
  fitStages(stages, sharedBytes, [&] { return bytes(); });
}

DenseSizes::DenseSizes(const Contraction &op, int64_t sharedBytes)
    : DenseShape(op, mostColumns) {
  if (why.empty())
    chooseTile(op, sharedBytes);
}

/// A warp has 16 rows of each group, and reads the right side for itself. LLVM
/// may drop products of columns that are there to fill one. One load is of four
/// squares of 512 bytes, one copy of up to 16.
BlockCounts DenseSizes::countStep() const {
  constexpr double bytesOfElement = 2, warps = double(threads) / 32;
  double all = double(rows()), groups = double(rowGroups),
         lanes = double(width());
  BlockCounts counts;
  counts.queries = rows();
  counts.heads = columns;
  counts.keys = terms;
  counts.warp.products = groups * lanes / 8 * double(depth()) / 16;
  double loads = (groups + lanes / 16) * double(depth()) / 16;
  counts.copiedBytes = (all + double(columns)) * double(terms) * bytesOfElement;
  counts.warp.moves = loads + counts.copiedBytes / 16 / double(threads);
  counts.sharedBytes = loads * 512 * warps + counts.copiedBytes;
  counts.multiplyAdds = all * lanes * double(depth());
  counts.usefulMultiplyAdds = all * double(columns) * double(terms);
  return counts;
}
