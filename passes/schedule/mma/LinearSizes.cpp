// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Sizes of the blocks of linear attention on mma.

#include "passes/schedule/mma/LinearSizes.h"

#include "llvm/Support/FormatVariadic.h"

using namespace mlir;
using namespace mixattn;
using namespace mixattn::mma;

LinearSizes::LinearSizes(int64_t features, int64_t valueFeatures)
    : features(features), valueFeatures(valueFeatures),
      panels(int64_t(llvm::divideCeil(features, chunk))) {
  // A thread has half a number of a panel's state for each column, as much of
  // outputs, and 32 scores. ptxas takes the rest.
  constexpr int64_t mostColumns = 64;
  int64_t most = std::max<int64_t>(mostColumns / panels - ones, 16);
  most -= most % 16;
  auto padded = int64_t(llvm::alignTo(valueFeatures, 16));
  auto blocks = int64_t(llvm::divideCeil(padded, most));
  columns = int64_t(llvm::alignTo(llvm::divideCeil(padded, blocks), 16));
}

LinearSizes LinearSizes::of(LinearKeysOpInterface op) {
  LinearSizes sizes(getNumFeatures(op, op.getKeyType().getShape().back()),
                    op.getValueType().getDimSize(3));
  sizes.components = op.getNumComponents();
  return sizes;
}

LinearSizes LinearSizes::of(LinearReadsOpInterface op) {
  return LinearSizes(
      getNumFeatures(op, op.getQueryType().getDimSize(3)),
      cast<RankedTensorType>(op.getResult().getType()).getDimSize(3));
}

std::string LinearSizes::whyNot(int64_t sharedBytes, bool hasKeys,
                                bool hasReads) const {
  // Rows of padded tiles have 16 bytes more. Halves have 2 bytes each.
  auto tile = [](int64_t rows, int64_t columns) {
    return 2 * rows * (2 * columns + 16);
  };
  int64_t rows = panels * chunk, bytes = 0;
  if (hasKeys)
    bytes += tile(rows, chunk) + tile(chunk, width()) +
             rows * (4 * width() + 16) + components * (8 * chunk + 16);
  if (hasReads)
    bytes += tile(rows, chunk) + tile(rows, width()) + 8 * chunk + 16;
  if (bytes > sharedBytes)
    return llvm::formatv(
        "a block takes {0} bytes of shared memory, but has {1}", bytes,
        sharedBytes);
  return "";
}
