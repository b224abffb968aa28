// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A tile of queries of an attention: its place, operands and statistics.

#include "passes/schedule/x86/attention/AttentionTile.h"

#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mixattn;

AttentionTile::AttentionTile(ImplicitLocOpBuilder &b, KernelOp kernel,
                             const TileSizes &sizes, int64_t heads,
                             Scratch &scratch)
    : TileBuilder(b, sizes, scratch), kernel(kernel),
      op(cast<AttentionOpInterface>(kernel.getAnchor())),
      operands(kernel, sizes.lanes), body(op, operands), heads(heads) {
  operands.block = sizes.block;
  // As many exponents at a time as `bodyRows` keys of one exponent each, and
  // half of them where there are half as many steps of products to hide under.
  int64_t exponents = sizes.bodyRows / (hasPairedScores() ? 2 : 1);
  this->sizes.bodyRows =
      std::max<int64_t>(hasPairedValues() ? 2 : 1,
                        exponents / llvm::PowerOf2Ceil(body.numExponents()));
}

static bool isBF16(Value value) {
  return getElementTypeOrSelf(value.getType()).isBF16();
}

bool AttentionTile::hasPairedScores() const {
  AttentionOpInterface op = this->op;
  return sizes.hasPairs && op.getQuery() && isBF16(op.getQuery()) &&
         isBF16(op.getKey());
}

bool AttentionTile::hasPairedValues() const {
  AttentionOpInterface op = this->op;
  return sizes.hasPairs && isBF16(op.getValue()) && isBF16(op.getResult());
}

void AttentionTile::enter(Value batch, Value firstQuery, Value count) {
  queries = count;
  Value zero = at.value(0);
  operands.place = {batch, zero, firstQuery,
                    at.add(firstQuery, at.sub(queries, 1)), zero};
  range = emitKeyRange(b, op, operands, firstQuery, queries, batch);
}

void TilePart::forEachWalkedHead(function_ref<void(Value)> inside) {
  if (!body.isCoupled())
    return inside(walkedHead);
  forEach(0, op.getNumHeads(), 1, inside);
}
