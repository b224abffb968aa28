// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The elements of rows: how they are read, computed and written.

#include "passes/schedule/x86/rows/RowKernel.h"
#include "passes/schedule/x86/shared/Widen.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Affine/Utils.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/Transforms/RegionUtils.h"

using namespace mlir;
using namespace mixattn;

//===----------------------------------------------------------------------===//
// Bodies
//===----------------------------------------------------------------------===//

/// Emits the body's ops with `builder` for one lane, at `position` of the
/// lanes' loop.
RowKernel::Values RowKernel::emitScalars(OpBuilder &builder,
                                         const RowLoops &loops,
                                         ValueRange elements, Value position) {
  Block *body = loops.getOp().getBlock();
  IRMapping mapping;
  mapping.map(body->getArguments(), elements);
  llvm::SetVector<Value> captured;
  getUsedValuesDefinedAbove(loops.getOp()->getRegions(), captured);
  for (Value value : captured) {
    if (isa<TensorType>(value.getType()))
      continue;
    mapping.map(value,
                isa<BlockArgument>(value)
                    ? kernel.getOperandOf(value)
                    : builder.clone(*value.getDefiningOp())->getResult(0));
  }
  for (Operation &inner : body->without_terminator()) {
    Location loc = inner.getLoc();
    if (auto index = dyn_cast<linalg::IndexOp>(inner)) {
      unsigned loop = index.getDim();
      mapping.map(index.getResult(),
                  loop == loops.lane ? position : place[loop]);
    } else if (auto apply = dyn_cast<affine::AffineApplyOp>(inner)) {
      auto operands = llvm::map_to_vector(apply.getOperands(), [&](Value each) {
        return mapping.lookupOrDefault(each);
      });
      mapping.map(
          apply.getResult(),
          affine::expandAffineMap(builder, loc, apply.getAffineMap(), operands)
              ->front());
    } else if (auto extract = dyn_cast<tensor::ExtractOp>(inner)) {
      auto indices = llvm::map_to_vector(extract.getIndices(), [&](Value each) {
        return mapping.lookupOrDefault(each);
      });
      Value element = memref::LoadOp::create(
          builder, loc, outside(extract.getTensor()), indices);
      if (extract.getType().isInteger(1) && !element.getType().isInteger(1))
        element = arith::CmpIOp::create(
            builder, loc, arith::CmpIPredicate::ne, element,
            arith::ConstantOp::create(builder, loc,
                                      builder.getZeroAttr(element.getType())));
      mapping.map(extract.getResult(), element);
    } else {
      builder.clone(inner, mapping);
    }
  }
  return llvm::map_to_vector(
      body->getTerminator()->getOperands(),
      [&](Value each) { return mapping.lookupOrDefault(each); });
}

/// The values that the body yields for `lanes`, or for one turn.
RowKernel::Values RowKernel::emitBody(const RowLoops &loops, const Lanes *lanes,
                                      ValueRange sums) {
  Values elements;
  for (OpOperand *input : loops.getOp().getDpsInputOperands()) {
    if (squares.contains(input))
      elements.push_back(squares[input][rowOfSquare]);
    else if (isa<TensorType>(input->get().getType()))
      elements.push_back(read(input->get(), loops.mapOf(*input), loops, lanes));
    else
      elements.push_back(outside(input->get()));
  }
  llvm::append_range(elements, sums);
  if (!lanes)
    return emitScalars(b, loops, elements, {});
  elements.push_back(lanes->positions);
  return emitWide(
      b, b.getLoc(), this->lanes, elements,
      [&](OpBuilder &scalar, ValueRange each) {
        return emitScalars(scalar, loops, each.drop_back(), each.back());
      },
      [&](OpBuilder &, memref::LoadOp load, ArrayRef<Value> indices) -> Value {
        auto varies = [](Value index) {
          return isa<VectorType>(index.getType());
        };
        if (indices.back() == lanes->positions &&
            llvm::none_of(indices.drop_back(), varies)) {
          Values first(indices.drop_back());
          first.push_back(lanes->first);
          return readSideBySide(load.getMemRef(), first, *lanes);
        }
        return readEach(*lanes, load.getType(), [&](Value, int64_t number) {
          auto one = llvm::map_to_vector(indices, [&](Value index) {
            return varies(index)
                       ? Value(vector::ExtractOp::create(b, index, number))
                       : index;
          });
          return memref::LoadOp::create(b, load.getMemRef(), one).getResult();
        });
      });
}

//===----------------------------------------------------------------------===//
// Memory
//===----------------------------------------------------------------------===//

/// `number` in each lane; vectors stay what they are.
Value RowKernel::widen(Value number) {
  if (isa<VectorType>(number.getType()))
    return number;
  return vector::BroadcastOp::create(
      b, VectorType::get({lanes}, number.getType()), number);
}

/// The index that `expr` is in this turn, at `lane` of the lanes' loop.
Value RowKernel::makeIndex(AffineExpr expr, const RowLoops &loops,
                           const Lanes *lanes, Value lane) {
  auto at = [&](unsigned loop) {
    return lanes && loop == lanes->loop ? lane : place[loop];
  };
  if (auto dim = dyn_cast<AffineDimExpr>(expr))
    return at(dim.getPosition());
  SmallVector<Value> dims;
  for (unsigned loop = 0; loop < place.size(); ++loop)
    dims.push_back(expr.isFunctionOfDim(loop) ? at(loop) : this->at.value(0));
  return affine::expandAffineExpr(b, b.getLoc(), expr, dims, {});
}

/// Elements that lie side by side from `indices` on.
Value RowKernel::readSideBySide(Value buffer, ArrayRef<Value> indices,
                                const Lanes &some) {
  Type element = cast<MemRefType>(buffer.getType()).getElementType();
  auto type = VectorType::get({lanes}, element);
  if (!some.mask)
    return vector::LoadOp::create(b, type, buffer, indices);
  SmallVector<Value> last(indices);
  last.back() = some.last;
  Value others = widen(memref::LoadOp::create(b, buffer, last));
  return vector::MaskedLoadOp::create(b, type, buffer, indices, some.mask,
                                      others);
}

/// Elements that `load` loads for one lane after the other.
Value RowKernel::readEach(const Lanes &some, Type element,
                          function_ref<Value(Value, int64_t)> load) {
  Values each;
  for (int64_t number = 0; number < lanes; ++number) {
    Value lane = at.add(some.first, number);
    if (some.mask)
      lane = at.min(lane, some.last);
    each.push_back(load(lane, number));
  }
  return vector::FromElementsOp::create(b, VectorType::get({lanes}, element),
                                        each);
}

/// The elements of `tensor`, walked by `map`, in this turn: a vector of `some`
/// lanes, or a number where they are all the same.
Value RowKernel::read(Value tensor, AffineMap map, const RowLoops &loops,
                      const Lanes *some) {
  Held from = isa<BlockArgument>(tensor) ? Held{outside(tensor), {}, 0}
                                         : held.lookup(tensor);
  if (from.number)
    return from.number;
  ArrayRef<AffineExpr> exprs = map.getResults().drop_front(from.dropped);
  auto indicesAt = [&](Value lane) {
    return llvm::map_to_vector(exprs, [&](AffineExpr expr) {
      return makeIndex(expr, loops, some, lane);
    });
  };
  auto isOfLanes = [&](AffineExpr expr) {
    return some && expr.isFunctionOfDim(some->loop);
  };
  auto type = cast<MemRefType>(from.buffer.getType());
  Value elements;
  if (llvm::none_of(exprs, isOfLanes))
    elements = memref::LoadOp::create(b, from.buffer, indicesAt({}));
  else if (isa<AffineDimExpr>(exprs.back()) && isOfLanes(exprs.back()) &&
           llvm::none_of(exprs.drop_back(), isOfLanes))
    elements = readSideBySide(from.buffer, indicesAt(some->first), *some);
  else
    elements = readEach(*some, type.getElementType(), [&](Value lane, int64_t) {
      return memref::LoadOp::create(b, from.buffer, indicesAt(lane))
          .getResult();
    });
  // Booleans are bytes in memory.
  if (!cast<TensorType>(tensor.getType()).getElementType().isInteger(1) ||
      type.getElementType().isInteger(1))
    return elements;
  Value zero = arith::ConstantOp::create(b, b.getZeroAttr(elements.getType()));
  return arith::CmpIOp::create(b, arith::CmpIPredicate::ne, elements, zero);
}

/// Writes what `result` is in this turn: of `some` lanes, or a number.
void RowKernel::write(const RowLoops &loops, OpResult result, Value value,
                      const Lanes *some) {
  AffineMap map = loops.mapOf(*loops.getOp().getTiedOpOperand(result));
  if (isNumber(loops, result) && loops.isByRow(map))
    held[result].number = value;
  Held to = held.lookup(result);
  if (!to.buffer)
    return;
  ArrayRef<AffineExpr> exprs = map.getResults().drop_front(to.dropped);
  auto indicesAt = [&](Value lane) {
    return llvm::map_to_vector(exprs, [&](AffineExpr expr) {
      return makeIndex(expr, loops, some, lane);
    });
  };
  if (!some) {
    memref::StoreOp::create(b, value, to.buffer, indicesAt({}));
    return;
  }
  if (auto last = dyn_cast<AffineDimExpr>(exprs.back());
      last && last.getPosition() == some->loop) {
    if (some->mask)
      vector::MaskedStoreOp::create(b, to.buffer, indicesAt(some->first),
                                    some->mask, value);
    else
      vector::StoreOp::create(b, value, to.buffer, indicesAt(some->first));
    return;
  }
  Value count = at.value(lanes);
  if (some->mask)
    count = at.min(count, at.sub(sizeOf(loops, some->loop), some->first));
  emitFor(at.value(0), count, 1, {}, [&](Value number, ValueRange) -> Values {
    Value element = vector::ExtractOp::create(b, value, number);
    memref::StoreOp::create(b, element, to.buffer,
                            indicesAt(at.add(some->first, number)));
    return {};
  });
}
