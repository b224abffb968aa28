// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The first of two passes over the keys: references and factors of rows.

#include "passes/schedule/mma/Schedules.h"
#include "passes/schedule/mma/TwoPassBlock.h"

#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace mixattn;
using namespace mixattn::mma;

namespace {

/// Emits the code of a block of threads: the online loop without values.
class SoftmaxFactorsBlock : public TwoPassBlock {
public:
  using TwoPassBlock::TwoPassBlock;

  void emit(tile::GridOp grid);

private:
  SmallVector<Statistics> emitStep(Value firstKey, Value stage,
                                   SmallVector<Statistics> rows);
};

} // namespace

SmallVector<FragmentBody::Statistics>
SoftmaxFactorsBlock::emitStep(Value firstKey, Value stage,
                              SmallVector<Statistics> rows) {
  Scores scores = emitUnit(at.value(0), firstKey, stage);
  for (auto [head, own] : llvm::zip_equal(blockHeads, rows)) {
    setHead(head);
    Rescale ofOutputs;
    emitWeights(0, firstKey, sizes.keys, scores, own, ofOutputs);
  }
  return rows;
}

void SoftmaxFactorsBlock::emit(tile::GridOp grid) {
  emitStart(grid);
  Value zero = at.value(0);
  emitKeys(zero, range.begin, zero);
  Values inits = {zero};
  Statistics none = emitNoStatistics();
  for (int64_t g = 0; g < sizes.heads; ++g)
    inits.append({none.reference, none.sum});
  auto rowsOf = [&](ValueRange carried) {
    SmallVector<Statistics> rows;
    for (int64_t g = 0; g < sizes.heads; ++g)
      rows.push_back({carried[2 * g + 1], carried[2 * g + 2]});
    return rows;
  };
  auto loop = scf::ForOp::create(b, range.begin, range.end,
                                 at.value(sizes.keys), inits);
  {
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(loop.getBody());
    Value firstKey = loop.getInductionVar(), stage = loop.getRegionIterArg(0);
    Value other = at.sub(at.value(1), stage);
    tile::MmaWaitOp::create(b, 0);
    emitKeys(zero, at.add(firstKey, sizes.keys), other);
    Values next = {other};
    for (const Statistics &each :
         emitStep(firstKey, stage, rowsOf(loop.getRegionIterArgs())))
      next.append({each.reference, each.sum});
    scf::YieldOp::create(b, next);
  }
  // The copies of what comes after the last block.
  tile::MmaWaitOp::create(b, 0, /*own=*/true);
  for (auto [head, own] :
       llvm::zip_equal(blockHeads, rowsOf(loop.getResults()))) {
    Value sum = tile::JoinSumOp::create(b, own.sum);
    for (auto [output, numbers] :
         llvm::zip_equal(kernel.getOutputs(),
                         Values{own.reference, Softmax::emitInverse(b, sum)}))
      tile::StoreRowsOp::create(
          b, numbers, output, ValueRange{batch, head, firstQuery}, numQueries);
  }
}

void mma::scheduleSoftmaxFactors(KernelOp kernel, int64_t sharedBytes) {
  ImplicitLocOpBuilder b(kernel.getLoc(), kernel);
  AttentionOpInterface op =
      cast<SoftmaxFactorsOp>(kernel.getAnchor()).getGeneric();
  TwoPassSizes sizes = TwoPassSizes::ofFactors(op, sharedBytes);
  tile::GridOp grid =
      makeBlocks(b, kernel, op, groupQueries, sizes.heads, threads);
  SoftmaxFactorsBlock(b, kernel, op, sizes).emit(grid);
  kernel.erase();
}
