// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Sums over the parts of a row: of a batch row, head and query.

#include "passes/body/References.h"
#include "passes/body/Softmax.h"
#include "passes/schedule/x86/decode/Decode.h"
#include "passes/schedule/x86/shared/DroppedRows.h"
#include "passes/schedule/x86/shared/Grid.h"
#include "passes/schedule/x86/shared/Operands.h"
#include "passes/schedule/x86/shared/Thresholds.h"
#include "passes/schedule/x86/shared/TileCode.h"

#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace mixattn;

namespace {

/// Emits the sums of one row. `references` and `sums` are [B,H,N,P].
class PartSums : public TileCode {
public:
  PartSums(ImplicitLocOpBuilder &b, const TileSizes &sizes, Value references,
           Value sums, Value row)
      : TileCode(b, sizes), references(references), sums(sums),
        parts(b.createOrFold<memref::DimOp>(references, 3)) {
    Value queries = b.createOrFold<memref::DimOp>(references, 2);
    int64_t heads = cast<MemRefType>(references.getType()).getDimSize(1);
    Value number = at.div(row, queries);
    place = {at.div(number, heads), at.rem(number, heads),
             at.rem(row, queries)};
  }

  using Indices = function_ref<SmallVector<Value>(Value part)>;

  /// Writes the factor of each part to `indices(part)` of `factors`. Gives the
  /// largest reference, and the sum of powers less of it.
  std::pair<Value, Value> emitFactors(Value factors, Indices indices);
  /// Writes the sum of `values`, [B,H,N,P,E'], times `factors`,
  /// `memref<?xf32>`, or null.
  void emitOutput(Value values, Value factors, Value target, int64_t features);
  void write(Value lanes, Value buffer, ValueRange indices) {
    memref::StoreOp::create(b, vector::ExtractOp::create(b, lanes, 0), buffer,
                            indices);
  }
  Value read(Value buffer, ValueRange indices) {
    Value number = memref::LoadOp::create(b, buffer, indices);
    return vector::BroadcastOp::create(b, rowType(), number);
  }
  /// The indices of `part` of this row.
  SmallVector<Value> placeOf(Value part) {
    return {place[0], place[1], place[2], part};
  }

  /// The batch row, head and query.
  SmallVector<Value> place;

private:
  Value forEachPart(Value init, function_ref<Value(Value, Value)> inside) {
    auto loop = scf::ForOp::create(b, at.value(0), parts, at.value(1),
                                   ValueRange{init});
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(loop.getBody());
    scf::YieldOp::create(
        b, inside(loop.getInductionVar(), loop.getRegionIterArg(0)));
    return loop.getResult(0);
  }

  Value references, sums, parts;
};

} // namespace

std::pair<Value, Value> PartSums::emitFactors(Value factors, Indices indices) {
  Value reference = forEachPart(splat(lowest), [&](Value part, Value most) {
    return larger(read(references, placeOf(part)), most);
  });
  Value total = forEachPart(splat(0), [&](Value part, Value sum) {
    Value factor =
        softmax().emitRescale(read(references, placeOf(part)), reference);
    write(factor, factors, indices(part));
    return add(sum, mul(factor, read(sums, placeOf(part))));
  });
  Value inverse = Softmax::emitInverse(b, total);
  forEach(0, parts, 1, [&](Value part) {
    SmallVector<Value> place = indices(part);
    write(mul(read(factors, place), inverse), factors, place);
  });
  return {reference, total};
}

void PartSums::emitOutput(Value values, Value factors, Value target,
                          int64_t features) {
  Value row = KernelBuffers::matrixAt(b, values, place);
  Type element = cast<MemRefType>(target.getType()).getElementType();
  forEach(0, features, sizes.lanes, [&](Value column) {
    Value sum = forEachPart(splat(0), [&](Value part, Value sum) {
      Value pooled = load(row, part, column);
      if (factors)
        pooled = mul(pooled, read(factors, part));
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
}

/// Emits a grid of the rows of `references`. Where it `hasScratch`, each has a
/// number for each part.
static void
emitRows(ImplicitLocOpBuilder &b, Value references, bool hasScratch,
         function_ref<void(ImplicitLocOpBuilder &, Value, Scratch &)> emit) {
  IndexMath at(b);
  auto sizeOf = [&](int64_t dim) {
    return b.createOrFold<memref::DimOp>(references, dim);
  };
  Value rows = at.mul(at.mul(sizeOf(0), sizeOf(1)), sizeOf(2));
  Value parts = sizeOf(3);
  emitGrid(b, rows,
           at.compare(arith::CmpIPredicate::sgt, at.mul(rows, parts),
                      thresholds::fewMergedRows),
           hasScratch ? at.mul(parts, int64_t(sizeof(float))) : at.value(0),
           emit);
}

void mixattn::schedulePartFactors(KernelOp kernel, const TileSizes &sizes) {
  ImplicitLocOpBuilder b(kernel.getLoc(), kernel);
  auto op = cast<PartFactorsOp>(kernel.getAnchor());
  Value references = kernel.getOperandOf(op.getReferences());
  Value sums = kernel.getOperandOf(op.getSums());
  Value factors = kernel.getOutputs()[0];
  emitRows(b, references, /*hasScratch=*/false,
           [&](ImplicitLocOpBuilder &b, Value row, Scratch &) {
             PartSums part(b, sizes, references, sums, row);
             part.emitFactors(
                 factors, [&](Value number) { return part.placeOf(number); });
           });
  kernel.erase();
}

void mixattn::scheduleMergeParts(KernelOp kernel, const TileSizes &sizes) {
  ImplicitLocOpBuilder b(kernel.getLoc(), kernel);
  auto op = cast<MergePartsOp>(kernel.getAnchor());
  AttentionOpInterface attention = op.getGeneric();
  Value values = kernel.getOperandOf(op.getValues());
  Value references = kernel.getOperandOf(op.getReferences());
  Value sums = kernel.getOperandOf(op.getSums());
  // Mixed weights have taken their factors.
  bool isMixed = attention.hasPostmix();
  emitRows(
      b, references, /*hasScratch=*/true,
      [&](ImplicitLocOpBuilder &b, Value row, Scratch &scratch) {
        IndexMath at(b);
        PartSums part(b, sizes, references, sums, row);
        Value factors;
        if (!isMixed || op.getLse()) {
          auto type = MemRefType::get({ShapedType::kDynamic}, b.getF32Type());
          Value count = b.createOrFold<memref::DimOp>(references, 3);
          factors = memref::ViewOp::create(b, type, scratch.memory, at.value(0),
                                           count);
          auto [reference, total] = part.emitFactors(
              factors, [](Value part) { return SmallVector<Value>{part}; });
          if (op.getLse())
            part.write(Softmax::emitLogSum(b, reference, total),
                       kernel.getOutputs()[1], part.place);
        }
        Value target = KernelBuffers::matrixAt(b, kernel.getOutputs()[0],
                                               {part.place[0], part.place[1]});
        part.emitOutput(values, isMixed ? Value() : factors, target,
                        attention.getValueType().getDimSize(3));
        KernelOperands operands(kernel, sizes.lanes);
        emitDroppedRows(b, attention, operands, target, part.place[0],
                        part.place[2], at.value(1));
      });
  kernel.erase();
}
