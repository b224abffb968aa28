// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Reads operands for lanes: uniform, per query, per query and key.

#include "passes/schedule/x86/shared/Operands.h"

#include "passes/body/ScoreBody.h"
#include "passes/schedule/x86/shared/Widen.h"

#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace mixattn;

Value KernelOperands::emitQueries(ImplicitLocOpBuilder &b) {
  IndexMath at(b);
  return emitPositions(b, at.add(place.firstQuery, place.lane),
                       place.lastQuery);
}

Value KernelOperands::emitPositions(ImplicitLocOpBuilder &b, Value first,
                                    Value last) {
  auto type = VectorType::get({lanes}, b.getIndexType());
  SmallVector<int64_t> steps = llvm::to_vector(llvm::seq<int64_t>(0, lanes));
  Value step = arith::ConstantOp::create(
      b, DenseElementsAttr::get(type, llvm::map_to_vector(steps, [](int64_t i) {
                                  return APInt(64, i);
                                })));
  auto splat = [&](Value value) -> Value {
    return vector::BroadcastOp::create(b, type, value);
  };
  Value each = arith::AddIOp::create(b, splat(first), step);
  firstPosition = first;
  lastPosition = last;
  positions = arith::MinSIOp::create(b, each, splat(last));
  return positions;
}

const ElementTile *KernelOperands::findElement(Value buffer) {
  for (const ElementTile &element : elements)
    if (bufferOf(element.tensor) == buffer)
      return &element;
  return nullptr;
}

Value KernelOperands::emitWideLoad(OpBuilder &builder, memref::LoadOp scalar,
                                   ArrayRef<Value> indices) {
  ImplicitLocOpBuilder b(scalar.getLoc(), builder);
  IndexMath at(b);
  MemRefType buffer = scalar.getMemRefType();
  auto type = VectorType::get({lanes}, buffer.getElementType());
  auto varies = [](Value index) { return isa<VectorType>(index.getType()); };
  int64_t rank = buffer.getRank();
  /// Whether index `i` is the lanes' positions, and no other index varies.
  auto isPosition = [&](int64_t i) {
    return i >= 0 && indices[i] == positions &&
           llvm::count_if(indices, varies) == 1;
  };
  // Elements are in a tile, where lanes follow one another.
  if (const ElementTile *element = findElement(scalar.getMemRef());
      element && isPosition(rank - 2)) {
    Value row = at.sub(indices[rank - 1], place.blockStart);
    if (element->heads > 1)
      row = at.add(row, at.mul(indices[rank - 3], block));
    Value value =
        vector::LoadOp::create(b, VectorType::get({lanes}, b.getF32Type()),
                               element->tile, ValueRange{row, place.lane});
    if (isa<FloatType>(type.getElementType()))
      return value;
    return arith::FPToSIOp::create(b, type, value);
  }
  // Positions follow one another in memory; there are none beyond the last.
  if (isPosition(rank - 1)) {
    SmallVector<Value> first(indices);
    first.back() = firstPosition;
    Value count = at.sub(at.add(lastPosition, 1), firstPosition);
    Value isThere = vector::CreateMaskOp::create(
        b, VectorType::get({lanes}, b.getI1Type()), count);
    Value zero = arith::ConstantOp::create(b, b.getZeroAttr(type));
    return vector::MaskedLoadOp::create(b, type, scalar.getMemRef(), first,
                                        isThere, zero);
  }
  // Anything else, lane by lane; LLVM would call a compiler's library to put
  // floats of 16 bits into a vector.
  bool isExtended =
      llvm::all_of(scalar->getUsers(), llvm::IsaPred<arith::ExtFOp>);
  if (isExtended)
    type = VectorType::get({lanes}, b.getF32Type());
  Value result = arith::ConstantOp::create(b, b.getZeroAttr(type));
  for (int64_t lane = 0; lane < lanes; ++lane) {
    SmallVector<Value> own = llvm::map_to_vector(indices, [&](Value index) {
      return varies(index)
                 ? vector::ExtractOp::create(b, index, lane).getResult()
                 : index;
    });
    Value element = memref::LoadOp::create(b, scalar.getMemRef(), own);
    if (isExtended)
      element = toF32(b, b.getLoc(), element);
    result = vector::InsertOp::create(b, element, result, lane);
  }
  return result;
}

SmallVector<Value> KernelOperands::emitForEach(
    ImplicitLocOpBuilder &b, Value positions, ValueRange lanes,
    function_ref<SmallVector<Value>(OpBuilder &, Value, ValueRange)> inside) {
  SmallVector<Value> all = {positions};
  llvm::append_range(all, lanes);
  return emitWide(
      b, b.getLoc(), this->lanes, all,
      [&](OpBuilder &scalar, ValueRange one) {
        return inside(scalar, one.front(), one.drop_front());
      },
      [&](OpBuilder &, memref::LoadOp scalar, ArrayRef<Value> indices) {
        return emitWideLoad(b, scalar, indices);
      });
}
