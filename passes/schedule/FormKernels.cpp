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

/// Whether `op`, a pointwise op, computes with `use`.
static bool readsUse(Operation *op, OpOperand &use) {
  auto generic = cast<linalg::GenericOp>(op);
  return generic.isDpsInput(&use) &&
         !generic.getMatchingBlockArgument(&use).use_empty();
}

/// The pointwise ops that the result of `anchor` goes through one after the
/// other, and that `schedule` computes with it.
static SmallVector<Operation *> findConsumers(Operation *anchor,
                                              const Schedule &schedule) {
  SmallVector<Operation *> consumers;
  Operation *last = anchor;
  while (last->getNumResults() == 1 && last->getResult(0).hasOneUse()) {
    OpOperand &use = *last->getResult(0).use_begin();
    Operation *next = use.getOwner();
    if (!isPointwise(next) || next->getBlock() != anchor->getBlock() ||
        !readsUse(next, use) || !schedule.whyNotFused(last, next).empty())
      break;
    consumers.push_back(next);
    last = next;
  }
  return consumers;
}

/// Whether `operand` is where an op adds or writes to, and an op makes that
/// from no other tensor.
static bool isFreshInit(OpOperand &operand) {
  auto op = dyn_cast<DestinationStyleOpInterface>(operand.getOwner());
  return op && op.isDpsInit(&operand) &&
         isa_and_present<linalg::FillOp, tensor::EmptyOp>(
             operand.get().getDefiningOp());
}

static bool isConstantNumber(Value value) {
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
  SmallVector<Value> makeOutputs(Operation *last);
  void collect(Operation *op);
  void collect(Value value);
  Value copyInit(Value value);
  Operation *copy(Operation *op);

  IRRewriter rewriter;
  Location loc;
  Operation *anchor;
  IRMapping mapping;
  /// Values from outside: the kernel's inputs, and numbers that its region
  /// makes again.
  llvm::SetVector<Value> used, constants;
};

} // namespace

/// New tensors for the results of `last`, which have the sizes of the anchor's.
SmallVector<Value> KernelMaker::makeOutputs(Operation *last) {
  ReifiedRankedShapedTypeDims shapes;
  [[maybe_unused]] LogicalResult known =
      reifyResultShapes(rewriter, anchor, shapes);
  assert(succeeded(known) && "anchors know the sizes of their results");
  SmallVector<Value> outputs;
  for (auto [result, sizes] : llvm::zip(last->getResults(), shapes)) {
    auto type = cast<RankedTensorType>(result.getType());
    SmallVector<Value> dynamic;
    for (auto [i, size] : llvm::enumerate(sizes))
      if (type.isDynamicDim(i))
        dynamic.push_back(getValueOrCreateConstantIndexOp(rewriter, loc, size));
    outputs.push_back(tensor::EmptyOp::create(rewriter, loc, type, dynamic));
  }
  return outputs;
}

void KernelMaker::collect(Value value) {
  (isConstantNumber(value) ? constants : used).insert(value);
}

/// Collects what `op` reads.
void KernelMaker::collect(Operation *op) {
  for (OpOperand &operand : op->getOpOperands()) {
    if (!isFreshInit(operand)) {
      collect(operand.get());
      continue;
    }
    // A filled tensor is made again in the region, and so is what is filled.
    Operation *made = operand.get().getDefiningOp();
    if (isa<linalg::FillOp>(made))
      collect(made);
    else
      llvm::for_each(made->getOperands(), [&](Value each) { collect(each); });
  }
  llvm::SetVector<Value> captured;
  getUsedValuesDefinedAbove(op->getRegions(), captured);
  llvm::for_each(captured, [&](Value each) { collect(each); });
}

/// The tensor `value`, which an op writes to, made again in the region. It may
/// be an input, too: then `mapping` keeps that.
Value KernelMaker::copyInit(Value value) {
  IRMapping before = mapping;
  Value made = copy(value.getDefiningOp())->getResult(0);
  mapping = before;
  return made;
}

/// A copy of `op` in the kernel's region.
Operation *KernelMaker::copy(Operation *op) {
  SmallVector<std::pair<unsigned, Value>> inits;
  for (OpOperand &operand : op->getOpOperands())
    if (isFreshInit(operand))
      inits.emplace_back(operand.getOperandNumber(), copyInit(operand.get()));
  Operation *copied = rewriter.clone(*op, mapping);
  for (auto [i, init] : inits)
    copied->setOperand(i, init);
  return copied;
}

void KernelMaker::run(ArrayRef<Operation *> consumers) {
  SmallVector<Operation *> all = {anchor};
  llvm::append_range(all, consumers);
  Operation *last = all.back();
  rewriter.setInsertionPoint(last);
  llvm::for_each(all, [&](Operation *op) { collect(op); });
  used.remove_if([&](Value value) {
    return value.getDefiningOp() &&
           llvm::is_contained(all, value.getDefiningOp());
  });
  SmallVector<Value> outputs = makeOutputs(last), inputs;
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
  for (Value value : constants)
    mapping.map(value, rewriter.clone(*value.getDefiningOp())->getResult(0));
  Operation *copied = nullptr;
  for (Operation *op : all)
    copied = copy(op);
  ResultsOp::create(rewriter, loc, copied->getResults());
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

  /// The case of the plan of `op` that has no kernels while another has, or
  /// null.
  static const PlanCase *findOdd(Operation *op, const Schedules &schedules) {
    PlanAttr plan = getPlan(op);
    if (!plan)
      return nullptr;
    auto isPlain = [&](const PlanCase &each) {
      return !findSchedule(schedules, each.algorithm)->formsKernels();
    };
    ArrayRef<PlanCase> cases = plan.getCases();
    const PlanCase *odd = llvm::find_if(cases, isPlain);
    return odd == cases.end() || llvm::all_of(cases, isPlain) ? nullptr : odd;
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
          if (const PlanCase *odd = findOdd(op, schedules)) {
            op->emitOpError(
                "expected kernels for all cases of its plan, or for "
                "none, but there are none for '")
                << odd->algorithm.getValue() << "'";
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
