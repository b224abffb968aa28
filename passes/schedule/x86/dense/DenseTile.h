// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// One tile of a contraction's result.

#ifndef MIXATTN_PASSES_SCHEDULE_X86_DENSE_DENSE_TILE_H
#define MIXATTN_PASSES_SCHEDULE_X86_DENSE_DENSE_TILE_H

#include "dialect/tile/TileOps.h"
#include "passes/schedule/x86/dense/DensePanel.h"

namespace mixattn {

/// Emits one tile of the result: some rows, and the lanes of a panel, or of two
/// side by side.
/// Rows, lanes and depths are numbers of all their loops, walked as one.
class DenseTile : public DensePanel {
public:
  /// Vectors of lanes do not leave the innermost loop of `op`: if there are
  /// others, it is as long as some vectors.
  DenseTile(mlir::ImplicitLocOpBuilder &b, KernelOp kernel,
            const Contraction &op, const TileSizes &sizes, Scratch &scratch);

  /// The most rows of a tile: they, a panel and the sums stay in the second
  /// cache.
  static int64_t mostRowsOf(const TileSizes &sizes) {
    constexpr int64_t most = 384;
    return most / sizes.rows * sizes.rows;
  }
  /// Rows for which the right side is read as it lies: to pack it takes longer.
  static constexpr int64_t fewRows = 16;
  /// Terms of a piece that asks for the next one: both stay in the first cache.
  /// Of more terms there are too many pieces, whose sums are added one after
  /// the other.
  static constexpr int64_t askedPiece = 32, mostAskedTerms = 16384;
  /// The most rows whose products ask for the next piece: more of them took
  /// longer than without on Emerald Rapids.
  static constexpr int64_t mostAskingRows = 64;

  /// Whether AMX multiplies the sides of `op`, and whether products are of
  /// pairs of bf16.
  static bool isAmxOf(const Contraction &op, const TileSizes &sizes);
  static bool arePairsOf(const Contraction &op, const TileSizes &sizes);
  bool isAmx() const { return isAmxOf(op, sizes); }
  /// The lanes of a tile. By AMX they are those of two panels where all of them
  /// come in twos: hardware asks for lines of memory in pairs, and rows that
  /// are written are a pair long.
  int64_t countLanes() const { return panels * sizes.width; }
  /// The rows of a block of AMX's: two squares.
  static constexpr int64_t amxRows = 2 * tile::amxSide;
  /// Whether the lanes of a term lie side by side, and all terms as far apart.
  bool hasRowsOfLanes() const;
  /// Whether products can read the right side as it lies, in whole tiles.
  bool canReadRight() const;

  void takeScratch();
  /// Whether the kernel holds rows of the left side in scratch memory: those
  /// that its ops make, widened ones of 16 bits, and copies of those that AMX
  /// cannot read as they lie.
  bool isHeld() const { return leftSide == LeftSide::Held; }
  /// Copies `rows` rows of the left side, from `first` on, of the batch at
  /// `batch`, to the matrix `to`: `columns` terms each, where there are none 0.
  void copyLeft(const Place &batch, mlir::Value first, mlir::Value rows,
                mlir::Value columns, mlir::Value to);
  /// Has products take rows of the left side from `rows`, where the kernel
  /// holds them: those of the tile from its first one on, as many as whole
  /// blocks have.
  void setLeftRows(mlir::Value rows) { leftTile = rows; }
  /// Whether the kernel's panels are there, or null where it has none.
  mlir::Value arePanelsThere();
  /// The tile from `row` and `lane` on, of at most `rows` rows, of the batch at
  /// `place`. Its lanes begin with panel `number` of all. `packs` the right
  /// side where the kernel has no panels, or reads it as it lies.
  void emit(const Place &place, mlir::Value number, mlir::Value row,
            mlir::Value lane, mlir::Value rows, bool packs);

private:
  static llvm::SmallVector<DenseOperand> makeSides(KernelOp kernel,
                                                   const Contraction &op);
  /// How products take the left side.
  enum class LeftSide {
    /// As it lies: the terms of a row are side by side.
    Rows,
    /// As it lies: the rows of a term are side by side.
    Terms,
    /// From a copy of some terms of a tile.
    Copied,
    /// From rows that the kernel holds.
    Held
  };
  LeftSide chooseLeftSide();
  static int64_t termsOfPiece(const Contraction &op, const TileSizes &sizes);
  int64_t countPanels();
  void clearTerms(mlir::Value panel, mlir::Value count);

  // DenseProducts.cpp
  void emitLeft(mlir::Value first, mlir::Value count, mlir::Value from,
                mlir::Value to);
  mlir::Value partOf(mlir::Value matrix, mlir::OpFoldResult row,
                     mlir::OpFoldResult column, mlir::OpFoldResult rows,
                     mlir::OpFoldResult columns);
  void emitProduct(mlir::Value left, mlir::Value leftRow, mlir::Value row,
                   int64_t rows, const tile::ProductClauses &clauses);
  void emitBlock(mlir::Value row, int64_t rows, mlir::Value first,
                 mlir::Value count, bool areLast);
  mlir::Value askedBy(mlir::Value row);
  mlir::Value emitMore(mlir::Value row, int64_t rows, mlir::Value first,
                       mlir::Value count);
  void emitLastSquares(mlir::Value row, mlir::Value first, mlir::Value count);
  void emitProducts(mlir::Value row, mlir::Value first, mlir::Value count);

  void prefetch(mlir::Value row, mlir::Value first, mlir::Value count);
  void prefetchPanels(mlir::Value row, mlir::Value first, mlir::Value count);
  bool leavesCache();
  mlir::Value asksInProducts();
  mlir::Value takePiece(int64_t which, mlir::Value first, mlir::Value count);
  void emitPiece(mlir::Value first, mlir::Value count);
  void emitPieces(mlir::Value begin, mlir::Value end, int64_t step);

  // DenseResults.cpp
  struct Reader;
  Reader makeReader(mlir::Value buffer, mlir::AffineMap map);
  mlir::Value readLanes(const Reader &reader, const Place &place,
                        mlir::Value row, mlir::Value lane, mlir::Value isThere);
  mlir::Value getOutside(mlir::Value value);
  mlir::Value roundTo(mlir::Type element, mlir::Value value);
  mlir::Value emitConsumers(mlir::Value sum, llvm::ArrayRef<Reader> readers,
                            const Place &place, mlir::Value row,
                            mlir::Value lane, mlir::Value isThere);
  void emitResults(mlir::Value from, mlir::Value to);

  KernelOp kernel;
  Contraction op;
  /// None where ops of the kernel make its rows.
  std::optional<DenseOperand> left;
  DenseOperand target;
  LeftSide leftSide;
  /// How many panels a tile has side by side.
  int64_t panels;
  /// Where the tile stands: an index for each loop of the batch, the number of
  /// its first panel, its first row and its first lane, and how many rows it
  /// has.
  Place batch;
  mlir::Value number, firstRow, firstLane, here;
  mlir::Value sumTile, leftTile;
  /// For each panel, room for a piece of it, and the right side as products
  /// take it.
  llvm::SmallVector<mlir::Value, 2> pieces, lanes;
  /// Whether one piece has all terms, and whether products begin with zeros.
  bool areSumsWhole = false, sumsBegin = false;
  /// Whether products ask for the terms after theirs.
  bool asksNext = false;
  /// Whether the right side is in panels, or packed.
  bool isPacked = false;
};

} // namespace mixattn

#endif // MIXATTN_PASSES_SCHEDULE_X86_DENSE_DENSE_TILE_H
