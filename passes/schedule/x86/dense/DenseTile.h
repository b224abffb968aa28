// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// One tile of a contraction's result.

#ifndef MIXATTN_PASSES_SCHEDULE_X86_DENSE_DENSE_TILE_H
#define MIXATTN_PASSES_SCHEDULE_X86_DENSE_DENSE_TILE_H

#include "dialect/attn/Contraction.h"
#include "passes/schedule/x86/shared/TileBuilder.h"

namespace mixattn {

/// Emits one tile of the result: some rows, and as many lanes as a tile has.
class DenseTile : public TileBuilder {
public:
  DenseTile(mlir::ImplicitLocOpBuilder &b, KernelOp kernel,
            const Contraction &op, const TileSizes &sizes, Scratch &scratch);

  /// Rows of a tile, and terms of a sum that are added up from zero: sums of
  /// any depth stay exact (mostInPart).
  static constexpr int64_t rows = 64, piece = 128;

  void takeScratch();
  /// The tile whose first element stands at `place`, an index for each loop of
  /// the result.
  void emit(const llvm::DenseMap<unsigned, mlir::Value> &place);
  mlir::Value sizeOf(unsigned loop);

private:
  /// How a panel is made of the rows of an operand.
  enum class Layout {
    /// The loop of its rows follows the one of its terms: vectors of rows.
    Rows,
    /// The loop of terms is innermost: rows are turned.
    Terms,
    /// Neither is: element by element.
    Other
  };
  static Layout layoutOf(mlir::AffineMap map, unsigned row, unsigned depth);

  // DensePanels.cpp
  mlir::Value at2D(mlir::Value buffer, mlir::AffineMap map, unsigned outer,
                   unsigned inner);
  llvm::SmallVector<mlir::Value> indicesOf(mlir::AffineMap map);
  void emitPanel(mlir::Value first, mlir::Value count);
  void emitLeft(mlir::Value first, mlir::Value count, mlir::Value here);
  void emitProducts(mlir::Value row, mlir::Value first, mlir::Value count);
  void emitPiece(mlir::Value first, mlir::Value count, mlir::Value here);

  // DenseTile.cpp
  mlir::Value emitIsThere(mlir::Value lane);
  mlir::Value loadLanes(mlir::Value buffer, mlir::ValueRange indices,
                        mlir::Value isThere);
  mlir::Value emitOperand(mlir::Value operand, mlir::AffineMap map,
                          mlir::ValueRange indices, mlir::Value isThere);
  mlir::Value emitConsumers(mlir::Value result, mlir::ValueRange indices,
                            mlir::Value isThere);
  void emitDepths(llvm::ArrayRef<unsigned> loops, mlir::Value here);

  KernelOp kernel;
  Contraction op;
  /// The tensor that the sums are added to is null where it is 0.
  mlir::Value left, right, addend, target;
  Layout leftLayout, rightLayout;
  /// Where the tile stands: an index for each loop, of loops in a tile the
  /// first.
  llvm::DenseMap<unsigned, mlir::Value> place;
  mlir::Value sumTile, panel, leftTile;
};

} // namespace mixattn

#endif // MIXATTN_PASSES_SCHEDULE_X86_DENSE_DENSE_TILE_H
