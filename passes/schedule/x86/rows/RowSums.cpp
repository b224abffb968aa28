// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Ops that add up, or otherwise combine, the lanes of a row.

#include "dialect/attn/ShortSums.h"
#include "passes/schedule/x86/rows/RowKernel.h"

#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/TypeUtilities.h"

using namespace mlir;
using namespace mixattn;

/// How many vectors of sums grow side by side where additions would wait for
/// one another.
static constexpr int64_t vectorsOfSums = 4;

/// How many bytes ahead of its reads a sum asks.
static constexpr int64_t bytesAhead = 4096;

/// The most ops of a turn that takes less time than an addition.
static constexpr int64_t mostOpsOfShortTurn = 6;

/// Whether elements of `operand` that turns of the lanes read lie side by side,
/// or are the same.
static bool isSideBySide(const RowLoops &loops, OpOperand &operand) {
  ArrayRef<AffineExpr> exprs = loops.mapOf(operand).getResults();
  return llvm::all_of(exprs, [&](AffineExpr expr) {
    return !expr.isFunctionOfDim(*loops.lane) ||
           (isa<AffineDimExpr>(expr) && expr == exprs.back());
  });
}

/// Whether a turn of `loops` takes less time than the addition at its end: it
/// reads vectors, and computes little from them. What is the same in all turns
/// takes no time.
static bool isShort(const RowLoops &loops) {
  linalg::LinalgOp op = loops.getOp();
  DenseSet<Value> ofLanes;
  for (OpOperand &operand : op->getOpOperands()) {
    if (!isSideBySide(loops, operand))
      return false;
    if (op.isDpsInit(&operand) ||
        loops.mapOf(operand).isFunctionOfDim(*loops.lane))
      ofLanes.insert(op.getMatchingBlockArgument(&operand));
  }
  int64_t ops = 0;
  for (Operation &inner : op.getBlock()->without_terminator()) {
    bool isOfLanes = isa<linalg::IndexOp, tensor::ExtractOp>(inner) ||
                     llvm::any_of(inner.getOperands(), [&](Value each) {
                       return ofLanes.contains(each);
                     });
    if (!isOfLanes)
      continue;
    if (!isa<arith::ArithDialect>(inner.getDialect()) ||
        isa<arith::DivFOp, arith::RemFOp, arith::DivSIOp, arith::DivUIOp,
            arith::RemSIOp, arith::RemUIOp>(inner))
      return false;
    ofLanes.insert(inner.result_begin(), inner.result_end());
    ++ops;
  }
  return ops <= mostOpsOfShortTurn;
}

/// Whether a few terms of sums in f64 are added in f32 first: where they may
/// be, and are read as 16 bits. Rows of f32 come from memory no faster than
/// they are extended to f64, and slower where nothing lies between the reads.
static bool hasShortSums(const RowLoops &loops) {
  return loops.getOp()->hasAttr(shortSumsInF32) &&
         llvm::all_of(loops.getOp().getDpsInputOperands(), [](OpOperand *each) {
           Type type = getElementTypeOrSelf(each->get());
           return type.isF16() || type.isBF16();
         });
}

/// `left` and `right` as one, by the combiner of output `number`.
Value RowKernel::combine(const RowLoops &loops, unsigned number, Value left,
                         Value right) {
  Operation *combiner = findCombiner(loops.getOp(), number);
  OperationState state(b.getLoc(), combiner->getName());
  state.addOperands({left, right});
  state.addTypes(left.getType());
  state.propertiesAttr = combiner->getPropertiesAsAttribute();
  return b.create(state)->getResult(0);
}

/// `init` and the lanes of `sums` as one.
Value RowKernel::putTogether(const RowLoops &loops, unsigned number, Value sums,
                             Value init) {
  for (int64_t half = lanes / 2; half > 0; half /= 2) {
    auto part = [&](int64_t from) -> Value {
      return vector::ExtractStridedSliceOp::create(b, sums, from, half, 1);
    };
    sums = combine(loops, number, part(0), part(half));
  }
  return combine(loops, number, init, vector::ExtractOp::create(b, sums, 0));
}

/// Goes through strips of lanes whose sums of up to `termsOfShortSum` terms are
/// f32, adds these to `sums`, and gives the first lane that is left.
Value RowKernel::emitShortSums(const RowLoops &loops, Value from, Value to,
                               Values &sums) {
  int64_t strip = vectorsOfSums * lanes, all = termsOfShortSum * strip;
  Value size = at.sub(to, from);
  // Sums of one strip gain nothing.
  Value end = b.createOrFold<arith::SelectOp>(
      at.compare(arith::CmpIPredicate::slt, size, 2 * strip), from,
      at.sub(to, at.rem(size, strip)));
  auto narrow = VectorType::get({lanes}, b.getF32Type());
  Value zero = arith::ConstantOp::create(b, b.getZeroAttr(narrow));
  // A term plus -0 is the term: the addition folds, and the rounding of what
  // was extended, too.
  Value none = widen(arith::ConstantOp::create(b, b.getF64FloatAttr(-0.0)));
  auto addTerms = [&](Value first, ValueRange before) {
    Values next;
    for (auto [i, sum] : llvm::enumerate(before)) {
      Lanes some = makeLanes(loops, at.add(first, i * lanes));
      Value wide = emitBody(loops, &some, none)[0];
      Value term = arith::TruncFOp::create(b, narrow, wide);
      next.push_back(arith::AddFOp::create(b, sum, term));
    }
    return next;
  };
  sums = emitFor(from, end, all, sums, [&](Value first, ValueRange before) {
    Values next;
    Values parts = emitFor(first, at.min(at.add(first, all), end), strip,
                           Values(vectorsOfSums, zero), addTerms);
    for (auto [sum, part] : llvm::zip(before, parts))
      next.push_back(arith::AddFOp::create(
          b, sum, arith::ExtFOp::create(b, sum.getType(), part)));
    return next;
  });
  return end;
}

/// Asks for what the lanes from `first` on of a later turn read side by side.
void RowKernel::emitAsk(const RowLoops &loops, Value first) {
  for (OpOperand *input : loops.getOp().getDpsInputOperands()) {
    AffineMap map = loops.mapOf(*input);
    if (!map.isFunctionOfDim(*loops.lane))
      continue;
    Value buffer = outside(input->get());
    Type element = cast<MemRefType>(buffer.getType()).getElementType();
    if (!isa<FloatType>(element))
      continue;
    int64_t ahead = bytesAhead * 8 / element.getIntOrFloatBitWidth();
    Lanes there = makeLanes(loops, at.add(first, ahead));
    auto indices = llvm::map_to_vector(map.getResults(), [&](AffineExpr expr) {
      return makeIndex(expr, loops, &there, there.first);
    });
    memref::PrefetchOp::create(b, buffer, indices, /*isWrite=*/false,
                               /*localityHint=*/3, /*isDataCache=*/true);
  }
}

/// Goes through lanes in strips, of which each vector has sums of its own, puts
/// these together in `sums`, and gives the first lane that is left.
Value RowKernel::emitStripsOfSums(const RowLoops &loops, Value from, Value to,
                                  ValueRange neutral, Values &sums) {
  std::optional<int64_t> known = getConstantIntValue(at.sub(to, from));
  if (known && *known < vectorsOfSums * lanes)
    return from;
  unsigned results = neutral.size();
  for (int64_t i = 1; i < vectorsOfSums; ++i)
    llvm::append_range(sums, neutral);
  if (hasShortSums(loops))
    from = emitShortSums(loops, from, to, sums);
  Value left = emitStrips(
      loops, from, to, vectorsOfSums, sums,
      [&](ArrayRef<Lanes> some, ValueRange before) {
        Values next;
        if (asksAhead && !hasShortSums(loops))
          for (const Lanes &each : some)
            emitAsk(loops, each.first);
        for (auto [i, each] : llvm::enumerate(some))
          llvm::append_range(
              next, emitBody(loops, &each, before.slice(i * results, results)));
        // Short sums may leave fewer vectors than there are sums.
        llvm::append_range(next, before.drop_front(next.size()));
        return next;
      });
  for (int64_t half = vectorsOfSums / 2; half > 0; half /= 2)
    for (unsigned i = 0; i < half * results; ++i)
      sums[i] = combine(loops, i % results, sums[i], sums[i + half * results]);
  sums.truncate(results);
  return left;
}

/// Combines the lanes from `from` to before `to`.
RowKernel::Values RowKernel::emitSums(const RowLoops &loops, Value from,
                                      Value to) {
  Values neutral;
  for (unsigned i = 0; i < loops.getOp().getNumDpsInits(); ++i) {
    TypedAttr zero = *arith::getNeutralElement(findCombiner(loops.getOp(), i));
    neutral.push_back(widen(arith::ConstantOp::create(b, zero)));
  }
  Values sums = emitTurns(loops, 0, neutral, [&](ValueRange before) {
    Values sums(before);
    Value first = from;
    if (isShort(loops))
      first = emitStripsOfSums(loops, from, to, neutral, sums);
    return emitLanes(
        loops, first, to, sums, [&](const Lanes &lanes, ValueRange sums) {
          Values next = emitBody(loops, &lanes, sums);
          for (auto [sum, before] : llvm::zip(next, sums))
            if (lanes.mask)
              sum = arith::SelectOp::create(b, lanes.mask, sum, before);
          return next;
        });
  });
  Values inits = makeInits(loops, nullptr);
  for (auto [i, sum] : llvm::enumerate(sums))
    sum = putTogether(loops, i, sum, inits[i]);
  return sums;
}
