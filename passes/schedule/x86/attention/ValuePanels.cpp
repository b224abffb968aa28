// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Transposes values once for all queries.

#include "passes/schedule/x86/attention/ValuePanels.h"
#include "dialect/tile/TileOps.h"
#include "passes/body/IndexMath.h"
#include "passes/schedule/KernelBuffers.h"
#include "passes/schedule/x86/shared/Grid.h"
#include "passes/schedule/x86/shared/Thresholds.h"

#include "mlir/Dialect/MemRef/IR/MemRef.h"

using namespace mlir;
using namespace mixattn;

Value mixattn::emitValuePanels(ImplicitLocOpBuilder &b, KernelOp kernel,
                               const TileSizes &sizes) {
  IndexMath at(b);
  auto op = cast<AttentionOpInterface>(kernel.getAnchor());
  Value values = kernel.getOperandOf(op.getValue());
  auto type = cast<MemRefType>(values.getType());
  int64_t heads = type.getDimSize(1), features = type.getDimSize(3);
  int64_t rows = rowsOfValuePanel(features);
  Value batches = b.createOrFold<memref::DimOp>(values, 0);
  Value keys = b.createOrFold<memref::DimOp>(values, 2);
  Value blocks = at.div(at.add(keys, sizes.block - 1), sizes.block);
  constexpr int64_t alignment = 64;
  Value panels = memref::AllocOp::create(
      b,
      MemRefType::get({ShapedType::kDynamic, heads, ShapedType::kDynamic, rows,
                       sizes.block},
                      b.getBF16Type()),
      ValueRange{batches, blocks}, b.getI64IntegerAttr(alignment));
  Value perBatch = at.mul(blocks, heads);
  Value elements = at.mul(at.mul(at.mul(batches, keys), heads), features);
  emitGrid(
      b, at.mul(batches, perBatch),
      at.compare(arith::CmpIPredicate::sgt, elements, thresholds::fewProjected),
      at.value(0), [&](ImplicitLocOpBuilder &b, Value item, Scratch &) {
        IndexMath at(b);
        Value batch = at.div(item, perBatch), rest = at.rem(item, perBatch);
        Value head = at.div(rest, blocks), block = at.rem(rest, blocks);
        Value first = at.mul(block, sizes.block);
        tile::TransposeOp::create(
            b, KernelBuffers::matrixAt(b, values, {batch, head}), first,
            at.min(at.sub(keys, first), sizes.block),
            KernelBuffers::matrixAt(b, panels, {batch, head, block}));
      });
  return panels;
}
