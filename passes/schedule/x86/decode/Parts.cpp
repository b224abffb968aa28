// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Parts of the keys that pass over them at once: items that threads share.

#include "passes/schedule/x86/decode/Decode.h"
#include "passes/schedule/x86/decode/DecodePart.h"
#include "passes/schedule/x86/shared/Grid.h"
#include "passes/schedule/x86/shared/Thresholds.h"

#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace mixattn;

/// Emits `emit` of each item: a part of the keys, and the heads of a batch row
/// that share them.
static void emitItems(KernelOp kernel, GenericOp generic,
                      const TileSizes &sizes, int64_t split, DecodeParts parts,
                      void (DecodePart::*emit)(Value)) {
  ImplicitLocOpBuilder b(kernel.getLoc(), kernel);
  IndexMath at(b);
  AttentionOpInterface op = generic;
  auto sizeOf = [&](OperandDim of) {
    return b.createOrFold<memref::DimOp>(kernel.getOperandOf(of.value), of.dim);
  };
  Value batches = sizeOf(op.getBatchDim()), keys = sizeOf(op.getKeysDim());
  PartSizes cut = emitPartSizes(b, b.getLoc(), keys, split, sizes.block);
  parts.count = cut.count;
  parts.split = cut.length;
  Value isLarge = at.compare(arith::CmpIPredicate::sgt,
                             at.mul(at.mul(batches, keys), op.getNumHeads()),
                             thresholds::fewKeys);
  Scratch none;
  DecodePart shape(b, kernel, op, parts, sizes, none);
  Value items = at.mul(at.mul(batches, shape.numGroups()), parts.count);
  shape.takeScratch();
  auto emitFor = [&](int64_t queryRows) {
    TileSizes own = sizes;
    own.queryRows = queryRows;
    emitGrid(b, items, isLarge, shape.bytesTaken(),
             [&](ImplicitLocOpBuilder &b, Value item, Scratch &scratch) {
               DecodePart part(b, kernel, op, parts, own, scratch);
               (part.*emit)(item);
             });
  };
  // A query that shares keys with none has code of its own: through that of
  // several, keys were read more slowly from memory on Zen 5.
  Value queries = sizeOf(op.getQueriesDim());
  bool areShared =
      op.getValueGroup() > 1 || (op.getQuery() && op.getKeyGroup() > 1);
  std::optional<int64_t> known = getConstantIntValue(queries);
  if (known || areShared || sizes.queryRows == 1) {
    emitFor(known == 1 && !areShared ? 1 : sizes.queryRows);
  } else {
    auto isAlone =
        scf::IfOp::create(b, at.compare(arith::CmpIPredicate::eq, queries, 1),
                          /*withElseRegion=*/true);
    b.setInsertionPointToStart(isAlone.thenBlock());
    emitFor(1);
    b.setInsertionPointToStart(isAlone.elseBlock());
    emitFor(sizes.queryRows);
  }
  kernel.erase();
}

void mixattn::scheduleParts(KernelOp kernel, const TileSizes &usual) {
  auto op = cast<PartsOp>(kernel.getAnchor());
  GenericOp generic = op.getGeneric();
  TileSizes sizes = usual;
  sizes.block = op.getBlock();
  DecodeParts parts;
  bool isMixed = AttentionOpInterface(generic).hasPostmix();
  (isMixed ? parts.powers : parts.outputs) = kernel.getOutputs()[0];
  parts.references = kernel.getOutputs()[1];
  parts.sums = kernel.getOutputs()[2];
  emitItems(kernel, generic, sizes, op.getSplit(), parts,
            &DecodePart::emitWalk);
}

void mixattn::schedulePoolParts(KernelOp kernel, const TileSizes &usual) {
  auto op = cast<PoolPartsOp>(kernel.getAnchor());
  TileSizes sizes = usual;
  sizes.block = op.getBlock();
  DecodeParts parts;
  parts.powers = kernel.getOperandOf(op.getPowers());
  parts.factors = kernel.getOperandOf(op.getFactors());
  parts.outputs = kernel.getOutputs()[0];
  emitItems(kernel, op.getGeneric(), sizes, op.getSplit(), parts,
            &DecodePart::emitMixed);
}
