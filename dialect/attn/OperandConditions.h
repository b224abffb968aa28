// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Conditions on the values of operands. They are checked where operands are
// constants and, where they are arguments of an entry, when it is called.

#ifndef MIXATTN_DIALECT_ATTN_OPERAND_CONDITIONS_H
#define MIXATTN_DIALECT_ATTN_OPERAND_CONDITIONS_H

#include "dialect/attn/AttnOps.h"

namespace mixattn {

/// The kinds of conditions on the values of a tensor.
enum class ConditionKind {
  /// Floats by head, then component: none is negative or NaN, and each head has
  /// one above 0. A tensor without elements weighs nothing.
  Prior,
  /// Logarithms of such: each head has one above -inf.
  LogPrior,
  /// Rows of indices, column c from 0 to extent c - 1, that ascend strictly.
  Coordinates,
  /// Rows (column, first row, length) of windows of one row or more, which are
  /// disjoint, and all of them in 0 to the only extent - 1.
  Windows,
  /// There is an element.
  NonEmpty,
};

/// The name of `kind` in `attn.holds` and in manifests.
llvm::StringRef getName(ConditionKind kind);

/// The kind of that name, if any.
std::optional<ConditionKind> parseConditionKind(llvm::StringRef name);

/// Whether `holds`, the value of `attn.holds`, says something of values of
/// `type`: a dictionary of a kind and, where the kind has indices, of extents,
/// each a number or the name of a dimension.
bool isConditionOn(mlir::Attribute holds, mlir::Type type);

/// A condition of an op on one of its operands.
struct OperandCondition {
  /// The name of the operand in errors.
  llvm::StringRef name;
  mlir::Value value;
  ConditionKind kind;
  /// The sizes that bound indices.
  llvm::SmallVector<OperandDim> extents = {};
};

/// Everything that `op` asks of the values of its operands.
llvm::SmallVector<OperandCondition> getOperandConditions(mlir::Operation *op);

/// Reports the first operand of `op` that is a constant and does not hold what
/// `op` asks of it.
llvm::LogicalResult verifyConstantOperands(mlir::Operation *op);

} // namespace mixattn

#endif // MIXATTN_DIALECT_ATTN_OPERAND_CONDITIONS_H
