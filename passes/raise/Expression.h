// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// One element of a tensor, as an expression of elements of other tensors.

#ifndef MIXATTN_PASSES_RAISE_EXPRESSION_H
#define MIXATTN_PASSES_RAISE_EXPRESSION_H

#include "passes/raise/Atoms.h"
#include "passes/raise/ComputedPicks.h"

#include <deque>

namespace mixattn {

/// An expression over atoms. Floats are real numbers here, whatever type they
/// are rounded to on the way; one tensor of them is computed in f32.
struct Expression {
  enum class Kind {
    Number,     ///< `number`
    Element,    ///< of `tensor` at `places`
    Position,   ///< the index `places[0]`
    Sum,        ///< of the operands
    Product,    ///< of the operands
    Reciprocal, ///< of the operand
    Total,      ///< sum of the operand over the atoms `bound`
    Largest,    ///< of the operand over the atoms `bound`
    Any,        ///< whether the operand holds for one of the atoms `bound`
    Apply,      ///< `op`, which is elementwise, of the operands
    Not,        ///< of the operand
    All,        ///< whether all operands hold
    Pieces,     ///< the operand of the number that the index `places[0]` is
    Raw,        ///< the score that pointwise ops change
  };
  Kind kind;
  mlir::Type type;
  double number = 0;
  mlir::Value tensor = {};
  llvm::SmallVector<Place> places = {};
  llvm::SmallVector<const Expression *> operands = {};
  Place bound = {};
  mlir::Operation *op = nullptr;

  bool is(Kind other) const { return kind == other; }
  bool isNumber(double value) const {
    return kind == Kind::Number && number == value;
  }
};

/// Makes expressions, and owns them. Sums and products are flat, and their
/// numbers one.
class Expressions {
public:
  using Ref = const Expression *;
  explicit Expressions(mlir::MLIRContext *context)
      : f32(mlir::Float32Type::get(context)) {}

  Atoms atoms;
  const mlir::Type f32;
  /// The tensors of elements that ops pick at computed places, for all readers.
  llvm::DenseMap<mlir::Operation *, std::optional<Picked>> picks;

  Ref number(double value, mlir::Type type);
  Ref element(mlir::Value tensor, llvm::ArrayRef<Place> places);
  Ref position(llvm::ArrayRef<Atom> place, mlir::Type type);
  Ref sum(llvm::ArrayRef<Ref> operands, mlir::Type type);
  Ref product(llvm::ArrayRef<Ref> operands, mlir::Type type);
  Ref reciprocal(Ref operand);
  Ref total(Ref operand, llvm::ArrayRef<Atom> bound);
  Ref largest(Ref operand, llvm::ArrayRef<Atom> bound);
  Ref any(Ref operand, llvm::ArrayRef<Atom> bound);
  Ref apply(mlir::Operation *op, llvm::ArrayRef<Ref> operands);
  Ref pieces(llvm::ArrayRef<Atom> place, llvm::ArrayRef<Ref> operands);
  Ref negation(Ref operand);
  Ref all(llvm::ArrayRef<Ref> operands);
  Ref raw(mlir::Type type);
  /// The natural logarithm.
  Ref logarithm(Ref operand);
  /// 1 where both indices are one, else 0.
  Ref identity(Atom row, Atom column);
  /// Pieces as one expression, as far as they differ in operands alone.
  Ref joinPieces(llvm::ArrayRef<Atom> place, llvm::ArrayRef<Ref> operands);
  /// `ref` with other atoms where `renamed` has them.
  Ref rename(Ref ref, const llvm::DenseMap<Atom, Atom> &renamed);
  /// `ref` with other operands.
  Ref rebuild(Ref ref, llvm::ArrayRef<Ref> operands);

  /// The atoms that `ref` depends on, those that it sums over left out.
  Place freeAtoms(Ref ref) const;
  /// The atoms that any of `refs` depends on.
  Place freeAtoms(llvm::ArrayRef<Ref> refs) const;
  /// Whether two expressions are the same, an atom of `b` standing where
  /// `renamed` says for one of `a`.
  bool areSame(Ref a, Ref b,
               const llvm::DenseMap<Atom, Atom> &renamed =
                   llvm::DenseMap<Atom, Atom>()) const;

  /// Whether no element is below 0, whatever the inputs are.
  bool isAtLeastZero(Ref ref) const;

private:
  Ref keep(Expression expression);
  /// Puts x in the place of sqrt(x) sqrt(x), where x is at least 0.
  void squareRoots(llvm::SmallVectorImpl<Ref> &factors) const;

  std::deque<Expression> made;
  /// Ops that no expression was read from: a logarithm, a comparison of indices
  /// and a choice by it.
  mlir::Block &getOwnOps();
  std::unique_ptr<mlir::Block> ownOps;
};

} // namespace mixattn

#endif // MIXATTN_PASSES_RAISE_EXPRESSION_H
