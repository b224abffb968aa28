// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The merge of parts of keys, on a GPU.

#include "passes/body/References.h"
#include "passes/body/Softmax.h"
#include "passes/schedule/KeyRange.h"
#include "passes/schedule/gpu/Schedules.h"

#include "dialect/tile/TileOps.h"

#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace mixattn;
using namespace mixattn::gpus;

/// Threads of a block, which has one row: a thread has every 64th column.
static constexpr int64_t threads = 64;

namespace {

/// Emits the merge of one row: of a batch row, head and query.
class PartMerger {
public:
  explicit PartMerger(KernelOp kernel)
      : b(kernel.getLoc(), kernel), at(b), kernel(kernel),
        op(cast<MergePartsOp>(kernel.getAnchor())),
        softmax(b, [](ImplicitLocOpBuilder &b, Value exponent) -> Value {
          return math::Exp2Op::create(b, exponent);
        }) {}

  void emit();

private:
  using Values = SmallVector<Value>;

  /// A loop over parts, in their order, that carries numbers.
  Values forEachPart(Values inits,
                     function_ref<Values(Value part, ValueRange)> inside);
  /// The element of `numbers` for `part` of the row, at `rest`.
  Value read(Value numbers, Value part, ArrayRef<Value> rest = {}) {
    Values place = row;
    place.push_back(part);
    llvm::append_range(place, rest);
    return memref::LoadOp::create(b, kernel.getOperandOf(numbers), place);
  }
  Value number(double value) {
    return arith::ConstantOp::create(b, b.getF32FloatAttr(value));
  }
  /// 0 in place of `sum` where the row keeps no weight.
  Value emitKept(Value sum);
  Value emitSum(Value column, Value reference);
  void emitColumn(Value column, Value reference);
  void emitLogSum(Value reference);

  ImplicitLocOpBuilder b;
  IndexMath at;
  KernelOp kernel;
  MergePartsOp op;
  Softmax softmax;
  Values row;
  Value count;
};

} // namespace

PartMerger::Values
PartMerger::forEachPart(Values inits,
                        function_ref<Values(Value, ValueRange)> inside) {
  auto loop = scf::ForOp::create(b, at.value(0), count, at.value(1), inits);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(loop.getBody());
  scf::YieldOp::create(
      b, inside(loop.getInductionVar(), loop.getRegionIterArgs()));
  return Values(loop.getResults());
}

Value PartMerger::emitKept(Value sum) {
  AttentionOpInterface attention = op.getGeneric();
  if (!attention.getKeep())
    return sum;
  KernelBuffers buffers(ValueRange(kernel.getInputs()));
  KeyRange range =
      emitKeyRange(b, attention, buffers, row[2], at.value(1), row[0]);
  return arith::SelectOp::create(b, emitKeepsNone(b, attention, range, row[2]),
                                 number(0), sum);
}

/// Parts pooled by weights add up; those by powers do as if of one reference.
Value PartMerger::emitSum(Value column, Value reference) {
  if (AttentionOpInterface(op.getGeneric()).hasPostmix())
    return forEachPart({number(0)},
                       [&](Value part, ValueRange before) {
                         return Values{arith::AddFOp::create(
                             b, before[0], read(op.getValues(), part, column))};
                       })
        .front();
  Values sums = forEachPart(
      {number(0), number(0)}, [&](Value part, ValueRange before) -> Values {
        Value factor =
            softmax.emitRescale(read(op.getReferences(), part), reference);
        return {
            math::FmaOp::create(b, factor, read(op.getSums(), part), before[0]),
            math::FmaOp::create(b, factor, read(op.getValues(), part, column),
                                before[1])};
      });
  return arith::MulFOp::create(b, sums[1], Softmax::emitInverse(b, sums[0]));
}

void PartMerger::emitColumn(Value column, Value reference) {
  Value result = emitKept(emitSum(column, reference));
  Value target = kernel.getOutputs()[0];
  Type type = cast<MemRefType>(target.getType()).getElementType();
  if (!type.isF32())
    result = arith::TruncFOp::create(b, type, result);
  memref::StoreOp::create(b, result, target,
                          ValueRange{row[0], row[1], row[2], column});
}

void PartMerger::emitLogSum(Value reference) {
  Value sum =
      forEachPart({number(0)}, [&](Value part, ValueRange before) {
        Value factor =
            softmax.emitRescale(read(op.getReferences(), part), reference);
        return Values{math::FmaOp::create(b, factor, read(op.getSums(), part),
                                          before[0])};
      }).front();
  memref::StoreOp::create(b, Softmax::emitLogSum(b, reference, sum),
                          kernel.getOutputs()[1], row);
}

void PartMerger::emit() {
  Value references = kernel.getOperandOf(op.getReferences());
  auto sizeOf = [&](int64_t dim) {
    return b.createOrFold<memref::DimOp>(references, dim);
  };
  count = sizeOf(3);
  auto grid = tile::GridOp::create(
      b, ValueRange{sizeOf(2), sizeOf(1), sizeOf(0)}, threads);
  b.setInsertionPointToStart(&grid.getBody().front());
  row = {grid.getItem()[2], grid.getItem()[1], grid.getItem()[0]};
  Value thread = gpu::ThreadIdOp::create(b, gpu::Dimension::x);
  Value reference =
      forEachPart({number(lowest)}, [&](Value part, ValueRange before) {
        return Values{arith::MaxNumFOp::create(
            b, read(op.getReferences(), part), before[0])};
      }).front();
  int64_t columns = op.getGeneric().getResult().getType().getShape().back();
  auto loop =
      scf::ForOp::create(b, thread, at.value(columns), at.value(threads));
  {
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(loop.getBody());
    emitColumn(loop.getInductionVar(), reference);
  }
  if (!op.getLse())
    return;
  auto isFirst = scf::IfOp::create(
      b, at.compare(arith::CmpIPredicate::eq, thread, 0), /*withElse=*/false);
  b.setInsertionPointToStart(isFirst.thenBlock());
  emitLogSum(reference);
}

void gpus::scheduleMergeParts(KernelOp kernel) {
  PartMerger(kernel).emit();
  kernel.erase();
}
