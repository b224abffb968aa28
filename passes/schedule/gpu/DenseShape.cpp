// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Chooses the loops of a contraction on a GPU, and the columns of its blocks.

#include "passes/schedule/gpu/DenseShape.h"

#include "mlir/IR/TypeUtilities.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FormatVariadic.h"

using namespace mlir;
using namespace mixattn;

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

void DenseShape::chooseLoops(const Contraction &op) {
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
  allColumns = op.dimOf(columnLoop).size();
  allTerms = op.dimOf(termLoop).size();
}

/// As few blocks as possible, none with columns of another: unless that takes
/// more than twice as many. Of an open number the last block has fewer.
void DenseShape::chooseColumns(int64_t mostColumns) {
  if (hasOpenColumns()) {
    columns = mostColumns;
    return;
  }
  int64_t blocks = llvm::divideCeil(allColumns, mostColumns);
  columns = blocks == 1 ? allColumns : mostColumns;
  for (int64_t few = blocks; few <= 2 * blocks; ++few)
    if (allColumns % few == 0 && (few == 1 || allColumns / few % 16 == 0)) {
      columns = allColumns / few;
      break;
    }
}

void DenseShape::fitStages(int64_t &stages, int64_t sharedBytes,
                           function_ref<int64_t()> countBytes) {
  constexpr int64_t fewest = 2;
  while (stages > fewest && countBytes() > sharedBytes)
    --stages;
  if (countBytes() > sharedBytes)
    why = llvm::formatv("a block takes {0} bytes of shared memory, but there "
                        "are {1}",
                        countBytes(), sharedBytes);
}

DenseShape::DenseShape(const Contraction &op, int64_t mostColumns)
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
    chooseColumns(mostColumns);
}
