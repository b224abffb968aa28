// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// How integers of a module that is built follow from their places.
#ifndef MIXATTN_LIB_IMPORT_POSITIONS_H
#define MIXATTN_LIB_IMPORT_POSITIONS_H

#include "mlir/IR/Value.h"

#include "llvm/ADT/SmallBitVector.h"
#include "llvm/ADT/SmallVector.h"

namespace mixattn {

/// An integer at a place of a tensor: `sum of factors[d] * index d + constant`,
/// and where `hasOthers` is set what changes with the dims `others` alone.
struct PlacedInteger {
  llvm::SmallVector<int64_t> factors;
  int64_t constant = 0;
  bool hasOthers = false;
  llvm::SmallBitVector others;
  /// The argument of the entry whose element is all that is added, or null.
  mlir::BlockArgument argument = {};

  /// Whether each integer along `dim` is the one before it and 1.
  bool countsAlong(int64_t dim) const {
    return factors[dim] == 1 && !others.test(dim);
  }
  /// Whether it is the index along `dim`.
  bool isIndex(int64_t dim) const;
};

/// Reads the elements of `tensor` through loops and views. What is not
/// understood changes with all that it is computed from.
PlacedInteger readPlaced(mlir::Value tensor);

} // namespace mixattn

#endif // MIXATTN_LIB_IMPORT_POSITIONS_H
