// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Types of fragments, and of their operands.

#ifndef MIXATTN_DIALECT_TILE_FRAGMENT_TYPES_TD
#define MIXATTN_DIALECT_TILE_FRAGMENT_TYPES_TD

include "dialect/tile/TileDialect.td"

/// A matrix in the device's memory, contiguous along columns, every row of it
/// aligned to 16 bytes. Of M matrices rows come in turn: row r is row r div M of
/// matrix r mod M.
def Tile_Matrix : MemRefRankOf<[F16, BF16], [2, 3]>;
def Tile_FloatMatrix : MemRefRankOf<[F16, BF16, F32], [2, 3]>;
def Tile_Fragment : VectorOfRankAndType<[1], [F32]>;
def Tile_Operand : VectorOfRankAndType<[1], [F16, BF16]>;
def Tile_TwoRows : Type<VectorOfLengthAndType<[2], [F32]>.predicate,
      "two rows' f32", "::mlir::VectorType">,
    BuildableType<"::mlir::VectorType::get({2}, $_builder.getF32Type())">;
def Tile_TwoConditions : Type<VectorOfLengthAndType<[2], [I1]>.predicate,
      "two rows' i1", "::mlir::VectorType">,
    BuildableType<"::mlir::VectorType::get({2}, $_builder.getI1Type())">;

#endif // MIXATTN_DIALECT_TILE_FRAGMENT_TYPES_TD
