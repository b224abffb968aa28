// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Chooses the loops and sizes of the blocks of a contraction on mma.

#include "passes/schedule/mma/DenseSizes.h"

#include "mlir/IR/TypeUtilities.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FormatVariadic.h"

using namespace mlir;
using namespace mixattn;
using namespace mixattn::mma;

/// The loop that walks along the last dim of a tensor.
static unsigned lastLoop(AffineMap map) {
  return cast<AffineDimExpr>(map.getResults().back()).getPosition();
}

/// `loops` without `loop`.
static Contraction::Loops without(const Contraction::Loops &loops,
                                  unsigned loop) {
  Contraction::Loops others = loops;
  llvm::erase(others, loop);
  return others;
}

void DenseSizes::chooseLoops(const Contraction &op) {
  termLoop = lastLoop(op.leftMap);
  if (!llvm::is_contained(op.depths, termLoop)) {
    why = "the terms of a row of the left side do not lie side by side";
    return;
  }
  rowLoop = op.rows.back();
  columnLoop = op.lanes.back();
  unsigned inRows = lastLoop(op.rightMap);
  areTermsInRows = inRows == termLoop;
  if (!areTermsInRows && inRows != columnLoop) {
    why = "neither the terms nor the columns of the right side that lie side "
          "by side are those of the left side or of the result";
    return;
  }
  outerTerms = without(op.depths, termLoop);
  batches = op.batches;
  batches.append(without(op.rows, rowLoop));
  batches.append(without(op.lanes, columnLoop));
}

/// The time of a step of `terms` terms for each of them, in that of a term:
/// terms come in products of 16, and a step has a wait.
static double costOf(int64_t terms) {
  constexpr double wait = 8;
  return (double(llvm::alignTo(terms, 16)) + wait) / double(terms);
}

void DenseSizes::chooseTile(const Contraction &op, int64_t sharedBytes) {
  constexpr int64_t mostColumns = 128, usualTerms = 32, mostTerms = 64;
  allColumns = op.dimOf(columnLoop).size();
  allTerms = op.dimOf(termLoop).size();
  if (ShapedType::isDynamic(allColumns) || ShapedType::isDynamic(allTerms)) {
    why = "the number of its columns or of its terms is open";
    return;
  }
  // As few blocks as possible, none with columns of another: unless that takes
  // more than twice as many.
  int64_t blocks = llvm::divideCeil(allColumns, mostColumns);
  columns = blocks == 1 ? allColumns : mostColumns;
  for (int64_t few = blocks; few <= 2 * blocks; ++few)
    if (allColumns % few == 0 && (few == 1 || allColumns / few % 16 == 0)) {
      columns = allColumns / few;
      break;
    }
  terms = 1;
  for (int64_t few = 1; few <= std::min(mostTerms, allTerms); ++few)
    if (allTerms % few == 0 && (few <= usualTerms || terms < 16) &&
        costOf(few) < costOf(terms))
      terms = few;
  if (terms < std::min<int64_t>(8, allTerms)) {
    why = llvm::formatv("no number of terms from 8 to {0} divides {1}",
                        mostTerms, allTerms);
    return;
  }
  int64_t allRows = op.dimOf(rowLoop).size();
  if (!ShapedType::isDynamic(allRows) && allRows <= groupRows)
    rowGroups = 1;
  if (!hasTurns() && stepsOfLoop() % 3 == 0)
    stages = 3;
  while (stages > 2 && bytes() > sharedBytes)
    --stages;
  if (bytes() > sharedBytes)
    why = llvm::formatv("a block takes {0} bytes of shared memory, but there "
                        "are {1}",
                        bytes(), sharedBytes);
}

DenseSizes::DenseSizes(const Contraction &op, int64_t sharedBytes)
    : type(getElementTypeOrSelf(op.left)) {
  Type other = getElementTypeOrSelf(op.right);
  if (type != other || !(type.isF16() || type.isBF16())) {
    why = llvm::formatv("both sides are f16 or bf16 on tensor cores, but these "
                        "are {0} and {1}",
                        type, other);
    return;
  }
  chooseLoops(op);
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
