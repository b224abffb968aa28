// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Queries that read states of all keys.

#include "passes/schedule/x86/linear/Linear.h"
#include "passes/schedule/x86/linear/QueryReads.h"
#include "passes/schedule/x86/shared/FiniteRows.h"
#include "passes/schedule/x86/shared/Grid.h"
#include "passes/schedule/x86/shared/Thresholds.h"

#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace mixattn;

namespace {

/// Emits a chunk of queries of one head.
class ReadTile : public RowBuilder {
public:
  ReadTile(ImplicitLocOpBuilder &b, KernelOp kernel, const TileSizes &sizes,
           Scratch &scratch)
      : RowBuilder(b, sizes, scratch), kernel(kernel),
        op(cast<LinearReadOp>(kernel.getAnchor())),
        operands(kernel, sizes.lanes),
        reads(b, op, operands, kernel.getOutputs()[0], sizes, scratch,
              op.getPremixer() ? op.getHeads() : 1, /*inside=*/0) {}

  void takeScratch() {
    reads.takeScratch();
    if (reads.isAmx())
      rightThirds = takeMatrix(reads.terms() / 2,
                               2 * op.getStates().getType().getDimSize(2),
                               b.getBF16Type());
  }
  void emit(Value batch, Value head, Value chunk);

private:
  KernelOp kernel;
  LinearReadOp op;
  KernelOperands operands;
  QueryReads reads;
  Value rightThirds;
};

} // namespace

void ReadTile::emit(Value batch, Value head, Value chunk) {
  takeScratch();
  Value zero = at.value(0);
  Value all =
      b.createOrFold<memref::DimOp>(operands.bufferOf(op.getQuery()), 2);
  Value first = at.mul(chunk, sizes.block);
  Value rows = at.min(at.sub(all, first), sizes.block);
  // Without a mixer some heads read the same state.
  Value row = zero;
  if (!op.getPremixer())
    row = at.mul(at.div(head, op.getQuery().getType().getDimSize(1) /
                                  int64_t(op.getHeads())),
                 reads.width());
  Value states = operands.bufferOf(op.getStates());
  Value right = partOf(KernelBuffers::matrixAt(b, states, batch), row, zero,
                       reads.width(), op.getStates().getType().getDimSize(2));
  Value totals =
      partOf(operands.bufferOf(op.getTotals()), batch, row, 1, reads.width());
  Value count =
      memref::LoadOp::create(b, operands.bufferOf(op.getCounts()), batch);
  Value isEmpty = arith::CmpIOp::create(
      b, arith::CmpIPredicate::sle, count,
      arith::ConstantOp::create(b, b.getI32IntegerAttr(0)));
  auto choice = scf::IfOp::create(b, isEmpty, /*withElseRegion=*/true);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(choice.thenBlock());
  reads.emitZeros(batch, head, first, at.add(first, rows));
  b.setInsertionPointToStart(choice.elseBlock());
  reads.emitQueries(batch, head, first, rows);
  auto emitQuotients = [&] {
    forEach(0, rows, sizes.rows, [&](Value row) {
      reads.emitQuotients(batch, head, first, row, rows, right, totals,
                          at.value(reads.width()));
    });
  };
  if (!reads.isAmx())
    return emitQuotients();
  Value areFinite =
      FiniteRows(b, sizes).emitAreFinite(right, zero, at.value(reads.width()));
  emitIf(
      areFinite,
      [&] {
        reads.emitStateThirds(right, rightThirds);
        reads.emitQueryThirds(rows);
        forEach(0, rows, QueryReads::amxRows, [&](Value row) {
          reads.emitQuotientsByAmx(batch, head, first, row, rows, rightThirds,
                                   totals, at.value(reads.terms()));
        });
      },
      emitQuotients);
}

void mixattn::scheduleLinearRead(KernelOp kernel, const TileSizes &usual) {
  ImplicitLocOpBuilder b(kernel.getLoc(), kernel);
  IndexMath at(b);
  auto op = cast<LinearReadOp>(kernel.getAnchor());
  TileSizes sizes = usual;
  sizes.block = op.getBlock();
  Value query = kernel.getOperandOf(op.getQuery());
  int64_t heads = op.getQuery().getType().getDimSize(1);
  Value queries = b.createOrFold<memref::DimOp>(query, 2);
  Value chunks = at.div(at.add(queries, sizes.block - 1), sizes.block);
  Value rows = at.mul(b.createOrFold<memref::DimOp>(query, 0), heads);
  Value terms = at.mul(at.mul(rows, queries),
                       op.getRows() * op.getStates().getType().getDimSize(2));
  Scratch counted;
  ReadTile(b, kernel, sizes, counted).takeScratch();
  emitGrid(
      b, at.mul(rows, chunks),
      at.compare(arith::CmpIPredicate::sgt, terms, thresholds::fewStateTerms),
      at.value(counted.taken),
      [&](ImplicitLocOpBuilder &b, Value item, Scratch &scratch) {
        IndexMath at(b);
        Value row = at.div(item, chunks);
        ReadTile(b, kernel, sizes, scratch)
            .emit(at.div(row, heads), at.rem(row, heads), at.rem(item, chunks));
      });
  kernel.erase();
}
