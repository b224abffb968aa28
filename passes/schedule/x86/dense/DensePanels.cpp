// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The right side of a contraction in panels that the caller keeps.

#include "passes/schedule/x86/dense/Dense.h"

#include "passes/schedule/x86/dense/DensePanel.h"
#include "passes/schedule/x86/shared/Grid.h"
#include "passes/schedule/x86/shared/Thresholds.h"

using namespace mlir;
using namespace mixattn;

void mixattn::schedulePanels(KernelOp kernel, const TileSizes &usual) {
  auto op = cast<PanelsOp>(kernel.getAnchor());
  PanelLayout layout = op.getLayout();
  Value source = kernel.getOperandOf(op.getSource());
  Value panels = kernel.getOutputs()[0];
  ImplicitLocOpBuilder b(kernel.getLoc(), kernel);
  // A loop for each dim.
  DenseOperand side(source, b.getMultiDimIdentityMap(
                                cast<MemRefType>(source.getType()).getRank()));
  auto loopsOf = [](ArrayRef<int64_t> dims) {
    return SmallVector<unsigned>(dims.begin(), dims.end());
  };
  SmallVector<unsigned> terms = loopsOf(layout.terms),
                        lanes = loopsOf(layout.lanes),
                        batches = loopsOf(layout.batches);
  TileSizes sizes = usual;
  sizes.width = layout.width;
  IndexMath at(b);
  Value depth = at.value(*side.getKnownSize(terms));
  Value width = at.value(*side.getKnownSize(lanes));
  constexpr int64_t piece = DensePanel::usualPiece;
  Value pieces = at.div(at.add(depth, piece - 1), piece);
  Value perBatch = at.div(at.add(width, layout.width - 1), layout.width);
  Value count = at.mul(at.mul(perBatch, *side.getKnownSize(batches)), pieces);
  Value elements = at.mul(count, piece * layout.width);
  emitGrid(
      b, count,
      at.compare(arith::CmpIPredicate::sgt, elements, thresholds::fewProjected),
      at.value(0), [&](ImplicitLocOpBuilder &b, Value item, Scratch &scratch) {
        IndexMath at(b);
        DensePanel panel(b, sizes, scratch, side, terms, lanes,
                         layout.arePairs);
        Value first = at.mul(at.rem(item, pieces), piece);
        Value number = at.div(item, pieces);
        Place place;
        panel.split(batches, at.div(number, perBatch), place);
        panel.emitPanel(place, at.mul(at.rem(number, perBatch), layout.width),
                        panel.pieceOf(panels, number, panel.rowOf(first)),
                        first, at.min(at.sub(depth, first), piece));
      });
  kernel.erase();
}
