// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// How the loops of a linalg op walk over rows.

#ifndef MIXATTN_PASSES_SCHEDULE_ROW_LOOPS_H
#define MIXATTN_PASSES_SCHEDULE_ROW_LOOPS_H

#include "mlir/Dialect/Linalg/IR/Linalg.h"

namespace mixattn {

/// The loops of a `linalg` op, by what is done in their turns:
///
///   rows   the first loops, all parallel: the same as those of the other ops
///   of
///          a kernel. What an op computes in a row, others read in that row
///          only.
///   lane   the loop that is walked a vector at a time; none where an op
///          computes a number for each row from numbers, or where sums of its
///          turns cannot be put together
///   outer  the other parallel loops
///   turns  the other reductions, in whose turns sums grow
///
/// Lanes follow one another in memory in the operand of the highest rank.
struct RowLoops {
  mlir::linalg::LinalgOp op;
  unsigned rows = 0;
  std::optional<unsigned> lane;
  llvm::SmallVector<unsigned, 2> outer, turns;

  /// The loops of `op`, an anchor: all that may be rows are.
  static RowLoops of(mlir::linalg::LinalgOp op);
  /// The loops of `op`, the first `rows` of which are parallel.
  static RowLoops of(mlir::linalg::LinalgOp op, unsigned rows);

  mlir::linalg::LinalgOp getOp() const { return op; }
  mlir::AffineMap mapOf(mlir::OpOperand &operand) const {
    return getOp().getMatchingIndexingMap(&operand);
  }
  bool reducesLanes() const;
  /// Whether an operand walked by `map` has one part for each row: its first
  /// dims are the rows, and no other is.
  bool isByRow(mlir::AffineMap map) const;
};

/// The op that puts together what turns of reductions give for output `number`
/// of `op`, or null.
mlir::Operation *findCombiner(mlir::linalg::LinalgOp op, unsigned number);

/// Why no code is written for `op`, or nothing.
std::string whyNoRows(mlir::Operation *op);
/// Why the turns of the first `rows` loops of `op` are not computed one after
/// the other, or nothing.
std::string whyNotOfRows(mlir::Operation *op, unsigned rows);
/// Why `op` cannot read what `before` computes row by row, both of which have
/// `rows` loops of them, or nothing.
std::string whyNotInRow(mlir::Operation *before, mlir::Operation *op,
                        unsigned rows);
/// Whether elements of turns of the last of `loops`' row loops follow one
/// another in `input`, and those of a row do not.
bool isTurned(const RowLoops &loops, mlir::OpOperand *input);
/// Why the rows that ops in `members` compute cannot go through `op`, or
/// nothing.
std::string whyNotInRow(llvm::ArrayRef<mlir::Operation *> members,
                        mlir::Operation *op);

} // namespace mixattn

#endif // MIXATTN_PASSES_SCHEDULE_ROW_LOOPS_H
