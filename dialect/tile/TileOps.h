// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The tile dialect: ops that schedules are written in.

#ifndef MIXATTN_DIALECT_TILE_OPS_H
#define MIXATTN_DIALECT_TILE_OPS_H

#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Dialect.h"
#include "mlir/IR/OpDefinition.h"
#include "mlir/IR/OpImplementation.h"
#include "mlir/Interfaces/InferTypeOpInterface.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

#include "dialect/tile/TileDialect.h.inc"
#include "dialect/tile/TileEnums.h.inc"

#define GET_ATTRDEF_CLASSES
#include "dialect/tile/TileAttrs.h.inc"

#define GET_TYPEDEF_CLASSES
#include "dialect/tile/TileTypes.h.inc"

namespace mixattn::tile {
/// Elements of a thread of which `exps` of `tile.map` counts some.
constexpr int64_t allExps = 8;

/// Whether `type` is that of pointers into a GPU's memory.
bool isDevicePointer(mlir::Type type);

/// Checks that `tile` may begin `offset` bytes from the beginning of shared
/// memory, as `op` says.
llvm::LogicalResult verifyOffset(mlir::Operation *op, int64_t offset,
                                 SharedType tile);

/// Checks that the first dim of `buffer`, if it has `dims` of them, is known:
/// its rows come in turn, as `op` says.
llvm::LogicalResult verifyTurns(mlir::Operation *op, mlir::MemRefType buffer,
                                int64_t dims);

/// The rows, lanes and steps of a square that AMX multiplies; a step has two
/// terms.
constexpr int64_t amxSide = 16, amxTerms = 2 * amxSide;

/// The attributes and optional operands of a `tile.x86.product`; the op
/// describes them.
struct ProductClauses {
  bool isTransposed = false;
  mlir::Value last = nullptr, count = nullptr;
  float factor = 1;
  bool accumulates = false;
  mlir::Value lost = nullptr, asked = nullptr;
  int64_t ahead = 0;
  int64_t units = 0;
  bool isAmx = false;
};
} // namespace mixattn::tile

#define GET_OP_CLASSES
#include "dialect/tile/TileOps.h.inc"

#endif // MIXATTN_DIALECT_TILE_OPS_H
