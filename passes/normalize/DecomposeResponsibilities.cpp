// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The share of each component in a score: a softmax over components.

#include "passes/normalize/Decomposition.h"
#include "passes/normalize/PlainPaths.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace mixattn;

namespace {

/// Emits the stages of one op. Loops are b, h, r, i, j.
class ShareDecomposition : ScoreDecomposition {
public:
  ShareDecomposition(ResponsibilitiesOp op, RewriterBase &rewriter)
      : ScoreDecomposition(op, rewriter), op(op) {}

  Value emit();

private:
  Value emitVisibleShares(Value exps, Value sums);

  ResponsibilitiesOp op;
};

} // namespace

/// shares = visible ? exps / sums : 0, and 0 where all components are off.
Value ShareDecomposition::emitVisibleShares(Value exps, Value sums) {
  AffineMap place = map(5, {dim(0), dim(1), dim(3), dim(4)});
  SmallVector<Value> inputs = {exps, sums};
  SmallVector<AffineMap> maps = {identity(5), place};
  if (Value mask = op.getMask()) {
    inputs.push_back(mask);
    auto type = cast<RankedTensorType>(mask.getType());
    maps.push_back(broadcastMap(type).compose(place));
  }
  if (Value lengths = op.getLengths()) {
    inputs.push_back(lengths);
    maps.push_back(map(5, {dim(0)}));
  }
  Value alignment = emitAlignment();
  SmallVector<OpFoldResult> sizes = {batch, queryHeads, components, queries,
                                     keys};
  return generic(inputs, maps, tensorOf(sizes, f32, std::nullopt), identity(5),
                 [&](OpBuilder &b, Location loc, ValueRange args) -> Value {
                   Value share = quotient(b, loc, args[0], args[1]);
                   unsigned next = 2;
                   Value mask = op.getMask() ? Value(args[next++]) : Value();
                   Value length =
                       op.getLengths() ? Value(args[next++]) : Value();
                   Value visible = emitIsVisible(b, scored, mask, length,
                                                 placeOf(b, 3, 4, alignment));
                   if (!visible)
                     return share;
                   return arith::SelectOp::create(b, loc, visible, share,
                                                  constant(b, 0.0));
                 });
}

Value ShareDecomposition::emit() {
  Value raw = emitRawScores(emitProducts());
  AffineMap each = identity(5);
  AffineMap place = map(5, {dim(0), dim(1), dim(3), dim(4)});
  SmallVector<OpFoldResult> perPlace = {batch, queryHeads, queries, keys};
  SmallVector<OpFoldResult> sizes = perPlace;
  sizes.insert(sizes.begin() + 2, components);
  Value largest =
      generic(raw, each, tensorOf(perPlace, f32, lowest()), place, larger);
  Value exps = generic({raw, largest}, {each, place},
                       tensorOf(sizes, f32, std::nullopt), each, exponential);
  Value sums = generic(exps, each, tensorOf(perPlace, f32, 0.0), place, sum);
  Value shares = emitVisibleShares(exps, sums);
  return castTo(op->getResults(),
                rounded(shares, scored.getKeyType().getElementType()))
      .front();
}

Value mixattn::decompose(ResponsibilitiesOp op, RewriterBase &rewriter) {
  // The variances that the op leaves out.
  if (!op.getVariances()) {
    auto scored = cast<ScoreOpInterface>(op.getOperation());
    SmallVector<double> variances;
    for (int64_t r = 0; r < scored.getNumComponents(); ++r)
      variances.push_back(scored.getVariance(r));
    op.setVariances(variances);
  }
  return ShareDecomposition(op, rewriter).emit();
}
