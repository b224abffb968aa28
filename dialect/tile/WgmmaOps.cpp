// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Types of wgmma, and verification of its ops.

#include "dialect/tile/WgmmaOps.h"

#include "mlir/IR/DialectImplementation.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace mixattn;
using namespace mixattn::tile;

static ParseResult parseTileShape(AsmParser &parser,
                                  SmallVector<int64_t> &shape, Type &element) {
  return failure(parser.parseDimensionList(shape, /*allowDynamic=*/false) ||
                 parser.parseType(element));
}

static void printTileShape(AsmPrinter &printer, ArrayRef<int64_t> shape,
                           Type element) {
  for (int64_t size : shape)
    printer << size << 'x';
  printer << element;
}

#define GET_TYPEDEF_CLASSES
#include "dialect/tile/WgmmaTypes.cpp.inc"

#define GET_OP_CLASSES
#include "dialect/tile/WgmmaOps.cpp.inc"

void TileDialect::registerWgmma() {
  addTypes<
#define GET_TYPEDEF_LIST
#include "dialect/tile/WgmmaTypes.cpp.inc"
      >();
  addOperations<
#define GET_OP_LIST
#include "dialect/tile/WgmmaOps.cpp.inc"
      >();
}

static LogicalResult
verifySwizzled(function_ref<InFlightDiagnostic()> emitError,
               ArrayRef<int64_t> shape, size_t rank, Type element,
               int64_t swizzle) {
  if (shape.size() != rank ||
      !llvm::all_of(shape, [](int64_t size) { return size > 0; }))
    return emitError() << "expected " << rank << " sizes above 0";
  if (!element.isF16() && !element.isBF16())
    return emitError() << "expected elements of f16 or bf16, but got "
                       << element;
  if (swizzle != 128)
    return emitError() << "expected a swizzle of 128 bytes, but got "
                       << swizzle;
  if (shape[rank - 2] % 8)
    return emitError() << "expected a multiple of 8 rows, but got "
                       << shape[rank - 2];
  return success();
}

LogicalResult SharedType::verify(function_ref<InFlightDiagnostic()> emitError,
                                 ArrayRef<int64_t> shape, Type elementType,
                                 int64_t swizzle) {
  return verifySwizzled(emitError, shape, /*rank=*/2, elementType, swizzle);
}

LogicalResult RingType::verify(function_ref<InFlightDiagnostic()> emitError,
                               ArrayRef<int64_t> shape, Type elementType,
                               int64_t swizzle) {
  return verifySwizzled(emitError, shape, /*rank=*/3, elementType, swizzle);
}

SharedType RingType::getTile() const {
  return SharedType::get(getContext(), getShape().drop_front(),
                         getElementType(), getSwizzle());
}

/// Where a tile with a swizzle may begin.
static LogicalResult verifyOffset(Operation *op, int64_t offset) {
  if (offset % 1024)
    return op->emitOpError("expected an offset that 1024 divides, but got ")
           << offset;
  return success();
}

LogicalResult WgmmaRingOp::verify() { return verifyOffset(*this, getOffset()); }

LogicalResult WgmmaTileOp::verify() { return verifyOffset(*this, getOffset()); }

LogicalResult WgmmaRolesOp::verify() {
  for (int64_t registers : {getProducerRegisters(), getConsumerRegisters()})
    if (registers % 8 || registers < 24 || registers > 256)
      return emitOpError("expected multiples of 8 from 24 to 256 as registers, "
                         "but got ")
             << registers;
  return success();
}

/// The indices of a copy by TMA: those of all dims but the innermost.
static LogicalResult verifyIndices(Operation *op, ValueRange indices) {
  if (indices.size() < 2 || indices.size() > 4)
    return op->emitOpError("expected 2 to 4 indices, but got ")
           << indices.size();
  return success();
}

LogicalResult WgmmaFillOp::verify() {
  return verifyIndices(*this, getIndices());
}

LogicalResult WgmmaStoreOp::verify() {
  int64_t columns = 2 * getFragment().getType().getDimSize(0);
  if (columns % 16)
    return emitOpError("expected a multiple of 16 columns, but got ")
           << columns;
  return verifyIndices(*this, getIndices());
}

LogicalResult WgmmaProductOp::verify() {
  auto tile = getTile().getType();
  int64_t terms = getTransposed() ? tile.getColumns() : tile.getRows();
  int64_t columns = getTransposed() ? tile.getRows() : tile.getColumns();
  Type left = getLeft().getType(), element;
  int64_t leftTerms;
  if (auto shared = dyn_cast<SharedType>(left)) {
    element = shared.getElementType();
    leftTerms = shared.getColumns();
  } else {
    element = cast<VectorType>(left).getElementType();
    leftTerms = 2 * cast<VectorType>(left).getDimSize(0);
  }
  if (terms != leftTerms || terms % 16)
    return emitOpError("expected as many terms on both sides, a multiple of "
                       "16, but got ")
           << leftTerms << " and " << terms;
  if (columns % 8 || columns > 256)
    return emitOpError("expected a multiple of 8 columns, at most 256, but "
                       "got ")
           << columns;
  if (element != tile.getElementType())
    return emitOpError("expected one element type on both sides, but got ")
           << element << " and " << tile.getElementType();
  VectorType fragment = getProduct().getType().getFragment();
  if (fragment.getShape() != ArrayRef<int64_t>{columns / 2} ||
      !fragment.getElementType().isF32() ||
      (getAccumulator() && getAccumulator().getType() != fragment))
    return emitOpError("expected fragments of ")
           << columns / 2 << " f32, as the product has columns";
  return success();
}
