// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Emits one linear attention: features, states, mixtures of states, quotients.

#include "passes/normalize/LinearDecomposition.h"
#include "passes/body/FeatureMap.h"

#include "passes/body/ScoreBody.h"
#include "passes/normalize/PlainPaths.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace mixattn;

static int64_t rankOf(Value tensor) {
  return cast<RankedTensorType>(tensor.getType()).getRank();
}

/// `count` positions of dimension `dim` of `tensor`, from `begin` on.
static Value sliceOf(RewriterBase &rewriter, Location loc, Value tensor,
                     unsigned dim, OpFoldResult begin, OpFoldResult count) {
  SmallVector<OpFoldResult> sizes =
      tensor::getMixedSizes(rewriter, loc, tensor);
  SmallVector<OpFoldResult> offsets(sizes.size(), rewriter.getIndexAttr(0));
  SmallVector<OpFoldResult> steps(sizes.size(), rewriter.getIndexAttr(1));
  offsets[dim] = begin;
  sizes[dim] = count;
  return tensor::ExtractSliceOp::create(rewriter, loc, tensor, offsets, sizes,
                                        steps);
}

/// `tensor` with `row` at position `place` of dimension 2.
static Value insertRow(RewriterBase &rewriter, Location loc, Value row,
                       Value tensor, Value place) {
  SmallVector<OpFoldResult> sizes = tensor::getMixedSizes(rewriter, loc, row);
  SmallVector<OpFoldResult> offsets(sizes.size(), rewriter.getIndexAttr(0));
  SmallVector<OpFoldResult> steps(sizes.size(), rewriter.getIndexAttr(1));
  offsets[2] = place;
  return tensor::InsertSliceOp::create(rewriter, loc, row, tensor, offsets,
                                       sizes, steps);
}

LinearDecomposition::LinearDecomposition(LinearAttentionOpInterface op,
                                         RewriterBase &rewriter)
    : FeatureEmitter(op, rewriter), batch(sizeOf(op.getBatchDim())),
      heads(rewriter.getIndexAttr(op.getNumHeads())),
      keyHeads(rewriter.getIndexAttr(op.getNumKeyHeads())),
      queryCount(sizeOf(op.getQueriesDim())), keyCount(sizeOf(op.getKeysDim())),
      features(rewriter.getIndexAttr(op.getNumFeatures())),
      valueFeatures(sizeOf(op.getValue(), 3)) {
  Value n = getValueOrCreateConstantIndexOp(rewriter, loc, queryCount);
  Value s = getValueOrCreateConstantIndexOp(rewriter, loc, keyCount);
  alignment = arith::SubIOp::create(rewriter, loc, s, n);
}

LinearDecomposition::Keys LinearDecomposition::slice(const Keys &keys,
                                                     OpFoldResult begin,
                                                     OpFoldResult count) {
  auto cut = [&](Value tensor, unsigned dim) {
    return sliceOf(rewriter, loc, tensor, dim, begin, count);
  };
  Value prior = keys.prior;
  if (prior && rankOf(prior) == 3)
    prior = cut(prior, 2);
  return {cut(keys.features, rankOf(keys.features) - 2), cut(keys.values, 2),
          prior, getValueOrCreateConstantIndexOp(rewriter, loc, begin)};
}

/// sums[b,k,f(,e)] += sum over r and j of prior[k,r(,j)] features[b,k,(r,)j,f]
/// (v[b,k',j,e]), with loops b, k, (r,) j, f(, e). Keys beyond the lengths do
/// not count, whatever they and their values hold.
Value LinearDecomposition::addKeys(Value sums, const Keys &keys,
                                   bool withValues) {
  bool hasComponents = rankOf(keys.features) == 5;
  unsigned j = hasComponents ? 3 : 2, f = j + 1, e = j + 2;
  unsigned loops = withValues ? e + 1 : e;
  AffineExpr b = dim(0), k = dim(1), r = dim(2);
  SmallVector<AffineExpr> place = {b, k, dim(j), dim(f)};
  if (hasComponents)
    place.insert(place.begin() + 2, r);
  SmallVector<Value> inputs = {keys.features};
  SmallVector<AffineMap> maps = {map(loops, place)};
  auto add = [&](Value operand, ArrayRef<AffineExpr> operandPlace) {
    inputs.push_back(operand);
    maps.push_back(map(loops, operandPlace));
  };
  if (keys.prior && rankOf(keys.prior) == 3)
    add(keys.prior, {k, r, dim(j)});
  else if (keys.prior)
    add(keys.prior, {k, r});
  if (withValues)
    add(keys.values, {b, k.floorDiv(op.getValueGroup()), dim(j), dim(e)});
  unsigned factors = inputs.size();
  if (op.getLengths())
    add(op.getLengths(), {b});
  SmallVector<AffineExpr> result = {b, k, dim(f)};
  if (withValues)
    result.push_back(dim(e));
  return generic(
      inputs, maps, sums, map(loops, result),
      [&](OpBuilder &b, Location loc, ValueRange args) -> Value {
        Value term = toF64(b, args[0]);
        for (Value factor : args.slice(1, factors - 1))
          term = arith::MulFOp::create(b, loc, term, toF64(b, factor));
        Value sum = arith::AddFOp::create(b, loc, args.back(), term);
        if (!op.getLengths())
          return sum;
        Value position = arith::AddIOp::create(
            b, loc, keys.begin, linalg::IndexOp::create(b, loc, j).getResult());
        Value length =
            arith::IndexCastOp::create(b, loc, b.getIndexType(), args[factors]);
        Value counts = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::slt,
                                             position, length);
        return arith::SelectOp::create(b, loc, counts, sum, args.back());
      });
}

LinearDecomposition::State LinearDecomposition::addKeys(State state,
                                                        const Keys &keys) {
  return {addKeys(state.values, keys, /*withValues=*/true),
          addKeys(state.features, keys, /*withValues=*/false)};
}

/// mixed[b,a,f(,e)] = offset[a] + sum_k mixer[k,a] source[b,k,f(,e)], with
/// loops b, a, k, f(, e). What is `rectified` passes through a ReLU first.
Value LinearDecomposition::emitMixture(Value source, Value mixer, Value offset,
                                       bool rectified) {
  unsigned loops = rankOf(source) + 1;
  AffineExpr b = dim(0), a = dim(1), k = dim(2);
  SmallVector<AffineExpr> from = {b, k}, to = {b, a};
  for (unsigned loop = 3; loop < loops; ++loop) {
    from.push_back(dim(loop));
    to.push_back(dim(loop));
  }
  SmallVector<OpFoldResult> sizes =
      tensor::getMixedSizes(rewriter, loc, source);
  sizes[1] = sizeOf(mixer, 1);
  Value init = tensorOf(sizes, f64, offset ? std::nullopt : std::optional(0.0));
  if (offset)
    init = generic(offset, map(loops - 1, {dim(1)}), init, identity(loops - 1),
                   [&](OpBuilder &b, Location loc, ValueRange args) {
                     return toF64(b, args[0]);
                   });
  return generic({mixer, source}, {map(loops, {k, a}), map(loops, from)}, init,
                 map(loops, to),
                 [&](OpBuilder &b, Location loc, ValueRange args) -> Value {
                   Value term = rectified ? emitRelu(b, loc, args[1]) : args[1];
                   term =
                       arith::MulFOp::create(b, loc, toF64(b, args[0]), term);
                   return arith::AddFOp::create(b, loc, args[2], term);
                 });
}

/// States of query heads, where a mixer makes them.
LinearDecomposition::State LinearDecomposition::emitPremix(State state) {
  if (Value mixer = op.getPremixer())
    return {emitMixture(state.values, mixer, {}, /*rectified=*/false),
            emitMixture(state.features, mixer, {}, /*rectified=*/false)};
  if (!op.getW1())
    return state;
  Value hidden = emitMixture(state.values, op.getW1(), op.getB1(),
                             /*rectified=*/false);
  return {emitMixture(hidden, op.getW2(), op.getB2(), /*rectified=*/true),
          emitMixture(state.features, op.getNormaliser(), {},
                      /*rectified=*/false)};
}

/// sums[b,h,i(,e)] += sum_f queries[b,h,i,f] state[b,h',f(,e)], with loops b,
/// h, i, f(, e); h' is h after a mixer; without one it is the key head that h
/// reads.
Value LinearDecomposition::addReads(Value sums, Value queries, Value state) {
  bool withValues = rankOf(state) == 4;
  unsigned loops = withValues ? 5 : 4;
  AffineExpr b = dim(0), h = dim(1), i = dim(2), f = dim(3);
  AffineExpr head = op.hasPremix() ? h : h.floorDiv(op.getKeyGroup());
  SmallVector<AffineExpr> source = {b, head, f}, result = {b, h, i};
  if (withValues) {
    source.push_back(dim(4));
    result.push_back(dim(4));
  }
  return generic(
      {queries, state}, {map(loops, {b, h, i, f}), map(loops, source)}, sums,
      map(loops, result),
      [&](OpBuilder &b, Location loc, ValueRange args) -> Value {
        Value term = arith::MulFOp::create(b, loc, toF64(b, args[0]), args[1]);
        return arith::AddFOp::create(b, loc, args[2], term);
      });
}

LinearDecomposition::Reads
LinearDecomposition::addReads(Reads reads, Value queries, State state) {
  return {addReads(reads.numerators, queries, state.values),
          addReads(reads.denominators, queries, state.features)};
}

/// Whether a size is known as zero: nothing is read then, and a slice of
/// nothing would be invalid.
bool LinearDecomposition::isEmpty() const {
  return llvm::any_of(
      ArrayRef{batch, heads, queryCount, keyCount, features, valueFeatures},
      [](OpFoldResult size) { return isConstantIntValue(size, 0); });
}

/// Adds key j = i + (S - N) to the state, then reads the state for query i, for
/// one i after the other; the keys that query 0 sees besides come first. Rows
/// before key 0 keep their zeros.
LinearDecomposition::Reads LinearDecomposition::emitCausal(Value queries,
                                                           const Keys &keys,
                                                           State state,
                                                           Reads reads) {
  Value zero = arith::ConstantIndexOp::create(rewriter, loc, 0);
  Value one = arith::ConstantIndexOp::create(rewriter, loc, 1);
  Value before = arith::MaxSIOp::create(rewriter, loc, alignment, zero);
  state = addKeys(state, slice(keys, rewriter.getIndexAttr(0), before));

  Value blind = arith::SubIOp::create(rewriter, loc, zero, alignment);
  Value first = arith::MaxSIOp::create(rewriter, loc, blind, zero);
  Value last = getValueOrCreateConstantIndexOp(rewriter, loc, queryCount);
  auto loop =
      scf::ForOp::create(rewriter, loc, first, last, one,
                         ValueRange{state.values, state.features,
                                    reads.numerators, reads.denominators});
  OpBuilder::InsertionGuard guard(rewriter);
  rewriter.setInsertionPointToStart(loop.getBody());
  Value i = loop.getInductionVar();
  ValueRange carried = loop.getRegionIterArgs();
  Value own = arith::AddIOp::create(rewriter, loc, i, alignment);
  OpFoldResult single = rewriter.getIndexAttr(1);
  State next = addKeys({carried[0], carried[1]}, slice(keys, own, single));
  auto row = [&](Value tensor) {
    return sliceOf(rewriter, loc, tensor, 2, i, single);
  };
  Reads read = addReads({row(carried[2]), row(carried[3])}, row(queries),
                        emitPremix(next));
  scf::YieldOp::create(
      rewriter, loc,
      ValueRange{next.values, next.features,
                 insertRow(rewriter, loc, read.numerators, carried[2], i),
                 insertRow(rewriter, loc, read.denominators, carried[3], i)});
  return {loop.getResult(2), loop.getResult(3)};
}

/// result = output_scale * numerator / (denominator + eps), and 0 where that
/// denominator is 0 or the query sees no key.
Value LinearDecomposition::emitQuotients(Reads reads) {
  Type element = op.getValueType().getElementType();
  SmallVector<Value> inputs = {reads.numerators, reads.denominators};
  SmallVector<AffineMap> maps = {identity(4), map(4, {dim(0), dim(1), dim(2)})};
  if (Value lengths = op.getLengths()) {
    inputs.push_back(lengths);
    maps.push_back(map(4, {dim(0)}));
  }
  SmallVector<OpFoldResult> sizes = {batch, heads, queryCount, valueFeatures};
  // The last key that the first query sees, or any does.
  Value one = arith::ConstantIndexOp::create(rewriter, loc, 1);
  Value end = getValueOrCreateConstantIndexOp(rewriter, loc, keyCount);
  Value last = op.getCausal()
                   ? alignment
                   : arith::SubIOp::create(rewriter, loc, end, one).getResult();
  return generic(
      inputs, maps, tensorOf(sizes, element, std::nullopt), identity(4),
      [&](OpBuilder &b, Location loc, ValueRange args) -> Value {
        Value eps = constant(b, op.getEps().convertToDouble(), f64);
        Value scale = constant(b, op.getOutputScale().convertToDouble(), f64);
        Value ratio = quotient(b, loc, args[0],
                               arith::AddFOp::create(b, loc, args[1], eps));
        ratio = arith::MulFOp::create(b, loc, ratio, scale);

        Value none = arith::ConstantIndexOp::create(b, loc, 0);
        Value own = last;
        if (op.getCausal())
          own = arith::AddIOp::create(
              b, loc, last, linalg::IndexOp::create(b, loc, 2).getResult());
        Value sees =
            arith::CmpIOp::create(b, loc, arith::CmpIPredicate::sge, own, none);
        if (op.getLengths()) {
          Value length =
              arith::IndexCastOp::create(b, loc, b.getIndexType(), args[2]);
          Value any = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::sgt,
                                            length, none);
          sees = arith::AndIOp::create(b, loc, sees, any);
        }
        ratio =
            arith::SelectOp::create(b, loc, sees, ratio, constant(b, 0.0, f64));
        Value narrow = arith::TruncFOp::create(b, loc, f32, ratio);
        return fromF32(b, loc, narrow, element);
      });
}

Value LinearDecomposition::emit() {
  Keys keys{emitKeyFeatures(), op.getValue(), op.getPrior(),
            arith::ConstantIndexOp::create(rewriter, loc, 0)};
  Value queries = emitQueryFeatures();
  State state{tensorOf({batch, keyHeads, features, valueFeatures}, f64, 0.0),
              tensorOf({batch, keyHeads, features}, f64, 0.0)};
  Reads reads{tensorOf({batch, heads, queryCount, valueFeatures}, f64, 0.0),
              tensorOf({batch, heads, queryCount}, f64, 0.0)};
  if (!op.getCausal())
    reads = addReads(reads, queries, emitPremix(addKeys(state, keys)));
  else if (!isEmpty())
    reads = emitCausal(queries, keys, state, reads);
  return castTo(op->getResults(), emitQuotients(reads)).front();
}

Value mixattn::decompose(LinearGenericOp op, RewriterBase &rewriter) {
  return LinearDecomposition(op, rewriter).emit();
}
