// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// From code for one query to code for a row of lanes.

#ifndef MIXATTN_PASSES_SCHEDULE_X86_SHARED_WIDEN_H
#define MIXATTN_PASSES_SCHEDULE_X86_SHARED_WIDEN_H

#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/IR/Builders.h"

namespace mixattn {

/// How a load whose indices differ from lane to lane is made.
using WideLoad = llvm::function_ref<mlir::Value(
    mlir::OpBuilder &builder, mlir::memref::LoadOp scalar,
    llvm::ArrayRef<mlir::Value> indices)>;

/// Emits, lane by lane and at once for all lanes, what `body` emits for one:
/// `lanes` are vectors of `length` elements, of which `body` gets the elements'
/// stand-ins, or scalars. What depends on no vector stays a scalar. Ops on
/// lanes must be elementwise; loads are `load`'s. The results are vectors.
llvm::SmallVector<mlir::Value>
emitWide(mlir::OpBuilder &builder, mlir::Location loc, int64_t length,
         mlir::ValueRange lanes,
         llvm::function_ref<llvm::SmallVector<mlir::Value>(mlir::OpBuilder &,
                                                           mlir::ValueRange)>
             body,
         WideLoad load);

} // namespace mixattn

#endif // MIXATTN_PASSES_SCHEDULE_X86_SHARED_WIDEN_H
