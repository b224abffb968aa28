// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The sizes of blocks of threads that pass over the keys twice.

#include "passes/schedule/mma/TwoPassSizes.h"

#include "passes/body/Body.h"

#include "llvm/Support/FormatVariadic.h"

using namespace mlir;
using namespace mixattn;
using namespace mixattn::mma;

TwoPassSizes::TwoPassSizes(AttentionOpInterface op)
    : type(op.getValueType().getElementType()), op(op), group(op) {
  features = group.features;
  valueFeatures = group.valueFeatures;
  products = group.products;
  // Terms of shifted keys are made before, but after plans.
  readsTerms = op.getGaussian() || op.getShifts() || op.getQueryTerm() ||
               op.getKeyTerm();
  if (!op.hasPremix())
    return;
  channels = op.getNumQueryHeads();
  starts = op.getW1()
               ? cast<RankedTensorType>(op.getB1().getType()).getDimSize(0)
               : channels;
}

TwoPassSizes TwoPassSizes::ofFactors(AttentionOpInterface op,
                                     int64_t sharedBytes) {
  TwoPassSizes sizes(op);
  // Where channels meet, what is scored serves several heads.
  bool fits = op.hasPremix() ? sizes.choose(op, {8, 4, 2, 1}, sharedBytes)
                             : sizes.choose(op, {1}, sharedBytes);
  if (!fits)
    sizes.refuse(sharedBytes);
  return sizes;
}

TwoPassSizes TwoPassSizes::ofPool(AttentionOpInterface op,
                                  int64_t sharedBytes) {
  TwoPassSizes sizes(op);
  sizes.mixed = op.getNumHeads();
  sizes.mixesByRow = bool(op.getMixSource());
  if (!op.hasPremix())
    sizes.units = op.getNumHeads();
  for (bool streams : {false, sizes.units > 1 && sizes.hasProducts()}) {
    sizes.streamsQueries = streams;
    if (sizes.choose(op, {8, 4, 2, 1}, sharedBytes))
      return sizes;
  }
  sizes.refuse(sharedBytes);
  return sizes;
}

/// Rather more heads, for which all scores are made again, than more keys.
bool TwoPassSizes::choose(AttentionOpInterface op, ArrayRef<int64_t> counts,
                          int64_t sharedBytes) {
  int64_t all = op.getNumHeads(), ofValue = op.getValueGroup();
  for (int64_t count : counts) {
    if (all % count || (ofValue % count && count % ofValue))
      continue;
    heads = count;
    values = mixed ? std::max<int64_t>(count / ofValue, 1) : 0;
    for (int64_t some : {64, 32, 16}) {
      keys = some;
      if (registers() <= fragmentRegisters && bytes() <= sharedBytes)
        return true;
    }
  }
  return false;
}

void TwoPassSizes::refuse(int64_t sharedBytes) {
  why = registers() > fragmentRegisters
            ? "registers do not hold the scores of all channels and the "
              "outputs of a head"
            : llvm::formatv("queries, {0} keys and values take {1} bytes of "
                            "shared memory, more than the {2} of a block",
                            keys, bytes(), sharedBytes)
                  .str();
  keys = 0;
}

int64_t TwoPassSizes::registers() const {
  // A thread has two rows, and of each of them a quarter of the columns.
  int64_t ofKeys = keys / 2;
  int64_t outputs =
      mixed ? heads * (valueFeatures / 2 + ofKeys + 2) : 4 * heads;
  // Addresses of queries that are copied again and again: with fewer ptxas
  // spills some of a head of 128 features (test/emulator/rows-two-pass.test).
  int64_t ofCopies = streamsQueries ? 28 : 0;
  // An address, of two registers, and a number for each term of two rows and of
  // a thread's keys: with fewer ptxas spills some
  // (test/emulator/rows-mma.test).
  int64_t ofTerms = mixed && readsTerms ? 3 * tiles() * (2 + keys / 4) : 0;
  // Addresses of given scores along with those of wide values, or of values
  // whose rows are no whole pieces of 16 bytes: with fewer ptxas spills some of
  // 256 features, and of 127 (test/emulator/rows-two-pass.test).
  constexpr int64_t wide = 128, ofPiece = 8;
  bool hasMore =
      !hasProducts() &&
      (valueFeatures > wide ||
       AttentionOpInterface(op).getValueType().getDimSize(3) % ofPiece);
  int64_t ofGiven = hasMore ? 24 : 0;
  return outputs + ofCopies + ofTerms + ofGiven +
         (tiles() + starts + group.exponents) * ofKeys + ofKeys / 2 +
         group.pairRegisters(keys) + 8;
}
