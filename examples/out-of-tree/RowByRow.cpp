// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// One row of scores after the other, on one thread: a pass over the keys for
// the maximum, and one for the weights.

#include "RowByRow.h"

#include "passes/body/Body.h"
#include "passes/plan/Schedule.h"
#include "passes/schedule/KeyRange.h"

#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

#include <limits>

using namespace mlir;
using namespace mixattn;

namespace {

/// Emits the loops.
class RowEmitter {
public:
  RowEmitter(ImplicitLocOpBuilder &b, KernelOp kernel)
      : b(b), at(b), op(cast<AttentionOpInterface>(kernel.getAnchor())),
        output(kernel.getOutputs().front()), buffers(kernel.getInputs()),
        body(op, buffers) {}

  void emit();

private:
  void emitRow(Value batch, Value head, Value query);
  /// The exponent of the weight of `key`, to base 2; -inf where it is hidden.
  Value emitExponent(const ScorePlace &place);
  /// Calls `step` for each number from `begin` to before `end`, with what the
  /// one before gave; gives what the last did.
  Value loop(Value begin, Value end, Value init,
             function_ref<Value(Value, Value)> step) {
    auto loop = scf::ForOp::create(b, begin, end, at.value(1), init);
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(loop.getBody());
    Value next = step(loop.getInductionVar(), loop.getRegionIterArg(0));
    scf::YieldOp::create(b, next);
    return loop.getResult(0);
  }
  void forEach(Value end, function_ref<void(Value)> body) {
    auto loop = scf::ForOp::create(b, at.value(0), end, at.value(1));
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(loop.getBody());
    body(loop.getInductionVar());
  }
  Value number(double value) {
    return arith::ConstantOp::create(b, b.getF32FloatAttr(value));
  }
  Value sizeOf(OperandDim of) {
    return b.createOrFold<memref::DimOp>(buffers.bufferOf(of.value), of.dim);
  }
  Value load(Value tensor, ValueRange indices) {
    return memref::LoadOp::create(b, buffers.bufferOf(tensor), indices);
  }

  ImplicitLocOpBuilder &b;
  IndexMath at;
  AttentionOpInterface op;
  Value output;
  KernelBuffers buffers;
  Body body;
};

/// The record of the algorithm.
class RowByRow : public Schedule {
public:
  RowByRow() : Schedule("row_by_row", "one row of scores after the other") {}

  bool isFor(Operation *op) const override { return isa<GenericOp>(op); }
  std::string whyNot(Operation *op) const override {
    auto generic = dyn_cast<GenericOp>(op);
    if (!generic)
      return "it is not the normal form of a softmax attention";
    AttentionOpInterface attention = generic;
    bool isPlain = attention.getQuery() && !attention.hasComponents() &&
                   !attention.hasPremix() && !attention.hasPostmix() &&
                   !attention.getGaussian() && !attention.getKeyProjection() &&
                   op->getNumResults() == 1 &&
                   attention.getValueType().getElementType().isF32();
    return isPlain ? "" : "it is more than a softmax of products of f32";
  }
  Prediction predict(const Workload &work, const PlanCase &,
                     const PlanSizes &sizes) const override {
    double pairs =
        double(sizes.batch) * double(sizes.queries) * double(sizes.keys);
    return {pairs * work.pair.products() / flopsOfPeak(work), 0};
  }
  /// A scalar multiply-add a cycle.
  double flopsOfPeak(const Workload &) const override { return 2e9; }
  double secondsOfCall() const override { return 1e-6; }
  void emit(KernelOp kernel, const PlanCase &) const override {
    ImplicitLocOpBuilder b(kernel.getLoc(), kernel);
    RowEmitter(b, kernel).emit();
    kernel.erase();
  }
};

} // namespace

Value RowEmitter::emitExponent(const ScorePlace &place) {
  Value queryHead = place.h, keyHead = at.div(place.h, op.getKeyGroup());
  Value features = at.value(op.getQueryType().getDimSize(3));
  Value product =
      loop(at.value(0), features, number(0), [&](Value d, Value sum) -> Value {
        Value q = load(op.getQuery(), {place.b, queryHead, place.i, d});
        Value k = load(op.getKey(), {place.b, keyHead, place.j, d});
        return arith::AddFOp::create(b, sum, arith::MulFOp::create(b, q, k));
      });
  Value scaled = arith::MulFOp::create(b, product, number(body.queryFactor()));
  SmallVector<Value> start = body.emitStart(b, scaled, place);
  Value exponent = body.emitExponents(b, start, place).front();
  Value visible = body.emitIsVisible(b, place);
  if (!visible)
    return exponent;
  Value hidden = number(-std::numeric_limits<double>::infinity());
  return arith::SelectOp::create(b, visible, exponent, hidden);
}

void RowEmitter::emitRow(Value batch, Value head, Value query) {
  KeyRange range = emitKeyRange(b, op, buffers, query, at.value(1), batch);
  Value end = at.max(range.begin, range.end);
  auto placeOf = [&](Value key) {
    return ScorePlace{batch, head, query, key, range.alignment};
  };
  Value lowest = number(std::numeric_limits<float>::lowest());
  Value maximum =
      loop(range.begin, end, lowest, [&](Value key, Value before) -> Value {
        return arith::MaxNumFOp::create(b, before, emitExponent(placeOf(key)));
      });
  Value columns = at.value(op.getValueType().getDimSize(3));
  auto element = [&](Value e) {
    return SmallVector<Value>{batch, head, query, e};
  };
  forEach(columns, [&](Value e) {
    memref::StoreOp::create(b, number(0), output, element(e));
  });
  Value valueHead = at.div(head, op.getValueGroup());
  Value sum =
      loop(range.begin, end, number(0), [&](Value key, Value before) -> Value {
        ScorePlace place = placeOf(key);
        Value weight = math::Exp2Op::create(
            b, arith::SubFOp::create(b, emitExponent(place), maximum));
        Value after = arith::AddFOp::create(b, before, weight);
        if (Value kept = body.emitIsKept(b, place))
          weight = arith::SelectOp::create(b, kept, weight, number(0));
        forEach(columns, [&](Value e) {
          Value v = load(op.getValue(), {batch, valueHead, key, e});
          Value pooled = memref::LoadOp::create(b, output, element(e));
          pooled = arith::AddFOp::create(b, pooled,
                                         arith::MulFOp::create(b, weight, v));
          memref::StoreOp::create(b, pooled, output, element(e));
        });
        return after;
      });
  // A row that sees nothing gives zeros.
  Value isEmpty =
      arith::CmpFOp::create(b, arith::CmpFPredicate::OEQ, sum, number(0));
  Value divisor = arith::SelectOp::create(b, isEmpty, number(1), sum);
  forEach(columns, [&](Value e) {
    Value pooled = memref::LoadOp::create(b, output, element(e));
    memref::StoreOp::create(b, arith::DivFOp::create(b, pooled, divisor),
                            output, element(e));
  });
}

void RowEmitter::emit() {
  Value queries = sizeOf(op.getQueriesDim());
  forEach(sizeOf(op.getBatchDim()), [&](Value batch) {
    forEach(at.value(op.getNumHeads()), [&](Value head) {
      forEach(queries, [&](Value query) { emitRow(batch, head, query); });
    });
  });
}

void registerRowByRow(DialectRegistry &registry) {
  registry.addExtension(+[](MLIRContext *, AttnDialect *dialect) {
    ScheduleTable::of(dialect).add(TargetFamily::X86, [](TargetAttr) {
      return std::make_unique<RowByRow>();
    });
  });
}
