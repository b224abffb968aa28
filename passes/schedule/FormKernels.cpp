// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// attn-form-kernels: wraps planned ops as kernels on tensors, with the
// pointwise ops that their results go through.

#include "dialect/attn/AttnOps.h"
#include "passes/Passes.h"
#include "passes/plan/Schedule.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Transforms/RegionUtils.h"

namespace mixattn {
#define GEN_PASS_DEF_FORMKERNELSPASS
#include "passes/Passes.h.inc"
} // namespace mixattn

using namespace mlir;
using namespace mixattn;

/// The tensor of bytes whose elements are not 0 where those of `booleans` are
/// true: the one that they were made from, or a new one.
static Value asBytes(OpBuilder &b, Location loc, Value booleans) {
  if (auto made = booleans.getDefiningOp<linalg::GenericOp>();
      made && made.getNumDpsInputs() == 1 &&
      llvm::all_of(made.getIndexingMapsArray(),
                   [](AffineMap map) { return map.isIdentity(); })) {
    auto type = dyn_cast<RankedTensorType>(made.getInputs()[0].getType());
    auto yielded = made.getBody()->getTerminator()->getOperand(0);
    auto compared = yielded.getDefiningOp<arith::CmpIOp>();
    if (type && type.getElementType().isInteger(8) && compared &&
        compared.getPredicate() == arith::CmpIPredicate::ne &&
        compared.getLhs() == made.getBody()->getArgument(0) &&
        matchPattern(compared.getRhs(), m_Zero()))
      return made.getInputs()[0];
  }
  auto type = cast<RankedTensorType>(booleans.getType());
  Value init = tensor::EmptyOp::create(
      b, loc, tensor::getMixedSizes(b, loc, booleans), b.getI8Type());
  AffineMap each = b.getMultiDimIdentityMap(type.getRank());
  SmallVector<utils::IteratorType> loops(type.getRank(),
                                         utils::IteratorType::parallel);
  return linalg::GenericOp::create(
             b, loc, init.getType(), booleans, init,
             ArrayRef<AffineMap>{each, each}, loops,
             [](OpBuilder &b, Location loc, ValueRange args) {
               Value byte =
                   arith::ExtUIOp::create(b, loc, b.getI8Type(), args[0]);
               linalg::YieldOp::create(b, loc, byte);
             })
      .getResult(0);
}

/// The pointwise ops that the result of `anchor` goes through one after the
/// other, and that `schedule` computes with it.
static SmallVector<Operation *> findConsumers(Operation *anchor,
                                              const Schedule &schedule) {
  SmallVector<Operation *> consumers;
  Operation *last = anchor;
  while (last->getNumResults() == 1 && last->getResult(0).hasOneUse()) {
    Operation *next = *last->getResult(0).user_begin();
    auto inputs = dyn_cast<DestinationStyleOpInterface>(next);
    if (!isPointwise(next) || next->getBlock() != anchor->getBlock() ||
        llvm::is_contained(inputs.getDpsInits(), last->getResult(0)) ||
        !schedule.whyNotFused(last, next).empty())
      break;
    consumers.push_back(next);
    last = next;
  }
  return consumers;
}

/// Whether the schedules compute with what `value` is, and read nothing: a
/// constant, or a tensor that an op fills.
static bool isTakenAlong(Value value) {
  if (isa_and_present<linalg::FillOp, tensor::EmptyOp>(value.getDefiningOp()))
    return true;
  return matchPattern(value, m_Constant()) && !isa<TensorType>(value.getType());
}

namespace {

/// Wraps an op and its consumers as a kernel into new tensors.
class KernelMaker {
public:
  explicit KernelMaker(Operation *anchor)
      : rewriter(anchor), loc(anchor->getLoc()), anchor(anchor) {}

  void run(ArrayRef<Operation *> consumers);

private:
  SmallVector<Value> makeOutputs();
  void collect(Value value);
  void takeAlong(Value value);

  IRRewriter rewriter;
  Location loc;
  Operation *anchor;
  IRMapping mapping;
  /// What the region takes from outside.
  llvm::SetVector<Value> used;
};

} // namespace

/// New tensors of the sizes of the anchor's results, which are those of the
/// last op's, too.
SmallVector<Value> KernelMaker::makeOutputs() {
  ReifiedRankedShapedTypeDims shapes;
  [[maybe_unused]] LogicalResult known =
      reifyResultShapes(rewriter, anchor, shapes);
  assert(succeeded(known) && "anchors know the sizes of their results");
  SmallVector<Value> outputs;
  for (auto [result, sizes] : llvm::zip(anchor->getResults(), shapes)) {
    auto type = cast<RankedTensorType>(result.getType());
    SmallVector<Value> dynamic;
    for (auto [i, size] : llvm::enumerate(sizes))
      if (type.isDynamicDim(i))
        dynamic.push_back(getValueOrCreateConstantIndexOp(rewriter, loc, size));
    outputs.push_back(tensor::EmptyOp::create(rewriter, loc, type, dynamic));
  }
  return outputs;
}

/// Collects what `value` is computed from, outside of the kernel.
void KernelMaker::collect(Value value) {
  if (!isTakenAlong(value)) {
    used.insert(value);
    return;
  }
  for (Value operand : value.getDefiningOp()->getOperands())
    collect(operand);
}

/// A copy of the op that makes `value`, in the kernel's region.
void KernelMaker::takeAlong(Value value) {
  if (mapping.contains(value))
    return;
  Operation *op = value.getDefiningOp();
  for (Value operand : op->getOperands())
    takeAlong(operand);
  mapping.map(value, rewriter.clone(*op, mapping)->getResult(0));
}

void KernelMaker::run(ArrayRef<Operation *> consumers) {
  SmallVector<Operation *> all = {anchor};
  llvm::append_range(all, consumers);
  Operation *last = all.back();
  rewriter.setInsertionPoint(last);
  llvm::SetVector<Value> operands;
  for (Operation *op : all) {
    operands.insert(op->operand_begin(), op->operand_end());
    getUsedValuesDefinedAbove(op->getRegions(), operands);
  }
  operands.remove_if([&](Value value) {
    return value.getDefiningOp() &&
           llvm::is_contained(all, value.getDefiningOp());
  });
  for (Value value : operands)
    collect(value);
  SmallVector<Value> outputs = makeOutputs(), inputs;
  SmallVector<Type> types;
  for (Value value : used) {
    auto tensor = dyn_cast<RankedTensorType>(value.getType());
    bool isBoolean = tensor && tensor.getElementType().isInteger(1);
    inputs.push_back(isBoolean ? asBytes(rewriter, loc, value) : value);
    types.push_back(value.getType());
  }
  auto kernel =
      KernelOp::create(rewriter, loc, last->getResultTypes(), inputs, outputs);
  SmallVector<Location> places(types.size(), loc);
  Block *block = rewriter.createBlock(&kernel.getBody(), {}, types, places);
  mapping.map(used.getArrayRef(), block->getArguments());
  for (Value value : operands)
    takeAlong(value);
  Operation *copy = nullptr;
  for (Operation *op : all)
    copy = rewriter.clone(*op, mapping);
  ResultsOp::create(rewriter, loc, copy->getResults());
  rewriter.replaceOp(last, kernel.getResults());
  for (Operation *op : llvm::reverse(ArrayRef(all).drop_back()))
    rewriter.eraseOp(op);
}

namespace {

struct FormKernelsPass : mixattn::impl::FormKernelsPassBase<FormKernelsPass> {
  using Base::Base;

  /// The schedule that makes a kernel of `op`, that of the last case of its
  /// plan, or of any schedule where it has none; or null.
  static const Schedule *scheduleOf(Operation *op, const Schedules &schedules) {
    PlanAttr plan = getPlan(op);
    if (!plan)
      return findFirst(op, schedules);
    const Schedule *last =
        findSchedule(schedules, plan.getCases().back().algorithm);
    return last->formsKernels() ? last : nullptr;
  }

  void runOnOperation() override {
    Schedules schedules = schedulesFor(TargetAttr::of(getOperation()));
    SmallVector<Operation *> fused;
    WalkResult result =
        getOperation()->walk<WalkOrder::PreOrder>([&](Operation *op) {
          if (isa<KernelOp>(op))
            return WalkResult::skip();
          if (!canBePlanned(op))
            return WalkResult::advance();
          if (PlanAttr plan = getPlan(op))
            for (const PlanCase &each : plan.getCases())
              if (std::string why = whyNotBy(each, op, schedules);
                  !why.empty()) {
                op->emitOpError("cannot be computed as planned by '")
                    << each.algorithm.getValue() << "': " << why;
                return WalkResult::interrupt();
              }
          if (scheduleOf(op, schedules))
            fused.push_back(op);
          return WalkResult::advance();
        });
    if (result.wasInterrupted())
      return signalPassFailure();
    for (Operation *op : fused)
      KernelMaker(op).run(findConsumers(op, *scheduleOf(op, schedules)));
  }
};

} // namespace
