// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The share of each component in a score: products, terms of rows, and a
// softmax over components.

#include "passes/normalize/Decomposition.h"
#include "passes/normalize/PlainPaths.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/TypeUtilities.h"

using namespace mlir;
using namespace mixattn;

namespace {

/// Emits the stages of one op. Loops are b, h, i, r, j: the components of a
/// query's row lie within it.
class ShareDecomposition : ScoreDecomposition {
public:
  ShareDecomposition(ResponsibilitiesOp op, RewriterBase &rewriter)
      : ScoreDecomposition(op, rewriter), op(op) {
    for (int64_t r = 0; r < scored.getNumComponents(); ++r)
      variances.push_back(scored.getVariance(r));
  }

  Value emit();

private:
  Value emitTerm(bool ofKeys, bool hasSquare);
  Value emitProducts();
  void addOperands();
  Value emitRaw(OpBuilder &b, ValueRange args);
  Value emitVisibleShares(Value exps, Value sums);

  void add(Value operand, AffineMap map) {
    inputs.push_back(operand);
    maps.push_back(map);
  }

  ResponsibilitiesOp op;
  SmallVector<double> variances;
  /// The operands of a raw score: products, factors of components, terms.
  SmallVector<Value> inputs;
  SmallVector<AffineMap> maps;
};

} // namespace

/// The term of each query, or each key, in addition to a product
/// (attn.row_term).
Value ShareDecomposition::emitTerm(bool ofKeys, bool hasSquare) {
  SmallVector<double> factors;
  for (double variance : variances)
    factors.push_back(1 / variance);
  auto term = RowTermOp::create(
      rewriter, loc, ofKeys ? op.getKey() : op.getQuery(), op.getShifts(),
      Value(), Value(), factors, ofKeys, hasSquare);
  Value result = decompose(term, rewriter);
  rewriter.eraseOp(term);
  return result;
}

/// products[b,h,i,(r),j] = sum_d query[b,h,i,d] key[b,h,(r),j,d], a
/// contraction: heads that share keys are rows of one.
Value ShareDecomposition::emitProducts() {
  bool perComponent = scored.getKeyType().getRank() == 5;
  int64_t group = scored.getKeyGroup();
  // Loops b, h, g, i, r, j, d; r or g may be missing.
  unsigned loops = 5 + (group > 1) + perComponent;
  unsigned next = 2;
  AffineExpr b = dim(0), h = dim(1), g, r;
  if (group > 1)
    g = dim(next++);
  AffineExpr i = dim(next++);
  if (perComponent)
    r = dim(next++);
  AffineExpr j = dim(next), d = dim(next + 1);
  auto compact = [&](ArrayRef<AffineExpr> places) {
    SmallVector<AffineExpr> there;
    llvm::copy_if(places, std::back_inserter(there),
                  [](AffineExpr place) { return bool(place); });
    return map(loops, there);
  };
  Value query = op.getQuery();
  SmallVector<OpFoldResult> sizes = {batch, queryHeads};
  if (group > 1) {
    OpFoldResult heads = sizeOf(op.getKey(), 1),
                 each = rewriter.getIndexAttr(group);
    SmallVector<OpFoldResult> apart = {batch, heads, each, queries,
                                       sizeOf(query, 3)};
    SmallVector<int64_t> shape;
    SmallVector<Value> open;
    dispatchIndexOpFoldResults(apart, open, shape);
    auto type = RankedTensorType::get(shape, getElementTypeOrSelf(query));
    query = tensor::ExpandShapeOp::create(
        rewriter, loc, type, query,
        SmallVector<ReassociationIndices>{{0}, {1, 2}, {3}, {4}}, apart);
    sizes = {batch, heads, each};
  }
  sizes.push_back(queries);
  if (perComponent)
    sizes.push_back(components);
  sizes.push_back(keys);
  Value products =
      generic({query, op.getKey()},
              {compact({b, h, g, i, d}), compact({b, h, r, j, d})},
              tensorOf(sizes, f32, 0.0), compact({b, h, g, i, r, j}),
              [&](OpBuilder &b, Location loc, ValueRange args) -> Value {
                Value product = arith::MulFOp::create(
                    b, loc, toF32(b, loc, args[0]), toF32(b, loc, args[1]));
                return arith::AddFOp::create(b, loc, args[2], product,
                                             arith::FastMathFlags::reassoc);
              });
  if (group == 1)
    return products;
  SmallVector<ReassociationIndices> joined = {{0}, {1, 2}};
  for (int64_t place = 3; place < int64_t(sizes.size()); ++place)
    joined.push_back({place});
  return tensor::CollapseShapeOp::create(rewriter, loc, products, joined);
}

void ShareDecomposition::addOperands() {
  AffineExpr b = dim(0), h = dim(1), i = dim(2), r = dim(3), j = dim(4);
  Value products = emitProducts();
  bool perComponent = cast<RankedTensorType>(products.getType()).getRank() == 5;
  add(products, perComponent ? identity(5) : map(5, {b, h, i, j}));

  SmallVector<float> factors;
  for (double variance : variances)
    factors.push_back(float(1 / variance));
  auto type = RankedTensorType::get({int64_t(factors.size())}, f32);
  add(arith::ConstantOp::create(
          rewriter, loc,
          DenseElementsAttr::get(type, ArrayRef<float>(factors))),
      map(5, {r}));

  // The square of a query is the same for all components of one variance.
  bool isGaussian = op.getGaussian();
  bool hasQuerySquare = isGaussian && !llvm::all_equal(variances);
  if (op.getShifts() || hasQuerySquare)
    add(emitTerm(/*ofKeys=*/false, hasQuerySquare), map(5, {b, h, r, i}));
  if (isGaussian)
    add(emitTerm(/*ofKeys=*/true, /*hasSquare=*/true),
        map(5, {b, h.floorDiv(scored.getKeyGroup()), r, j}));
  if (Value prior = op.getPrior()) {
    bool isPerKey = cast<RankedTensorType>(prior.getType()).getRank() == 3;
    add(prior, isPerKey ? map(5, {h, r, j}) : map(5, {h, r}));
  }
}

/// A raw score: the product times the component's factor, and all terms.
Value ShareDecomposition::emitRaw(OpBuilder &b, ValueRange args) {
  Value raw = product(b, loc, args.take_front(2));
  for (Value term : args.drop_front(2).take_front(inputs.size() - 2))
    raw = arith::AddFOp::create(b, loc, raw, toF32(b, loc, term));
  return raw;
}

/// shares = visible ? exps / sums : 0, and 0 where all components are off.
Value ShareDecomposition::emitVisibleShares(Value exps, Value sums) {
  AffineMap place = map(5, {dim(0), dim(1), dim(2), dim(4)});
  SmallVector<Value> read = {exps, sums};
  SmallVector<AffineMap> from = {identity(5), place};
  if (Value mask = op.getMask()) {
    read.push_back(mask);
    auto type = cast<RankedTensorType>(mask.getType());
    from.push_back(broadcastMap(type).compose(place));
  }
  if (Value lengths = op.getLengths()) {
    read.push_back(lengths);
    from.push_back(map(5, {dim(0)}));
  }
  Value alignment = emitAlignment();
  SmallVector<OpFoldResult> sizes = {batch, queryHeads, components, queries,
                                     keys};
  Type element = scored.getKeyType().getElementType();
  auto emitShare = [&](OpBuilder &b, ValueRange args) -> Value {
    Value share = quotient(b, loc, args[0], args[1]);
    unsigned next = 2;
    Value mask = op.getMask() ? Value(args[next++]) : Value();
    Value length = op.getLengths() ? Value(args[next++]) : Value();
    Value visible =
        emitIsVisible(b, scored, mask, length, placeOf(b, 2, 4, alignment));
    if (!visible)
      return share;
    return arith::SelectOp::create(b, loc, visible, share, constant(b, 0.0));
  };
  return generic(read, from, tensorOf(sizes, element, std::nullopt),
                 map(5, {dim(0), dim(1), dim(3), dim(2), dim(4)}),
                 [&](OpBuilder &b, Location, ValueRange args) {
                   return fromF32(b, loc, emitShare(b, args), element);
                 });
}

Value ShareDecomposition::emit() {
  addOperands();
  AffineMap each = identity(5);
  AffineMap place = map(5, {dim(0), dim(1), dim(2), dim(4)});
  SmallVector<OpFoldResult> perPlace = {batch, queryHeads, queries, keys};
  SmallVector<OpFoldResult> sizes = {batch, queryHeads, queries, components,
                                     keys};
  // Raw scores are made twice: a row of them is in the caches.
  Value largest =
      generic(inputs, maps, tensorOf(perPlace, f32, lowest()), place,
              [&](OpBuilder &b, Location loc, ValueRange args) -> Value {
                Value raw = emitRaw(b, args), most = args.back();
                return larger(b, loc, {raw, most});
              });
  SmallVector<Value> read = inputs;
  SmallVector<AffineMap> from = maps;
  read.push_back(largest);
  from.push_back(place);
  Value exps = generic(
      read, from, tensorOf(sizes, f32, std::nullopt), each,
      [&](OpBuilder &b, Location loc, ValueRange args) -> Value {
        return exponential(b, loc, {emitRaw(b, args), args.drop_back().back()});
      });
  Value sums = generic(exps, each, tensorOf(perPlace, f32, 0.0), place, sum);
  return castTo(op->getResults(), emitVisibleShares(exps, sums)).front();
}

Value mixattn::decompose(ResponsibilitiesOp op, RewriterBase &rewriter) {
  return ShareDecomposition(op, rewriter).emit();
}
