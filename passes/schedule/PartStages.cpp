// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Attentions of a few queries as stages: parts of the keys, and their merge.

#include "passes/schedule/PartStages.h"

#include "passes/schedule/StageRegion.h"

#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mixattn;

void mixattn::makePartStages(RewriterBase &rewriter, GenericOp op,
                             int64_t split, int64_t block, int64_t lanes,
                             ArrayRef<RowTermOp> terms) {
  assert(!op.getWeights() && "weights of parts are not put together");
  OpBuilder::InsertionGuard guard(rewriter);
  rewriter.setInsertionPoint(op);
  Location loc = op.getLoc();
  AttentionOpInterface attention = op;
  int64_t keys = attention.getKeysDim().size(), count = ShapedType::kDynamic,
          all = ShapedType::kDynamic;
  if (!ShapedType::isDynamic(keys)) {
    auto [parts, length] = getPartSizes(keys, split, block);
    count = parts;
    all = parts * length;
  }
  auto result = cast<RankedTensorType>(op.getResult().getType());
  auto typeOf = [&](ArrayRef<int64_t> rest) {
    SmallVector<int64_t> shape(result.getShape().drop_back());
    llvm::append_range(shape, rest);
    return RankedTensorType::get(shape, rewriter.getF32Type());
  };
  RankedTensorType numbers = typeOf(count);
  RankedTensorType pooled =
      typeOf({count, int64_t(llvm::alignTo(result.getDimSize(3), lanes))});
  bool isMixed = attention.hasPostmix();
  auto parts =
      PartsOp::create(rewriter, loc, isMixed ? typeOf(all) : pooled, numbers,
                      numbers, uint64_t(split), uint64_t(block));
  describeStage(rewriter, parts, op, terms);
  Value values = parts.getValues();
  if (isMixed) {
    Value factors = PartFactorsOp::create(
        rewriter, loc, numbers, parts.getReferences(), parts.getSums());
    auto pool = PoolPartsOp::create(rewriter, loc, pooled, values, factors,
                                    uint64_t(split), uint64_t(block));
    describeStage(rewriter, pool, op, terms);
    values = pool.getValues();
  }
  auto merge = MergePartsOp::create(rewriter, loc, op->getResultTypes(), values,
                                    parts.getReferences(), parts.getSums());
  describeStage(rewriter, merge, op, terms);
  rewriter.replaceOp(op, merge->getResults());
  for (RowTermOp term : terms)
    if (term->use_empty())
      rewriter.eraseOp(term);
}
