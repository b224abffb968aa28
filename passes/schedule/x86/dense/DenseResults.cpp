// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What the sums of a tile go through before they are stored.

#include "passes/schedule/DenseConsumers.h"
#include "passes/schedule/KernelBuffers.h"
#include "passes/schedule/x86/dense/DenseTile.h"
#include "passes/schedule/x86/shared/Widen.h"

#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/TypeUtilities.h"

using namespace mlir;
using namespace mixattn;

/// A buffer that rows of lanes are read from or written to: a matrix of the
/// tile's rows and lanes where it is one. A number has no buffer.
struct DenseTile::Reader {
  Value number;
  std::optional<DenseOperand> operand;
  Value matrix;
};

DenseTile::Reader DenseTile::makeReader(Value buffer, AffineMap map) {
  Reader reader;
  if (!isa<MemRefType>(buffer.getType())) {
    reader.number = buffer;
    return reader;
  }
  reader.operand.emplace(buffer, map);
  if (reader.operand->isEven(op.rows) && reader.operand->isContiguous(op.lanes))
    reader.matrix = reader.operand->makeMatrix(b, op.rows, op.lanes, batch);
  return reader;
}

/// A row of lanes from `lane` on, those that `isThere` says; one number for all
/// of them where lanes have no loop in the operand.
Value DenseTile::readLanes(const Reader &reader, const Place &place, Value row,
                           Value lane, Value isThere) {
  if (reader.number)
    return vector::BroadcastOp::create(
        b, rowType().clone(reader.number.getType()), reader.number);
  const DenseOperand &operand = *reader.operand;
  if (!operand.has(op.lanes.back())) {
    Value number = memref::LoadOp::create(b, operand.getBuffer(),
                                          operand.getIndices(place));
    return vector::BroadcastOp::create(
        b, rowType().clone(operand.getElementType()), number);
  }
  auto type = rowType().clone(operand.getElementType());
  Value zero = arith::ConstantOp::create(b, b.getZeroAttr(type));
  if (reader.matrix)
    return vector::MaskedLoadOp::create(b, type, reader.matrix,
                                        ValueRange{row, lane}, isThere, zero);
  return vector::MaskedLoadOp::create(b, type, operand.getBuffer(),
                                      operand.getIndices(place), isThere, zero);
}

/// `value`, a row of lanes of f32, rounded to `element`.
Value DenseTile::roundTo(Type element, Value value) {
  if (element.isF32())
    return value;
  return arith::TruncFOp::create(b, rowType().clone(element), value);
}

/// `sum`, a row of lanes, as the kernel's pointwise ops change it. `readers`
/// are those of their inputs, one after the other; one that an op before makes
/// has neither buffer nor number.
Value DenseTile::emitConsumers(Value sum, ArrayRef<Reader> readers,
                               const Place &place, Value row, Value lane,
                               Value isThere) {
  Value result = roundTo(getElementTypeOrSelf(op.getResult()), sum);
  DenseMap<Value, Value> made = {{op.getResult(), result}};
  const Reader *reader = readers.begin();
  for (Operation *each : kernel.getConsumers()) {
    auto consumer = cast<linalg::GenericOp>(each);
    SmallVector<Value> lanes;
    for (Value input : consumer.getDpsInputs()) {
      lanes.push_back(made.contains(input)
                          ? made.lookup(input)
                          : readLanes(*reader, place, row, lane, isThere));
      ++reader;
    }
    result = emitWide(
                 b, b.getLoc(), sizes.lanes, lanes,
                 [&](OpBuilder &scalar, ValueRange elements) {
                   return SmallVector<Value>{
                       emitConsumer(scalar, consumer, elements)};
                 },
                 [](OpBuilder &, memref::LoadOp, ArrayRef<Value>) -> Value {
                   llvm_unreachable("bodies of pointwise ops load nothing");
                 })
                 .front();
    made[consumer->getResult(0)] = result;
  }
  return result;
}

/// The value outside of the kernel for `value`, an argument of its region or a
/// constant there.
Value DenseTile::getOutside(Value value) {
  return KernelBuffers(kernel.getInputs()).emitNumber(b, value);
}

/// Stores what the sums of rows from `from` to before `to` go through.
void DenseTile::emitResults(Value from, Value to) {
  SmallVector<Reader> readers;
  DenseSet<Value> made = {op.getResult()};
  for (Operation *each : kernel.getConsumers()) {
    auto consumer = cast<linalg::GenericOp>(each);
    for (OpOperand *input : consumer.getDpsInputOperands())
      readers.push_back(
          made.contains(input->get())
              ? Reader()
              : makeReader(getOutside(input->get()),
                           consumer.getMatchingIndexingMap(input).compose(
                               op.resultMap)));
    made.insert(each->getResult(0));
  }
  Reader writer = makeReader(target.getBuffer(), op.resultMap);
  std::optional<int64_t> known = getConstantIntValue(sizeOf(op.lanes));
  bool areWhole = known && *known % countLanes() == 0;
  struct Part {
    Value lane, sums, isThere;
    Place place;
  };
  auto makePart = [&](Value sums) {
    Value lane = at.add(firstLane, sums);
    Value held =
        areWhole ? at.value(sizes.lanes) : at.sub(sizeOf(op.lanes), lane);
    Value isThere = vector::CreateMaskOp::create(
        b, VectorType::get({sizes.lanes}, b.getI1Type()), held);
    Part part = {lane, sums, isThere, batch};
    split(op.lanes, lane, part.place);
    return part;
  };
  auto emitPart = [&](const Part &part, Value number) {
    Place place = part.place;
    Value row = at.add(firstRow, number);
    split(op.rows, row, place);
    Value result = emitConsumers(load(sumTile, number, part.sums), readers,
                                 place, row, part.lane, part.isThere);
    if (writer.matrix)
      vector::MaskedStoreOp::create(
          b, writer.matrix, ValueRange{row, part.lane}, part.isThere, result);
    else
      vector::MaskedStoreOp::create(b, target.getBuffer(),
                                    target.getIndices(place), part.isThere,
                                    result);
  };
  // A mask, and what is read once for all rows, stay outside of the rows' loop.
  // Where all vectors are whole there is none. By AMX vectors of bf16 come in
  // twos for each panel, a line of the cache: rows that lie at the same place
  // of pages push each other's half lines out.
  int64_t together =
      isAmx() && target.getElementType().isBF16() && sizes.vectors() % 2 == 0
          ? 2 * panels
          : 1;
  forEach(0, countLanes(), together * sizes.lanes, [&](Value first) {
    SmallVector<Part> parts;
    for (int64_t p = 0; p < together; ++p)
      parts.push_back(makePart(at.add(first, p * sizes.lanes)));
    forEach(from, to, 1, [&](Value number) {
      for (const Part &part : parts)
        emitPart(part, number);
    });
  });
}
