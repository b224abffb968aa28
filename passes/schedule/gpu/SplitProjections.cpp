// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// attn-split-projections: projected keys and values as tensor cores take them.

#include "passes/Passes.h"
#include "passes/normalize/LinalgEmitter.h"
#include "passes/normalize/Projections.h"
#include "passes/plan/Schedule.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"

namespace mixattn {
#define GEN_PASS_DEF_SPLITPROJECTIONSPASS
#include "passes/Passes.h.inc"
} // namespace mixattn

using namespace mlir;
using namespace mixattn;

namespace {

/// Emits the operands of an attention without projections.
class Splitter : LinalgEmitter {
public:
  Splitter(GenericOp op, RewriterBase &rewriter)
      : LinalgEmitter(rewriter, op.getLoc()), op(op),
        type(cast<AttentionOpInterface>(op.getOperation())
                 .getQueryType()
                 .getElementType()) {}

  /// result[b,h,i,d] = result[b,h,i,D + d] = query[b,h,i,d]
  Value emitQueries() {
    return inHalves(op.getQuery(), [](OpBuilder &, Location, Value x) {
      return std::pair(x, x);
    });
  }
  /// result[b,h,c,d] + result[b,h,c,D + d] = key[b,h,c,d], where the first is
  /// the key rounded. Of a key that is not finite the second is 0.
  Value emitKeys() {
    Value key = project(op.getKey(), op.getKeyProjection());
    return inHalves(key, [&](OpBuilder &b, Location loc, Value x) {
      Value high = arith::TruncFOp::create(b, loc, type, x);
      Value rest = arith::SubFOp::create(
          b, loc, x, arith::ExtFOp::create(b, loc, f32, high));
      Value isNumber =
          arith::CmpFOp::create(b, loc, arith::CmpFPredicate::ORD, rest, rest);
      rest = arith::SelectOp::create(b, loc, isNumber, rest,
                                     constant(b, 0.0, f32));
      return std::pair(high,
                       Value(arith::TruncFOp::create(b, loc, type, rest)));
    });
  }
  Value emitValues() {
    return rounded(project(op.getValue(), op.getValueProjection()), type);
  }

private:
  Value project(Value sequence, Value projection) {
    return ProjectOp::create(rewriter, loc, sequence, projection);
  }
  /// Rows of twice as many features, from each feature of `rows`.
  Value inHalves(
      Value rows,
      function_ref<std::pair<Value, Value>(OpBuilder &, Location, Value)> of) {
    int64_t features = cast<RankedTensorType>(rows.getType()).getDimSize(3);
    SmallVector<OpFoldResult> sizes;
    for (int64_t i = 0; i < 3; ++i)
      sizes.push_back(sizeOf(rows, i));
    sizes.push_back(rewriter.getIndexAttr(2 * features));
    return generic(
        {rows}, {map(4, {dim(0), dim(1), dim(2), dim(3) % features})},
        tensorOf(sizes, type, std::nullopt), identity(4),
        [&](OpBuilder &b, Location loc, ValueRange args) -> Value {
          auto [first, second] = of(b, loc, args[0]);
          if (first == second)
            return first;
          Value middle = arith::ConstantIndexOp::create(b, loc, features);
          Value isFirst =
              arith::CmpIOp::create(b, loc, arith::CmpIPredicate::ult,
                                    linalg::IndexOp::create(b, loc, 3), middle);
          return arith::SelectOp::create(b, loc, isFirst, first, second);
        });
  }

  GenericOp op;
  Type type;
};

} // namespace

/// Whether scores are products of queries and keys of bf16, which holds what
/// sums of f32 may reach.
static bool hasProducts(GenericOp op) {
  if (!hasProjections(op) || !op.getQuery() || op.getGaussian())
    return false;
  auto isBf16 = [](Value tensor) {
    return cast<RankedTensorType>(tensor.getType()).getElementType().isBF16();
  };
  return isBf16(op.getQuery()) && isBf16(op.getKey()) && isBf16(op.getValue());
}

/// Replaces `op` by an attention to split keys, if one of `schedules` makes a
/// kernel of that.
static void split(IRRewriter &rewriter, GenericOp op,
                  const Schedules &schedules) {
  rewriter.setInsertionPoint(op);
  Operation *before = op->getPrevNode();
  Splitter splitter(op, rewriter);
  auto made = cast<GenericOp>(rewriter.clone(*op));
  rewriter.setInsertionPoint(made);
  Value query = splitter.emitQueries(), key = splitter.emitKeys(),
        value = splitter.emitValues();
  rewriter.modifyOpInPlace(made, [&] {
    made.setScale(APFloat(
        cast<AttentionOpInterface>(op.getOperation()).getScaleOrDefault()));
    made.getQueryMutable().assign(query);
    made.getKeyMutable().assign(key);
    made.getValueMutable().assign(value);
    made.getKeyProjectionMutable().clear();
    made.getValueProjectionMutable().clear();
  });
  if (findFirst(made, schedules))
    return rewriter.replaceOp(op, made->getResults());
  while (op->getPrevNode() != before)
    rewriter.eraseOp(op->getPrevNode());
}

namespace {

struct SplitProjectionsPass
    : mixattn::impl::SplitProjectionsPassBase<SplitProjectionsPass> {
  void runOnOperation() override {
    TargetAttr target = TargetAttr::of(getOperation());
    if (target.getFamily() == TargetFamily::X86)
      return;
    Schedules schedules = schedulesFor(target);
    SmallVector<GenericOp> ops;
    getOperation()->walk([&](GenericOp op) {
      if (!op->getParentOfType<KernelOp>() && hasProducts(op))
        ops.push_back(op);
    });
    IRRewriter rewriter(&getContext());
    for (GenericOp op : ops)
      split(rewriter, op, schedules);
  }
};

} // namespace
