// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Elements read at places that are computed from those of the result.
#ifndef MIXATTN_LIB_IMPORT_OPS_PLACED_H
#define MIXATTN_LIB_IMPORT_OPS_PLACED_H

#include "lib/Import/OpTable.h"

namespace mixattn {

/// Where an element of the result is in the tensor: a place for each of its
/// dims from the places in the result, all of type index.
using PlaceMap = std::function<llvm::SmallVector<mlir::Value>(
    mlir::OpBuilder &, mlir::Location, mlir::ValueRange)>;

/// A result of `sizes` that is read from `tensor` where it is used.
Built readAt(GraphBuilder &build, const Built &tensor, const SizeList &sizes,
             PlaceMap placeOf);

/// The tensor with `dim` moved to the end and a 1 in its place: at each place
/// of a result, all elements of its line.
Built withLineLast(GraphBuilder &build, const Built &tensor, int64_t dim);

} // namespace mixattn

#endif // MIXATTN_LIB_IMPORT_OPS_PLACED_H
