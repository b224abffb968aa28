// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The heads of a block of threads, and the tiles that it scores.

#include "passes/schedule/gpu/HeadGroup.h"

#include "passes/body/Body.h"

#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mixattn;

/// The elements of a row of heads of `type`, and zeros up to what products take
/// at a time.
static int64_t paddedSize(RankedTensorType type) {
  constexpr uint64_t productTerms = 16;
  return int64_t(llvm::alignTo(uint64_t(type.getDimSize(3)), productTerms));
}

HeadGroup::HeadGroup(AttentionOpInterface op)
    : features(op.getQuery() ? paddedSize(op.getQueryType()) : 0),
      valueFeatures(paddedSize(op.getValueType())),
      ownFeatures(op.getQuery() ? op.getQueryType().getDimSize(3) : 0),
      ownValueFeatures(op.getValueType().getDimSize(3)),
      sharesWork(Body::sharesWork(op)), drawsNoise(bool(op.getSeed())) {
  for (Value each : {op.getNoise(), op.getBias(), op.getMask()})
    pairReads += bool(each);
  if (op.getW1())
    coefficients =
        cast<RankedTensorType>(op.getW1().getType()).getNumElements();
  // Shifted keys are one product: their terms are made before.
  if (op.getGivenScores()) {
    products = 0;
    // One score becomes an exponent at once.
    pairReads += op.hasPremix() ? op.getNumQueryHeads() : 0;
  } else if (op.getKeyType().getRank() == 5) {
    products = op.getNumComponents();
  }
  if (Body::addsComponents(op))
    exponents = op.getNumComponents();
  if (!op.hasPremix())
    return;
  channels = op.getNumQueryHeads();
  allHeads = op.getNumHeads();
  int64_t group = op.getValueGroup();
  auto tryHeads = [&](int64_t count) {
    if (op.getNumHeads() % count || (group % count && count % group))
      return false;
    heads = count;
    values = std::max<int64_t>(count / group, 1);
    return true;
  };
  // Rather two heads or more, for which scores are shared, than many keys.
  for (int64_t least : {32, 16})
    for (int64_t count : {8, 4, 2})
      if (tryHeads(count) && findKeys() >= least)
        return;
  tryHeads(1);
}

/// Numbers for each pair, and what they are made of; coefficients of an MLP;
/// words of Philox.
int64_t HeadGroup::pairRegisters(int64_t keys) const {
  return pairReads * keys + coefficients + (drawsNoise ? 48 : 0);
}

int64_t HeadGroup::registers(int64_t keys) const {
  int64_t exponentsAtATime = sharesWork ? heads * exponents : exponents;
  return heads * (valueFeatures / 2 + 4) + tiles() * keys / 2 +
         exponentsAtATime * keys / 2 + keys / 4 + pairRegisters(keys) + 8;
}

bool HeadGroup::hasRoomFor(int64_t more) const {
  return registers(findKeys()) + more <= fragmentRegisters;
}

int64_t HeadGroup::findKeys() const {
  for (int64_t keys : {64, 32, 16})
    if (registers(keys) <= fragmentRegisters)
      return keys;
  return 0;
}
