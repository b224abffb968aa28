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

/// The width in bytes of an element of `type`.
static double bytesOf(Type type) {
  return double(getElementTypeOrSelf(type).getIntOrFloatBitWidth()) / 8;
}

/// A block of four warps, each of which does `warp`.
BlockCounts LinearSizes::countBlock(UnitCounts warp) const {
  constexpr double multiplyAdds = 16 * 8 * 16, warps = double(threads) / 32;
  BlockCounts counts;
  counts.columnBlocks = columnBlocks();
  counts.warp = warp;
  counts.multiplyAdds = counts.usefulMultiplyAdds =
      warps * warp.products * multiplyAdds;
  return counts;
}

/// The numbers of a chunk, `times` for each, are dealt to the threads. An
/// exponential for each is in the map that has one.
UnitCounts LinearSizes::countFeatures(LinearAttentionOpInterface op,
                                      int64_t times) const {
  UnitCounts counts;
  std::optional<FeatureMapAttr> map = op.getFeatureMap();
  if (map && map->getKind() == FeatureKind::Elu)
    counts.exps =
        double(times) * double(panels * chunk) * double(chunk) / threads;
  return counts;
}

/// All components of keys, of which those that shifts make are one, their
/// weights where each key has its own, and the block's columns of values.
double LinearSizes::bytesOfKeys(LinearKeysOpInterface op) const {
  int64_t stored = op.getKeyType().getRank() == 5 ? components : 1;
  double ofKey = double(stored * op.getKeyType().getShape().back()) *
                 bytesOf(op.getKeyType());
  if (Value prior = op.getPrior())
    if (auto type = cast<RankedTensorType>(prior.getType());
        type.getRank() == 3)
      ofKey += double(components) * bytesOf(type);
  double ofValue =
      double(std::min(columns, valueFeatures)) * bytesOf(op.getValueType());
  return double(chunk) * (ofKey + ofValue);
}

double LinearSizes::bytesOfQueries(LinearReadsOpInterface op) const {
  return double(chunk * op.getQueryType().getDimSize(3)) *
         bytesOf(op.getQueryType());
}

BlockCounts LinearSizes::countStates(LinearAttentionOpInterface op) const {
  UnitCounts warp = countFeatures(op, components);
  warp.products = double(panels) * productsOf(width());
  BlockCounts counts = countBlock(warp);
  counts.stage = "linear_state";
  counts.keys = chunk;
  counts.heads = op.getKeyGroup();
  counts.copiedBytes = bytesOfKeys(op);
  return counts;
}

/// A head that mixes states reads those of all heads.
BlockCounts LinearSizes::countReads(LinearAttentionOpInterface op) const {
  UnitCounts warp = countFeatures(op, 1);
  warp.products = double(panels) * productsOf(width());
  BlockCounts counts = countBlock(warp);
  counts.stage = "linear_read";
  counts.queries = chunk;
  double states =
      op.hasPremix() && !op.getW1() ? double(op.getNumKeyHeads()) : 1;
  counts.copiedBytes = bytesOfQueries(op) + states * bytesOfState();
  return counts;
}

/// Queries read the state, and values of their own chunk by their scores.
BlockCounts LinearSizes::countCausal(LinearAttentionOpInterface op) const {
  auto readers = double(op.getKeyGroup());
  UnitCounts warp = countFeatures(op, components);
  warp += countFeatures(op, 1) * readers;
  double ofReader = double(panels) * (productsOf(chunk) + productsOf(width())) +
                    productsOf(width());
  warp.products = double(panels) * productsOf(width()) + readers * ofReader;
  BlockCounts counts = countBlock(warp);
  counts.queries = counts.keys = chunk;
  counts.heads = op.getKeyGroup();
  counts.copiedBytes = bytesOfKeys(op) + readers * bytesOfQueries(op);
  return counts;
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
