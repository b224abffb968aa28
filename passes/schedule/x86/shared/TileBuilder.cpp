// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Tiles in scratch memory.

#include "passes/schedule/x86/shared/TileBuilder.h"

using namespace mlir;
using namespace mixattn;

Value TileBuilder::take(MemRefType type) {
  int64_t begin = scratch.taken;
  scratch.taken += type.getNumElements() * type.getElementTypeBitWidth() / 8;
  if (isCounting())
    return {};
  return memref::ViewOp::create(b, type, scratch.memory, at.value(begin),
                                ValueRange());
}

Value TileBuilder::takeTile(int64_t rows) {
  return take(MemRefType::get({rows, sizes.width}, b.getF32Type()));
}

Value TileBuilder::takePairs(int64_t rows) {
  return take(
      MemRefType::get({(rows + 1) / 2, 2 * sizes.width}, b.getBF16Type()));
}

Value TileBuilder::takeMatrix(int64_t rows, int64_t columns, Type element) {
  return take(
      MemRefType::get({rows, columns}, element ? element : b.getF32Type()));
}

Value TileBuilder::takeRest(Value rows, Value begin, Type element) {
  auto type = MemRefType::get({ShapedType::kDynamic, sizes.width},
                              element ? element : b.getF32Type());
  return memref::ViewOp::create(b, type, scratch.memory,
                                at.add(begin, scratch.taken), ValueRange{rows});
}
