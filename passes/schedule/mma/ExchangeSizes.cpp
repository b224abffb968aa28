// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The sizes of blocks of threads whose heads exchange weights.

#include "passes/schedule/mma/ExchangeSizes.h"

#include "passes/schedule/gpu/HeadGroup.h"

using namespace mixattn;
using namespace mixattn::mma;

std::optional<ExchangeSizes> ExchangeSizes::of(AttentionOpInterface op,
                                               int64_t sharedBytes) {
  if (op.hasPremix())
    return std::nullopt;
  ExchangeSizes sizes;
  sizes.op = op;
  HeadGroup group(op);
  sizes.heads = op.getNumHeads();
  sizes.products = group.products;
  sizes.features = group.features;
  sizes.valueFeatures = group.valueFeatures;
  sizes.mixesByRow = bool(op.getMixSource());
  sizes.type = op.getValueType().getElementType();
  // Outputs of two heads leave 64 registers for scores and addresses.
  // Operands of pairs of a query and a key have no room there.
  constexpr int64_t mostFeatures = 64;
  bool isHeld = (sizes.heads == 8 || sizes.heads == 16) &&
                sizes.valueFeatures <= mostFeatures && group.pairReads == 0 &&
                sizes.bytes() <= sharedBytes;
  return isHeld ? std::optional(sizes) : std::nullopt;
}
