// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A tensor of a contraction as it lies in memory.

#ifndef MIXATTN_PASSES_SCHEDULE_X86_DENSE_DENSE_OPERAND_H
#define MIXATTN_PASSES_SCHEDULE_X86_DENSE_DENSE_OPERAND_H

#include "dialect/attn/Contraction.h"

#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"

namespace mixattn {

/// An index for each loop of a contraction.
using Place = llvm::DenseMap<unsigned, mlir::Value>;

/// A buffer, and the loops that walk over its dimensions. Several loops are
/// often walked as one, of as many turns as all of them together.
class DenseOperand {
public:
  DenseOperand(mlir::Value buffer, mlir::AffineMap map)
      : buffer(buffer), map(map) {}

  mlir::Value getBuffer() const { return buffer; }
  mlir::Type getElementType() const { return getType().getElementType(); }
  mlir::MemRefType getType() const {
    return llvm::cast<mlir::MemRefType>(buffer.getType());
  }
  bool has(unsigned loop) const { return findLoop(map, loop).has_value(); }
  /// The size of `loop`, one of its own.
  mlir::Value getSize(mlir::ImplicitLocOpBuilder &b, unsigned loop) const;

  /// How many turns `loops` of its own have together, if that is known.
  std::optional<int64_t> getKnownSize(llvm::ArrayRef<unsigned> loops) const;

  /// Whether the elements of `loops`, walked as one, lie at equal distances.
  bool isEven(llvm::ArrayRef<unsigned> loops) const;
  /// Whether they lie side by side.
  bool isContiguous(llvm::ArrayRef<unsigned> loops) const;

  /// Where the element at `place` is.
  llvm::SmallVector<mlir::Value> getIndices(const Place &place) const;
  /// The elements of `rows` and `columns`, each walked as one, as a matrix,
  /// which has `shape` where it is given; other loops stand at `place`. Both
  /// are even.
  mlir::Value makeMatrix(mlir::ImplicitLocOpBuilder &b,
                         llvm::ArrayRef<unsigned> rows,
                         llvm::ArrayRef<unsigned> columns, const Place &place,
                         llvm::ArrayRef<int64_t> shape = {}) const;

private:
  mlir::Value buffer;
  mlir::AffineMap map;
};

} // namespace mixattn

#endif // MIXATTN_PASSES_SCHEDULE_X86_DENSE_DENSE_OPERAND_H
