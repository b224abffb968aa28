// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A panel of a contraction's right side.

#ifndef MIXATTN_PASSES_SCHEDULE_X86_DENSE_DENSE_PANEL_H
#define MIXATTN_PASSES_SCHEDULE_X86_DENSE_DENSE_PANEL_H

#include "passes/schedule/x86/dense/DenseOperand.h"
#include "passes/schedule/x86/shared/TileBuilder.h"

namespace mixattn {

/// Emits the packing of a panel: some terms of the right side, each a row of
/// as many lanes as a tile has. Terms and lanes are numbers of all their loops,
/// walked as one.
class DensePanel : public TileBuilder {
public:
  /// Terms of a sum that are added up from zero: sums of any depth stay exact
  /// (mostInPart).
  static constexpr int64_t usualPiece = 128;

  /// The last of `sides` is the right one. All of them know sizes of loops.
  DensePanel(mlir::ImplicitLocOpBuilder &b, const TileSizes &sizes,
             Scratch &scratch, llvm::ArrayRef<DenseOperand> sides,
             llvm::ArrayRef<unsigned> terms, llvm::ArrayRef<unsigned> lanes,
             bool arePairs, int64_t piece = usualPiece)
      : TileBuilder(b, sizes, scratch), piece(piece), arePairs(arePairs),
        sides(sides), right(sides.back()), termLoops(terms), laneLoops(lanes) {}

  /// How many turns `loops` have together.
  mlir::Value sizeOf(llvm::ArrayRef<unsigned> loops);
  /// The row of a panel in which term `term` is.
  mlir::Value rowOf(mlir::Value term) {
    return arePairs ? at.div(term, 2) : term;
  }
  /// Turn `number` of `loops`, walked as one.
  void split(llvm::ArrayRef<unsigned> loops, mlir::Value number, Place &place);
  /// A piece from row `row` on of panel `number` of `panels`, which hold all
  /// terms (attn.panels). Where there are fewer rows, others follow.
  mlir::Value pieceOf(mlir::Value panels, mlir::Value number, mlir::Value row);
  /// Packs `count` terms from `first` on, of the lanes from `lane` on of the
  /// batch at `place`, to `panel`, with zeros in lanes that are not there.
  void emitPanel(const Place &place, mlir::Value lane, mlir::Value panel,
                 mlir::Value first, mlir::Value count);

protected:
  mlir::Value takePanel() {
    return arePairs ? takePairs(piece) : takeTile(piece);
  }
  /// Whether the lanes of a vector along `loops` lie side by side in `operand`.
  bool hasVectors(const DenseOperand &operand, llvm::ArrayRef<unsigned> loops);
  /// Copies elements of `side` from turn `first` of `loops` on to row `row` of
  /// `tile`; other loops stand at `place`. Where there are none, from `end` on,
  /// the `columns` of the row are 0.
  void copyRow(const DenseOperand &side, Place &place,
               llvm::ArrayRef<unsigned> loops, mlir::Value first,
               mlir::Value end, mlir::Value columns, mlir::Value tile,
               mlir::Value row);

  /// Terms that a panel has at a time.
  int64_t piece;
  /// Whether products are of pairs of bf16.
  bool arePairs;

private:
  mlir::Value getSize(unsigned loop);
  mlir::Value loadVector(const DenseOperand &side, const Place &place,
                         mlir::Value count);
  mlir::Value loadNumber(const DenseOperand &side, const Place &place);
  mlir::Value asTerm(mlir::Value number);
  void copyPair(const Place &batch, mlir::Value firstLane, mlir::Value panel,
                mlir::Value first, mlir::Value count, mlir::Value pair);

  llvm::SmallVector<DenseOperand, 2> sides;

protected:
  DenseOperand right;

private:
  llvm::SmallVector<unsigned, 2> termLoops, laneLoops;
};

} // namespace mixattn

#endif // MIXATTN_PASSES_SCHEDULE_X86_DENSE_DENSE_PANEL_H
