// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Expressions as tensors and as scalars.

#ifndef MIXATTN_PASSES_RAISE_EMIT_TENSOR_H
#define MIXATTN_PASSES_RAISE_EMIT_TENSOR_H

#include "passes/raise/Expression.h"

#include "mlir/IR/ImplicitLocOpBuilder.h"

namespace mixattn {

/// Computes expressions where a builder stands.
class TensorEmitter {
public:
  using Ref = Expressions::Ref;
  /// The index of a place, in the body that is being built.
  using IndexOf = std::function<mlir::Value(llvm::ArrayRef<Atom>)>;
  /// The value of an element or of the raw score.
  using ValueOf = std::function<mlir::Value(mlir::OpBuilder &, Ref)>;

  TensorEmitter(mlir::ImplicitLocOpBuilder &b, Expressions &make)
      : b(b), make(make), atoms(make.atoms) {}

  /// A tensor with one dim for each of `dims`: a view of the one that `ref` is
  /// an element of, where it is, else what one op computes. A dim without atoms
  /// has size 1. It holds `type`, or where that is null what it can hold
  /// without a copy.
  mlir::Value emit(Ref ref, llvm::ArrayRef<Place> dims, mlir::Type type = {});
  /// `tensor`, whose dims are `from`, with the dims `to` of the same atoms.
  mlir::Value arrange(mlir::Value tensor, llvm::ArrayRef<Place> from,
                      llvm::ArrayRef<Place> to);
  /// `tensor`, whose dims are `from`, without its dims of size 1.
  mlir::Value dropOnes(mlir::Value tensor, llvm::ArrayRef<Place> from,
                       llvm::SmallVector<Place> &left);
  /// `ref` without totals, as a scalar, floats in f32.
  mlir::Value emitScalar(mlir::OpBuilder &b, Ref ref, const IndexOf &indexOf,
                         const ValueOf &valueOf);
  /// The index of `place`, those of its atoms being given.
  mlir::Value
  emitIndex(mlir::OpBuilder &b, llvm::ArrayRef<Atom> place,
            llvm::function_ref<mlir::Value(Atom)> indexOfAtom) const;

private:
  /// `ref` with tensors in place of the sums, maxima and pieces within.
  Ref hoist(Ref ref);
  mlir::Value emitPieces(Ref ref, llvm::ArrayRef<Place> dims, mlir::Type type);
  mlir::Value compute(Ref ref, llvm::ArrayRef<Atom> loops, mlir::Type type);
  mlir::Value reshape(mlir::Value tensor, llvm::ArrayRef<Place> from,
                      llvm::ArrayRef<Place> to);
  mlir::OpFoldResult sizeOf(llvm::ArrayRef<Atom> place);

  mlir::ImplicitLocOpBuilder &b;
  Expressions &make;
  const Atoms &atoms;
};

} // namespace mixattn

#endif // MIXATTN_PASSES_RAISE_EMIT_TENSOR_H
