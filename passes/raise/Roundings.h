// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Where a graph widens a tensor of 16 bits to f32, or rounds one to them.

#ifndef MIXATTN_PASSES_RAISE_ROUNDINGS_H
#define MIXATTN_PASSES_RAISE_ROUNDINGS_H

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

namespace mixattn {

/// `op` if it is `Cast` of each number of one tensor, and nothing else.
template <typename Cast> mlir::linalg::GenericOp asCast(mlir::Operation *op) {
  auto generic = llvm::dyn_cast_if_present<mlir::linalg::GenericOp>(op);
  if (!generic || generic.getNumDpsInputs() != 1 ||
      generic.getNumResults() != 1 ||
      generic.getNumParallelLoops() != generic.getNumLoops())
    return {};
  for (mlir::AffineMap map : generic.getIndexingMapsArray())
    if (!map.isIdentity())
      return {};
  auto cast = generic.getBody()
                  ->getTerminator()
                  ->getOperand(0)
                  .template getDefiningOp<Cast>();
  bool isOfInput = cast && cast.getIn() == generic.getRegionInputArgs().front();
  return isOfInput ? generic : mlir::linalg::GenericOp();
}

inline bool isReshape(mlir::Operation *op) {
  return llvm::isa_and_present<mlir::tensor::ExpandShapeOp,
                               mlir::tensor::CollapseShapeOp>(op);
}

/// Whether `type` is one of floats of 16 bits.
inline bool isNarrow(mlir::Type type) {
  return llvm::isa_and_present<mlir::FloatType>(type) &&
         type.getIntOrFloatBitWidth() == 16;
}

/// The type of 16 bits that `value` has, or that it, or what it is a view of,
/// is widened from; null if it is none.
mlir::Type narrowType(mlir::Value value);

/// The rounding of `value` to `type`, or of what reshapes make of it, that
/// alone reads it; null if others do.
mlir::linalg::GenericOp findRounding(mlir::Value value, mlir::Type type);

} // namespace mixattn

#endif // MIXATTN_PASSES_RAISE_ROUNDINGS_H
