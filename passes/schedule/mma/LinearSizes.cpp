// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Sizes of the blocks of linear attention on mma.

#include "passes/schedule/mma/LinearSizes.h"

#include "passes/schedule/gpu/FeatureNumbers.h"

#include "llvm/Support/FormatVariadic.h"

using namespace mlir;
using namespace mixattn;
using namespace mixattn::mma;

/// Whether heads mix the totals that `op` makes or reads, by weights of any
/// sign.
static bool hasSignedTotals(Operation *op) {
  if (auto attention = dyn_cast<LinearAttentionOpInterface>(op))
    return attention.hasPremix();
  if (auto state = dyn_cast<LinearStateOp>(op))
    return state.getSignedTotals();
  auto read = dyn_cast<LinearReadOp>(op);
  return read && read.getSignedTotals();
}

/// Two parts hold features that are inputs of 16 bits as they are.
LinearSizes::LinearSizes(FeatureOpInterface op, RankedTensorType inputs,
                         int64_t valueFeatures)
    : mayCancel(!op.getFeatureMap() || hasSignedTotals(op)),
      features(getNumFeatures(op, inputs.getShape().back())),
      valueFeatures(valueFeatures),
      panels(int64_t(llvm::divideCeil(features, chunk))) {
  if (mayCancel && (op.getFeatureMap() || inputs.getElementType().isF32()))
    keyParts = queryParts = 3;
}

SmallVector<std::pair<int64_t, int64_t>>
LinearSizes::pairsOf(int64_t left, int64_t right) const {
  SmallVector<std::pair<int64_t, int64_t>> pairs;
  for (int64_t size = parts() - 1; size >= 0; --size)
    for (int64_t own = std::min(size, left - 1); own >= 0; --own)
      if (size - own < right)
        pairs.emplace_back(own, size - own);
  return pairs;
}

/// As few blocks of columns as `most` columns of a block allow, of as many
/// each.
void LinearSizes::cutColumns(int64_t most) {
  auto padded = int64_t(llvm::alignTo(valueFeatures, 16));
  auto blocks = int64_t(llvm::divideCeil(padded, most));
  columns = int64_t(llvm::alignTo(llvm::divideCeil(padded, blocks), 16));
}

LinearSizes LinearSizes::ofStates(LinearKeysOpInterface op,
                                  int64_t sharedBytes) {
  // A thread has half a number of a panel's state for each column, and as much
  // of a chunk's sums.
  return ofKeys(op, {}, /*mostNumbers=*/80, sharedBytes);
}

LinearSizes LinearSizes::ofCausal(LinearKeysOpInterface keys,
                                  LinearReadsOpInterface reads,
                                  int64_t sharedBytes) {
  // The same, some scores, and as much as of a panel of outputs. ptxas takes
  // the rest, more where values are cut in halves.
  bool isBF16 = keys.getValueType().getElementType().isBF16();
  return ofKeys(keys, reads, /*mostNumbers=*/isBF16 ? 80 : 64, sharedBytes);
}

LinearSizes LinearSizes::ofKeys(LinearKeysOpInterface keys,
                                LinearReadsOpInterface reads,
                                int64_t mostNumbers, int64_t sharedBytes) {
  LinearSizes sizes(keys, keys.getKeyType(), keys.getValueType().getDimSize(3));
  sizes.components = keys.getNumComponents();
  // Shifts and weights make numbers of 32 bits of those of 16.
  if (sizes.mayCancel && (keys.getShifts() || keys.getPrior()))
    sizes.keyParts = 3;
  sizes.hasOneReader = reads && reads.getNumHeads() == keys.getNumKeyHeads() &&
                       hasPointwiseFeatures(reads.getFeatureMap()) &&
                       reads.getQueryType().getDimSize(3) == chunk;
  int64_t most = std::max<int64_t>(mostNumbers / sizes.panels - ones, 16);
  sizes.fit(keys, reads, most - most % 16, sharedBytes);
  return sizes;
}

LinearSizes LinearSizes::ofReads(LinearReadsOpInterface op,
                                 int64_t sharedBytes) {
  LinearSizes sizes(
      op, op.getQueryType(),
      cast<RankedTensorType>(op.getResult().getType()).getDimSize(3));
  // A thread has half a number of outputs for each column.
  constexpr int64_t mostColumns = 64;
  sizes.fit({}, op, mostColumns, sharedBytes);
  return sizes;
}

/// The most columns that there is room for; first with copies.
void LinearSizes::fit(LinearKeysOpInterface keys, LinearReadsOpInterface reads,
                      int64_t mostColumns, int64_t sharedBytes) {
  mostBytes = sharedBytes;
  for (bool hasThem : {true, false})
    for (int64_t most = mostColumns; most > 0; most -= 16) {
      hasCopies = hasThem;
      cutColumns(most);
      bytes = countBytes(keys, reads);
      if (bytes <= mostBytes)
        return;
    }
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
  double ofKey =
      double(storedComponents(op) * op.getKeyType().getShape().back()) *
      bytesOf(op.getKeyType());
  if (hasPriorOfKeys(op))
    ofKey += double(components) * bytesOf(op.getPrior().getType());
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
  warp.products = double(panels) * productsOfValues(op, keyParts);
  BlockCounts counts = countBlock(warp);
  counts.stage = "linear_state";
  counts.keys = chunk;
  counts.heads = op.getKeyGroup();
  counts.copiedBytes = bytesOfKeys(op);
  return counts;
}

/// A head that mixes states reads those of all heads. A block reads them once
/// for all its chunks.
BlockCounts LinearSizes::countReads(LinearAttentionOpInterface op) const {
  UnitCounts warp = countFeatures(op, 1);
  warp.products = double(panels) * productsOfState();
  BlockCounts counts = countBlock(warp);
  counts.stage = "linear_read";
  counts.queries = chunk;
  double states =
      op.hasPremix() && !op.getW1() ? double(op.getNumKeyHeads()) : 1;
  counts.copiedBytes = bytesOfQueries(op) + states * bytesOfState() *
                                                double(chunk) /
                                                double(readQueries);
  return counts;
}

/// Queries read the state, and values of their own chunk by their scores.
BlockCounts LinearSizes::countCausal(LinearAttentionOpInterface op) const {
  auto readers = double(op.getKeyGroup());
  UnitCounts warp = countFeatures(op, components);
  warp += countFeatures(op, 1) * readers;
  double ofScores = productsOf(chunk, queryParts, keyParts);
  double ofReader = double(panels) * (ofScores + productsOfState()) +
                    productsOfValues(op, parts());
  warp.products =
      double(panels) * productsOfValues(op, keyParts) + readers * ofReader;
  BlockCounts counts = countBlock(warp);
  counts.queries = counts.keys = chunk;
  counts.heads = op.getKeyGroup();
  counts.copiedBytes = bytesOfKeys(op) + readers * bytesOfQueries(op);
  return counts;
}

/// Instructions that test/emulator counts for 64 features and columns, divided
/// among the things that are made: `features` a thread, products of `counts`,
/// and numbers of fragments.
static double countInstructions(double features, const BlockCounts &counts,
                                double fragments) {
  constexpr double ofFeature = 14, ofProduct = 2.5, ofNumber = 9;
  return ofFeature * features + ofProduct * counts.warp.products +
         ofNumber * fragments;
}

double LinearSizes::instructionsOfStates(LinearAttentionOpInterface op) const {
  auto each = double(panels);
  return countInstructions(each * double(components) * chunk * chunk / threads,
                           countStates(op), each * double(width()) / 2);
}

double LinearSizes::instructionsOfReads(LinearAttentionOpInterface op) const {
  return countInstructions(double(panels) * chunk * chunk / threads,
                           countReads(op), double(width()) / 2);
}

/// A state is rounded for its readers, and added to.
double LinearSizes::instructionsOfCausal(LinearAttentionOpInterface op) const {
  auto each = double(panels), readers = double(op.getKeyGroup());
  return countInstructions(
      each * (double(components) + readers) * chunk * chunk / threads,
      countCausal(op),
      each * double(width()) + readers * double(width() + chunk) / 2);
}

/// Bytes of a number that all features of a row share, as FeatureNumbers makes
/// it, or 0.
static int64_t bytesOfShared(FeatureOpInterface op) {
  std::optional<FeatureMapAttr> map = op.getFeatureMap();
  if (map && map->getKind() == FeatureKind::NormalizedElu)
    return sizeof(float);
  return map && map->getKind() == FeatureKind::Favor ? sizeof(double) : 0;
}

int64_t LinearSizes::countBytes(LinearKeysOpInterface keys,
                                LinearReadsOpInterface reads) const {
  auto tile = [&](int64_t rows, int64_t columns, Type element) {
    auto type = tile::SharedType::getPadded(rows, columns, element);
    return int64_t(llvm::alignTo(type.getBytes(), 16));
  };
  Operation *op = keys ? keys.getOperation() : reads.getOperation();
  Builder b(op->getContext());
  auto inParts = [&](int64_t rows, int64_t columns, int64_t count) {
    return count * tile(rows, columns, b.getBF16Type());
  };
  auto shared = [&](int64_t count, FeatureOpInterface features) -> int64_t {
    int64_t each = bytesOfShared(features);
    return each ? tile(count, chunk, b.getIntegerType(unsigned(8 * each))) : 0;
  };
  int64_t rows = panels * chunk, sum = 0;
  if (keys) {
    RankedTensorType key = keys.getKeyType();
    sum += inParts(rows, chunk, keyParts) +
           tile(rows, width(), b.getF32Type()) + shared(components, keys);
    if (copies(keys.getKey()))
      sum += tile(storedComponents(keys) * chunk, copiedColumns(key),
                  key.getElementType());
    Type value = keys.getValueType().getElementType();
    if (copiesValues(keys.getValue()))
      sum += tile(chunk, columns, value) + tile(chunk, ones, value);
    else
      sum += inParts(chunk, width(), 2);
    if (copies(keys.getValue()) && !copiesValues(keys.getValue()))
      sum += tile(chunk, copiedColumns(keys.getValueType()), value);
    if (keys.getShifts())
      sum += tile(components, key.getShape().back(), b.getF32Type());
    if (Value prior = keys.getPrior())
      sum += tile(components, chunk,
                  hasPriorOfKeys(keys) ? getElementTypeOrSelf(prior.getType())
                                       : b.getF32Type());
  }
  if (reads) {
    RankedTensorType query = reads.getQueryType();
    sum += inParts(rows, chunk, queryParts) + inParts(rows, width(), parts()) +
           shared(1, reads);
    if (copies(reads.getQuery()) && !landsInFeatures(reads.getQuery()))
      sum += tile(chunk, copiedColumns(query), query.getElementType());
  }
  return sum;
}

std::string LinearSizes::whyNot() const {
  if (bytes > mostBytes)
    return llvm::formatv(
        "a block takes {0} bytes of shared memory, but has {1}", bytes,
        mostBytes);
  return "";
}
