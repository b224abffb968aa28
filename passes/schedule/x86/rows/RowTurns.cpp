// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Rows that are columns of an operand: as many at once as a vector has lanes.

#include "passes/schedule/x86/rows/RowKernel.h"

#include "passes/body/TransposeSquare.h"

#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/TypeUtilities.h"

using namespace mlir;
using namespace mixattn;

bool RowKernel::hasTurnedRows() const {
  if (members.size() != 1 || !hasSeparateLanes())
    return false;
  const RowLoops &loops = members.front();
  return loops.rows > 0 && loops.turns.empty() &&
         llvm::any_of(loops.getOp().getDpsInputOperands(),
                      [&](OpOperand *each) { return isTurned(loops, each); });
}

/// Reads what as many rows as there are lanes, from where the loops stand on,
/// read of `some` lanes of `input`: a vector for each row.
RowKernel::Values RowKernel::readTurned(const RowLoops &loops, OpOperand &input,
                                        const Lanes &some) {
  Value buffer = outside(input.get());
  auto type = VectorType::get({lanes}, getElementTypeOrSelf(buffer));
  Values columns;
  for (int64_t number = 0; number < lanes; ++number) {
    auto indices =
        llvm::map_to_vector(loops.mapOf(input).getResults(), [&](auto expr) {
          return makeIndex(expr, loops, &some, at.add(some.first, number));
        });
    columns.push_back(vector::LoadOp::create(b, type, buffer, indices));
  }
  return emitTransposed(b, columns);
}

void RowKernel::emitTurned(ArrayRef<Value> row, Value end, Value scratch,
                           Value from, Value to) {
  const RowLoops &loops = members.front();
  unsigned turned = loops.rows - 1;
  Value first = row[turned];
  Value last = at.min(at.add(first, lanes), end);
  Value whole = at.sub(to, at.rem(at.sub(to, from), lanes));
  Value isSquare =
      at.compare(arith::CmpIPredicate::eq, at.sub(last, first), lanes);
  Value rest = b.createOrFold<arith::SelectOp>(isSquare, whole, from);
  SmallVector<Value> here(row);
  holdResults(scratch);
  emitFor(from, rest, lanes, {}, [&](Value lane, ValueRange) -> Values {
    Lanes some = makeLanes(loops, lane);
    place = Place(here);
    place.resize(loops.getOp().getNumLoops());
    for (OpOperand *input : loops.getOp().getDpsInputOperands())
      if (isTurned(loops, input))
        squares[input] = readTurned(loops, *input, some);
    for (rowOfSquare = 0; rowOfSquare < lanes; ++rowOfSquare) {
      place[turned] = at.add(first, rowOfSquare);
      Values values = emitBody(loops, &some, makeInits(loops, &some));
      for (auto [result, value] :
           llvm::zip(loops.getOp()->getResults(), values))
        write(loops, result, value, &some);
    }
    squares.clear();
    return {};
  });
  emitFor(first, last, 1, {}, [&](Value each, ValueRange) -> Values {
    here[turned] = each;
    emit(here, scratch, rest, to);
    return {};
  });
}
