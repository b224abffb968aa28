// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Gaussians and shifted keys become products, and terms of rows in front of a
// kernel.

#include "passes/schedule/x86/shared/Terms.h"
#include "dialect/tile/TileOps.h"
#include "passes/body/ScoreBody.h"
#include "passes/schedule/KernelBuffers.h"
#include "passes/schedule/x86/shared/Calibration.h"
#include "passes/schedule/x86/shared/Grid.h"
#include "passes/schedule/x86/shared/TileBuilder.h"

#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace mixattn;

static int64_t rankOf(Value buffer) {
  return cast<MemRefType>(buffer.getType()).getRank();
}

namespace {

/// A term of the scores that each row x of a sequence has, for head h and
/// component r of it: of queries and of keys
///
///   target[b,h,r,i] = (x . s_r - |x|^2 / 2) / v_r + term
///   target[b,h,r,i] = -|x + s_r|^2 / (2 v_r) + term + prior
///
/// without squares where there are none. All values are buffers.
struct RowTerm {
  /// [B,H,N,D], or [B,H,R,N,D].
  Value rows;
  /// [G,R,D]; `shiftGroup` heads share those of one. Null where nothing is
  /// shifted.
  Value shifts;
  int64_t shiftGroup = 1;
  bool isOfKeys = false, hasSquare = false;
  /// 1 / v_r.
  SmallVector<double> factors;
  /// A term that there was already, [B,H,N] or [B,H,R,N], and a prior, [H,R].
  /// Null where there is none.
  Value term, prior;
  /// [B,H,R,N], f32.
  Value target;

  /// Whether there is x . s_r, and s_r in the square.
  bool hasProduct() const { return shifts && !isOfKeys; }
  bool shiftsSquare() const { return shifts && isOfKeys; }
};

/// Emits a term of a few rows: lanes are rows.
class TermTile : public TileBuilder {
public:
  TermTile(ImplicitLocOpBuilder &b, TileSizes sizes, Value scratch)
      : TileBuilder(b, sizes.withWidth(sizes.block), scratch) {}

  /// A row of squares and one of products.
  int64_t bytes() const { return bytesOf(2); }

  /// `count` rows of a head from `first` on.
  void emit(const RowTerm &term, Value batch, Value head, Value first,
            Value count);

private:
  Value emitLanes(const RowTerm &term, ValueRange place, Value count,
                  Value lane);
  Value emitFactor(const RowTerm &term, Value component);

  Value squares, products;
};

} // namespace

//===----------------------------------------------------------------------===//
// Rows
//===----------------------------------------------------------------------===//

void TermTile::emit(const RowTerm &term, Value batch, Value head, Value first,
                    Value count) {
  squares = takeTile(1);
  products = takeTile(1);
  Value end = at.add(first, count), last = at.sub(end, 1);
  forEach(0, int64_t(term.factors.size()), 1, [&](Value r) {
    SmallVector<Value> leading = {batch, head};
    if (rankOf(term.rows) == 5)
      leading.push_back(r);
    Value rows = KernelBuffers::matrixAt(b, term.rows, leading);
    Value shifts;
    if (term.shifts)
      shifts = KernelBuffers::matrixAt(b, term.shifts,
                                       {at.div(head, term.shiftGroup)});
    forEach(first, end, sizes.block, [&](Value start) {
      if (term.hasSquare)
        tile::SquareRowsOp::create(
            b, rows, start, last, term.shiftsSquare() ? shifts : Value(),
            term.shiftsSquare() ? r : Value(), squares, llvm::APFloat(-0.5f),
            /*subtracts=*/false);
      if (term.hasProduct())
        tile::DotRowsOp::create(b, rows, start, last, shifts, r, products,
                                llvm::APFloat(1.0f));
      forEachLane([&](Value lane) {
        SmallVector<Value> place = {batch, head, r, at.add(start, lane)};
        Value count = at.sub(end, place.back());
        Value isThere = vector::CreateMaskOp::create(
            b, VectorType::get({sizes.lanes}, b.getI1Type()), count);
        vector::MaskedStoreOp::create(b, term.target, place, isThere,
                                      emitLanes(term, place, count, lane));
      });
    });
  });
}

/// Row `place` and those after it, of which `count` are there.
Value TermTile::emitLanes(const RowTerm &term, ValueRange place, Value count,
                          Value lane) {
  Value sum;
  for (auto [tile, isThere] : {std::pair(squares, term.hasSquare),
                               std::pair(products, term.hasProduct())}) {
    if (!isThere)
      continue;
    Value part = load(tile, at.value(0), lane);
    sum = sum ? add(sum, part) : part;
  }
  sum = mul(sum, emitFactor(term, place[2]));
  auto append = [&](Value buffer, SmallVector<Value> indices) {
    sum = add(loadSome(buffer, indices, count), sum);
  };
  if (term.term && rankOf(term.term) == 4)
    append(term.term, SmallVector<Value>(place));
  else if (term.term)
    append(term.term, {place[0], place[1], place[3]});
  if (term.prior)
    sum = add(vector::BroadcastOp::create(
                  b, rowType(),
                  toF32(b, b.getLoc(),
                        memref::LoadOp::create(b, term.prior,
                                               ValueRange{place[1], place[2]})
                            .getResult())),
              sum);
  return sum;
}

/// 1 / v_r in all lanes.
Value TermTile::emitFactor(const RowTerm &term, Value component) {
  Value factor = splat(term.factors.front());
  for (auto [r, number] : llvm::enumerate(term.factors))
    if (number != term.factors.front())
      factor = arith::SelectOp::create(
          b, at.compare(arith::CmpIPredicate::eq, component, int64_t(r)),
          splat(number), factor);
  return factor;
}

//===----------------------------------------------------------------------===//
// Kernels
//===----------------------------------------------------------------------===//

/// Memory for `term`, an element per row and component.
static Value allocateTarget(ImplicitLocOpBuilder &b, const RowTerm &term) {
  auto type = cast<MemRefType>(term.rows.getType());
  int64_t length = type.getRank() - 2;
  SmallVector<Value> open;
  for (int64_t dim : {int64_t(0), length})
    if (type.isDynamicDim(dim))
      open.push_back(memref::DimOp::create(b, term.rows, dim));
  auto target =
      MemRefType::get({type.getDimSize(0), type.getDimSize(1),
                       int64_t(term.factors.size()), type.getDimSize(length)},
                      b.getF32Type());
  return memref::AllocOp::create(b, target, open, b.getI64IntegerAttr(64));
}

/// Computes `term` for all rows.
static void emitTerm(ImplicitLocOpBuilder &b, const RowTerm &term,
                     const TileSizes &sizes) {
  IndexMath at(b);
  auto type = cast<MemRefType>(term.rows.getType());
  int64_t heads = type.getDimSize(1), rank = type.getRank();
  int64_t features = type.getDimSize(rank - 1);
  Value batches = b.createOrFold<memref::DimOp>(term.rows, 0);
  Value length = b.createOrFold<memref::DimOp>(term.rows, rank - 2);
  Value pieces = at.div(at.add(length, rowsOfItem - 1), rowsOfItem);
  Value items = at.mul(at.mul(batches, heads), pieces);
  Value work = at.mul(at.mul(batches, length),
                      heads * features * int64_t(term.factors.size()));
  emitGrid(
      b, items,
      at.compare(arith::CmpIPredicate::sgt, work, calibration::fewTerms),
      at.value(TermTile(b, sizes, {}).bytes()),
      [&](ImplicitLocOpBuilder &b, Value item, Value scratch) {
        IndexMath at(b);
        Value number = at.div(item, pieces);
        Value first = at.mul(at.rem(item, pieces), rowsOfItem);
        TermTile(b, sizes, scratch)
            .emit(term, at.div(number, heads), at.rem(number, heads), first,
                  at.min(at.sub(length, first), rowsOfItem));
      });
}

KernelOp mixattn::scheduleTerms(KernelOp kernel, const TileSizes &sizes) {
  auto op = dyn_cast<GenericOp>(kernel.getComputation());
  if (!op || (!op.getGaussian() && !op.getShifts()))
    return kernel;
  auto attention = cast<AttentionOpInterface>(op.getOperation());
  ImplicitLocOpBuilder b(kernel.getLoc(), kernel);
  auto bufferOf = [&](Value operand) {
    return operand ? kernel.getOperandOf(operand) : Value();
  };
  SmallVector<double> variances, factors;
  for (int64_t r = 0; r < attention.getNumComponents(); ++r) {
    variances.push_back(
        op.getGaussian() || op.getVariances() ? attention.getVariance(r) : 1.0);
    factors.push_back(1 / variances.back());
  }
  RowTerm ofQuery, ofKey;
  ofQuery.factors = ofKey.factors = factors;
  ofQuery.shifts = ofKey.shifts = bufferOf(op.getShifts());
  ofQuery.rows = bufferOf(op.getQuery());
  ofQuery.term = bufferOf(op.getQueryTerm());
  ofQuery.shiftGroup = attention.getKeyGroup();
  ofQuery.hasSquare = op.getGaussian() && !(llvm::all_equal(variances) &&
                                            attention.isRowShiftInvariant());
  ofKey.rows = bufferOf(op.getKey());
  ofKey.term = bufferOf(op.getKeyTerm());
  ofKey.hasSquare = op.getGaussian();
  ofKey.isOfKeys = true;
  // A prior belongs to a head of queries, and one for each key may hide keys,
  // which must be seen.
  bool takesPrior = op.getGaussian() && op.getPrior() &&
                    rankOf(bufferOf(op.getPrior())) == 2 &&
                    attention.getKeyGroup() == 1;
  if (takesPrior)
    ofKey.prior = bufferOf(op.getPrior());

  SmallVector<Value> buffers;
  for (RowTerm *term : {&ofQuery, &ofKey})
    if (term->hasProduct() || term->hasSquare) {
      term->target = allocateTarget(b, *term);
      buffers.push_back(term->target);
      emitTerm(b, *term, sizes);
    }
  // The same kernel, which reads them.
  SmallVector<Value> arguments;
  KernelOp next = kernel.cloneWith(b, buffers, arguments);
  for (Value buffer : buffers)
    memref::DeallocOp::create(b, buffer);
  auto expanded = cast<GenericOp>(next.getComputation());
  APFloat scale(attention.getScaleOrDefault());
  if (ofQuery.target)
    expanded.getQueryTermMutable().assign(arguments.front());
  if (ofKey.target)
    expanded.getKeyTermMutable().assign(arguments.back());
  if (takesPrior)
    expanded.getPriorMutable().clear();
  expanded.getShiftsMutable().clear();
  expanded.setGaussian(false);
  expanded.setScale(scale);
  expanded.setVariances(variances);
  kernel.erase();
  return next;
}
