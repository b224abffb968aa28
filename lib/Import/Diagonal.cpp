// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Constants that are one number up to a diagonal and another after it.
#include "lib/Import/Diagonal.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

#include <cstring>

using namespace mlir;
using namespace mixattn;

std::optional<Diagonal> mixattn::findDiagonal(const Tensor &tensor) {
  ArrayRef<int64_t> shape(tensor.shape());
  if (shape.size() < 2 || tensor.elements() == 0)
    return std::nullopt;
  int64_t columns = shape.back(), rows = shape[shape.size() - 2];
  size_t width = bytesOf(tensor.dtype());
  auto at = [&](int64_t i) { return tensor.data() + i * width; };
  auto isSame = [&](int64_t i, int64_t j) {
    return !std::memcmp(at(i), at(j), width);
  };
  Diagonal diagonal = {-rows, (rows - 1) * columns, columns - 1};
  if (isSame(diagonal.low, diagonal.high))
    return std::nullopt;
  // How far after its row the first column of the high number lies.
  int64_t first = columns;
  for (int64_t i = 0; i < tensor.elements(); ++i) {
    int64_t after = i % columns - i / columns % rows;
    if (isSame(i, diagonal.low))
      diagonal.last = std::max(diagonal.last, after);
    else if (isSame(i, diagonal.high))
      first = std::min(first, after);
    else
      return std::nullopt;
  }
  return diagonal.last < first ? std::optional(diagonal) : std::nullopt;
}

bool mixattn::isDiagonalMask(const Tensor &tensor) {
  constexpr double hides = -0x1p127;
  std::optional<Diagonal> diagonal = findDiagonal(tensor);
  return diagonal && isFloat(tensor.dtype()) &&
         std::min(tensor.number(diagonal->low), tensor.number(diagonal->high)) <
             hides;
}

Built mixattn::buildDiagonal(GraphBuilder &build, const Tensor &tensor,
                             const Diagonal &diagonal) {
  auto numberAt = [&](int64_t place) {
    return isFloat(tensor.dtype())
               ? build.filled(tensor.dtype(), {}, tensor.number(place))
               : build.filledInteger(tensor.dtype(), {}, tensor.integer(place));
  };
  Built low = numberAt(diagonal.low), high = numberAt(diagonal.high);
  SizeList sizes(tensor.shape().begin(), tensor.shape().end());
  return build.generated(
      tensor.dtype(), sizes,
      [low, high, last = diagonal.last, rank = sizes.size()](
          OpBuilder &b, Location loc, ValueRange indices) -> Value {
        Value after =
            arith::SubIOp::create(b, loc, indices[rank - 1], indices[rank - 2]);
        Value isLow =
            arith::CmpIOp::create(b, loc, arith::CmpIPredicate::sle, after,
                                  arith::ConstantIndexOp::create(b, loc, last));
        return arith::SelectOp::create(b, loc, isLow, low.element(b, loc, {}),
                                       high.element(b, loc, {}));
      });
}
