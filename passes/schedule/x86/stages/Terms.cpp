// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Terms that rows of queries or of keys have alone: squares and products.

#include "passes/schedule/x86/stages/Terms.h"
#include "dialect/tile/TileOps.h"
#include "passes/body/ScoreBody.h"
#include "passes/schedule/KernelBuffers.h"
#include "passes/schedule/x86/shared/Grid.h"
#include "passes/schedule/x86/shared/Thresholds.h"
#include "passes/schedule/x86/shared/TileBuilder.h"

#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace mixattn;

static int64_t rankOf(Value buffer) {
  return cast<MemRefType>(buffer.getType()).getRank();
}

namespace {

/// An attn.row_term on buffers.
struct RowTerm {
  explicit RowTerm(KernelOp kernel)
      : op(cast<RowTermOp>(kernel.getAnchor())),
        rows(bufferOf(kernel, op.getRows())),
        shifts(bufferOf(kernel, op.getShifts())),
        term(bufferOf(kernel, op.getTerm())),
        prior(bufferOf(kernel, op.getPrior())), target(kernel.getOutputs()[0]) {
  }

  RowTermOp op;
  /// Those that are absent are null.
  Value rows, shifts, term, prior, target;

private:
  static Value bufferOf(KernelOp kernel, Value operand) {
    return operand ? kernel.getOperandOf(operand) : Value();
  }
};

/// Emits a term of a few rows: lanes are rows.
class TermTile : public TileBuilder {
public:
  TermTile(ImplicitLocOpBuilder &b, TileSizes sizes, Scratch &scratch)
      : TileBuilder(b, sizes.withWidth(sizes.block), scratch) {}

  void takeScratch() {
    squares = takeTile(1);
    products = takeTile(1);
  }

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
  takeScratch();
  Value end = at.add(first, count), last = at.sub(end, 1);
  RowTermOp op = term.op;
  forEach(0, int64_t(op.getFactors().size()), 1, [&](Value r) {
    SmallVector<Value> leading = {batch, head};
    if (rankOf(term.rows) == 5)
      leading.push_back(r);
    Value rows = KernelBuffers::matrixAt(b, term.rows, leading);
    Value shifts;
    if (term.shifts)
      shifts = KernelBuffers::matrixAt(b, term.shifts,
                                       {at.div(head, op.getShiftGroup())});
    forEach(first, end, sizes.block, [&](Value start) {
      if (op.getHasSquare())
        tile::SquareRowsOp::create(
            b, rows, start, last, op.shiftsSquare() ? shifts : Value(),
            op.shiftsSquare() ? r : Value(), squares, llvm::APFloat(-0.5f),
            /*subtracts=*/false);
      if (op.hasProduct())
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
  RowTermOp op = term.op;
  for (auto [tile, isThere] : {std::pair(squares, op.getHasSquare()),
                               std::pair(products, op.hasProduct())}) {
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
  RowTermOp op = term.op;
  ArrayRef<double> factors = op.getFactors();
  Value factor = splat(factors.front());
  for (auto [r, number] : llvm::enumerate(factors))
    if (number != factors.front())
      factor = arith::SelectOp::create(
          b, at.compare(arith::CmpIPredicate::eq, component, int64_t(r)),
          splat(number), factor);
  return factor;
}

//===----------------------------------------------------------------------===//
// Kernels
//===----------------------------------------------------------------------===//

void mixattn::scheduleRowTerm(KernelOp kernel, const TileSizes &sizes) {
  RowTerm term(kernel);
  ImplicitLocOpBuilder b(kernel.getLoc(), kernel);
  IndexMath at(b);
  auto type = cast<MemRefType>(term.rows.getType());
  int64_t heads = type.getDimSize(1), rank = type.getRank();
  int64_t features = type.getDimSize(rank - 1);
  Value batches = b.createOrFold<memref::DimOp>(term.rows, 0);
  Value length = b.createOrFold<memref::DimOp>(term.rows, rank - 2);
  Value pieces = at.div(at.add(length, rowsOfItem - 1), rowsOfItem);
  Value items = at.mul(at.mul(batches, heads), pieces);
  Value work = at.mul(at.mul(batches, length),
                      heads * features * int64_t(term.op.getFactors().size()));
  Scratch counted;
  TermTile(b, sizes, counted).takeScratch();
  emitGrid(b, items,
           at.compare(arith::CmpIPredicate::sgt, work, thresholds::fewTerms),
           at.value(counted.taken),
           [&](ImplicitLocOpBuilder &b, Value item, Scratch &scratch) {
             IndexMath at(b);
             Value number = at.div(item, pieces);
             Value first = at.mul(at.rem(item, pieces), rowsOfItem);
             TermTile(b, sizes, scratch)
                 .emit(term, at.div(number, heads), at.rem(number, heads),
                       first, at.min(at.sub(length, first), rowsOfItem));
           });
  kernel.erase();
}
