// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The steps that transpose a square.

#include "passes/body/TransposeSquare.h"

#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;

SmallVector<Value> mixattn::emitTransposed(ImplicitLocOpBuilder &b,
                                           SmallVector<Value> rows) {
  int64_t size = rows.size();
  for (int64_t half = 1; half < size; half *= 2) {
    SmallVector<int64_t> upper, lower;
    for (int64_t c = 0; c < size; ++c) {
      upper.push_back(c & half ? size + c - half : c);
      lower.push_back(c & half ? size + c : c + half);
    }
    for (int64_t r = 0; r < size; ++r) {
      if (r & half)
        continue;
      Value first = rows[r], second = rows[r + half];
      rows[r] = vector::ShuffleOp::create(b, first, second, upper);
      rows[r + half] = vector::ShuffleOp::create(b, first, second, lower);
    }
  }
  return rows;
}
