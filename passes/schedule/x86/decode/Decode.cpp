// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The decode schedule: parts of the keys apart, and what they give together.

#include "passes/schedule/x86/decode/Decode.h"
#include "dialect/tile/TileOps.h"
#include "passes/body/References.h"
#include "passes/schedule/x86/decode/DecodePart.h"
#include "passes/schedule/x86/shared/Calibration.h"
#include "passes/schedule/x86/shared/DroppedRows.h"
#include "passes/schedule/x86/shared/Grid.h"

#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mixattn;

namespace {

/// Emits the sums over parts of one row: of a batch row, head and query.
class PartSums : public TileCode {
public:
  PartSums(ImplicitLocOpBuilder &b, KernelOp kernel, const TileSizes &sizes,
           const DecodeParts &parts, Value queries)
      : TileCode(b, sizes), kernel(kernel),
        op(cast<AttentionOpInterface>(kernel.getAnchor())), parts(parts),
        queries(queries) {}

  /// Turns the references of parts into the factors of their powers, which are
  /// weights then, and writes lse where it is asked for.
  void emitFactors(Value row);
  /// Writes the sum of what parts pooled, each times its factor where values
  /// were pooled by powers.
  void emitOutput(Value row);

private:
  Value read(Value matrix, Value row, Value column) {
    Value number = memref::LoadOp::create(b, matrix, ValueRange{row, column});
    return vector::BroadcastOp::create(b, rowType(), number);
  }
  void write(Value lanes, Value matrix, ValueRange place) {
    memref::StoreOp::create(b, vector::ExtractOp::create(b, lanes, 0), matrix,
                            place);
  }
  Value forEachPart(Value init, function_ref<Value(Value, Value)> inside) {
    auto loop = scf::ForOp::create(b, at.value(0), parts.count, at.value(1),
                                   ValueRange{init});
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(loop.getBody());
    scf::YieldOp::create(
        b, inside(loop.getInductionVar(), loop.getRegionIterArg(0)));
    return loop.getResult(0);
  }
  /// The batch row, head and query of `row`.
  SmallVector<Value> placeOf(Value row) {
    Value number = at.div(row, queries);
    return {at.div(number, op.getNumHeads()), at.rem(number, op.getNumHeads()),
            at.rem(row, queries)};
  }
  Value targetOf(Value result) {
    return kernel.getOutputs()[cast<OpResult>(result).getResultNumber()];
  }

  KernelOp kernel;
  AttentionOpInterface op;
  const DecodeParts &parts;
  Value queries;
};

} // namespace

void PartSums::emitFactors(Value row) {
  Value reference = forEachPart(splat(lowest), [&](Value part, Value most) {
    return larger(read(parts.factors, row, part), most);
  });
  Value total = forEachPart(splat(0), [&](Value part, Value sum) {
    Value factor =
        softmax().emitRescale(read(parts.factors, row, part), reference);
    write(factor, parts.factors, {row, part});
    return add(sum, mul(factor, read(parts.sums, row, part)));
  });
  Value inverse = Softmax::emitInverse(b, total);
  forEach(0, parts.count, 1, [&](Value part) {
    write(mul(read(parts.factors, row, part), inverse), parts.factors,
          {row, part});
  });
  if (!op.getLse())
    return;
  write(Softmax::emitLogSum(b, reference, total), targetOf(op.getLse()),
        placeOf(row));
}

void PartSums::emitOutput(Value row) {
  SmallVector<Value> place = placeOf(row);
  Value target = KernelBuffers::matrixAt(b, targetOf(op.getResult()),
                                         {place[0], place[1]});
  Type element = cast<MemRefType>(target.getType()).getElementType();
  int64_t features = op.getValueType().getDimSize(3);
  Value first = at.mul(row, parts.count);
  forEach(0, features, sizes.lanes, [&](Value column) {
    Value sum = forEachPart(splat(0), [&](Value part, Value sum) {
      Value pooled = load(parts.outputs, at.add(first, part), column);
      if (!op.hasPostmix())
        pooled = mul(pooled, read(parts.factors, row, part));
      return add(sum, pooled);
    });
    if (!element.isF32())
      sum = arith::TruncFOp::create(b, VectorType::get({sizes.lanes}, element),
                                    sum);
    Value isThere = vector::CreateMaskOp::create(
        b, VectorType::get({sizes.lanes}, b.getI1Type()),
        ValueRange{at.sub(features, column)});
    vector::MaskedStoreOp::create(b, target, ValueRange{place[2], column},
                                  isThere, sum);
  });
  KernelOperands operands(kernel, sizes.lanes);
  emitDroppedRows(b, op, operands, target, place[0], place[2], at.value(1));
}

void mixattn::scheduleDecode(KernelOp kernel, const TileSizes &sizes,
                             int64_t split) {
  ImplicitLocOpBuilder b(kernel.getLoc(), kernel);
  IndexMath at(b);
  auto op = cast<AttentionOpInterface>(kernel.getAnchor());
  Scratch none;
  DecodePart shape(b, kernel, sizes, none);
  Value batches = shape.sizeOf(op.getBatchDim());
  Value queries = shape.sizeOf(op.getQueriesDim());
  Value keys = shape.sizeOf(op.getKeysDim());
  Value rows = at.mul(at.mul(batches, op.getNumHeads()), queries);
  auto allocate = [&](Value rows, Value columns) -> Value {
    auto type = MemRefType::get({ShapedType::kDynamic, ShapedType::kDynamic},
                                b.getF32Type());
    return memref::AllocOp::create(b, type, ValueRange{rows, columns},
                                   b.getI64IntegerAttr(64));
  };
  DecodeParts parts;
  // Of one length, or threads would wait for the longest.
  parts.count = at.div(at.add(keys, split - 1), split);
  Value blocks = at.div(at.add(keys, sizes.block - 1), sizes.block);
  Value most = at.max(parts.count, 1);
  parts.split =
      at.mul(at.div(at.sub(at.add(blocks, most), 1), most), sizes.block);
  parts.factors = allocate(rows, parts.count);
  parts.sums = allocate(rows, parts.count);
  auto outputs = MemRefType::get({ShapedType::kDynamic, shape.outputColumns()},
                                 b.getF32Type());
  parts.outputs = memref::AllocOp::create(b, outputs, at.mul(rows, parts.count),
                                          b.getI64IntegerAttr(64));
  if (shape.mixesWeights())
    parts.powers = allocate(rows, at.mul(parts.count, parts.split));

  Value isLarge = at.compare(arith::CmpIPredicate::sgt,
                             at.mul(at.mul(batches, keys), op.getNumHeads()),
                             calibration::fewKeys);
  Value items = at.mul(at.mul(batches, shape.numGroups()), parts.count);
  shape.takeScratch();
  Value bytes = shape.bytesTaken();
  auto forEachItem = [&](auto emit) {
    emitGrid(b, items, isLarge, bytes,
             [&](ImplicitLocOpBuilder &b, Value item, Scratch &scratch) {
               DecodePart part(b, kernel, sizes, scratch);
               (part.*emit)(item, parts);
             });
  };
  auto forEachRow = [&](ArrayRef<void (PartSums::*)(Value)> steps) {
    emitGrid(b, rows,
             at.compare(arith::CmpIPredicate::sgt, at.mul(rows, parts.count),
                        calibration::fewMergedRows),
             at.value(0), [&](ImplicitLocOpBuilder &b, Value row, Scratch &) {
               PartSums sums(b, kernel, sizes, parts, queries);
               for (auto step : steps)
                 (sums.*step)(row);
             });
  };
  forEachItem(&DecodePart::emitWalk);
  if (shape.mixesWeights()) {
    forEachRow({&PartSums::emitFactors});
    forEachItem(&DecodePart::emitMixed);
    forEachRow({&PartSums::emitOutput});
    memref::DeallocOp::create(b, parts.powers);
  } else {
    forEachRow({&PartSums::emitFactors, &PartSums::emitOutput});
  }
  for (Value buffer : {parts.outputs, parts.sums, parts.factors})
    memref::DeallocOp::create(b, buffer);
  kernel.erase();
}
