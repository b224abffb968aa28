// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A tile of queries of an attention: its place, operands and statistics.

#include "passes/schedule/x86/attention/AttentionTile.h"
#include "passes/body/Philox.h"

#include "dialect/tile/TileOps.h"

#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mixattn;

static bool isBF16(Value value) {
  return getElementTypeOrSelf(value.getType()).isBF16();
}

/// Keys whose scores one product of AMX computes, two squares of them, and
/// which it pools in a step.
static constexpr int64_t amxRows = tile::amxTerms;

AttentionTile::AttentionTile(ImplicitLocOpBuilder &b, KernelOp kernel,
                             const TileSizes &sizes, int64_t heads,
                             Scratch &scratch)
    : TileBuilder(b, sizes, scratch), kernel(kernel),
      op(cast<AttentionOpInterface>(kernel.getAnchor())),
      operands(kernel, sizes.lanes), body(op, operands), heads(heads) {
  operands.block = sizes.block;
  usesAmx = mayUseAmx(op, sizes);
  // As many exponents at a time as `bodyRows` keys of one exponent each; half
  // of them where there are half as many steps of products to hide under, and
  // twice as many by AMX, where they hide under nothing.
  int64_t exponents = usesAmx             ? 2 * sizes.bodyRows
                      : hasPairedScores() ? sizes.bodyRows / 2
                                          : sizes.bodyRows;
  if (usesAmx)
    this->sizes.rows = amxRows;
  // Four keys share a block of Philox's words. LLVM merges their blocks where
  // these keys are handled together.
  int64_t fewest = op.getSeed()        ? std::tuple_size<PhiloxBlock>()
                   : hasPairedValues() ? 2
                                       : 1;
  this->sizes.bodyRows = std::max<int64_t>(
      fewest, exponents / llvm::PowerOf2Ceil(body.numExponents()));
}

static bool areScoresOfBf16(AttentionOpInterface op) {
  return op.getQuery() && isBF16(op.getQuery()) && isBF16(op.getKey());
}

static bool arePoolsOfBf16(AttentionOpInterface op) {
  return isBF16(op.getValue()) && isBF16(op.getResult());
}

bool mixattn::mayUseAmx(AttentionOpInterface op, const TileSizes &sizes) {
  return sizes.hasAmx && sizes.block % amxRows == 0 && arePoolsOfBf16(op) &&
         (!op.getQuery() || areScoresOfBf16(op));
}

bool mixattn::mayUsePairs(AttentionOpInterface op, const TileSizes &sizes) {
  return (sizes.hasPairs || sizes.hasAmx) && isBF16(op.getValue());
}

bool AttentionTile::hasPairedScores() const {
  return (sizes.hasPairs || usesAmx) && areScoresOfBf16(op);
}

bool AttentionTile::hasPairedValues() const {
  return (sizes.hasPairs || usesAmx) && arePoolsOfBf16(op);
}

void AttentionTile::enter(Value batch, Value firstQuery, Value count,
                          Value panels) {
  queries = count;
  valuePanels = panels;
  Value zero = at.value(0);
  operands.place = {batch, zero, firstQuery,
                    at.add(firstQuery, at.sub(queries, 1)), zero};
  range = emitKeyRange(b, op, operands, firstQuery, queries, batch);
  // Panels of values begin where a block does.
  if (usesAmx)
    range.begin = at.mul(at.div(range.begin, sizes.block), sizes.block);
}

void TilePart::forEachWalkedHead(function_ref<void(Value)> inside) {
  if (!body.isCoupled())
    return inside(walkedHead);
  forEach(0, op.getNumHeads(), 1, inside);
}
