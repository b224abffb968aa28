// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Requests to the caches: a walk asks for what it reads next.

#include "passes/schedule/x86/attention/ScoreWalk.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mixattn;

/// Prefetches masks, biases, scores and noise of the next block, in the step of
/// the few keys from `row` on for a share of the queries: of one head, since
/// all heads' would leave the cache before they are read. Elements of a query
/// lie far from those of the one before, where no cache expects them.
void ScoreWalk::emitPrefetchedElements(Value row) {
  int64_t share = llvm::divideCeil(sizes.rows * sizes.width, sizes.block);
  Value from = at.div(at.mul(row, sizes.width), sizes.block);
  Value to = at.min(at.add(from, share), queries);
  Value next = at.add(operands.place.blockStart, sizes.block);
  Value head = body.isCoupled() ? at.value(0) : walkedHead;
  for (const ElementTile &element : operands.elements) {
    if (element.heads != 1)
      continue;
    Value matrix = elementsAt(element.tensor, head);
    forEach(from, to, 1, [&](Value query) {
      emitPrefetch(matrix, at.add(operands.place.firstQuery, query), next,
                   sizes.block);
    });
  }
}

bool ScoreWalk::asksForKeys() {
  int64_t bits = op.getKeyType().getElementTypeBitWidth();
  return sizes.leastAskedRow > 0 &&
         features() * bits / 8 >= sizes.leastAskedRow;
}

/// Asks for share `number` of `shares` of the `sizes.rows` rows of `keys` from
/// row `key` on.
void ScoreWalk::emitAskedKeys(Value keys, Value key, Value number,
                              int64_t shares) {
  int64_t share = llvm::divideCeil(sizes.rows, shares);
  Value before = at.mul(number, share);
  auto emitShare = [&] {
    for (int64_t each = 0; each < share; ++each) {
      Value row = at.add(at.add(key, before), each);
      emitPrefetch(keys, at.min(row, at.sub(range.keys, 1)), at.value(0),
                   features());
    }
  };
  if (share * shares <= sizes.rows)
    return emitShare();
  // The last shares have no rows.
  Value isThere = at.compare(arith::CmpIPredicate::slt, before, sizes.rows);
  auto onlyIf = scf::IfOp::create(b, isThere, /*withElseRegion=*/false);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(onlyIf.thenBlock());
  emitShare();
}

/// Asks for a share of the values of `head`, or of all that are walked for
/// together: that of unit [`vector`, `part`] of the block.
void ScoreWalk::emitAskedValues(Value vector, Value part, Value head) {
  if (!isAmx())
    return;
  int64_t shares = unitsOfBlock();
  Value number = at.add(at.mul(part, sizes.vectors()), vector);
  auto ask = [&](Value head) {
    schedule.emitAskedValues(head, number, shares);
  };
  if (head)
    ask(head);
  else
    forEachWalkedHead(ask);
}
