// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The sizes of a block of threads that pools a part of the keys of a few
// queries by mixed weights.

#include "passes/schedule/mma/PoolPartSizes.h"

#include "llvm/Support/FormatVariadic.h"

using namespace mlir;
using namespace mixattn;
using namespace mixattn::mma;

/// Rather more heads, for which powers are read again, than more keys; two
/// blocks on a multiprocessor, where that is possible.
PoolPartSizes::PoolPartSizes(AttentionOpInterface op, int64_t sharedBytes)
    : mixed(op.getNumHeads()), features(HeadGroup(op).valueFeatures),
      ownFeatures(op.getValueType().getDimSize(3)),
      type(op.getValueType().getElementType()) {
  if (int64_t known = op.getQueriesDim().size(); !ShapedType::isDynamic(known))
    queries = std::clamp<int64_t>(known, 1, mostPartQueries);
  int64_t ofValue = op.getValueGroup();
  for (int64_t most : {sharedBytes / 2 - 1024, sharedBytes})
    for (int64_t count : {8, 4, 2, 1}) {
      if (mixed % count || (ofValue % count && count % ofValue))
        continue;
      heads = count;
      values = std::max<int64_t>(count / ofValue, 1);
      for (int64_t some : {64, 32, 16}) {
        keys = some;
        if (registers() <= fragmentRegisters && bytes() <= most)
          return;
      }
    }
  why = llvm::formatv("values, and powers of {0} heads for {1} keys, take {2} "
                      "bytes of shared memory, more than the {3} of a block",
                      mixed, keys, bytes(), sharedBytes);
  keys = 0;
}

/// A warp reads powers element by element, and each tile of values for itself.
BlockCounts PoolPartSizes::countBlock() const {
  constexpr double bytesOfElement = 2;
  double ofKeys = double(keys), pooled = double(heads * features);
  BlockCounts counts;
  counts.stage = "pool_parts";
  counts.queries = queries;
  counts.keys = keys;
  counts.heads = heads;
  counts.turns = mixed;
  // m16n8k16; a load of four squares of 512 bytes serves two of them.
  counts.warp.products = ofKeys * pooled / (8 * 16);
  double elements = ofKeys / 2, turns = double(mixed);
  counts.warp.fma = turns * double(heads) * elements;
  // Comparisons of keys with the end; two weights become one register.
  counts.warp.alu = turns * elements + double(heads) * elements / 2;
  double loads = counts.warp.products / 2,
         ofPowers = turns * double(queries) * ofKeys * sizeof(float),
         copied =
             ofKeys * double(values * ownFeatures) * bytesOfElement + ofPowers;
  counts.warp.moves = loads + turns * (elements + 2 * double(heads)) +
                      copied / 16 / double(threads);
  counts.copiedBytes = copied;
  counts.sharedBytes =
      loads * 512 + copied + turns * elements * 32 * sizeof(float);
  counts.multiplyAdds = double(mostPartQueries) * ofKeys * pooled;
  counts.usefulMultiplyAdds = double(queries) * ofKeys * pooled;
  return counts;
}
