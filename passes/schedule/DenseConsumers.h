// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The pointwise ops that a contraction's result goes through in its kernel.

#ifndef MIXATTN_PASSES_SCHEDULE_DENSE_CONSUMERS_H
#define MIXATTN_PASSES_SCHEDULE_DENSE_CONSUMERS_H

#include "mlir/Dialect/Linalg/IR/Linalg.h"

namespace mixattn {

/// Why the rows of a tile cannot go through `op`, which reads the result of the
/// last one of `members`; or nothing.
std::string whyNotFused(llvm::ArrayRef<mlir::Operation *> members,
                        mlir::Operation *op);

/// Emits the element that `consumer`, a pointwise op, makes of `elements`, one
/// of each input.
mlir::Value emitConsumer(mlir::OpBuilder &builder,
                         mlir::linalg::GenericOp consumer,
                         mlir::ValueRange elements);

} // namespace mixattn

#endif // MIXATTN_PASSES_SCHEDULE_DENSE_CONSUMERS_H
