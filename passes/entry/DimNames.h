// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Which dimensions of a function's tensors must have equal sizes.

#ifndef MIXATTN_PASSES_ENTRY_DIM_NAMES_H
#define MIXATTN_PASSES_ENTRY_DIM_NAMES_H

#include "dialect/attn/AttnOps.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/EquivalenceClasses.h"

#include <map>
#include <optional>

namespace mixattn {

/// Classes of dimensions that the ops of a function need equal, with the names
/// that `attn.dims` gives them on arguments and results.
class DimNames {
public:
  /// Reads the ops of `function`, and the names that it gives to arguments.
  explicit DimNames(mlir::func::FuncOp function);

  /// Every name given to the class of dimension `dim` of `value`, in order.
  llvm::ArrayRef<mlir::StringAttr> names(mlir::Value value, unsigned dim) const;

  /// The first of these, or null.
  mlir::StringAttr name(mlir::Value value, unsigned dim) const;

  /// Gives a name to the class of dimension `dim` of `value`.
  void setName(mlir::Value value, unsigned dim, mlir::StringAttr name);

  /// The static size that the class must have, if any.
  std::optional<int64_t> size(mlir::Value value, unsigned dim) const;

  /// A tensor and a dim of it.
  using Dim = std::pair<void *, unsigned>;

  /// The same dim for all of a class.
  Dim leader(mlir::Value value, unsigned dim) const;

private:
  void tie(mlir::Value a, unsigned aDim, mlir::Value b, unsigned bDim);
  /// Reads all ops. Results of loops and branches in `opaque` have sizes of
  /// their own.
  void tieAll(mlir::func::FuncOp function,
              const llvm::DenseSet<mlir::Operation *> &opaque);
  /// Ties the values that `op`, an scf.for or scf.if, carries in and out.
  void tieCarried(mlir::Operation *op);
  /// Whether what `op` carries from turn to turn, or out of either branch, has
  /// the sizes that tieCarried took for granted.
  bool carriesSameSizes(mlir::Operation *op) const;

  void fixSize(mlir::Value value, unsigned dim, int64_t size);
  void tieSizes(mlir::Value made, llvm::ArrayRef<mlir::OpFoldResult> sizes);
  bool tieParts(mlir::Operation *op);
  void tieOp(mlir::Operation *op);
  void tieScores(ScoreOpInterface op);
  void tieSized(SizedOpInterface op);
  void tieTypes(mlir::Value a, mlir::Value b);
  llvm::EquivalenceClasses<Dim> classes;
  std::map<Dim, llvm::SmallVector<mlir::StringAttr>> namesOf;
  std::map<Dim, int64_t> sizeOf;
};

} // namespace mixattn

#endif // MIXATTN_PASSES_ENTRY_DIM_NAMES_H
