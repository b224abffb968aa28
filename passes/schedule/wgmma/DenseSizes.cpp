// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Chooses the sizes of the blocks of a contraction on wgmma.

#include "passes/schedule/wgmma/DenseSizes.h"

#include "passes/schedule/wgmma/MapSources.h"

#include "llvm/Support/FormatVariadic.h"

using namespace mlir;
using namespace mixattn;
using namespace mixattn::wgmma;

/// Sees to it that TMA can copy both sides: boxes of rows that follow each
/// other, of whole pieces of 16 bytes.
void DenseSizes::checkMaps(const Contraction &op) {
  constexpr int64_t pieceElements = 8;
  auto check = [&](StringRef side, Value tensor, AffineMap map, unsigned loop,
                   int64_t elements) {
    if (!why.empty())
      return;
    if (ShapedType::isDynamic(elements))
      why = llvm::formatv("TMA copies rows of multiples of 16 bytes, but the "
                          "length of those of the {0} side is open",
                          side);
    else if (elements % pieceElements)
      why = llvm::formatv("TMA copies rows of multiples of 16 bytes, but those "
                          "of the {0} side have {1}",
                          side, 2 * elements);
    else if (*findLoop(map, loop) + 2 != map.getNumResults())
      why =
          llvm::formatv("rows of the {0} side do not follow each other", side);
    else
      why = whyNoMap(tensor, llvm::formatv("rows of the {0} side", side).str());
  };
  check("left", op.left, op.leftMap, rowLoop, allTerms);
  if (areTermsInRows)
    check("right", op.right, op.rightMap, columnLoop, allTerms);
  else
    check("right", op.right, op.rightMap, termLoop, allColumns);
}

DenseSizes::DenseSizes(const Contraction &op, int64_t sharedBytes)
    : DenseShape(op, mostColumns) {
  if (why.empty())
    checkMaps(op);
  if (!why.empty())
    return;
  terms = std::min<int64_t>(mostTerms, llvm::alignTo(allTerms, 16));
  fitStages(stages, sharedBytes, [&] { return bytes(); });
}

/// Of the warps of a warpgroup each quarter of the multiprocessor has one.
/// Products have 64 rows, all columns and 16 terms, both sides in shared
/// memory.
BlockCounts DenseSizes::countStep() const {
  constexpr double bytesOfElement = 2, groupRows = 64, depth = 16;
  double lanes = double(width()), ofRows = double(rows), each = double(terms);
  BlockCounts counts;
  counts.queries = rows;
  counts.heads = columns;
  counts.keys = terms;
  counts.warps = consumers;
  counts.warp.products = each / depth;
  counts.copiedBytes = double(leftRing().getTile().getBytes() +
                              rightRing().getTile().getBytes());
  counts.sharedBytes =
      double(consumers) * bytesOfElement * each * (groupRows + lanes) +
      counts.copiedBytes;
  counts.multiplyAdds = ofRows * lanes * each;
  counts.usefulMultiplyAdds = ofRows * double(columns) * each;
  return counts;
}
