// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Reads linalg on tensors as expressions of elements.

#ifndef MIXATTN_PASSES_RAISE_READ_ELEMENT_H
#define MIXATTN_PASSES_RAISE_READ_ELEMENT_H

#include "passes/raise/Expression.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"

namespace mixattn {

/// Whether `value` sums or searches over what several tensors hold, with
/// products where `onlyProducts` is set: where readers that do not know what
/// they are after had better stop, for such sums lead through whole models.
bool sumsSeveral(mlir::Value value, bool onlyProducts = false);

/// Follows an element to what it is computed from. Views, copies and filled
/// tensors are always seen through.
class ElementReader {
public:
  using Ref = Expressions::Ref;
  /// Whether a tensor that is read at places stays an element.
  using Stop = std::function<bool(mlir::Value, llvm::ArrayRef<Place>)>;

  ElementReader(Expressions &make, Stop stop)
      : make(make), stop(std::move(stop)) {}

  Ref read(mlir::Value tensor, llvm::ArrayRef<Place> places);

private:
  /// The element where it is one of a view, a copy or a filled tensor; or null.
  Ref readView(mlir::Value tensor, llvm::ArrayRef<Place> places);
  /// The number that `op` computes at `places`, or null if not known.
  Ref readLoops(mlir::linalg::LinalgOp op, llvm::ArrayRef<Place> places);
  /// Where a loop at `place` reads the dim `dim`: one of size 1 has no index
  /// but that of a single query.
  Place placeOf(mlir::RankedTensorType type, unsigned dim,
                const Place &place) const;
  /// The operand of `op` at the places of its loops, or null.
  Ref readOperand(mlir::linalg::LinalgOp op, mlir::OpOperand &operand,
                  llvm::ArrayRef<Place> loops);
  /// `value`, a scalar of the body of `op`, or null.
  Ref readScalar(mlir::linalg::LinalgOp op, mlir::Value value,
                 llvm::ArrayRef<Place> loops,
                 llvm::DenseMap<mlir::Value, Ref> &known);
  /// The element that `pick` of the body of `op` reads, or null: one of the
  /// table, or, where places are computed, of a tensor of picked elements.
  Ref readPick(mlir::linalg::LinalgOp op, mlir::tensor::ExtractOp pick,
               llvm::ArrayRef<Place> loops,
               llvm::DenseMap<mlir::Value, Ref> &known);
  Ref readOp(mlir::Operation *op, llvm::ArrayRef<Ref> operands);

  Expressions &make;
  Stop stop;
  std::map<std::pair<void *, llvm::SmallVector<Place>>, Ref> seen;
};

} // namespace mixattn

#endif // MIXATTN_PASSES_RAISE_READ_ELEMENT_H
