// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Parameters of kernels, and verification of launches.

#include "dialect/tile/TileOps.h"

#include "mlir/Dialect/LLVMIR/LLVMTypes.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/IR/DialectImplementation.h"
#include "llvm/ADT/TypeSwitch.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mixattn;
using namespace mixattn::tile;

#include "dialect/tile/TileEnums.cpp.inc"

#define GET_ATTRDEF_CLASSES
#include "dialect/tile/TileAttrs.cpp.inc"

void TileDialect::registerAttributes() {
  addAttributes<
#define GET_ATTRDEF_LIST
#include "dialect/tile/TileAttrs.cpp.inc"
      >();
}

bool tile::isDevicePointer(Type type) {
  auto pointer = dyn_cast<LLVM::LLVMPointerType>(type);
  return pointer &&
         pointer.getAddressSpace() == unsigned(NVVM::NVVMMemorySpace::Global);
}

LogicalResult LaunchOp::verify() {
  if (getCounts().empty() || getCounts().size() > 3)
    return emitOpError("expected 1 to 3 counts");
  if (getParameters().size() != getValues().size())
    return emitOpError("expected a parameter for each value");
  for (auto [attribute, value] : llvm::zip(getParameters(), getValues())) {
    auto parameter = cast<ParameterAttr>(attribute);
    auto buffer = dyn_cast<MemRefType>(value.getType());
    if (!llvm::isPowerOf2_64(parameter.getAlignment()))
      return emitOpError("expected a power of 2 as alignment");
    if (parameter.getKind() == ParameterKind::Number) {
      if (buffer)
        return emitOpError("expected an index as a number");
      continue;
    }
    if (!buffer)
      return emitOpError("expected a buffer as a pointer or stride");
    if (parameter.getKind() == ParameterKind::Stride &&
        (parameter.getDim() < 0 || parameter.getDim() >= buffer.getRank()))
      return emitOpError("expected the stride of a dim of the buffer");
  }
  return success();
}

LogicalResult TensorMapOp::verify() {
  int64_t bytes =
      cast<MemRefType>(getBuffer().getType()).getElementTypeBitWidth() / 8;
  if (getRows() < 1 || getRows() > 256)
    return emitOpError("expected from 1 to 256 rows, but got ") << getRows();
  if (!llvm::is_contained({32, 64, 128}, getSwizzle()) ||
      int64_t(getColumns() * bytes) != int64_t(getSwizzle()))
    return emitOpError("expected 32, 64 or 128 bytes of columns, which are "
                       "swizzled");
  return success();
}

LogicalResult DeviceBufferOp::verify() {
  auto type = cast<MemRefType>(getBuffer().getType());
  SmallVector<int64_t> strides;
  int64_t offset;
  if (failed(type.getStridesAndOffset(strides, offset)) || offset != 0)
    return emitOpError("expected a buffer with strides that begins at once");
  Type element = type.getElementType();
  if (element.isIntOrFloat() && element.getIntOrFloatBitWidth() % 8 != 0)
    return emitOpError("expected elements of whole bytes, but got ") << element;
  size_t openStrides = llvm::count_if(strides, ShapedType::isDynamic);
  if (getSizes().size() != size_t(type.getNumDynamicDims()) ||
      getStrides().size() != openStrides)
    return emitOpError("expected a size and a stride for each that the type "
                       "leaves open");
  return success();
}
