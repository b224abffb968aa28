// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// attn.append: verification, sizes, effects, and how it takes buffers.

#include "dialect/attn/AttnOps.h"

#include "mlir/Dialect/Bufferization/IR/BufferizableOpInterface.h"

using namespace mlir;
using namespace mixattn;

LogicalResult AppendOp::verify() {
  auto rows = cast<ShapedType>(getRows().getType());
  auto cache = cast<ShapedType>(getCache().getType());
  Type element = cache.getElementType();
  if (!isa<FloatType>(element) &&
      !(element.isSignlessInteger() && !element.isInteger(1)))
    return emitOpError("expected floats, or integers of 8 bits or more, but "
                       "got ")
           << element;
  if (rows.getElementType() != element)
    return emitOpError("expected rows of ")
           << element << ", as the cache is, but got " << rows.getElementType();
  if (rows.getRank() != cache.getRank() || cache.getRank() < 3)
    return emitOpError("expected rows and a cache of one rank, at least 3, but "
                       "got ")
           << rows.getRank() << " and " << cache.getRank();
  int64_t along = getPositionDim();
  if (along < 1 || along > cache.getRank() - 2)
    return emitOpError("expected 'along' to be from 1 to ")
           << cache.getRank() - 2 << ", but got " << along;
  auto differ = [](int64_t a, int64_t b) {
    return ShapedType::isStatic(a) && ShapedType::isStatic(b) && a != b;
  };
  for (int64_t dim = 0; dim < cache.getRank(); ++dim)
    if (dim != along && differ(rows.getDimSize(dim), cache.getDimSize(dim)))
      return emitOpError("expected rows of size ")
             << cache.getDimSize(dim) << " in dim " << dim
             << ", as the cache is, but got " << rows.getDimSize(dim);
  int64_t starts = cast<ShapedType>(getStart().getType()).getDimSize(0);
  if (differ(starts, cache.getDimSize(0)))
    return emitOpError("expected a start for each of ")
           << cache.getDimSize(0) << " batch rows, but got " << starts;
  int64_t count = rows.getDimSize(along), room = cache.getDimSize(along);
  if (!getRing() && ShapedType::isStatic(count) && ShapedType::isStatic(room) &&
      count > room)
    return emitOpError("expected at most ")
           << room << " rows, for which the cache has room, but got " << count;
  if (hasPureTensorSemantics() ? !getResult() || getResult().getType() != cache
                               : getResult() || !hasPureBufferSemantics())
    return emitOpError("expected tensors and a result of the cache's type, or "
                       "buffers and none");
  return success();
}

MutableOperandRange AppendOp::getDpsInitsMutable() { return getCacheMutable(); }

void AppendOp::getEffects(
    SmallVectorImpl<SideEffects::EffectInstance<MemoryEffects::Effect>>
        &effects) {
  if (!hasPureBufferSemantics())
    return;
  effects.emplace_back(MemoryEffects::Read::get(), &getRowsMutable());
  effects.emplace_back(MemoryEffects::Read::get(), &getStartMutable());
  effects.emplace_back(MemoryEffects::Write::get(), &getCacheMutable());
}

SmallVector<OperandDim> AppendOp::getResultDims() {
  SmallVector<OperandDim> dims;
  unsigned rank = cast<ShapedType>(getCache().getType()).getRank();
  for (unsigned dim = 0; dim < rank; ++dim)
    dims.push_back({getCache(), dim});
  return dims;
}

SmallVector<std::pair<OperandDim, OperandDim>> AppendOp::getEqualDims() {
  SmallVector<std::pair<OperandDim, OperandDim>> dims;
  unsigned rank = cast<ShapedType>(getCache().getType()).getRank();
  for (unsigned dim = 0; dim < rank; ++dim)
    if (dim != getPositionDim())
      dims.push_back({{getRows(), dim}, {getCache(), dim}});
  dims.push_back({{getStart(), 0}, {getCache(), 0}});
  return dims;
}

bool AppendOp::hasTensorSemantics() { return hasPureTensorSemantics(); }

/// The cache is read, too: what is not written stays.
bool AppendOp::bufferizesToMemoryRead(OpOperand &,
                                      const bufferization::AnalysisState &) {
  return true;
}

bool AppendOp::bufferizesToMemoryWrite(OpOperand &operand,
                                       const bufferization::AnalysisState &) {
  return isDpsInit(&operand);
}

bufferization::AliasingValueList
AppendOp::getAliasingValues(OpOperand &operand,
                            const bufferization::AnalysisState &) {
  if (!isDpsInit(&operand))
    return {};
  return {{getTiedOpResult(&operand), bufferization::BufferRelation::Equivalent,
           /*isDefinite=*/true}};
}

LogicalResult
AppendOp::bufferize(RewriterBase &rewriter,
                    const bufferization::BufferizationOptions &options,
                    bufferization::BufferizationState &state) {
  OpBuilder::InsertionGuard guard(rewriter);
  rewriter.setInsertionPoint(*this);
  SmallVector<Value> buffers;
  for (Value operand : getOperands()) {
    FailureOr<Value> buffer =
        bufferization::getBuffer(rewriter, operand, options, state);
    if (failed(buffer))
      return failure();
    buffers.push_back(*buffer);
  }
  AppendOp::create(rewriter, getLoc(), Type(), buffers[0], buffers[1],
                   buffers[2], getRingAttr(), getAlongAttr());
  bufferization::replaceOpWithBufferizedValues(rewriter, *this, buffers[1]);
  return success();
}
