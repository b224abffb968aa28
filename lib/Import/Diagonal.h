// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Constants that are one number up to a diagonal and another after it.
#ifndef MIXATTN_LIB_IMPORT_DIAGONAL_H
#define MIXATTN_LIB_IMPORT_DIAGONAL_H

#include "lib/Import/GraphBuilder.h"
#include "lib/Runtime/Tensor.h"

namespace mixattn {

/// Numbers of matrices, all alike: `low` where the column is at most `last`
/// after the row, else `high`.
struct Diagonal {
  int64_t last;
  /// Places of an element of each.
  int64_t low, high;
};

/// The diagonal that parts the last two dims of `tensor` into two numbers, as
/// exporters leave masks that they have computed; or none.
std::optional<Diagonal> findDiagonal(const Tensor &tensor);

/// Whether `tensor`, parted by a diagonal, hides what lies on one side by -inf
/// or about the lowest number: nothing that is learned does.
bool isDiagonalMask(const Tensor &tensor);

/// The elements of `tensor`, computed from their places.
Built buildDiagonal(GraphBuilder &build, const Tensor &tensor,
                    const Diagonal &diagonal);

} // namespace mixattn

#endif // MIXATTN_LIB_IMPORT_DIAGONAL_H
