// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Types of the tile dialect, and their verification.

#include "dialect/tile/TileOps.h"

#include "mlir/IR/DialectImplementation.h"
#include "llvm/ADT/TypeSwitch.h"
#include "llvm/Support/MathExtras.h"

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

static ParseResult parseTileLayout(AsmParser &parser, int64_t &swizzle,
                                   int64_t &every) {
  swizzle = 0;
  every = 1;
  if (succeeded(parser.parseOptionalKeyword("padded"))) {
    if (failed(parser.parseOptionalKeyword("every")))
      return success();
    return failure(parser.parseEqual() || parser.parseInteger(every));
  }
  return failure(parser.parseKeyword("swizzle") || parser.parseEqual() ||
                 parser.parseInteger(swizzle));
}

static void printTileLayout(AsmPrinter &printer, int64_t swizzle,
                            int64_t every) {
  if (swizzle == 0)
    printer << "padded";
  else
    printer << "swizzle = " << swizzle;
  if (every != 1)
    printer << " every = " << every;
}

#define GET_TYPEDEF_CLASSES
#include "dialect/tile/TileTypes.cpp.inc"

void TileDialect::registerTypes() {
  addTypes<
#define GET_TYPEDEF_LIST
#include "dialect/tile/TileTypes.cpp.inc"
      >();
}

static LogicalResult verifySizes(function_ref<InFlightDiagnostic()> emitError,
                                 ArrayRef<int64_t> shape, size_t rank) {
  if (shape.size() == rank &&
      llvm::all_of(shape, [](int64_t size) { return size > 0; }))
    return success();
  return emitError() << "expected " << rank << " sizes above 0";
}

static LogicalResult
verifySwizzled(function_ref<InFlightDiagnostic()> emitError,
               ArrayRef<int64_t> shape, size_t rank, Type element,
               int64_t swizzle) {
  if (failed(verifySizes(emitError, shape, rank)))
    return failure();
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
                                 int64_t swizzle, int64_t every) {
  constexpr size_t rank = 2;
  if (every < 1)
    return emitError() << "expected every row or a few of them, but got every "
                       << every;
  if (swizzle != 0)
    return verifySwizzled(emitError, shape, rank, elementType, swizzle);
  if (!elementType.isIntOrFloat() ||
      !llvm::is_contained({8, 16, 32, 64}, elementType.getIntOrFloatBitWidth()))
    return emitError() << "expected elements of 8, 16, 32 or 64 bits, but got "
                       << elementType;
  return verifySizes(emitError, shape, rank);
}

/// A warp reads a fragment from 8 rows at a time, two columns a lane: a row in
/// four lanes. With rows an odd number of 8 elements apart these are in
/// different banks, as the 16 bytes of 8 rows are that ldmatrix reads. Copies
/// want rows that are aligned to 16 bytes.
int64_t SharedType::getRowBytes() const {
  constexpr int64_t copied = 16, rows = 8;
  int64_t unit = std::max(copied, rows * getElementBytes());
  return (llvm::alignTo(getColumns() * getElementBytes(), 2 * unit) + unit) *
         getEvery();
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
