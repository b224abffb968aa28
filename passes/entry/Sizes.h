// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The sizes of all tensors of a function, in terms of its arguments' sizes.

#ifndef MIXATTN_PASSES_ENTRY_SIZES_H
#define MIXATTN_PASSES_ENTRY_SIZES_H

#include "passes/entry/DimNames.h"
#include "passes/entry/DimRules.h"
#include "passes/entry/SizePolynomial.h"

#include "llvm/ADT/DenseMap.h"

namespace mixattn {

/// Follows sizes from the arguments, whose dims have names, through reshapes,
/// slices and index arithmetic. A dim that is computed from others
/// (`attn.sizes`) is that polynomial.
class Sizes {
public:
  /// Reads the ops of `function`; dims in `given` count as that size, and all
  /// other dynamic ones as `others`, if that is there.
  explicit Sizes(mlir::func::FuncOp function, const GivenSizes &given = {},
                 std::optional<int64_t> others = std::nullopt);

  /// The size of dimension `dim` of `tensor`.
  SizePolynomial size(mlir::Value tensor, unsigned dim) const;
  /// How many elements `tensor` has.
  SizePolynomial elements(mlir::Value tensor) const;
  /// How many bytes these take, booleans one each.
  SizePolynomial bytes(mlir::Value tensor) const;
  /// The value of an index.
  SizePolynomial value(mlir::OpFoldResult index) const;

private:
  using Shape = llvm::SmallVector<SizePolynomial>;

  void visit(mlir::Operation *op);
  void visitIndex(mlir::Operation *op);
  /// Records the shape of `tensor`: `derived` where neither its type nor a
  /// name tells.
  void record(mlir::Value tensor, const Shape &derived);
  /// The shape of the result of `op`, as the op makes it.
  Shape derive(mlir::Operation *op, mlir::OpResult result) const;
  Shape shapeOf(mlir::Value tensor) const;

  DimNames names;
  DimRules rules;
  GivenSizes given;
  std::optional<int64_t> others;
  llvm::DenseMap<mlir::Value, Shape> shapes;
  /// The known sizes of classes of dims that have no name.
  std::map<DimNames::Dim, SizePolynomial> ofClasses;
  llvm::DenseMap<mlir::Value, SizePolynomial> indices;
};

} // namespace mixattn

#endif // MIXATTN_PASSES_ENTRY_SIZES_H
